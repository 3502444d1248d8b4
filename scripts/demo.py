#!/usr/bin/env python3
"""Trains the digits classifier in five precision configurations, three seeds each.

Prints a table as runs finish, writes BUILD/demo/results.json, and exits 1 when a
run that should reach 97 % test accuracy does not.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODEL = "examples/digits/mlp.mlir"
DATA = "examples/digits/digits.safetensors"

# 1437 rows in batches of 64, the last short one dropped: 22 steps an epoch.
EPOCHS = 45
OPTIMIZER = "optimizer=adamw lr=5e-3 weight-decay=1e-2"
SEEDS = (1, 2, 3)
BAR = 0.97

# name -> (policy, loss scaling, held to the bar). A growth interval of 50 instead
# of the usual 2000 lets 990 steps show growth; 2^24 overflows f16 at first.
RUNS = {
    "f32": ("f32", "loss-scale=none", True),
    "bf16": ("cpu-bf16", "loss-scale=none", True),
    "f16-without-scaling": ("cpu-f16", "loss-scale=none", False),
    "f16-dynamic": ("cpu-f16", "loss-scale=dynamic interval=50", True),
    "f16-from-2p24": ("cpu-f16", "loss-scale=dynamic interval=50 scale=16777216", True),
}
PRECISION = {"f32": "f32", "cpu-bf16": "bf16", "cpu-f16": "f16"}
FIELDS = ("accuracy", "final_loss", "skipped", "growths", "backoffs", "scale_min",
          "scale_max", "zero_gradient_share", "samples_per_s", "peak_mb")


class Failure(Exception):
    """A run that did not come to its end."""


def parse_summary(output):
    """The JSON object in the last line that amp-train prints."""
    lines = [line for line in output.splitlines() if line.strip()]
    if not lines:
        raise Failure("printed nothing")
    try:
        summary = json.loads(lines[-1])
    except ValueError as error:
        raise Failure(f"expected a JSON summary in the last line, got {lines[-1]!r}") from error
    missing = [field for field in FIELDS if field not in summary]
    if missing:
        raise Failure(f"the summary lacks {', '.join(missing)}")
    return summary


def train(amp_train, run, seed, folder):
    policy, scaling, _ = RUNS[run]
    command = [str(amp_train), MODEL, f"--data={DATA}",
               f"--amp-compile=policy={policy} {OPTIMIZER} {scaling}", "--batch=64",
               f"--epochs={EPOCHS}", f"--seed={seed}", "--quiet",
               f"--metrics={folder / f'{run}-seed{seed}.jsonl'}"]
    # Several runs share the cores: a step of this size gains nothing from threads.
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    result = subprocess.run(command, cwd=ROOT, env=environment, text=True,
                            capture_output=True, check=False)
    if result.returncode != 0:
        raise Failure(f"exit code {result.returncode}: {result.stderr.strip()[-2000:]}")
    summary = parse_summary(result.stdout)
    row = {"run": run, "seed": seed, "precision": PRECISION[policy]}
    row.update((field, summary[field]) for field in FIELDS)
    return row


HEADER = (f"{'run':<20} {'seed':>4} {'accuracy':>9} {'loss':>8} {'skipped':>7} {'growths':>7} "
          f"{'backoffs':>8} {'scale':>21} {'zero grad':>9} {'samples/s':>10} {'MB':>5}")


def format_row(row):
    scale = f"{row['scale_min']:g} .. {row['scale_max']:g}"
    return (f"{row['run']:<20} {row['seed']:>4} {100 * row['accuracy']:>8.2f}% "
            f"{row['final_loss']:>8.4f} {row['skipped']:>7} {row['growths']:>7} "
            f"{row['backoffs']:>8} {scale:>21} {100 * row['zero_gradient_share']:>8.2f}% "
            f"{row['samples_per_s']:>10.0f} {row['peak_mb']:>5.0f}")


def check(row):
    """What is wrong with a finished run, as a list of sentences."""
    place = f"{row['run']}, seed {row['seed']}"
    problems = []
    # A NaN compares false, so the bar is asked for in the positive.
    if RUNS[row["run"]][2] and not row["accuracy"] >= BAR:
        problems.append(f"{place}: accuracy {100 * row['accuracy']:.2f} % is below "
                        f"{100 * BAR:g} %")
    if row["run"] == "f16-from-2p24" and not (row["skipped"] > 0 and row["backoffs"] > 0):
        problems.append(f"{place}: expected skipped steps and backoffs from a scale of 2^24, "
                        f"got {row['skipped']} and {row['backoffs']}")
    if row["run"] == "f16-dynamic" and not row["growths"] > 0:
        problems.append(f"{place}: expected the scale to grow, but it never did")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build", help="build folder")
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1),
                        help="runs at a time (default: one a core, at most 4)")
    options = parser.parse_args()
    build = (ROOT / options.build).resolve()
    amp_train = build / "bin" / "amp-train"
    if not amp_train.exists():
        sys.exit(f"demo: error: '{amp_train}' does not exist; run ./dev build")
    folder = build / "demo"
    folder.mkdir(parents=True, exist_ok=True)

    start = time.time()
    print(HEADER)
    rows, problems = [], []
    with ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
        tasks = [(run, seed, pool.submit(train, amp_train, run, seed, folder))
                 for run in RUNS for seed in SEEDS]
        for run, seed, task in tasks:
            try:
                row = task.result()
            except Failure as failure:
                problems.append(f"{run}, seed {seed}: {failure}")
                continue
            rows.append(row)
            print(format_row(row), flush=True)
            problems += check(row)
    results = folder / "results.json"
    results.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"{len(rows)} runs of {len(tasks)} in {time.time() - start:.0f} s; "
          f"{os.path.relpath(results)}")
    for problem in problems:
        print(f"demo: error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
