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
    operands are cast back (`boundary`), and it is reported as `Uncovered`.

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
           "Name of the policy: an amp.policy of the module, or a built-in one">
  ];
  let dependentDialects = ["::mlir::amp::AMPDialect"];
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
