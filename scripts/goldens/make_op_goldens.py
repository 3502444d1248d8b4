#!/usr/bin/env python3
# Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes PyTorch's values and gradients of every nn op, and the tests that use them.

For each op of op_cases.py:

    test/Numerics/goldens/<op>.safetensors   <case>.<type>.in0, .out0, and in f32
                                             .cotangent0, .grad0 (by argument)
    test/Numerics/ops/<op>.mlir              a function <case>_<type> per case, and
                                             the amp-run lines that execute it

Tolerances are ulps of the result, from op_cases.py. Each golden value is itself
held against f64 arithmetic at that tolerance, and data are drawn again until
cancellation leaves a tolerance that would notice a wrong formula.
"""

import argparse
import math
import pathlib

import ml_dtypes
import numpy as np
import torch

import tensorfile
from op_cases import all_ops

ROOT = pathlib.Path(__file__).resolve().parents[2] / "test/Numerics"
TORCH = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "i64": torch.int64, "i1": torch.bool}
# Significand bits and smallest normal exponent.
FORMATS = {"f32": (24, -126), "bf16": (8, -126), "f16": (11, -14)}
# A tolerance (ulps of f32) up to which data are accepted as they are drawn.
TIGHT = 64


def to_torch(array, dtype):
    """A case's input: floating arrays take `dtype`, others stay."""
    value = torch.from_numpy(np.asarray(array))
    return value.to(TORCH[dtype]) if value.is_floating_point() else value


def to_numpy(value):
    value = value.detach().contiguous()
    if value.dtype == torch.bfloat16:
        return value.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return value.numpy()


def type_name(value):
    return next(name for name, dtype in TORCH.items() if dtype == value.dtype)


def ulp(value, kind):
    """The distance of neighbours of `kind` at each |value| (f64), in its binade."""
    bits, least = FORMATS[kind]
    finite = torch.where(torch.isfinite(value), value.abs(), torch.zeros_like(value))
    exponent = torch.frexp(finite)[1].double() - 1
    exponent = torch.where(finite == 0, torch.full_like(exponent, least), exponent)
    return torch.pow(2.0, exponent.clamp(min=least) - bits + 1)


def as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def evaluate(case, inputs, dtype):
    """PyTorch's outputs in the types the case's function returns."""
    kind = {"": dtype, "float": dtype}.get(case.result, case.result)
    if case.widen:
        inputs = [v.float() if v.is_floating_point() else v for v in inputs]
    return [v.to(TORCH[kind]) for v in as_tuple(case.function(*inputs))]


def exact(case, inputs):
    """The outputs in f64, from the same (already rounded) inputs."""
    wide = [v.double() if v.is_floating_point() else v for v in inputs]
    return wide, [v.double() for v in as_tuple(case.function(*wide))]


def gradients(case, inputs, cotangents):
    """{argument index: gradient} of the floating inputs."""
    leaves = {i: v.detach().clone().requires_grad_() for i, v in enumerate(inputs) if v.is_floating_point()}
    outputs = as_tuple(case.function(*[leaves.get(i, v) for i, v in enumerate(inputs)]))
    return dict(zip(leaves, torch.autograd.grad(outputs, list(leaves.values()), cotangents)))


def ulps(units, magnitude, want, kind, narrow):
    """`units` roundings of f32 at `magnitude` in ulps of the results `want`."""
    if kind not in FORMATS:
        return 0
    extra = narrow if kind != "f32" else 0
    if units == 0 or want.numel() == 0:
        return extra
    if magnitude is None:  # units are f32 ulps of the result
        return math.ceil(units) if kind == "f32" else extra
    # What underflows must be 0 (or the ulp of subnormals): it has no relative error.
    usable = torch.isfinite(want) & torch.isfinite(magnitude) & (want.abs() >= 2.0 ** FORMATS[kind][1])
    steps = torch.where(usable, units * 2.0**-24 * magnitude / ulp(want, kind), torch.zeros_like(want))
    return max(math.ceil(steps.max().item()), 1 if kind == "f32" else 0) + extra


def value_tolerance(op, case, wide, want, kinds):
    tolerance = op.tolerance
    magnitude = case.magnitude or tolerance.magnitude
    if tolerance.multilinear:
        magnitude = lambda inputs, outputs: as_tuple(case.function(*[v.abs() for v in inputs]))
    sizes = magnitude(wide, want) if magnitude else [None] * len(want)
    return max(ulps(tolerance.units, m, w, k, tolerance.narrow) for m, w, k in zip(sizes, want, kinds))


def gradient_tolerance(op, case, wide, want, cotangents, grads):
    tolerance = op.tolerance
    magnitude = case.grad_magnitude or tolerance.grad_magnitude
    if tolerance.multilinear:
        magnitude = lambda inputs, outputs, seeds: gradients(case, [v.abs() for v in inputs], [s.abs() for s in seeds])
    sizes = magnitude(wide, want, cotangents) if magnitude else {}
    return max(ulps(tolerance.grad_units, sizes.get(i), g, "f32", 0) for i, g in grads.items())


def verify(where, got, want, kind, tolerance):
    """Fails unless `got` is within `tolerance` ulps and its one rounding of `want`."""
    if kind not in FORMATS:
        assert torch.equal(got.double(), want), where
        return
    got = got.double()
    # The exact value may lie beyond the format's range.
    limit = torch.finfo(TORCH[kind]).max * (1 + 2.0 ** -FORMATS[kind][0])
    want = torch.where(want.abs() >= limit, want.sign() * math.inf, want)
    finite = torch.isfinite(want)
    same = torch.where(torch.isnan(want), torch.isnan(got), got == want)
    assert bool(same[~finite].all()), f"{where}: {got[~finite]} against {want[~finite]}"
    distance = ((got - want).abs() / ulp(want, kind))[finite]
    worst = distance.max().item() if distance.numel() else 0.0
    assert worst <= tolerance + 0.5, f"{where}: {worst} ulps from f64, tolerance {tolerance}"


class Recorder:
    """Collects one op's tensors, functions and RUN lines."""

    def __init__(self, op):
        self.op, self.tensors, self.functions, self.lines = op, {}, [], []

    def run(self, case):
        best = None
        for seed in range(100):
            inputs = case.draw(np.random.default_rng(seed))
            trial = self._f32(case, inputs, seed)
            if best is None or trial < best[0]:
                best = (trial, seed, inputs)
            if trial <= TIGHT:
                break
        _, seed, inputs = best
        for dtype in case.dtypes:
            self._values(case, [to_torch(v, dtype) for v in inputs], dtype)
        if case.grad:
            self._gradients(case, [to_torch(v, "f32") for v in inputs], seed)

    def _cotangents(self, outputs, seed):
        rng = np.random.default_rng(1000 + seed)
        return [torch.from_numpy(np.asarray(rng.standard_normal(v.shape))).float() for v in outputs]

    def _f32(self, case, arrays, seed):
        """The larger of the value's and the gradient's tolerance in f32."""
        inputs = [to_torch(v, "f32") for v in arrays]
        wide, want = exact(case, inputs)
        kinds = [type_name(v) for v in evaluate(case, inputs, "f32")]
        result = value_tolerance(self.op, case, wide, want, kinds)
        if case.grad:
            cotangents = [c.double() for c in self._cotangents(want, seed)]
            grads = gradients(case, wide, cotangents)
            result = max(result, gradient_tolerance(self.op, case, wide, want, cotangents, grads))
        return result

    def _values(self, case, inputs, dtype):
        outputs = evaluate(case, inputs, dtype)
        wide, want = exact(case, inputs)
        kinds = [type_name(v) for v in outputs]
        tolerance = value_tolerance(self.op, case, wide, want, kinds)
        for got, reference, kind in zip(outputs, want, kinds):
            verify(f"{self.op.name}/{case.name}.{dtype}", got, reference, kind, tolerance)
        prefix = f"{case.name}.{dtype}."
        for name, values in (("in", inputs), ("out", outputs)):
            self.tensors.update({f"{prefix}{name}{i}": to_numpy(v) for i, v in enumerate(values)})
        self.functions.append(self._function(case, dtype, inputs, outputs))
        self._line(case, dtype, tolerance, "")
        if dtype == "f32":
            self._line(case, dtype, tolerance, " --reference")

    def _gradients(self, case, inputs, seed):
        wide, want = exact(case, inputs)
        cotangents = self._cotangents(want, seed)
        grads = gradients(case, inputs, cotangents)
        reference = gradients(case, wide, [c.double() for c in cotangents])
        tolerance = gradient_tolerance(self.op, case, wide, want, [c.double() for c in cotangents], reference)
        for index, value in grads.items():
            verify(f"{self.op.name}/{case.name}.grad{index}", value, reference[index], "f32", tolerance)
            self.tensors[f"{case.name}.f32.grad{index}"] = to_numpy(value)
        for index, value in enumerate(cotangents):
            self.tensors[f"{case.name}.f32.cotangent{index}"] = to_numpy(value)
        self._line(case, "f32", tolerance, " --grad")

    def _line(self, case, dtype, tolerance, mode):
        self.lines.append(
            f"// RUN: %{{run}} --function={case.name}_{dtype} --input-prefix={case.name}.{dtype}.{mode} --ulp={tolerance}"
        )

    def _function(self, case, dtype, inputs, outputs):
        kinds = [tensor_type(v) for v in inputs]
        results = [tensor_type(v) for v in outputs]
        names = [f"%a{i}" for i in range(len(inputs))]
        returned = "%0" if len(results) == 1 else ", ".join(f"%0#{i}" for i in range(len(results)))
        if case.body:
            lines = case.body(dtype)
        else:
            attributes = [case.attributes] if case.attributes else []
            if self.op.accumulates and dtype != "f32":
                attributes.append("numerics = #amp.numerics<accumulate = f32>")
            shown = f" {{{', '.join(attributes)}}}" if attributes else ""
            value = "%0" if len(results) == 1 else f"%0:{len(results)}"
            signature = f"({', '.join(kinds)}) -> " + (results[0] if len(results) == 1 else f"({', '.join(results)})")
            lines = [f"{value} = nn.{self.op.mnemonic} {', '.join(names)}{shown} : {signature}"]
        arguments = ", ".join(f"{n}: {k}" for n, k in zip(names, kinds))
        head = f"func.func @{case.name}_{dtype}({arguments}) -> "
        head += results[0] if len(results) == 1 else f"({', '.join(results)})"
        body = "".join(f"  {line}\n" for line in lines)
        return f"{head} {{\n{body}  return {returned} : {', '.join(results)}\n}}\n"

    def text(self):
        golden = f"// DEFINE: %{{golden}} = %S/../goldens/{self.op.name}.safetensors"
        run = "// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}"
        reason = wrap(f"Tolerance: {self.op.tolerance.reason}.")
        head = ["// Made by scripts/goldens/make_op_goldens.py.", *reason, golden, run, *self.lines]
        return "\n".join(head) + "\n\n" + "\n".join(self.functions)


def tensor_type(value):
    return "tensor<" + "".join(f"{n}x" for n in value.shape) + type_name(value) + ">"


def wrap(text):
    lines = ["//"]
    for word in text.split():
        if len(lines[-1]) + len(word) > 90:
            lines.append("//")
        lines[-1] += " " + word
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="an op's name")
    args = parser.parse_args()
    torch.set_num_threads(1)
    for folder in ("goldens", "ops"):
        (ROOT / folder).mkdir(parents=True, exist_ok=True)
    metadata = {"torch": torch.__version__, "made_by": "scripts/goldens/make_op_goldens.py"}
    for op in all_ops():
        if args.only and op.name != args.only:
            continue
        recorder = Recorder(op)
        for case in op.cases:
            recorder.run(case)
        tensorfile.save(ROOT / "goldens" / f"{op.name}.safetensors", recorder.tensors, metadata)
        (ROOT / "ops" / f"{op.name.replace('_', '-')}.mlir").write_text(recorder.text())
        widest = max(int(line.rsplit("=", 1)[1]) for line in recorder.lines)
        print(f"{op.name:22s} {len(op.cases):2d} cases {len(recorder.lines):3d} runs, at most {widest} ulp: {op.tolerance.reason}")


if __name__ == "__main__":
    main()
