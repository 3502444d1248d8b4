# Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What make_op_goldens.py records: for each nn op its cases and tolerances.

A tolerance is `units` roundings of f32 relative to a magnitude computed from the
data: the sum of |x| |w| for a product, |x| for gelu, the result itself where none
is given (units are ulps then). The script turns it into ulps of the result. Reasons stand beside the numbers; "poly" are the largest errors measured
of the polynomial approximations (exp 1.4, log 1.2, rsqrt 1.5, erf 4.1, tanh 4.5
ulp), to which PyTorch's own 1 ulp is added.
"""

import dataclasses
from typing import Callable, Optional

import numpy as np
import torch
import torch.nn.functional as F


@dataclasses.dataclass
class Tolerance:
    units: float  # of f32, values
    grad_units: float  # of f32, gradients
    reason: str
    # The magnitude is the op, and its derivative, on the operands' absolute values.
    multilinear: bool = False
    # (inputs, outputs) -> one magnitude per output, all in f64
    magnitude: Optional[Callable] = None
    # (inputs, outputs, cotangents) -> {input index: magnitude}
    grad_magnitude: Optional[Callable] = None
    # Ulps of a 16-bit result beyond what `units` amounts to there: 1 where the f32
    # values may lie on two sides of a tie, 0 where they are equal.
    narrow: int = 1


@dataclasses.dataclass
class Case:
    name: str
    # rng -> inputs: f64 arrays take the case's type, int64 and bool stay
    draw: Callable
    function: Callable  # torch tensors -> tensor or tuple of them
    attributes: str = ""  # of the op, without numerics
    grad: bool = True
    dtypes: tuple = ("f32", "bf16", "f16")
    # PyTorch rounds in the middle there: run it in f32, round the result once.
    widen: bool = False
    result: str = ""  # an element type other than the operands'
    body: Optional[Callable] = None  # (dtype) -> lines of MLIR, for more than one op
    magnitude: Optional[Callable] = None  # as the tolerance's, for this case only
    grad_magnitude: Optional[Callable] = None


@dataclasses.dataclass
class Op:
    name: str  # file name
    mnemonic: str
    tolerance: Tolerance
    cases: list
    accumulates: bool = False  # takes #amp.numerics in 16 bits


def normal(*shape, scale=1.0):
    return lambda rng: rng.standard_normal(shape) * scale


def uniform(low, high, *shape):
    return lambda rng: rng.uniform(low, high, shape)


def fixed(*values):
    """The same arrays for every rng."""
    return lambda rng: [np.array(v) for v in values]


def together(*draws):
    return lambda rng: [draw(rng) for draw in draws]


# --- magnitudes -------------------------------------------------------------


def _input_sized(inputs, outputs):
    return [inputs[0].abs()]


def _unary_grad(factor):
    """|cotangent| times `factor` of the input and the output."""
    return lambda inputs, outputs, cotangents: {0: cotangents[0].abs() * factor(inputs[0], outputs[0])}


# --- elementwise ------------------------------------------------------------


def _unary(name, function, tolerance, low, high, special, mnemonic="", attributes="", far=()):
    """Values and gradients in [low, high], values alone in each range of `far`."""
    cases = [
        Case("odd", together(uniform(low, high, 7, 13)), function, attributes),
        Case("vector", together(uniform(low, high, 67)), function, attributes),
    ]
    if special:
        cases.append(Case("special", fixed(special), function, attributes, grad=False))
    cases += [Case(n, together(uniform(a, b, 5, 3)), function, attributes, grad=False) for n, a, b in far]
    return Op(name, mnemonic or name, tolerance, cases)


def _binary(name, function, tolerance, second=None, extra=()):
    second = second or normal
    return Op(
        name,
        name,
        tolerance,
        [
            Case("odd", together(normal(5, 7), second(5, 7)), function),
            Case("scalar", together(normal(), second()), function),
            *extra,
        ],
    )


def _elementwise():
    inf, nan = float("inf"), float("nan")
    exact = lambda reason: Tolerance(0, 0, reason, narrow=0)
    all_kinds = [0.0, -0.0, 1.0, -1.0, inf, -inf, nan, 3.0e-5, -60000.0]
    pairs = ([0.0, -0.0, inf, -inf, nan, 1.0, inf, 60000.0], [-0.0, 0.0, inf, inf, 1.0, nan, 1.0, 60000.0])
    rounded = exact("one correctly rounded f32 operation; rounding it to 16 bits is innocuous (24 >= 2*11+2)")
    special = lambda function: Case("special", fixed(*pairs), function, grad=False)
    tiny = lambda function: Case(
        "tiny", fixed([2.0**-126, 3e-39, -1e-44, 6.0e-8, 1e-5], [0.5, 1.0, 1.0, 0.75, 1e-3]), function, grad=False
    )
    away_from_zero = lambda *shape: lambda rng: rng.uniform(0.5, 2.0, shape) * rng.choice([-1.0, 1.0], shape)
    ops = [
        _binary("add", torch.add, rounded, extra=[special(torch.add), tiny(torch.add)]),
        _binary("sub", torch.sub, rounded, extra=[special(torch.sub)]),
        _binary("mul", torch.mul, rounded, extra=[special(torch.mul), tiny(torch.mul)]),
        _binary(
            "div",
            torch.div,
            Tolerance(0, 3, "one rounding; the divisor's gradient has three (two quotients, a product)", narrow=0),
            away_from_zero,
            [special(torch.div)],
        ),
        _binary(
            "maximum",
            torch.maximum,
            exact("a choice; equal operands share the gradient in exact halves"),
            extra=[
                special(torch.maximum),
                Case("ties", fixed([1.0, 2.0, -3.0, 4.0], [1.0, 0.0, -3.0, 5.0]), torch.maximum),
            ],
        ),
        _unary("neg", torch.neg, exact("a sign bit"), -3, 3, all_kinds),
        _unary("abs", torch.abs, exact("a sign bit; the gradient at 0 is 0"), -3, 3, all_kinds),
        _unary("relu", F.relu, exact("a choice; NaN stays"), -3, 3, all_kinds),
        _unary(
            "sqrt",
            torch.sqrt,
            Tolerance(0, 2, "IEEE square root; its gradient is a product and a quotient", narrow=0),
            0.01,
            9,
            [0.0, -0.0, inf, nan, -1.0, 4.0],
        ),
        _unary(
            "exp", torch.exp, Tolerance(3, 4, "poly exp 1.4 + 1; one product more in the gradient"), -8, 8,
            [0.0, -0.0, inf, -inf, nan, 100.0, -200.0],
        ),
        _unary(
            "log", torch.log, Tolerance(3, 1, "poly log 1.2 + 1; the gradient is one quotient"), 0.05, 30,
            [0.0, inf, nan, -1.0, 1.0],
        ),
        _unary(
            "rsqrt", torch.rsqrt,
            Tolerance(4, 14, "poly rsqrt 1.5, PyTorch's 1/sqrt 1; cubed in the gradient"), 0.05, 30,
            [inf, nan, -1.0, 1.0, 0.25],
        ),
        _unary(
            "tanh", torch.tanh,
            Tolerance(
                6, 15, "poly tanh 4.5 + 1; 1 - y*y cancels, so the gradient's error is relative to 1 + y*y",
                grad_magnitude=_unary_grad(lambda x, y: 1 + y * y),
            ),
            -1.2, 1.2, [0.0, -0.0, inf, -inf, nan, 20.0, -20.0], far=[("far", -9, 9)],
        ),
        _unary(
            "sigmoid", torch.sigmoid,
            Tolerance(
                6, 12, "poly exp 1.4 twice rounded after, PyTorch 2; 1 - y cancels, so the gradient's error is relative to y",
                grad_magnitude=_unary_grad(lambda x, y: y),
            ),
            -2, 2, [0.0, -0.0, inf, -inf, nan, 100.0, -200.0], far=[("far", -15, 15)],
        ),
        _unary(
            "silu", F.silu,
            Tolerance(
                8, 14, "sigmoid's 6 and a product; the gradient's terms are s, x s (1 - s)",
                grad_magnitude=_unary_grad(lambda x, y: torch.sigmoid(x) * (1 + 2 * x.abs())),
            ),
            -1, 4, [0.0, -0.0, inf, nan, 100.0, -200.0], far=[("far", -15, 15)],
        ),
    ]
    for kind, function, units, why in (
        ("erf", lambda v: F.gelu(v), 6, "poly erf 4.1 + 1"),
        ("tanh", lambda v: F.gelu(v, approximate="tanh"), 8, "poly tanh 4.5 + 1, its argument two roundings"),
    ):
        ops.append(
            _unary(
                f"gelu_{kind}", function,
                Tolerance(
                    units, 16, f"{why}; 1 + {kind} cancels for x < 0, so errors are relative to |x| and 1 + |x|",
                    magnitude=_input_sized, grad_magnitude=_unary_grad(lambda x, y: 1 + x.abs()),
                ),
                # At inf PyTorch's answer is NaN or inf, as its code path has it.
                -0.5, 3, [0.0, -0.0, nan, 20.0, -20.0],
                mnemonic="gelu", attributes=f"approximate = #nn.gelu<{kind}>", far=[("negative", -2.5, -0.5), ("far", 3, 9)],
            )
        )
    return ops


def _choices():
    exact = Tolerance(0, 0, "a move, bitwise", narrow=0)
    inf, nan = float("inf"), float("nan")
    left = [1.0, 2.0, 3.0, nan, nan, inf, -0.0]
    right = [2.0, 2.0, 1.0, nan, 1.0, inf, 0.0]
    compare = [
        Case(p, fixed(left, right), getattr(torch, p), f"predicate = #nn.predicate<{p}>", grad=False, result="i1")
        for p in ("eq", "ne", "lt", "le", "gt", "ge")
    ]
    mask = lambda *shape: lambda rng: rng.integers(0, 2, shape).astype(bool)
    select = [Case("odd", together(mask(5, 7), normal(5, 7), normal(5, 7)), torch.where)]
    return [Op("compare", "compare", exact, compare), Op("select", "select", exact, select)]


# --- contractions -----------------------------------------------------------


def _contractions():
    reason = "gamma_k relative to the sum of |a||b|, k the longest accumulation of case and gradient"
    linear = lambda x, w, *b: F.linear(x, w, *b)
    cases = [
        Case("bias", together(normal(3, 5), normal(7, 5), normal(7)), linear),
        Case("plain", together(normal(3, 5), normal(7, 5)), linear),
        Case("one_row", together(normal(1, 17), normal(2, 17), normal(2)), linear),
        Case("batched", together(normal(2, 3, 5), normal(4, 5), normal(4)), linear),
    ]
    turned = lambda a, b: torch.matmul(a.mT, b.mT)
    products = [
        Case("plain", together(normal(3, 5), normal(5, 7)), torch.matmul),
        Case("batched", together(normal(2, 3, 5), normal(2, 5, 4)), torch.matmul),
        Case("batched_rank4", together(normal(2, 3, 1, 5), normal(2, 3, 5, 2)), torch.matmul),
        Case("lhs", together(normal(5, 3), normal(5, 7)), lambda a, b: torch.matmul(a.mT, b), "transpose_lhs"),
        Case("rhs", together(normal(2, 3, 5), normal(2, 7, 5)), lambda a, b: torch.matmul(a, b.mT), "transpose_rhs"),
        Case("both", together(normal(5, 3), normal(7, 5)), turned, "transpose_lhs, transpose_rhs"),
    ]
    return [
        Op("linear", "linear", Tolerance(17 + 1, 7 + 1, reason, multilinear=True), cases, accumulates=True),
        Op("matmul", "matmul", Tolerance(5 + 1, 7 + 1, reason, multilinear=True), products, accumulates=True),
    ]


# --- reductions and softmax -------------------------------------------------


def _reductions():
    dims = lambda *d: f"dims = array<i64: {', '.join(map(str, d))}>"

    def cases(function, wide):
        result = [
            Case("last", together(normal(5, 13)), lambda v: function(v, (1,)), dims(1)),
            Case("first", together(normal(5, 13)), lambda v: function(v, (0,)), dims(0)),
            Case("kept", together(normal(2, 3, 5)), lambda v: function(v, (1,), True), f"{dims(1)}, keepdims"),
            Case("two", together(normal(3, 2, 5)), lambda v: function(v, (0, 2)), dims(0, 2)),
            Case("all", together(normal(3, 7)), lambda v: function(v, (0, 1)), dims(0, 1)),
        ]
        if wide:
            result.append(
                Case("wide", together(normal(5, 13)), lambda v: function(v.float() if v.dtype != torch.float64 else v, (1,)),
                     dims(1), grad=False, dtypes=("bf16", "f16"), result="f32")
            )
        return result

    total = lambda v, d, keep=False: torch.sum(v, d, keepdim=keep)
    mean = lambda v, d, keep=False: torch.mean(v, d, keepdim=keep)
    largest = lambda v, d, keep=False: torch.amax(v, d, keepdim=keep)
    nan = float("nan")
    maxima = cases(largest, False) + [
        Case("nan", fixed([[1.0, nan, 2.0], [-float("inf")] * 3]), lambda v: largest(v, (1,)), dims(1), grad=False),
        Case("ties", fixed([[1.0, 2.0, 2.0], [3.0, 3.0, 3.0]]), lambda v: largest(v, (1,)), dims(1)),
    ]
    reason = "gamma_k relative to the sum of |x|, k = 21 at most"
    return [
        Op("reduce_sum", "reduce_sum", Tolerance(21, 0, reason + "; the gradient is copied", multilinear=True), cases(total, True), True),
        Op("reduce_mean", "reduce_mean", Tolerance(22, 1, reason + "; one quotient more", multilinear=True), cases(mean, True), True),
        Op("reduce_max", "reduce_max", Tolerance(0, 1, "a choice; ties share the gradient", narrow=0), maxima, True),
    ]


def _softmaxes():
    def cases(function, large):
        wide = lambda v: function(v.float() if v.dtype != torch.float64 else v, 1)
        return [
            Case("last", together(normal(5, 7, scale=2)), lambda v: function(v, 1), "dim = 1 : i64"),
            Case("middle", together(normal(2, 5, 3)), lambda v: function(v, 1), "dim = 1 : i64"),
            Case("large", fixed([[1000.0, 1001.0]]), lambda v: function(v, 1), "dim = 1 : i64"),
            Case("undefined", fixed(large), lambda v: function(v, 1), "dim = 1 : i64", grad=False),
            Case("wide", together(normal(5, 7, scale=2)), wide, "dim = 1 : i64", grad=False, dtypes=("bf16", "f16"), result="f32"),
        ]

    inf, nan = float("inf"), float("nan")
    rows = [[-inf, -inf, -inf], [inf, 0.0, 1.0], [nan, 0.0, 1.0], [-inf, 0.0, 0.0]]

    def softmax_grad(inputs, outputs, cotangents):
        y, dy = outputs[0], cotangents[0].abs()
        return {0: y * (dy + (dy * y).sum(1, keepdim=True))}

    def log_magnitude(inputs, outputs):
        shifted = inputs[0] - inputs[0].amax(1, keepdim=True)
        return [shifted.abs() + shifted.logsumexp(1, keepdim=True).abs() + 1]

    def log_grad(inputs, outputs, cotangents):
        dy = cotangents[0].abs()
        return {0: dy + outputs[0].exp() * dy.sum(1, keepdim=True)}

    return [
        Op("softmax", "softmax",
           Tolerance(13, 22, "poly exp 1.4 + 1, gamma_7, a quotient; the gradient's difference cancels, so relative to its terms",
                     grad_magnitude=softmax_grad), cases(F.softmax, rows), True),
        Op("log_softmax", "log_softmax",
           Tolerance(6, 22, "log of a sum near 1 cancels: relative to |x - max| + |log sum| + 1; the gradient to its terms",
                     magnitude=log_magnitude, grad_magnitude=log_grad), cases(F.log_softmax, rows), True),
    ]


# --- losses -----------------------------------------------------------------


def _losses():
    def cross_entropy(**options):
        return lambda x, t: F.cross_entropy(x.flatten(0, -2), t.flatten(), **options)

    def targets(*shape, classes=5, ignored=()):
        def draw(rng):
            value = rng.integers(0, classes, shape)
            for index in ignored:
                value.flat[index] = -100
            return value

        return draw

    def text(reduction="mean", ignore=-100, smoothing=0.0):
        return f"ignore_index = {ignore} : i64, label_smoothing = {smoothing!r} : f64, reduction = #nn.reduction<{reduction}>"

    def case(name, draw, attributes, grad=True, case_options={}, **options):
        ignore, mean = options.get("ignore_index", -100), options.get("reduction", "mean") == "mean"

        def count(targets):
            return (targets != ignore).sum().clamp(min=1) if mean else 1

        smoothing = options.get("label_smoothing", 0.0)

        def weights(x, targets):
            """How much each class counts in a row's target; 0 in ignored rows."""
            valid = targets != ignore
            hot = F.one_hot(torch.where(valid, targets, 0), x.shape[-1])
            return (hot * (1 - smoothing) + smoothing / x.shape[-1]) * valid.unsqueeze(-1)

        def magnitude(inputs, outputs):
            x, targets = inputs
            distance = x.amax(-1, keepdim=True) - x
            terms = weights(x, targets) * (distance + (-distance).logsumexp(-1, keepdim=True))
            return [terms.sum() / count(targets)]

        def grad_magnitude(inputs, outputs, cotangents):
            x, targets = inputs
            terms = x.softmax(-1) * (targets != ignore).unsqueeze(-1) + weights(x, targets)
            return {0: cotangents[0].abs() / count(targets) * terms}

        return Case(
            name, draw, cross_entropy(**options), attributes, grad, widen=True,
            magnitude=magnitude, grad_magnitude=grad_magnitude, **case_options,
        )

    logits = normal(7, 5, scale=2)
    cases = [
        case("mean", together(logits, targets(7)), text()),
        case("sum", together(logits, targets(7)), text("sum"), reduction="sum"),
        case("ignored", together(logits, targets(7, ignored=(0, 4))), text()),
        case("ignored_sum", together(logits, targets(7, ignored=(0, 4))), text("sum"), reduction="sum"),
        case("ignored_class", together(logits, targets(7)), text(ignore=2), ignore_index=2),
        case("smoothed", together(logits, targets(7)), text(smoothing=0.1), label_smoothing=0.1),
        case("smoothed_ignored", together(logits, targets(7, ignored=(1,))), text(smoothing=0.25), label_smoothing=0.25),
        case("smoothed_sum", together(logits, targets(7)), text("sum", smoothing=0.5), reduction="sum", label_smoothing=0.5),
        case("batched", together(normal(2, 3, 5), targets(2, 3)), text()),
        case("large", fixed([[1000.0, 1001.0, 0.0]], [0]), text()),
        case("all_ignored", fixed([[1.0, 2.0], [0.5, 0.25]], [-100, -100]), text(), grad=False),
        case("wide", together(logits, targets(7)), text(), False, {"dtypes": ("bf16", "f16"), "result": "f32"}),
    ]

    def mse(reduction):
        return lambda x, t: F.mse_loss(x, t, reduction=reduction)

    pair = together(normal(5, 3), normal(5, 3))
    reduction = "reduction = #nn.reduction<{}>".format
    squares = [
        Case("mean", pair, mse("mean"), reduction("mean"), widen=True),
        Case("sum", pair, mse("sum"), reduction("sum"), widen=True),
        Case("one", together(normal(1, 1), normal(1, 1)), mse("mean"), reduction("mean"), widen=True),
        Case("wide", pair, mse("mean"), reduction("mean"), False, ("bf16", "f16"), True, "f32"),
    ]
    return [
        Op("cross_entropy", "cross_entropy",
           Tolerance(16, 16, "log_softmax's 6, gamma of 7 rows and a quotient, relative to |x - max| + |log sum|; the gradient's"
                     " difference to its two terms"), cases, True),
        Op("mse_loss", "mse_loss", Tolerance(18, 3, "gamma_15 of positive terms, two roundings each; three in the gradient"), squares, True),
    ]


# --- shapes and types -------------------------------------------------------


def _movements():
    exact = Tolerance(0, 0, "a move, bitwise", narrow=0)
    array = lambda *values: f"array<i64: {', '.join(map(str, values))}>"

    def broadcast(*shape, dims):
        def function(v):
            view = [1] * len(shape)
            for index, dim in enumerate(dims):
                view[dim] = v.shape[index]
            return v.reshape(view).expand(shape).clone()

        return function

    spread = lambda name, shape, to, dims: Case(
        name, together(normal(*shape)), broadcast(*to, dims=dims), f"dims = {array(*dims) if dims else 'array<i64>'}"
    )
    barrier = lambda a, b: (a.clone(), b.clone())
    added = [[0.5, -1.25, 3.0]]

    def constant(dtype):
        kind = f"tensor<1x3x{dtype}>"
        return [f"%c = nn.constant dense<{added}> : {kind}", f"%0 = nn.add %a0, %c : ({kind}, {kind}) -> {kind}"]

    return [
        Op("reshape", "reshape", exact, [
            Case("split", together(normal(3, 10)), lambda v: v.reshape(3, 2, 5)),
            Case("merge", together(normal(2, 3, 5)), lambda v: v.reshape(6, 5)),
            Case("scalar", together(normal(1, 1)), lambda v: v.reshape(())),
        ]),
        Op("transpose", "transpose", exact, [
            Case("matrix", together(normal(3, 7)), lambda v: v.t().clone(), f"permutation = {array(1, 0)}"),
            Case("rank3", together(normal(2, 3, 5)), lambda v: v.permute(2, 0, 1).clone(), f"permutation = {array(2, 0, 1)}"),
        ]),
        Op("broadcast", "broadcast",
           Tolerance(0, 15, "a move; its gradient sums up to 15 terms", multilinear=True, narrow=0), [
            spread("row", (5,), (3, 5), (1,)),
            spread("column", (3, 1), (3, 5), (0, 1)),
            spread("scalar", (), (3, 5), ()),
            spread("middle", (2, 3), (2, 4, 3), (0, 2)),
        ]),
        Op("optimization_barrier", "optimization_barrier", exact, [Case("two", together(normal(3, 5), normal(7)), barrier)]),
        Op("constant", "constant", Tolerance(0, 0, "one rounded addition of exact values", narrow=0), [
            Case("added", together(normal(1, 3)), lambda v: v + torch.tensor(added, dtype=v.dtype), body=constant),
        ]),
        Op("convert", "convert", Tolerance(0, 0, "integers below 2^8 are exact in every type; to integer rounds toward zero", narrow=0), [
            Case("from_int", lambda rng: [rng.integers(-200, 200, (3, 5))], lambda v: v, grad=False, result="float"),
            Case("from_bool", lambda rng: [rng.integers(0, 2, (3, 5)).astype(bool)], lambda v: v, grad=False, result="float"),
            Case("to_int", fixed([-2.75, -1.0, -0.5, 0.0, 0.5, 0.99, 1.5, 100.25]), lambda v: v.to(torch.int64), grad=False, result="i64"),
        ]),
        Op("element_count", "element_count", exact, [
            Case("odd", together(normal(3, 5)), lambda v: torch.tensor(v.numel()), grad=False, result="i64"),
        ]),
        Op("valid_count", "valid_count", exact, [
            Case("some", fixed([3, -100, 0, -100, 1]), lambda t: (t != -100).sum(), "ignore_index = -100 : i64", False, ("f32",), False, "i64"),
            Case("none", fixed([[2, 2]]), lambda t: (t != 2).sum(), "ignore_index = 2 : i64", False, ("f32",), False, "i64"),
        ]),
        Op("add_n", "add_n", Tolerance(2, 0, "gamma_2; the gradient is copied", multilinear=True), [
            Case("three", together(uniform(1, 2, 5, 7), uniform(1, 2, 5, 7), uniform(1, 2, 5, 7)), lambda a, b, c: a + b + c, widen=True),
            # 16-bit partial sums would overflow (f16) or lose the small term (bf16).
            Case("overflow", fixed([30000.0, 256.0], [40000.0, 1.0], [-20000.0, 1.0]), lambda a, b, c: a + b + c, widen=True),
        ], True),
    ]


def all_ops():
    return [*_elementwise(), *_choices(), *_contractions(), *_reductions(), *_softmaxes(), *_losses(), *_movements()]
