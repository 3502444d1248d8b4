#!/usr/bin/env python3
"""Runs the benchmarks one after the other, prints a table of each, and writes
build/bench/results.json: {"runtime", "gemm": [...], "steps": [...]}.

  gemm   amp_rt_gemm against oneDNN called directly, in turns in one process
  steps  the training step of each model in bench/models, per precision

Times are medians after warm-up. Nothing here passes or fails by a figure; a step
that does not run, or a product that differs from oneDNN's, fails.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Model, batch, options of the training step.
MODELS = [
    ("digits_mlp", 64, "optimizer=adamw lr=1e-3", 200),
    ("mlp_4x1024", 256, "optimizer=adamw lr=1e-3 clip=1.0", 30),
]
# Policy and what it adds to the options.
PRECISIONS = [
    ("f32", ""),
    ("cpu-bf16", ""),
    ("cpu-f16", " loss-scale=dynamic"),
]


def run(command, quiet=False):
    result = subprocess.run([str(part) for part in command], cwd=ROOT, check=False,
                            stdout=subprocess.DEVNULL if quiet else None)
    if result.returncode != 0:
        sys.exit(f"bench: error: '{' '.join(map(str, command))}' failed with exit code {result.returncode}")


def run_gemm(build, out, rounds):
    path = out / "gemm.json"
    run([build / "bin/amp-rt-gemm-bench", "--json", path, "--rounds", rounds])
    return json.loads(path.read_text())


def run_steps(build, out, scale):
    results = []
    for model, batch, options, steps in MODELS:
        for policy, extra in PRECISIONS:
            path = out / f"{model}.{policy}.json"
            run([build / "bin/amp-bench", ROOT / f"bench/models/{model}.mlir", f"--policy={policy}",
                 f"--batch={batch}", f"--options={options}{extra}", f"--steps={max(3, int(steps * scale))}",
                 f"--json={path}"], quiet=True)
            results.append(json.loads(path.read_text()))
    return results


def print_steps(steps):
    print(f"\n{'model':<12} {'policy':<9} {'batch':>5} {'median ms':>10} {'best ms':>9} {'samples/s':>10} "
          f"{'GFLOP/s':>8} {'state MB':>9} {'arena MB':>9} {'bytes/step':>11} {'compile s':>10}")
    for step in steps:
        print(f"{step['model']:<12} {step['policy']:<9} {step['batch']:>5} {step['median_ms']:>10.3f} "
              f"{step['best_ms']:>9.3f} {step['samples_per_s']:>10.0f} {step['gflops']:>8.1f} "
              f"{step['state_bytes'] / 1e6:>9.2f} {step['arena_bytes'] / 1e6:>9.2f} "
              f"{step['bytes_per_step']:>11} {step['compile_s']:>10.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", type=Path)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rounds and steps")
    arguments = parser.parse_args()
    build = (ROOT / arguments.build).resolve()
    out = build / "bench"
    out.mkdir(parents=True, exist_ok=True)
    scale = 0.1 if arguments.quick else 1.0

    gemm = run_gemm(build, out, max(3, int(31 * scale)))
    steps = run_steps(build, out, scale)
    print_steps(steps)
    results = out / "results.json"
    results.write_text(json.dumps({**gemm, "steps": steps}, indent=1) + "\n")
    print(f"\nwritten: {results}")


if __name__ == "__main__":
    main()
