//===- Desc.h - Reading of GEMM descriptors ---------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Completes and checks descriptors, and answers what they ask for. Used by
// every back end, by the rules and by the compiler: no context, no memory.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_GEMMRULES_DESC_H
#define AMP_RT_LIB_GEMMRULES_DESC_H

#include "amp-rt/gemm.h"

#include <cstddef>
#include <cstdint>

namespace amp_rt {

/// Where the reason of a refusal goes.
struct Message {
  char *text = nullptr;
  size_t size = 0;

  /// Writes the text and returns `status`.
  int32_t refuse(int32_t status, const char *format, ...) const
      __attribute__((format(printf, 3, 4)));
};

/// Completes a descriptor into one of the full current size (absent fields 0,
/// leading dimensions, aux and bias_grad filled in) and checks what every back
/// end asks. The message names the field.
int32_t completeGemmDesc(const amp_rt_gemm_desc *desc, amp_rt_gemm_desc &full,
                         const Message &message);

/// "f32", "bf16", ...; "none" for what is no element type.
const char *typeName(int32_t dtype);
/// Bytes of one element; 0 for what is no storage type.
size_t typeSize(int32_t dtype);
/// "bias_relu", ... as the compiler writes them; "unknown" for no epilogue.
const char *epilogueName(int32_t epilogue);

bool isF8(int32_t dtype);
/// Whether every value of `from` is a value of the float type `to`.
bool embeds(int32_t from, int32_t to);

/// Whether the epilogue adds a bias.
bool hasBias(const amp_rt_gemm_desc &desc);
/// Whether it writes or reads the mask of relu, or the values of gelu, in aux.
bool hasReluMask(const amp_rt_gemm_desc &desc);
bool hasGeluAux(const amp_rt_gemm_desc &desc);
/// Whether it writes bias_grad, and how many elements.
bool hasBiasGrad(const amp_rt_gemm_desc &desc);
int64_t biasGradSize(const amp_rt_gemm_desc &desc);

/// Whether both operands may enter the multiplier as tf32: they are stored as
/// f32, and the descriptor says tf32 for each.
bool usesTF32(const amp_rt_gemm_desc &desc);

/// One large matrix instead of a batch, where all of it is multiplied by the
/// same rhs: `linear` on tensors with several leading dimensions.
void collapseBatch(amp_rt_gemm_desc &desc);

/// "e4m3fn x bf16^T -> f32 of 1x64x128x256, epilogue bias": the problem, for
/// messages. Always terminated.
void describeGemm(const amp_rt_gemm_desc &desc, char *buffer, size_t size);

} // namespace amp_rt

#endif // AMP_RT_LIB_GEMMRULES_DESC_H
