#!/usr/bin/env python3
"""PyTorch's time for the step of the 1024-wide MLP, for comparison.

The same model, batch, optimizer, clipping and loss scaling as the compiled step:
four linear layers of 1024 with relu between them, mean squared error, batch 256,
AdamW, gradients clipped to a norm of 1; autocast and, in f16, GradScaler. Prints
one JSON object per line. Exits with 77 where there is no PyTorch or no device.
"""

import json
import statistics
import sys

BATCH, WIDTH, LAYERS = 256, 1024, 4
WARMUP, STEPS, ROUNDS = 10, 30, 5


def skip(reason):
    print(f"skipped: {reason}", file=sys.stderr)
    sys.exit(77)


try:
    import torch
except ImportError as error:
    skip(f"PyTorch cannot be imported: {error}")
if not torch.cuda.is_available():
    skip("PyTorch sees no CUDA device")


def make_model():
    torch.manual_seed(1)
    parts = []
    for layer in range(LAYERS):
        if layer:
            parts.append(torch.nn.ReLU())
        parts.append(torch.nn.Linear(WIDTH, WIDTH))
    return torch.nn.Sequential(*parts).cuda()


def make_step(precision):
    """One training step as a closure."""
    dtype = {"f32": None, "bf16": torch.bfloat16, "f16": torch.float16}[precision]
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    scaler = torch.amp.GradScaler("cuda", enabled=precision == "f16")
    x = torch.randn(BATCH, WIDTH, device="cuda")
    y = torch.randn(BATCH, WIDTH, device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=dtype or torch.bfloat16, enabled=dtype is not None):
            loss = torch.nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()

    return step


def measure(step):
    """Microseconds per step: the median of the rounds, by events."""
    for _ in range(WARMUP):
        step()
    samples = []
    for _ in range(ROUNDS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(STEPS):
            step()
        end.record()
        end.synchronize()
        samples.append(begin.elapsed_time(end) * 1e3 / STEPS)
    return statistics.median(samples)


def main():
    failed = False
    # As the compiled f32 step: no tf32.
    torch.backends.cuda.matmul.allow_tf32 = False
    for precision in ("f32", "bf16", "f16"):
        row = {"section": "pytorch", "model": "mlp", "precision": precision, "mode": "eager",
               "version": torch.__version__, "status": "ok"}
        try:
            row["step_us"] = measure(make_step(precision))
        except RuntimeError as error:
            failed = True
            row.update(status="failed", reason=str(error).splitlines()[0])
        print(json.dumps(row), flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
