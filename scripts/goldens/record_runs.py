#!/usr/bin/env python3
# Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records PyTorch training runs for `amp-train --replay`.

    record_runs.py                 writes every model and case under test/Replay
    record_runs.py --only=REGEX    only the cases whose name matches
    record_runs.py --verify=FILE --model=NAME
                                   records FILE again from its own data, compares
    record_runs.py --check         says how far from each written case a right
                                   implementation may end
    record_runs.py --find-seeds    prints seeds for the table in replay_cases.py

`--check` replaces linear layers and activations by f64 arithmetic whose result is
moved by up to 4 f32 ulps before its one rounding: the room that the order of accumulation
and the polynomial approximations leave to a right implementation. The printed
distance is what such an implementation may be off by, the worst of five tries; a
case that is far above the replay's tolerance there is chaotic, and needs another
seed.
"""

import argparse
import dataclasses
import json
import math
import pathlib
import re

import torch

import replay_models
from replay_cases import all_cases, case_families
from replay_models import all_models

ROOT = pathlib.Path(__file__).resolve().parents[2] / "test/Replay"
DTYPES = {"torch.float16": torch.float16, "torch.bfloat16": torch.bfloat16, "None": None}
OPTIMIZERS = {"SGD": torch.optim.SGD, "Adam": torch.optim.Adam, "AdamW": torch.optim.AdamW}


def jittered(value, dtype):
    """`value` (f64) moved by up to 4 ulps of f32, then rounded to `dtype`."""
    noise = torch.randint(-4, 5, value.shape, dtype=torch.float64)
    return (value * (1 + noise * 2.0**-24)).float().to(dtype)


class JitteredLinear(torch.autograd.Function):
    """A linear layer that rounds once, with the error of another implementation."""

    @staticmethod
    def forward(ctx, x, weight, *bias):
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bool(bias)
        with torch.autocast("cpu", enabled=False):
            y = x.double() @ weight.double().t()
            return jittered(y + bias[0].double() if bias else y, x.dtype)

    @staticmethod
    def backward(ctx, dy):
        x, weight = ctx.saved_tensors
        wide = dy.double()
        grads = [wide @ weight.double(), wide.t() @ x.double()]
        if ctx.has_bias:
            grads.append(wide.sum(0))
        return tuple(jittered(value, dy.dtype) for value in grads)


def jittered_linear(dtype):
    """F.linear as `JitteredLinear` under autocast to `dtype`."""

    def linear(x, weight, bias=None):
        operands = [x, weight] + ([] if bias is None else [bias])
        return JitteredLinear.apply(*(value.to(dtype or torch.float32) for value in operands))

    return linear


def jittered_activation(function):
    """`function` with its result, also the one saved for backward, jittered."""

    def activation(value):
        result = function(value)
        result.data.copy_(jittered(function(value.detach().double()), result.dtype))
        return result

    return activation


def sensitivity(model, case, tries=5):
    """The largest distance of each column over jittered trainings of `case`."""
    distance = dict.fromkeys(compare(case, case), 0.0)
    linear, activations = torch.nn.functional.linear, dict(replay_models.ACTIVATIONS)
    torch.nn.functional.linear = jittered_linear(DTYPES[case["dtype"]])
    for key, (function, *rest) in activations.items():
        replay_models.ACTIVATIONS[key] = (jittered_activation(function), *rest)
    try:
        for seed in range(tries):
            torch.manual_seed(seed)
            found = compare(record(model, case), case)
            distance = {key: max(distance[key], found[key]) for key in found}
    finally:
        torch.nn.functional.linear = linear
        replay_models.ACTIVATIONS.update(activations)
    return distance


def find_seeds(models, only):
    """Prints, for each case, the first seed whose run is far from every tie.

    One flipped rounding of a small 16-bit model moves a run by more than the
    replay's tolerance, so cases are drawn where even a jitter of 4 ulps flips
    nothing that matters: half the tolerance, or the calmest of 60 seeds.
    """
    for name, spec in all_cases().items():
        if not only.search(name):
            continue
        model, best = models[spec.model], (math.inf, 0)
        for seed in range(1, 61):
            case = new_case(name, dataclasses.replace(spec, seed=seed), model)
            case = record(model, case)
            worst = max(sensitivity(model, case, tries=8).values())
            best = min(best, (worst, seed))
            if best[0] <= (5e-6 if DTYPES[spec.dtype] is None else 1e-4):
                break
        print(f'    "{name}": ({best[1]}, {best[0]:.1e}),', flush=True)


def record(model, case):
    """Trains `model` as `case` says; returns `case` with `rows` and `final`."""
    dtype = DTYPES[case["dtype"]]
    x = to_tensor(case["x"], torch.float32)
    y = to_tensor(case["y"], torch.float32 if model.loss.kind == "mse" else torch.int64)
    params = {name: to_tensor(value, torch.float32).requires_grad_() for name, value in case["init"].items()}
    leaves = list(params.values())
    options = dict(case["opt_defaults"])
    if case["optimizer"] == "AdamW":
        options.pop("decoupled_weight_decay", None)  # its default, but no argument
    optimizer = OPTIMIZERS[case["optimizer"]](leaves, **options)
    scaler = torch.amp.GradScaler("cpu", **case["scaler"]) if case["scaler"] is not None else None
    rows = []
    for step in range(case["steps"]):
        optimizer.zero_grad()
        loss_sum = 0.0
        for begin, end in case["micro"] or [[0, len(x)]]:
            with torch.autocast("cpu", dtype or torch.bfloat16, enabled=dtype is not None):
                output = model.forward(params, x[begin:end])
                loss = model.loss(output, y[begin:end])
            if case["micro"]:
                loss = loss * ((end - begin) / len(x))
            loss_sum += loss.item()
            (scaler.scale(loss) if scaler else loss).backward()
        if str(step) in case["inject"]:
            leaves[0].grad.view(-1)[0] = case["inject"][str(step)]
        if scaler:
            scaler.unscale_(optimizer)
        finite = all(bool(torch.isfinite(p.grad).all()) for p in leaves)
        norm = math.sqrt(sum(p.grad.double().square().sum().item() for p in leaves)) if finite else math.inf
        if case["clip"] is not None and finite:
            torch.nn.utils.clip_grad_norm_(leaves, case["clip"])
        before = [p.detach().clone() for p in leaves]
        if scaler:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()
        changes = torch.stack([(p.detach() - old).abs().max() for p, old in zip(leaves, before)])
        rows.append(
            {
                "step": step,
                "loss": loss_sum,
                "scale": scaler.get_scale() if scaler else 1.0,
                "grad_norm": norm,
                "finite": finite,
                "max_update": changes.max().item(),
                "out_dtype": str(output.dtype),
            }
        )
    return {**case, "rows": rows, "final": {name: from_tensor(p) for name, p in params.items()}}


def new_case(name, spec, model):
    """The complete input of a case: data and parameters from its seed, options resolved."""
    torch.manual_seed(spec.seed)
    init = model.init()
    x = torch.randn(spec.rows, model.widths[0]) * spec.x_scale
    if model.loss.kind == "mse":
        y = torch.randn(spec.rows, model.widths[-1])
    else:
        y = torch.randint(0, model.widths[-1], (spec.rows,))
        for row in spec.ignored_rows:
            y[row] = model.loss.ignore_index
    optimizer = OPTIMIZERS[spec.optimizer](list(init.values()), **spec.options)
    return {
        "name": name,
        "torch": torch.__version__,
        "seed": spec.seed,
        "steps": spec.steps,
        "clip": spec.clip,
        "inject": spec.inject,
        "micro": spec.micro,
        "scaler": spec.scaler,
        "dtype": spec.dtype,
        "optimizer": spec.optimizer,
        # What is None there (foreach, fused) is not a number of the algorithm.
        "opt_defaults": {k: v for k, v in optimizer.defaults.items() if v is not None},
        "init": {key: from_tensor(value) for key, value in init.items()},
        "x": from_tensor(x),
        "y": from_tensor(y),
    }


def from_tensor(value):
    return {"shape": list(value.shape), "data": value.detach().flatten().tolist()}


def to_tensor(value, dtype):
    return torch.tensor(value["data"], dtype=torch.float64).to(dtype).reshape(value["shape"]).clone()


def relative(got, want):
    """|got - want| / |want| of numbers or lists (by the largest magnitude)."""
    got, want = (v if isinstance(v, list) else [v] for v in (got, want))
    if any(math.isfinite(g) != math.isfinite(w) or (not math.isfinite(w) and repr(g) != repr(w)) for g, w in zip(got, want)):
        return math.inf
    pairs = [(g, w) for g, w in zip(got, want) if math.isfinite(w)]
    top = max((abs(w) for _, w in pairs), default=0.0)
    return max((abs(g - w) for g, w in pairs), default=0.0) / top if top else max((abs(g) for g, _ in pairs), default=0.0)


def compare(got, want):
    """The largest relative distance of each column; an exact column is 0 or inf."""
    result = {}
    for column in ("scale", "finite", "out_dtype"):
        same = all(a[column] == b[column] for a, b in zip(got["rows"], want["rows"]))
        result[column] = 0.0 if same else math.inf
    for column in ("loss", "grad_norm", "max_update"):
        result[column] = max(relative(a[column], b[column]) for a, b in zip(got["rows"], want["rows"]))
    result["final"] = max(relative(got["final"][k]["data"], want["final"][k]["data"]) for k in want["final"])
    return result


def dump(case):
    """JSON with one member or row a line, the numbers as Python prints them."""
    lines = []
    for key, value in case.items():
        if key == "rows":
            value = "[\n" + ",\n".join("  " + json.dumps(row) for row in value) + "\n ]"
        else:
            value = json.dumps(value)
        lines.append(f" {json.dumps(key)}: {value}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def test_files():
    """File name -> text of the lit tests: one per family and precision.

    A case whose `sensitivity` is near the default tolerance gets twice that
    number instead, rounded to one digit.
    """
    files = {}
    for family, cases in case_families().items():
        for name, spec in cases.items():
            kind = name[name.rindex("_") + 1 :]
            lines = files.setdefault(f"{family}-{kind}.test", [])
            default = 1e-5 if DTYPES[spec.dtype] is None else 2e-4
            wide = f" --rtol={2 * spec.sensitivity:.0e}" if spec.sensitivity > default / 2 else ""
            lines.append(
                f"RUN: amp-train %S/models/{spec.model}.mlir --replay %S/data/{name}.json --parity=pytorch{wide}"
            )
    head = "Recorded PyTorch runs; made by scripts/goldens/record_runs.py.\n\n"
    return {name: head + "\n".join(lines) + "\n" for name, lines in files.items()}


def check(models, only):
    """Replays the written cases jittered; prints distances, worst last."""
    table = []
    for name, spec in all_cases().items():
        if not only.search(name):
            continue
        want = json.loads((ROOT / "data" / f"{name}.json").read_text())
        distance = sensitivity(models[spec.model], want)
        table.append((max(distance.values()), name, distance))
    for worst, name, distance in sorted(table):
        print(f"{worst:9.2e}  {name:32s}", " ".join(f"{k}={v:.1e}" for k, v in distance.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", type=re.compile)
    parser.add_argument("--verify", type=pathlib.Path)
    parser.add_argument("--model")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--find-seeds", action="store_true")
    args = parser.parse_args()
    only = args.only or re.compile("")
    torch.set_num_threads(1)
    models = all_models()
    if args.verify:
        want = json.loads(args.verify.read_text())
        print(compare(record(models[args.model], want), want))
        return
    if args.check:
        check(models, only)
        return
    if args.find_seeds:
        find_seeds(models, only)
        return
    for name, model in models.items():
        (ROOT / "models").mkdir(parents=True, exist_ok=True)
        (ROOT / "models" / f"{name}.mlir").write_text(model.mlir())
    for name, text in test_files().items():
        (ROOT / name).write_text(text)
    for name, spec in all_cases().items():
        if only.search(name):
            text = dump(record(models[spec.model], new_case(name, spec, models[spec.model])))
            (ROOT / "data" / f"{name}.json").write_text(text)


if __name__ == "__main__":
    main()
