#!/usr/bin/env python3
# Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the metrics files of two runs of amp-train.

usage: compare_metrics.py GOT.jsonl WANT.jsonl RTOL

Losses and gradient norms must agree within RTOL, scales and counters exactly."""
import json
import sys

EXACT = ["step", "epoch", "scale", "growth_tracker", "growths", "backoffs", "skips",
         "skips_in_row", "skipped", "finite"]
got, want = ([json.loads(line) for line in open(path)] for path in sys.argv[1:3])
rtol = float(sys.argv[3])
if not want or len(got) != len(want):
    sys.exit(f"expects {len(want)} steps, but got {len(got)}")
worst = 0.0
for a, b in zip(got, want):
    for key in EXACT:
        if a[key] != b[key]:
            sys.exit(f"step {b['step']}: expects {key} {b[key]!r}, but got {a[key]!r}")
    for key in ("loss", "grad_norm"):
        error = 0.0 if a[key] == b[key] else abs(a[key] - b[key]) / abs(b[key])
        if not error <= rtol:
            sys.exit(f"step {b['step']}: expects {key} {b[key]!r}, but got {a[key]!r} "
                     f"(relative error {error:.3g}, allowed {rtol:g})")
        worst = max(worst, error)
print(f"{len(got)} steps agree, largest error {worst:.3g}")
