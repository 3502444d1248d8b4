//===- AMPRTEnums.td - Enumerations of the runtime dialect -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMPRT_IR_AMPRTENUMS_TD
#define AMP_DIALECT_AMPRT_IR_AMPRTENUMS_TD

include "amp/Dialect/AMPRT/IR/AMPRTDialect.td"
include "mlir/IR/EnumAttr.td"

class AMPRT_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::mlir::amprt";
}

/// How a kernel's iteration space is used, the same on every target.
def AMPRT_KernelKind : AMPRT_I32Enum<"KernelKind", "shape of a kernel's computation", [
  I32EnumAttrCase<"elementwise", 0>, // all loops parallel
  I32EnumAttrCase<"row", 1>,         // reductions along the last dimension
  I32EnumAttrCase<"column", 2>,      // reductions along leading dimensions
  I32EnumAttrCase<"flat", 3>         // 1-D: packed state, reductions to rank 0
]>;

/// See `enum amp_rt_epilogue`: what is applied to the f32 accumulator before the
/// one rounding. In relu_aux and gelu_aux a bias is optional.
def AMPRT_Epilogue : AMPRT_I32Enum<"Epilogue", "what a GEMM does to its result before storing it", [
  I32EnumAttrCase<"none", 0>,
  I32EnumAttrCase<"bias", 1>,
  I32EnumAttrCase<"relu", 2>,
  I32EnumAttrCase<"bias_relu", 3>,
  I32EnumAttrCase<"gelu_tanh", 4>,
  I32EnumAttrCase<"bias_gelu_tanh", 5>,
  I32EnumAttrCase<"relu_aux", 6>,   // also gives the bit mask `result > 0`
  I32EnumAttrCase<"gelu_aux", 7>,   // also gives the gelu's input
  I32EnumAttrCase<"bias_grad_lhs", 8>, // also gives the sum of op(lhs) over k
  I32EnumAttrCase<"bias_grad_rhs", 9>, // also gives the sum of op(rhs) over k
  I32EnumAttrCase<"drelu", 10>,        // 0 where relu_aux's mask is 0
  I32EnumAttrCase<"drelu_bgrad", 11>,  // also gives the sum over the rows
  I32EnumAttrCase<"dgelu", 12>,        // times gelu's slope at gelu_aux's value
  I32EnumAttrCase<"dgelu_bgrad", 13>
]>;

#endif // AMP_DIALECT_AMPRT_IR_AMPRTENUMS_TD
