#!/usr/bin/env python3
# Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the driver calls of a training run on a device (AMP_RT_TRACE).

usage: check_trace.py TRACE STEPS LAUNCHES

The first LAUNCHES * STEPS graph launches are the training steps. After some steps of
warm-up, each step is LAUNCHES graph launches, the copies of its inputs and of its
metrics, and one wait, for the metrics of the step before it: nothing is allocated, the
stream is not synchronised, no kernel is launched by itself. Prints the calls of a
step."""
import collections
import re
import sys

WARM_UP = 8
CALL = re.compile(r"(\w+)\((\d*)")
FORBIDDEN = re.compile(r"Alloc|Create|Free|Destroy|Instantiate|Capture|LaunchKernel|Matmul|Load|"
                       r"StreamSynchronize|CtxSynchronize")
calls = [CALL.match(line).groups() for line in open(sys.argv[1]) if CALL.match(line)]
steps, launches = int(sys.argv[2]), int(sys.argv[3])
at = [i for i, (call, _) in enumerate(calls) if call == "cuGraphLaunch"]
if len(at) < steps * launches:
    sys.exit(f"expects at least {steps * launches} graph launches, but got {len(at)}")
# From the last launch of the warm-up to the last one of training.
body = calls[at[WARM_UP * launches - 1] + 1:at[steps * launches - 1] + 1]
timed = steps - WARM_UP
counts, sizes = collections.Counter(), collections.Counter()
for call, size in body:
    counts[call] += 1
    if "Memcpy" in call:
        sizes[call] += int(size)
for call, number in sorted(counts.items()):
    if FORBIDDEN.search(call):
        sys.exit(f"{timed} steps make {number} calls of {call}, but a step may make none")
for call, number in {"cuGraphLaunch": launches, "cuEventSynchronize": 1}.items():
    if counts[call] != number * timed:
        sys.exit(f"expects {number} calls of {call} a step, but got {counts[call]} in {timed}")
for call, number in sorted(counts.items()):
    text = f", {sizes[call] / timed:g} bytes" if sizes[call] else ""
    print(f"{call}: {number / timed:g} a step{text}")
