# Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases that record_runs.py records: one per optimizer, loss, activation, ..."""

import dataclasses
import math

F16, BF16, F32 = "torch.float16", "torch.bfloat16", "None"


@dataclasses.dataclass
class Case:
    """What a recorded run varies; the fields are those of the replay format."""

    model: str
    dtype: str
    optimizer: str
    options: dict
    steps: int = 8
    seed: int = 0
    sensitivity: float = 0.0
    rows: int = 12
    x_scale: float = 1.0
    clip: float = None
    inject: dict = dataclasses.field(default_factory=dict)
    micro: list = None
    scaler: dict = None
    ignored_rows: tuple = ()


def _optimizer_cases():
    """Every optimizer and option; one run in each precision where it matters."""
    momentum = {"lr": 0.1, "momentum": 0.9}
    dampening = {"lr": 0.2, "momentum": 0.9, "dampening": 0.5}
    nesterov = {"lr": 0.05, "momentum": 0.8, "nesterov": True}
    adam = {"lr": 1e-2}
    adam_l2 = {"lr": 1e-2, "weight_decay": 0.1, "betas": (0.8, 0.95)}
    adamw = {"lr": 1e-2, "weight_decay": 0.1}
    scaler = {"init_scale": 1024.0, "growth_interval": 3}
    return {
        "sgd_plain_f32": Case("mlp_relu_mse", F32, "SGD", {"lr": 0.1}, steps=12),
        "sgd_plain_f16": Case("mlp_relu_mse", F16, "SGD", {"lr": 0.1}, scaler=scaler),
        "sgd_momentum_f32": Case("mlp_relu_ce", F32, "SGD", momentum, steps=12),
        "sgd_momentum_bf16": Case("mlp_relu_ce", BF16, "SGD", momentum, steps=6, rows=7),
        "sgd_nesterov_f32": Case("mlp_relu_ce", F32, "SGD", nesterov, steps=12),
        "sgd_nesterov_f16": Case("mlp_relu_mse", F16, "SGD", nesterov, scaler=scaler),
        "sgd_nesterov_decay_f32": Case("mlp_relu_ce", F32, "SGD", {**nesterov, "weight_decay": 0.1}),
        "sgd_dampening_f32": Case("mlp_relu_mse", F32, "SGD", dampening),
        "sgd_dampening_bf16": Case("mlp_relu_ce", BF16, "SGD", dampening, steps=6, rows=7),
        # The first applied step, not step 0, starts the momentum buffer.
        "sgd_dampening_skip_f16": Case(
            "mlp_relu_ce", F16, "SGD", dampening, scaler=scaler, inject={"0": math.inf, "1": math.nan}
        ),
        "sgd_decay_f32": Case("mlp_relu_mse", F32, "SGD", {**momentum, "weight_decay": 0.05}),
        "adam_f32": Case("mlp_relu_ce", F32, "Adam", adam, steps=20),
        "adam_f16": Case("mlp_relu_ce", F16, "Adam", adam, scaler=scaler),
        "adam_bf16": Case("mlp_relu_mse", BF16, "Adam", adam, steps=6, rows=7),
        "adam_l2_f32": Case("mlp_relu_mse", F32, "Adam", adam_l2, steps=12),
        "adam_l2_f16": Case("mlp_relu_ce", F16, "Adam", adam_l2, scaler=scaler),
        "adam_eps_f32": Case("mlp_relu_ce", F32, "Adam", {"lr": 0.1, "eps": 1e-2}),
        "adam_decoupled_f32": Case(
            "mlp_relu_ce", F32, "Adam", {"lr": 1e-2, "weight_decay": 0.1, "decoupled_weight_decay": True}
        ),
        "adamw_f32": Case("mlp_relu_ce", F32, "AdamW", adamw, steps=20),
        "adamw_f16": Case("mlp_relu_ce", F16, "AdamW", adamw, scaler=scaler),
        "adamw_bf16": Case("mlp_relu_ce", BF16, "AdamW", adamw, steps=6, rows=7),
        # A skipped step must not count in the bias correction.
        "adamw_skip_f16": Case(
            "mlp_relu_ce", F16, "AdamW", adamw, scaler=scaler, inject={"0": -math.inf, "3": math.nan}, clip=1.0
        ),
    }


def _activation_cases():
    """Every activation in f32, bf16, and f16 under a scaler."""
    cases = {}
    scaler = {"init_scale": 256.0, "growth_interval": 4}
    optimizer = ("SGD", {"lr": 0.2, "momentum": 0.9})
    for model in (
        "mlp_gelu_erf_ce",
        "mlp_gelu_tanh_ce",
        "mlp_silu_ce",
        "mlp_tanh_mse",
        "mlp_sigmoid_mse",
        "mlp_softmax_mse",
        "mlp_log_softmax_mse",
    ):
        short = model[len("mlp_") :]
        # log_softmax is unbounded below: steps that suit the others diverge.
        used = ("SGD", {"lr": 0.02}) if "log" in model else optimizer
        cases[f"{short}_f32"] = Case(model, F32, *used, steps=6)
        cases[f"{short}_bf16"] = Case(model, BF16, *used, steps=5, rows=6)
        cases[f"{short}_f16"] = Case(model, F16, *used, steps=6, scaler=scaler)
    cases["softmax_head_f16"] = Case("mlp_tanh_softmax_mse", F16, *optimizer, steps=6, scaler=scaler)
    cases["log_softmax_head_bf16"] = Case("mlp_tanh_log_softmax_mse", BF16, "SGD", {"lr": 0.05}, steps=6)
    cases["residual_f32"] = Case("mlp_residual_ce", F32, *optimizer, steps=6)
    cases["residual_f16"] = Case("mlp_residual_ce", F16, *optimizer, steps=6, scaler=scaler)
    cases["no_bias_bf16"] = Case("mlp_no_bias_mse", BF16, *optimizer, steps=6)
    return cases


def _loss_cases():
    """Every loss, reduction and option; mse mean and plain cross entropy are above."""
    scaler = {"init_scale": 64.0, "growth_interval": 3}
    slow, fast = {"lr": 0.01, "momentum": 0.9}, {"lr": 0.2}
    return {
        "mse_sum_f32": Case("linear_mse_sum", F32, "SGD", slow),
        "mse_sum_f16": Case("mlp_relu_mse_sum", F16, "SGD", slow, scaler=scaler),
        "ce_sum_f32": Case("mlp_relu_ce_sum", F32, "SGD", slow),
        "ce_sum_bf16": Case("mlp_relu_ce_sum", BF16, "SGD", slow, steps=6, rows=7),
        "ce_ignore_f32": Case("mlp_relu_ce_ignore", F32, "SGD", fast, ignored_rows=(0, 5, 6)),
        "ce_ignore_f16": Case("mlp_relu_ce_ignore", F16, "SGD", fast, ignored_rows=(1, 2, 3, 11), scaler=scaler),
        "ce_sum_ignore_f32": Case("mlp_relu_ce_sum_ignore", F32, "SGD", slow, ignored_rows=(4, 7)),
        "ce_smooth_f32": Case("mlp_relu_ce_smooth", F32, "AdamW", {"lr": 1e-2}),
        "ce_smooth_bf16": Case("mlp_relu_ce_smooth", BF16, "SGD", fast, steps=6, rows=7),
        "ce_smooth_ignore_f32": Case("mlp_relu_ce_smooth_ignore", F32, "SGD", fast, ignored_rows=(3, 9)),
    }


def _loop_cases():
    """Scaler options, micro-batches, injections and clipping."""
    sgd = ("SGD", {"lr": 0.1, "momentum": 0.9})
    uneven = [[0, 3], [3, 8], [8, 12]]
    return {
        "micro_f32": Case("mlp_relu_ce", F32, *sgd, micro=[[0, 4], [4, 12]]),
        "micro_clip_bf16": Case("mlp_relu_mse", BF16, *sgd, micro=uneven, clip=0.5),
        "micro_scaled_f16": Case(
            "mlp_relu_ce", F16, "AdamW", {"lr": 1e-2}, micro=uneven, clip=0.25,
            scaler={"init_scale": 512.0, "growth_interval": 2}, inject={"3": math.inf},
        ),
        # The weights stay rows/total when some rows are ignored.
        "micro_ignore_f32": Case("mlp_relu_ce_ignore", F32, *sgd, micro=[[0, 5], [5, 12]], ignored_rows=(0, 1, 2)),
        "clip_f32": Case("mlp_relu_mse", F32, *sgd, clip=0.3),
        "scaler_defaults_f16": Case("mlp_relu_ce", F16, *sgd, scaler={}),
        "scaler_factors_f16": Case(
            "mlp_relu_ce", F16, *sgd, inject={"4": math.nan},
            scaler={"init_scale": 16.0, "growth_factor": 4.0, "backoff_factor": 0.25, "growth_interval": 2},
        ),
        # No injection: the scaled gradients overflow f16 until the scale is low enough.
        "scaler_overflow_f16": Case("mlp_relu_ce", F16, *sgd, steps=20, scaler={"init_scale": 2.0**24, "growth_interval": 4}),
        "scaler_below_one_f16": Case("amp_probe", F16, *sgd, rows=6, scaler={"init_scale": 1.0}, inject={"0": math.inf, "1": math.inf}),
        "scaler_f32": Case("mlp_relu_ce", F32, *sgd, scaler={"init_scale": 4096.0, "growth_interval": 2}, inject={"2": -math.inf}),
        "scaler_bf16": Case("mlp_relu_ce", BF16, "AdamW", {"lr": 1e-2}, scaler={"growth_interval": 1}, inject={"5": math.nan}, steps=6, rows=7),
        "inject_finite_f16": Case("mlp_relu_ce", F16, *sgd, scaler={"init_scale": 8.0}, inject={"1": 3.5}, clip=0.2),
        "unguarded_inf_f32": Case("amp_probe", F32, "SGD", {"lr": 0.1}, rows=6, steps=4, inject={"2": math.inf}),
        "unguarded_nan_bf16": Case("mlp_tanh_mse", BF16, *sgd, steps=5, inject={"2": math.nan}, clip=1.0),
        "unscaled_f16": Case("mlp_relu_ce", F16, *sgd),
    }


# Seed of each case and how far a right implementation may end from PyTorch there:
# made by `record_runs.py --find-seeds`.
_SEEDS = {
    "sgd_plain_f32": (1, 1.7e-06),
    "sgd_plain_f16": (2, 5.4e-05),
    "sgd_momentum_f32": (1, 1.0e-06),
    "sgd_momentum_bf16": (3, 2.3e-04),
    "sgd_nesterov_f32": (1, 6.3e-07),
    "sgd_nesterov_f16": (1, 4.2e-05),
    "sgd_nesterov_decay_f32": (1, 4.9e-07),
    "sgd_dampening_f32": (1, 4.5e-07),
    "sgd_dampening_bf16": (53, 2.7e-04),
    "sgd_dampening_skip_f16": (1, 9.7e-05),
    "sgd_decay_f32": (1, 1.1e-06),
    "adam_f32": (1, 1.3e-06),
    "adam_f16": (1, 2.6e-05),
    "adam_bf16": (1, 9.8e-05),
    "adam_l2_f32": (1, 1.3e-06),
    "adam_l2_f16": (2, 9.2e-05),
    "adam_eps_f32": (1, 7.5e-07),
    "adam_decoupled_f32": (1, 2.8e-07),
    "adamw_f32": (1, 4.0e-07),
    "adamw_f16": (1, 7.5e-05),
    "adamw_bf16": (8, 7.8e-05),
    "adamw_skip_f16": (1, 5.5e-05),
    "gelu_erf_ce_f32": (1, 3.3e-07),
    "gelu_erf_ce_bf16": (54, 3.1e-05),
    "gelu_erf_ce_f16": (6, 6.9e-05),
    "gelu_tanh_ce_f32": (1, 3.0e-07),
    "gelu_tanh_ce_bf16": (8, 1.6e-04),
    "gelu_tanh_ce_f16": (4, 9.3e-05),
    "silu_ce_f32": (1, 2.2e-07),
    "silu_ce_bf16": (26, 2.1e-04),
    "silu_ce_f16": (2, 5.4e-05),
    "tanh_mse_f32": (1, 4.6e-07),
    "tanh_mse_bf16": (21, 5.0e-05),
    "tanh_mse_f16": (2, 5.5e-05),
    "sigmoid_mse_f32": (1, 5.9e-07),
    "sigmoid_mse_bf16": (6, 3.2e-05),
    "sigmoid_mse_f16": (1, 3.5e-06),
    "softmax_mse_f32": (1, 5.0e-07),
    "softmax_mse_bf16": (12, 1.7e-05),
    "softmax_mse_f16": (1, 4.6e-05),
    "log_softmax_mse_f32": (1, 4.0e-06),
    "log_softmax_mse_bf16": (5, 2.5e-03),
    "log_softmax_mse_f16": (7, 5.4e-04),
    "softmax_head_f16": (1, 3.1e-05),
    "log_softmax_head_bf16": (21, 3.1e-03),
    "residual_f32": (1, 6.8e-07),
    "residual_f16": (1, 4.3e-05),
    "no_bias_bf16": (2, 3.7e-07),
    "mse_sum_f32": (1, 4.7e-07),
    "mse_sum_f16": (26, 9.8e-05),
    "ce_sum_f32": (1, 7.4e-07),
    "ce_sum_bf16": (3, 3.3e-04),
    "ce_ignore_f32": (1, 9.3e-07),
    "ce_ignore_f16": (1, 5.5e-05),
    "ce_sum_ignore_f32": (1, 8.5e-07),
    "ce_smooth_f32": (1, 4.0e-07),
    "ce_smooth_bf16": (18, 1.2e-04),
    "ce_smooth_ignore_f32": (1, 3.2e-07),
    "micro_f32": (1, 4.7e-07),
    "micro_clip_bf16": (52, 2.3e-04),
    "micro_scaled_f16": (1, 9.3e-05),
    "micro_ignore_f32": (1, 4.7e-07),
    "clip_f32": (1, 4.4e-07),
    "scaler_defaults_f16": (5, 5.6e-05),
    "scaler_factors_f16": (4, 8.0e-05),
    "scaler_overflow_f16": (4, 6.8e-05),
    "scaler_below_one_f16": (1, 0.0e+00),
    "scaler_f32": (1, 4.7e-07),
    "scaler_bf16": (4, 9.4e-05),
    "inject_finite_f16": (2, 4.6e-05),
    "unguarded_inf_f32": (1, 3.1e-07),
    "unguarded_nan_bf16": (1, 0.0e+00),
    "unscaled_f16": (5, 5.6e-05),
}


def case_families():
    """Family name -> cases by name, in the order they are recorded."""
    families = {
        "optimizers": _optimizer_cases(),
        "activations": _activation_cases(),
        "losses": _loss_cases(),
        "loop": _loop_cases(),
    }
    for cases in families.values():
        for name, case in cases.items():
            case.seed, case.sensitivity = _SEEDS.get(name, (0, 0.0))
    return families


def all_cases():
    """Every case by name."""
    return {name: case for cases in case_families().values() for name, case in cases.items()}
