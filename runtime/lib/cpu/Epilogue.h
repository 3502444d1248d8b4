//===- Epilogue.h - Epilogues with more than one operand --------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What oneDNN has no post-op for, on the f32 result before its one rounding:
// masks of relu, kept inputs of gelu, their derivatives, and bias gradients.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_CPU_EPILOGUE_H
#define AMP_RT_LIB_CPU_EPILOGUE_H

#include "GemmPlan.h"

namespace amp_rt::cpu {

/// Whether finishEpilogue computes the epilogue, on compact f32 matrices.
bool needsFinish(const amp_rt_gemm_desc &desc);

/// gelu in its tanh form.
float geluTanh(float x);

/// Turns x (with the bias) into the result, writes or reads aux, and writes the
/// bias gradient.
void finishEpilogue(amp_rt_context &ctx, const GemmPlan &plan,
                    const amp_rt_gemm_args &args, float *wide);

} // namespace amp_rt::cpu

#endif // AMP_RT_LIB_CPU_EPILOGUE_H
