//===- Convert.h - Parallel conversion of matrices --------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves matrices between their storage types and the types that a primitive
// computes in, on all threads. The arithmetic is that of the numerics library.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_CPU_CONVERT_H
#define AMP_RT_LIB_CPU_CONVERT_H

#include "GemmPlan.h"

namespace amp_rt::cpu {

/// Whether values of the type can be widened to f32 without loss.
bool widensToF32(int32_t dtype);

/// Whether the numerics library rounds to the type (its storage or tf32).
bool isRoundable(int32_t dtype);

/// Converts `count` elements of any type that widens to f32, and back.
void widenRun(const void *source, int32_t dtype, float *target, int64_t count);
void narrowRun(const float *source, int32_t dtype, void *target, int64_t count);

/// Writes the operand, rounded to its compute type and stored as its core type,
/// into compact matrices.
void convertOperand(amp_rt_context &ctx, const OperandPlan &operand,
                    const void *source, void *target);

/// Widens matrices of `dtype` into compact f32 ones.
void widenMatrices(amp_rt_context &ctx, const Layout &layout, int32_t dtype,
                   const void *source, float *target);

/// Rounds compact f32 matrices to `dtype`, after relu if asked.
void roundMatrices(amp_rt_context &ctx, const Layout &layout, int32_t dtype,
                   bool relu, float *source, void *target);

/// relu in place, for f32, f16 and bf16. NaN stays; -0 becomes +0.
void reluMatrices(amp_rt_context &ctx, const Layout &layout, int32_t dtype,
                  void *data);

} // namespace amp_rt::cpu

#endif // AMP_RT_LIB_CPU_CONVERT_H
