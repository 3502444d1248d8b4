# Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the recorded accumulation case as tensors for amp-run.

    python scripts/goldens/make_accumulation.py

test/Replay/data/accumulation_seed11.json (PyTorch's full-batch f32 gradients) becomes
test/Numerics/goldens/accumulation_seed11.safetensors: parameters, the two
micro-batches, and the gradients that they must add up to.
"""

import json
from pathlib import Path

import numpy as np

import tensorfile

ROOT = Path(__file__).resolve().parent.parent.parent


def array(entry):
    return np.array(entry["data"], dtype=np.float32).reshape(entry["shape"])


def main():
    case = json.loads((ROOT / "test/Replay/data/accumulation_seed11.json").read_text())
    x, y = array(case["x"]), array(case["y"])
    tensors = {"weight": array(case["init"]["weight"]), "bias": array(case["init"]["bias"])}
    for number, (begin, end) in enumerate(case["micro"], start=1):
        tensors[f"x{number}"] = x[begin:end]
        tensors[f"y{number}"] = y[begin:end]
    tensors["grad.weight"] = array(case["grad"]["weight"])
    tensors["grad.bias"] = array(case["grad"]["bias"])
    tensorfile.save(ROOT / "test/Numerics/goldens/accumulation_seed11.safetensors", tensors,
                    {"made_by": "scripts/goldens/make_accumulation.py", "torch": case["torch"]})


if __name__ == "__main__":
    main()
