//===- Passes.td - Passes of the AMP dialect -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_TRANSFORMS_PASSES_TD
#define AMP_DIALECT_AMP_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AnnotateRolesPass : Pass<"amp-annotate-roles", "::mlir::ModuleOp"> {
  let summary = "Checks the roles of a model and completes them";
  let description = [{
    **Does.** Checks what functions state about their arguments and results: a
    parameter is a floating-point tensor with an `amp.name`, names are unique, at most
    one result is the loss, it comes first and is a floating-point tensor of rank 0.
    Then it completes the public functions. An argument without a role is a target
    where it is used as one, else an input (integers too: an index is input); a
    result without a role takes the role that the analysis gives the returned value,
    a second computed loss being a metric. Arguments without a name are `arg<i>`,
    results `loss`, `logits` or `result<i>`. With `print` it writes `amp.role` onto
    every op, for reading and tests; otherwise nothing is written on ops.

    **Requires.** Nothing.

    **Guarantees.** Later stages find role and name on each argument and, where it
    is floating, result of a public function. Running the pass again changes nothing.

    **Example** (`print`).
    ```mlir
    func.func @main(%x: tensor<?x4xf64>, %w: tensor<2x4xf32> {amp.role = #amp.role<parameter>, amp.name = "w"})
        -> tensor<?x2xf64> {
      %0 = amp.cast %w user : tensor<2x4xf32> to tensor<2x4xf64>
      %1 = nn.linear %x, %0 : (tensor<?x4xf64>, tensor<2x4xf64>) -> tensor<?x2xf64>
      return %1 : tensor<?x2xf64>
    }
    ```
    gives `%x` the role input and the name `arg0`, the cast the role parameter, the
    linear and the result the role activation, and the result the name `result0`.
  }];
  let options = [
    Option<"print", "print", "bool", "false", "Write `amp.role` onto every op">
  ];
  let dependentDialects = ["::mlir::amp::AMPDialect"];
}

def AutocastPass : Pass<"amp-autocast", "::mlir::ModuleOp"> {
  let summary = "Inserts the casts and accumulator contracts that a policy asks for";
  let description = [{
    **Does.** Classifies each op that implements `NumericOpInterface` by the policy,
    inserts an `amp.cast` of origin `policy` in front of each operand that has to
    change (one cast per use: uses of one value are not merged, because the
    cotangents of a merged cast would be summed in the low type), gives the op the
    result types that follow, and writes `numerics` on every op that accumulates.
    Regions of `amp.autocast_region` are inlined with their own setting. f64 and
    integers are left alone. An op the project does not know keeps its types: its
    operands are cast back (`boundary`). What it decided for each op is a remark
    (`Demoted`, `KeptF32`, `Uncovered`), printed by `--remarks-filter=amp-autocast`.

    **Requires.** A module of functions over ranked tensors. The policy is an
    `amp.policy` of the module or a built-in one.

    **Guarantees.** No `amp.autocast_region` is left; each accumulating op has
    `numerics`; running the pass again changes nothing. Result types of a function
    without callers follow the computed types; with callers they stay. The module
    carries `amp.policy` and `amp.policy_hash`. Banned ops are errors with advice.

    **Example** (`policy=cpu-f16`).
    ```mlir
    %0 = nn.linear %x, %w : (tensor<6x4xf32>, tensor<2x4xf32>) -> tensor<6x2xf32>
    ```
    becomes
    ```mlir
    %0 = amp.cast %x policy : tensor<6x4xf32> to tensor<6x4xf16>
    %1 = amp.cast %w policy : tensor<2x4xf32> to tensor<2x4xf16>
    %2 = nn.linear %0, %1 {numerics = #amp.numerics<accumulate = f32>}
           : (tensor<6x4xf16>, tensor<2x4xf16>) -> tensor<6x2xf16>
    ```
  }];
  let options = [
    Option<"policy", "policy", "std::string", "\"cpu-bf16\"",
           "Name of the policy: an amp.policy of the module, or a built-in one (default cpu-bf16)">
  ];
  let dependentDialects = ["::mlir::amp::AMPDialect"];
}

def BuildTrainStepPass : Pass<"amp-build-train-step", "::mlir::ModuleOp"> {
  let summary = "Builds the functions of a training step from a model and its derivative";
  let description = [{
    **Does.** From the model `@m` and its derivative `@m.vjp` it makes the step
    functions of docs/contracts.md, section 3: scale the loss, run backward, unscale
    once in f32, look for non-finite gradients, clip by the global norm, update
    parameters and optimizer state under the guard, move the scale, count. Optimizers
    are computed as PyTorch's single-tensor f32 code does, in its order; quantities
    of the step count alone (bias corrections) are computed in f64 and rounded
    once. Everything that must last between steps is an argument and a result,
    named in the module attributes `amp.state` and `amp.buffers`.

    **Requires.** `-nn-autodiff`. Arguments of the model have the roles
    parameter, input or target; the first result is the loss.

    **Guarantees.** The derivative is gone. Each micro-batch's loss is a sum
    divided by the window's denominator. Unless `guard` is off, a window whose
    denominator is 0 and one with a non-finite gradient leave parameters, optimizer
    state and step count unchanged bit for bit. Under the module's
    `amp.parity = pytorch` found-inf reads the scaled gradients and no norm, and
    the growth test is exact.

    **Example.**
    ```mlir
    func.func @main(%w: tensor<2x4xf32> {amp.role = #amp.role<parameter>, ...}, ...)
    func.func private @main.vjp(...) -> (...)
    // becomes, beside @main:
    amp.scaler @scaler dynamic {...}
    func.func @main.train(%w, %momentum, %scale, ..., %x, %y) -> (...)
        attributes {amp.step_kind = #amp.step_kind<train>} {
      %seed = amp.scale_loss @scaler(%one, %scale) : ...
      ...
      %g = amp.unscale_grads @scaler(%scale) %dw : ...
      %norm = amp.global_norm %g : ...
      %found = amp.found_inf %g norm(%norm) : ...
      %w1, %m1 = amp.guarded_update skip(%skip) states(%w, %momentum) gradients(%g) ...
    }
    ```
  }];
  let options = [
    Option<"optimizer", "optimizer", "::mlir::amp::OptimizerKind",
      "::mlir::amp::OptimizerKind::sgd", "Update rule (default sgd)", [{::llvm::cl::values(
        clEnumValN(::mlir::amp::OptimizerKind::sgd, "sgd", "stochastic gradient descent"),
        clEnumValN(::mlir::amp::OptimizerKind::adam, "adam", "Adam, weight decay as L2"),
        clEnumValN(::mlir::amp::OptimizerKind::adamw, "adamw", "Adam, decoupled weight decay"))}]>,
    Option<"lr", "lr", "double", "1e-3", "Learning rate (default 1e-3)">,
    Option<"momentum", "momentum", "double", "0.0", "SGD momentum (default 0)">,
    Option<"dampening", "dampening", "double", "0.0", "SGD dampening (default 0)">,
    Option<"nesterov", "nesterov", "bool", "false", "Nesterov momentum">,
    Option<"weightDecay", "weight-decay", "double", "-1.0",
      "Weight decay; -1, the default, is the optimizer's own (adamw 0.01, else 0)">,
    Option<"beta1", "beta1", "double", "0.9", "Adam: decay of the first moment (default 0.9)">,
    Option<"beta2", "beta2", "double", "0.999", "Adam: decay of the second moment (default 0.999)">,
    Option<"eps", "eps", "double", "1e-8", "Adam: added to the denominator (default 1e-8)">,
    Option<"lossScale", "loss-scale", "::mlir::amp::LossScaleKind",
      "::mlir::amp::LossScaleKind::none", "Loss scaling (default none)", [{::llvm::cl::values(
        clEnumValN(::mlir::amp::LossScaleKind::none, "none", "no scaling"),
        clEnumValN(::mlir::amp::LossScaleKind::fixed, "static", "a constant scale"),
        clEnumValN(::mlir::amp::LossScaleKind::dynamic, "dynamic", "grows and backs off"))}]>,
    Option<"scale", "scale", "double", "65536.0", "Initial scale (default 65536)">,
    Option<"growth", "growth", "double", "2.0", "Growth factor (default 2)">,
    Option<"backoff", "backoff", "double", "0.5", "Backoff factor (default 0.5)">,
    Option<"interval", "interval", "int64_t", "2000", "Finite steps before growth (default 2000)">,
    Option<"floor", "floor", "double", "0.0", "The scale never backs off below this (default 0)">,
    Option<"cap", "cap", "double", "0.0", "The scale never grows beyond this; 0, the default, is no cap">,
    Option<"clip", "clip", "double", "0.0", "Largest global gradient norm; 0, the default, does not clip">,
    Option<"window", "window", "::mlir::amp::WindowKind",
      "::mlir::amp::WindowKind::both", "Which step functions are made (default both)", [{::llvm::cl::values(
        clEnumValN(::mlir::amp::WindowKind::single, "single", "train: one micro-batch a window"),
        clEnumValN(::mlir::amp::WindowKind::accumulate, "accumulate", "accumulate and apply"),
        clEnumValN(::mlir::amp::WindowKind::both, "both", "all of them"))}]>,
    Option<"weighting", "weighting", "::mlir::amp::WindowWeighting",
      "::mlir::amp::WindowWeighting::counted", "Weights of micro-batches (default counted)", [{::llvm::cl::values(
        clEnumValN(::mlir::amp::WindowWeighting::counted, "counted", "by what the loss counts"),
        clEnumValN(::mlir::amp::WindowWeighting::rows, "rows", "by rows"))}]>,
    Option<"guard", "guard", "bool", "true", "Hold the update when a gradient is not finite (default true)">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::math::MathDialect", "::mlir::nn::NNDialect"];
}

def OptimizeCastsPass : Pass<"amp-optimize-casts"> {
  let summary = "Merges casts of one value to one type";
  let description = [{
    **Does.** Replaces an `amp.cast` by an equal one (same value, type, rounding
    and overflow; the origin may differ) that dominates it.

    **Requires.** That derivatives have been taken: before `-nn-autodiff` the merge
    would sum cotangents in the low type.

    **Guarantees.** No rounding is added or removed. A user's cast survives: where
    a policy cast and a user's cast merge, the user's stays.

    **Example.**
    ```mlir
    %0 = amp.cast %x policy : tensor<4xf32> to tensor<4xf16>
    %1 = amp.cast %x policy : tensor<4xf32> to tensor<4xf16>
    %2 = nn.add %0, %1 : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    ```
    becomes
    ```mlir
    %0 = amp.cast %x policy : tensor<4xf32> to tensor<4xf16>
    %1 = nn.add %0, %0 : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    ```
  }];
  let dependentDialects = ["::mlir::amp::AMPDialect"];
}

def PackStatePass : Pass<"amp-pack-state", "::mlir::ModuleOp"> {
  let summary = "Lays training state out in flat buffers";
  let description = [{
    **Does.** States of rank > 0 that share role, optimizer slot, element type and
    group move into one 1-D buffer; step functions take and return the buffers.
    Unscaling, checks, norm, clip and the guarded update then run once over a flat
    buffer instead of once per parameter.

    **Requires.** `-amp-build-train-step` and static shapes of the states.

    **Guarantees.** Offsets are multiples of 64 bytes and equal across the buffers of
    one group; padding is zero. `amp.state` and `amp.buffers` describe the new
    layout. A parameter's use is a contiguous slice of its buffer.

    **Example.**
    ```mlir
    func.func @main.train(%w: tensor<2x4xf32>, %b: tensor<2xf32>, ...)
    // becomes
    func.func @main.train(%p: tensor<32xf32>, ...) {
      %0 = tensor.extract_slice %p[0] [8] [1] : tensor<32xf32> to tensor<8xf32>
      %w = tensor.expand_shape %0 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::amprt::AMPRTDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::func::FuncDialect"];
}

def SpecializeShapesPass : Pass<"amp-specialize-shapes", "::mlir::ModuleOp"> {
  let summary = "Gives all functions a concrete batch size";
  let description = [{
    **Does.** Replaces every dynamic dimension of function arguments by `batch` and
    propagates static types through the bodies; counts of elements become
    constants, shape operands that static types make superfluous are dropped. In
    a module with step functions the other functions are removed.

    **Requires.** Dynamic dimensions of arguments are leading ones.

    **Guarantees.** Every type is static. Names of functions stay.

    **Example.**
    ```mlir
    func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32>
    // becomes with batch=6
    func.func @f(%x: tensor<6x4xf32>) -> tensor<6x4xf32>
    ```
  }];
  let options = [
    Option<"batch", "batch", "int64_t", "1", "Rows of a batch (default 1)">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::nn::NNDialect"];
}

def VerifyPass : Pass<"amp-verify"> {
  let summary = "Checks loss-scale powers, found-inf coverage and accumulator contracts";
  let description = [{
    **Does.** Changes nothing. Gives every value the power of each scaler it carries
    (arguments by `amp.scale_power`; 0 and infinity carry any power) and reports an
    op whose rule is broken: gradients of different powers added, a scaled gradient
    clipped or stepped on, unscaling twice or not at all, a scaled value fed to
    an op that is not linear in it. Checks that the `skip` flag of each
    `amp.guarded_update` covers all its gradients, that a scaler is updated at
    most once on a path, that accumulators hold their operands, and that
    contracts are the ones autocast decided on.

    **Requires.** Functions in SSA form, before conversion to linalg.

    **Guarantees.** Success means the checked properties hold.

    **Example.** Clipping before unscaling is an error:
    ```mlir
    %n = amp.global_norm %g : (tensor<4xf32>) -> tensor<f32>
    %c = amp.clip_by_global_norm norm(%n) %g {max_norm = 1.0 : f32} : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    // error: expects a norm without a loss scale, but got @main^1
    ```
  }];
}

#endif // AMP_DIALECT_AMP_TRANSFORMS_PASSES_TD
