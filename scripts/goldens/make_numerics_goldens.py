#!/usr/bin/env python3
"""Writes golden encodings of f32 values from numpy and ml_dtypes.

Usage: make_numerics_goldens.py [OUTPUT]

Needs numpy and ml_dtypes; their versions go into the file. The output is text:
comment lines, then one input per line as hexadecimal bits,
    f32  f16  bf16  f8E4M3FN  f8E5M2
with the conversions' default behaviour: round to nearest even, infinity (NaN in
E4M3FN) on overflow. NaN results are written as they are; readers compare them as
NaN. Inputs are chosen per target format and thinned to keep the file small.
"""

import pathlib
import sys

import ml_dtypes
import numpy as np

TARGETS = [
    ("f16", np.dtype(np.float16), 10),
    ("bf16", np.dtype(ml_dtypes.bfloat16), 7),
    ("f8E4M3FN", np.dtype(ml_dtypes.float8_e4m3fn), 3),
    ("f8E5M2", np.dtype(ml_dtypes.float8_e5m2), 2),
]


def bits_type(dtype):
    return np.dtype(f"<u{dtype.itemsize}")


def positive_finite(dtype):
    """All finite encodings of `dtype` with a clear sign, as f32."""
    count = 1 << (8 * dtype.itemsize - 1)
    values = np.arange(count, dtype=bits_type(dtype)).view(dtype)
    values = values.astype(np.float32)
    return values[np.isfinite(values)]


def boundaries(dtype, mantissa_bits):
    """Values, middles and the neighbours of both, as f32 bits.

    All of an 8-bit format; of a 16-bit one, per exponent the first and last
    two encodings and four in between.
    """
    values = positive_finite(dtype)
    per_exponent = 1 << mantissa_bits
    if dtype.itemsize == 1:
        keep = np.arange(len(values))
    else:
        offsets = np.array([0, 1, 2, 5, 42, per_exponent // 2,
                            per_exponent - 2, per_exponent - 1])
        starts = np.arange(0, len(values), per_exponent)
        # Every exponent of f16; of the 255 of bf16 each third and both ends.
        if len(starts) > 64:
            starts = np.unique(np.r_[starts[::3], starts[:2], starts[-2:]])
        keep = (starts[:, None] + offsets).ravel()
    wide = values.astype(np.float64)
    gaps = np.diff(wide)
    gaps = np.r_[gaps, gaps[-1]]
    points = np.r_[wide[keep], (wide + gaps / 2)[keep]].astype(np.float32)
    bits = points.view(np.uint32).astype(np.int64)
    bits = (bits[:, None] + np.array([-1, 0, 1])).ravel()
    return bits[(bits >= 0) & (bits <= 0x7F800000)].astype(np.uint32)


def exponents():
    """Every f32 exponent with a few telling and random fractions."""
    random = np.random.default_rng(20)
    fields = np.arange(256, dtype=np.uint32) << 23
    fixed = np.array([0, 1, 0x7FFFFF, 0x400000], dtype=np.uint32)
    drawn = random.integers(0, 1 << 23, (256, 3), dtype=np.uint32)
    return np.r_[(fields[:, None] | fixed).ravel(),
                 (fields[:, None] | drawn).ravel()]


def main():
    default = (pathlib.Path(__file__).resolve().parents[2] /
               "runtime/lib/numerics/test/numerics-golden.txt")
    output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default

    parts = [exponents()]
    parts += [boundaries(dtype, bits) for _, dtype, bits in TARGETS]
    inputs = np.unique(np.concatenate(parts))
    # A sign on each third: the sign is independent of everything else.
    inputs[::3] |= np.uint32(0x80000000)

    columns = []
    with np.errstate(all="ignore"):
        for _, dtype, _ in TARGETS:
            encoded = inputs.view(np.float32).astype(dtype)
            columns.append(encoded.view(bits_type(dtype)))

    with output.open("w") as file:
        file.write("# Made by scripts/goldens/make_numerics_goldens.py with "
                   f"numpy {np.__version__}, ml_dtypes {ml_dtypes.__version__}\n")
        file.write("# f32 " + " ".join(name for name, _, _ in TARGETS) + "\n")
        for source, *results in zip(inputs, *columns):
            fields = [f"{source:08x}"]
            fields += [f"{result:0{2 * column.dtype.itemsize}x}"
                       for result, column in zip(results, columns)]
            file.write(" ".join(fields) + "\n")
    print(f"{output.name}: {len(inputs)} inputs, {output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
