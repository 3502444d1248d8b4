//===- Constants.h - Constants in device memory -----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory plan leaves constants of several values as globals of the host,
// which no kernel and no GEMM can read. They become globals of the kernels'
// module, and a kernel copies each to where it's read.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_AMPRTTOGPU_CONSTANTS_H
#define AMP_LIB_CONVERSION_AMPRTTOGPU_CONSTANTS_H

#include "KernelEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::amp {

/// The kernel `name` that writes the values of `global`; at the end of
/// `kernels`. Its one buffer is 1-D.
EmittedGPUKernel emitConstantKernel(memref::GlobalOp global, StringRef name,
                                    gpu::GPUModuleOp kernels);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_AMPRTTOGPU_CONSTANTS_H
