//===- Passes.td - Passes of the AMPRT dialect -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMPRT_TRANSFORMS_PASSES_TD
#define AMP_DIALECT_AMPRT_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormKernelsPass : Pass<"amprt-form-kernels"> {
  let summary = "Groups linalg ops into kernels";
  let description = [{
    Fuses linalg ops that share an iteration domain into `amprt.kernel`, greedily
    in program order and in linear time, and gives each result of a function
    its place: a state that a kernel updates elementwise is that kernel's `outs`
    itself, rank-0 state is written by the last kernel, every other
    result is a value of its own. Cheap elementwise producers that several
    kernels read are computed in each of them instead of stored. Updates of state
    come after all readers of the old value.

    Requires functions of one block that hold static linalg ops, runtime calls,
    reshapes, contiguous slices and constants. Guarantees the normal form of
    docs/contracts.md, section 5.

    ```mlir
    %1 = linalg.generic {...} ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) {...} -> tensor<4xf32>
    %2 = linalg.generic {...} ins(%1 : tensor<4xf32>) outs(%e : tensor<4xf32>) {...} -> tensor<4xf32>
    // becomes
    %2 = amprt.kernel <elementwise> ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
      %3 = tensor.empty() : tensor<4xf32>
      %4 = linalg.generic {...} ins(%in : tensor<4xf32>) outs(%3 : tensor<4xf32>) {...} -> tensor<4xf32>
      %5 = linalg.generic {...} ins(%4 : tensor<4xf32>) outs(%out : tensor<4xf32>) {...} -> tensor<4xf32>
      amprt.yield %5 : tensor<4xf32>
    } -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::amprt::AMPRTDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // AMP_DIALECT_AMPRT_TRANSFORMS_PASSES_TD
