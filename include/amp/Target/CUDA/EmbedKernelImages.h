//===- EmbedKernelImages.h - The image as data of the host -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last step before host code is translated to LLVM IR, for a program in
// memory (JIT) and for an object file (AOT) alike.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TARGET_CUDA_EMBEDKERNELIMAGES_H
#define AMP_TARGET_CUDA_EMBEDKERNELIMAGES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::amp {

/// Replaces each `gpu.binary @m` of a module in the LLVM dialect by the
/// constant bytes `@m.image`, followed by a zero byte, and gives
/// `@m.image.desc`, the `amp_rt_image` that step functions name, its value.
/// Both are internal. A module without kernels is left as it is. Fails, with a
/// diagnostic, on a binary that is not of -amprt-assemble-kernels, and on a
/// descriptor without its binary.
LogicalResult embedKernelImages(ModuleOp module);

} // namespace mlir::amp

#endif // AMP_TARGET_CUDA_EMBEDKERNELIMAGES_H
