//===- Passes.td - Conversions between dialects -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_PASSES_TD
#define AMP_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertAMPToLinalgPass : Pass<"convert-amp-to-linalg"> {
  let summary = "Lowers casts, loss scaling and guarded updates to linalg";
  let description = [{
    Casts become elementwise ops with one rounding; what is computed over the
    gradients becomes flat reductions to rank 0; a guarded update becomes one
    multi-result `linalg.generic` per parameter with the select between old and
    new element in its region. Elementwise arith and math ops on tensors
    become `linalg.generic` too.

    Requires static shapes. Guarantees that no op of `amp` but symbols is left in
    functions; the arithmetic of an update's region is kept op for op.

    ```mlir
    %1 = amp.cast %0 policy : tensor<4x8xf32> to tensor<4x8xf16>
    // becomes
    %init = tensor.empty() : tensor<4x8xf16>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%0 : tensor<4x8xf32>) outs(%init : tensor<4x8xf16>) {
    ^bb0(%in: f32, %out: f16):
      %2 = arith.truncf %in : f32 to f16
      linalg.yield %2 : f16
    } -> tensor<4x8xf16>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def ConvertNNToAMPRTPass : Pass<"convert-nn-to-amprt"> {
  let summary = "Lowers contractions to runtime calls";
  let description = [{
    `nn.linear`, `nn.matmul` and their derivatives become `amprt.gemm` on 2-D or
    3-D operands: leading dimensions collapse, a bias is the epilogue.

    Requires static shapes. Guarantees that numerics and phase stay equal; a
    contraction the runtime has no call for (f64) is left to
    `-convert-nn-to-linalg`.

    ```mlir
    %1 = nn.linear %x, %w, %b {numerics = #amp.numerics<accumulate = f32>}
        : (tensor<64x128xf16>, tensor<10x128xf16>, tensor<10xf16>) -> tensor<64x10xf16>
    // becomes
    %init = tensor.empty() : tensor<64x10xf16>
    %1 = amprt.gemm ins(%x, %w : tensor<64x128xf16>, tensor<10x128xf16>)
                    bias(%b : tensor<10xf16>) outs(%init : tensor<64x10xf16>)
           {epilogue = #amprt.epilogue<bias>, numerics = #amp.numerics<accumulate = f32>,
            transpose_rhs} -> tensor<64x10xf16>
    ```
  }];
  let dependentDialects = ["::mlir::amprt::AMPRTDialect", "::mlir::tensor::TensorDialect"];
}

def ConvertNNToLinalgPass : Pass<"convert-nn-to-linalg"> {
  let summary = "Lowers tensor graphs to linalg";
  let description = [{
    Every op of `nn` (contractions that `-convert-nn-to-amprt` left, too) becomes
    linalg ops whose regions hold
    the scalar computation: operands widened to f32 (or the accumulator type that
    `numerics` states), one rounding at the end. Reductions are brought to a row,
    column or flat domain; `fastmath<reassoc, contract>` on an addition says that
    its order is free.

    Requires static shapes. Guarantees that no op of `nn` is left but those
    with dynamic shapes.

    ```mlir
    %1 = nn.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %init = tensor.empty() : tensor<4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%0 : tensor<4xf32>) outs(%init : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %zero = arith.constant 0.0 : f32
      %2 = arith.cmpf ugt, %in, %zero : f32
      %3 = arith.select %2, %in, %zero : f32
      linalg.yield %3 : f32
    } -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

#endif // AMP_CONVERSION_PASSES_TD
