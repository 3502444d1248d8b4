//===- Passes.h - From kernels to a GPU image -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TARGET_CUDA_PASSES_H
#define AMP_TARGET_CUDA_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::amp {
#define GEN_PASS_DECL
#include "amp/Target/CUDA/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "amp/Target/CUDA/Passes.h.inc"

/// What the passes need in a context: the NVVM dialect, its target attribute,
/// the conversions to LLVM of the dialects that kernels are made of, and the
/// translations to LLVM IR.
void registerCUDATarget(DialectRegistry &registry);

} // namespace mlir::amp

#endif // AMP_TARGET_CUDA_PASSES_H
