//===- KernelReport.h - What the assembler made of kernels -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_TARGET_CUDA_KERNELREPORT_H
#define AMP_LIB_TARGET_CUDA_KERNELREPORT_H

#include "Assembler.h"

#include "llvm/Support/JSON.h"

namespace mlir::amp {

/// One object per kernel and architecture, in the order of the PTX: `kernel`,
/// `arch`, `registers`, `shared_bytes`, `stack_bytes`, `spill_store_bytes`,
/// `spill_load_bytes` (of `ptxas -v`; absent without its log), `accesses` and
/// `accesses_16` (instructions on global memory, and those of 16 bytes), and
/// `conversions` (count by PTX mnemonic).
llvm::json::Array reportKernels(const DeviceCode &code, const Cubin &cubin);

} // namespace mlir::amp

#endif // AMP_LIB_TARGET_CUDA_KERNELREPORT_H
