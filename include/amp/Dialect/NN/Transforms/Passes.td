//===- Passes.td - Passes of the NN dialect -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_NN_TRANSFORMS_PASSES_TD
#define AMP_DIALECT_NN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AutodiffPass : Pass<"nn-autodiff", "::mlir::ModuleOp"> {
  let summary = "Makes the reverse-mode derivative of the model function";
  let description = [{
    **Does.** Beside a function `@f` it makes the private function `@f.vjp`,
    which takes the arguments of `@f` and a cotangent of the loss, and returns the
    results of `@f` and the gradient of each wanted argument, in argument order.
    Backward ops run in the types of the forward ops, through their casts: a
    cotangent has its primal's type. Weight and bias gradients of
    `nn.linear` are the exception: they leave the accumulator in f32, or are
    rounded to the operand's type first under `amp.parity = #amp.parity<pytorch>`.
    Several cotangents of one value are summed by one `nn.add_n` with an
    accumulator of f32 and one rounding. Every contraction of both functions gets
    its `phase`; a backward op's location is the forward op's, fused with
    `#amp.decision<rule = "vjp", ...>`.

    **Requires.** A function of one block without `amp.autocast_region`
    (`-amp-autocast` inlines them), and `amp::VJPOpInterface` on each op between a
    wanted argument and the loss. Other ops need nothing: comparisons, integer
    computations and unregistered ops off this path are left alone. The loss is a
    floating-point tensor of rank 0 that depends on a wanted argument.

    **Guarantees.** An argument that the loss does not use has the gradient 0;
    accumulating backward ops carry `numerics`; the order of the new ops follows
    the order of the old ones alone; the cost is linear in the number of ops.

    **Example.**

    ```mlir
    func.func @main(%x: tensor<8x4xf32> {amp.role = #amp.role<input>, amp.name = "x"},
                    %w: tensor<2x4xf32> {amp.role = #amp.role<parameter>, amp.name = "w"},
                    %y: tensor<8x2xf32> {amp.role = #amp.role<target>, amp.name = "y"})
        -> (tensor<f32> {amp.role = #amp.role<loss>}) {
      %0 = nn.linear %x, %w : (tensor<8x4xf32>, tensor<2x4xf32>) -> tensor<8x2xf32>
      %1 = nn.mse_loss %0, %y : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<f32>
      return %1 : tensor<f32>
    }
    ```

    gains

    ```mlir
    func.func private @main.vjp(..., %c: tensor<f32>) -> (tensor<f32>, tensor<2x4xf32>) {
      %0 = nn.linear %x, %w {phase = #amp.phase<fprop>} : ...
      %1 = nn.mse_loss %0, %y : ...
      %2 = nn.mse_loss_grad %c, %0, %y : ...
      %3 = nn.linear_weight_grad %2, %x {phase = #amp.phase<wgrad>, ...} : ...
      return %1, %3 : tensor<f32>, tensor<2x4xf32>
    }
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", "",
           "Function to differentiate (default: the public one with a loss)">,
    ListOption<"wrt", "wrt", "std::string",
           "Arguments to differentiate by: `parameters` (default), "
           "`all-float-args`, or names (`amp.name`, else `arg<i>`)">,
    Option<"cotangents", "cotangents", "::mlir::nn::CotangentSeeds",
           "::mlir::nn::CotangentSeeds::loss",
           "Results that are given a cotangent",
           [{::llvm::cl::values(
             clEnumValN(::mlir::nn::CotangentSeeds::loss, "loss",
                        "the result of role loss, as tensor<f32>"),
             clEnumValN(::mlir::nn::CotangentSeeds::all, "all",
                        "every floating-point result, in its own type"))}]>
  ];
  let dependentDialects = ["::mlir::amp::AMPDialect", "::mlir::nn::NNDialect"];
}

#endif // AMP_DIALECT_NN_TRANSFORMS_PASSES_TD
