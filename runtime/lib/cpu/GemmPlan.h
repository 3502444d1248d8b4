//===- GemmPlan.h - How one GEMM is executed on the CPU ---------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan is made once per descriptor: which oneDNN primitive runs, at which
// types, and what is converted before and after it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_CPU_GEMMPLAN_H
#define AMP_RT_LIB_CPU_GEMMPLAN_H

#include "../common/Context.h"
#include "Dnnl.h"

#include <array>
#include <string>

namespace amp_rt::cpu {

/// A strided batch of matrices: `rows` stored rows of `cols` elements.
struct Layout {
  int64_t batch = 1;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t ld = 0;
  int64_t stride = 0;

  /// The same matrices without gaps.
  Layout compact() const {
    return {batch, rows, cols, cols > 0 ? cols : 1,
            batch > 1 ? rows * cols : 0};
  }
  int64_t numElements() const { return batch * rows * cols; }
};

/// A part of the scratch memory; absent when it has no bytes.
struct ScratchPart {
  size_t offset = 0;
  size_t bytes = 0;
  explicit operator bool() const { return bytes != 0; }
};

/// An operand that is converted before the primitive reads it.
struct OperandPlan {
  Layout layout;
  int32_t storage = AMP_RT_DTYPE_NONE;
  /// What the values are rounded to first; equal to `storage` when nothing is.
  int32_t compute = AMP_RT_DTYPE_NONE;
  /// What the primitive reads.
  int32_t core = AMP_RT_DTYPE_NONE;
  ScratchPart scratch;

  bool isConverted() const { return core != storage || compute != storage; }
};

/// What a plan runs.
enum class GemmKind {
  /// Nothing to do: m, n or batch is 0.
  Empty,
  /// No product (k is 0): out = epilogue(beta * out + bias).
  NoProduct,
  /// A oneDNN primitive.
  Primitive,
  /// The stated accumulation order, by a plain loop.
  Ordered,
};

struct GemmPlan {
  amp_rt_gemm_desc desc = {};
  GemmKind kind = GemmKind::Empty;
  std::string path;

  OperandPlan lhs, rhs;
  /// The bias as the primitive reads it.
  OperandPlan bias;
  /// out, and the f32 matrices that stand for it when the primitive cannot
  /// write its type: loaded before when beta is not 0, rounded after.
  Layout out;
  /// aux, in bits or elements.
  Layout aux;
  ScratchPart wideOut;
  /// The old out in f32, for the plain loops.
  ScratchPart oldOut;
  /// relu runs after the primitive, because oneDNN's turns NaN into 0.
  bool reluAfter = false;

  Primitive primitive;
  Memory lhsMemory, rhsMemory, biasMemory, scaleMemory, outMemory;
  Memory scratchMemory;
  ScratchPart primitiveScratch;
  std::array<dnnl_exec_arg_t, 6> execArgs = {};
  int numExecArgs = 0;

  /// Bytes of scratch memory that a call needs.
  size_t scratchBytes = 0;
};

/// The library objects that plans are made with.
struct DnnlObjects {
  Engine engine;
  Stream stream;
};

/// Fills `plan` for a checked descriptor, or fails in the context.
int32_t makeGemmPlan(amp_rt_context &ctx, const DnnlObjects &dnnl,
                     const amp_rt_gemm_desc &desc, GemmPlan &plan);

/// Runs a plan. `scratch` holds plan.scratchBytes.
int32_t runGemmPlan(amp_rt_context &ctx, const DnnlObjects &dnnl,
                    const GemmPlan &plan, const amp_rt_gemm_args &args,
                    char *scratch);

} // namespace amp_rt::cpu

#endif // AMP_RT_LIB_CPU_GEMMPLAN_H
