#!/usr/bin/env python3
# Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what a device's scalars must come out as: functions and 8-bit conversions.

    test/Numerics/goldens/device-functions.safetensors
        <function>.in0, .out0: f32 inputs of every exponent that matters, and f64
        values rounded once
    test/Numerics/goldens/device-float8.safetensors
        <type>.in0 (f32 bit patterns of every exponent, with all ties and their
        neighbours), <type>.out0 (encodings), <type>.wide.in0 and .out0 (the value of
        an encoding as f32 bits), integers, so that NaNs are compared bit by bit

    test/Numerics/goldens/device-orders.safetensors
        <case>.in0, .out0: sums in order, each addition rounded to the accumulator's type

Encodings follow the rules of runtime/include/amp-rt/numerics.h, written down here a
second time.
"""

import pathlib

import numpy as np
import scipy.special

import tensorfile

GOLDENS = pathlib.Path(__file__).resolve().parents[2] / "test/Numerics/goldens"
SEED = 20261129

# Name -> (f64 function, exponents of inputs, signs).
FUNCTIONS = {
    "exp": (np.exp, range(-30, 7), (1, -1)),
    "log": (np.log, range(-149, 128), (1,)),
    "tanh": (np.tanh, range(-60, 6), (1, -1)),
    "erfc": (scipy.special.erfc, range(-30, 5), (1, -1)),
}
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 88.72284, -87.33655, -103.97, -104.5, 1e-45, 10.05, -10.05]

# Name -> fraction bits, bias, largest finite encoding, infinity, NaN.
FORMATS = {"e4m3": (3, 7, 0x7E, 0x7F, 0x7F), "e5m2": (2, 15, 0x7B, 0x7C, 0x7E)}


def function_inputs(generator, exponents, signs):
    per_stratum = max(1, 1000 // (len(exponents) * len(signs)))
    values = list(SPECIAL)
    for exponent in exponents:
        for sign in signs:
            fractions = 1 + generator.random(per_stratum)
            values += list(sign * np.ldexp(fractions, exponent))
    return np.array(values, dtype=np.float64).astype(np.float32)


def float8_inputs(generator):
    bits = []
    for exponent in range(256):
        fractions = {0, 1, 0x7FFFFF, 0x400000, 0x3FFFFF, 0x400001}
        if 90 <= exponent <= 160 or exponent == 255:
            for kept in range(16):  # ties of both formats and their neighbours
                fractions |= {(kept << 19) + delta for delta in (-1, 0, 1)}
            fractions |= set(generator.integers(0, 1 << 23, 8).tolist())
        for fraction in sorted(f for f in fractions if 0 <= f < 1 << 23):
            bits += [exponent << 23 | fraction, 1 << 31 | exponent << 23 | fraction]
    return np.array(bits, dtype=np.uint32)


def narrow(source, fraction_bits, bias, max_finite, infinity, nan):
    """The encoding of an f32, nearest even, overflow as IEEE has it."""
    magnitude, sign = source & 0x7FFFFFFF, (source >> 24) & 0x80
    payload = (magnitude & 0x7FFFFF) >> (23 - fraction_bits)
    if magnitude > 0x7F800000:
        return sign | nan | payload
    field = magnitude >> 23
    significand = (magnitude & 0x7FFFFF) | (0x800000 if field else 0)
    exponent = max(field, 1) - 127 + bias
    amount = min(23 - fraction_bits + max(1 - exponent, 0), 25)
    quotient, rest = significand >> amount, significand & ((1 << amount) - 1)
    half = 1 << (amount - 1)
    quotient += rest > half or (rest == half and quotient & 1)
    result = quotient + ((max(exponent, 1) - 1) << fraction_bits)
    return sign | (result if result <= max_finite else infinity)


def widen(code, fraction_bits, bias, max_finite, infinity, nan):
    """The bits of an encoding's value in f32."""
    magnitude, sign = code & 0x7F, (code & 0x80) << 24
    if magnitude > max_finite:
        if infinity != nan and magnitude == infinity:
            return sign | 0x7F800000
        payload = magnitude << (23 - fraction_bits) & 0x7FFFFF if infinity != nan else 0
        return sign | 0x7FC00000 | payload
    field, fraction = magnitude >> fraction_bits, magnitude & ((1 << fraction_bits) - 1)
    value = np.ldexp(float(fraction + ((1 << fraction_bits) if field else 0)), max(field, 1) - bias - fraction_bits)
    return sign | int(np.float32(value).view(np.uint32))


def ordered_sum(values, axis):
    total = np.zeros(np.delete(values.shape, axis), dtype=values.dtype)
    for i in range(values.shape[axis]):
        total = (total + np.take(values, i, axis)).astype(values.dtype)
    return total


def main():
    generator = np.random.default_rng(SEED)
    metadata = {"made_by": "scripts/goldens/make_device_goldens.py"}
    tensors = {}
    with np.errstate(all="ignore"):
        for name, (function, exponents, signs) in FUNCTIONS.items():
            inputs = function_inputs(generator, exponents, signs)
            tensors[f"{name}.in0"] = inputs
            tensors[f"{name}.out0"] = function(inputs.astype(np.float64)).astype(np.float32)
            print(name, len(inputs))
    tensorfile.save(GOLDENS / "device-functions.safetensors", tensors, metadata)
    tensors = {}
    bits = float8_inputs(generator)
    codes = np.arange(256, dtype=np.uint8).view(np.int8)
    for name, parameters in FORMATS.items():
        encoded = [narrow(int(b), *parameters) for b in bits]
        tensors[f"{name}.in0"] = bits.view(np.int32)
        tensors[f"{name}.out0"] = np.array(encoded, dtype=np.uint8).view(np.int8)
        tensors[f"{name}.wide.in0"] = codes
        wide = [widen(c, *parameters) for c in range(256)]
        tensors[f"{name}.wide.out0"] = np.array(wide, dtype=np.uint32).view(np.int32)
    orders = {}
    for name, shape, axis, dtype in (
        ("rows", (3, 1000), 1, np.float16),
        ("columns", (500, 8), 0, np.float16),
        ("flat", (5000,), 0, np.float32),
    ):
        values = generator.standard_normal(shape).astype(dtype)
        orders[f"{name}.in0"] = values
        orders[f"{name}.out0"] = ordered_sum(values, axis)
    tensorfile.save(GOLDENS / "device-orders.safetensors", orders, metadata)
    print("float8", len(bits))
    tensorfile.save(GOLDENS / "device-float8.safetensors", tensors, metadata)


if __name__ == "__main__":
    main()
