#!/usr/bin/env python3
# Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes examples/digits/digits.safetensors from scikit-learn's copy of the UCI digits.

1797 images of 8x8 pixels with values 0..16, scaled to f32 in [0, 1] (exact: a
division by 16). The split is stratified: in every class the same share goes to
the test set. It is fixed by SEED and written out, so no training run depends on
a library's shuffling.
"""

import argparse
import pathlib

import numpy as np
import sklearn
from sklearn.datasets import load_digits

import tensorfile

SEED = 2026
TEST_ROWS = 360


def stratified_split(labels):
    """Returns (train, test) row numbers; classes keep their share, to one row."""
    rng = np.random.default_rng(SEED)
    classes = np.unique(labels)
    members = [rng.permutation(np.flatnonzero(labels == c)) for c in classes]
    exact = np.array([len(m) * TEST_ROWS / len(labels) for m in members])
    take = np.floor(exact).astype(int)
    # The rows that rounding down left over go to the largest remainders.
    for c in np.argsort(take - exact, kind="stable")[: TEST_ROWS - take.sum()]:
        take[c] += 1
    test = np.concatenate([m[:n] for m, n in zip(members, take)])
    train = np.concatenate([m[n:] for m, n in zip(members, take)])
    return rng.permutation(train), rng.permutation(test)


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default=root / "examples/digits/digits.safetensors")
    args = parser.parse_args()
    digits = load_digits()
    pixels = (digits.data / 16.0).astype(np.float32)
    labels = digits.target.astype(np.int64)
    train, test = stratified_split(labels)
    tensors = {
        "train.x": pixels[train],
        "train.y": labels[train],
        "test.x": pixels[test],
        "test.y": labels[test],
    }
    metadata = {
        "source": "UCI ML repository, optical recognition of handwritten digits",
        "made_by": f"scripts/goldens/make_digits.py, scikit-learn {sklearn.__version__}, numpy {np.__version__}",
        "split_seed": str(SEED),
    }
    tensorfile.save(args.out, tensors, metadata)
    for name, value in tensors.items():
        print(name, value.dtype, value.shape)
    print("classes in test:", np.bincount(labels[test]).tolist())


if __name__ == "__main__":
    main()
