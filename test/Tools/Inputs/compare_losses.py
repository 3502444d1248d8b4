#!/usr/bin/env python3
# Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what examples/digits/train.c prints with the metrics of amp-train.

usage: compare_losses.py METRICS.jsonl LOSSES [RTOL]

Losses must be equal, or within RTOL; scales must be equal."""
import json
import sys

metrics = [json.loads(line) for line in open(sys.argv[1])]
rows = [line.split() for line in open(sys.argv[2])]
rtol = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
if not metrics or len(metrics) != len(rows):
    sys.exit(f"expects {len(metrics)} steps, but got {len(rows)}")
worst = 0.0
for want, (step, loss, scale) in zip(metrics, rows):
    error = abs(float(loss) - want["loss"]) / abs(want["loss"])
    worst = max(worst, error)
    if not error <= rtol or float(scale) != want["scale"]:
        sys.exit(f"step {step}: expects loss {want['loss']!r} and scale {want['scale']!r}, "
                 f"but got {loss} and {scale}")
print(f"{len(rows)} steps are equal, largest error {worst:.3g}")
