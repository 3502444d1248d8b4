//===- Pipeline.h - Kernels to LLVM on the CPU ------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TARGET_CPU_PIPELINE_H
#define AMP_TARGET_CPU_PIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::amp {

/// From the `cpu` stage (kernels as functions of loops) to the LLVM dialect.
void buildCPUToLLVMPipeline(OpPassManager &pm);

/// From the `kernels` stage to the LLVM dialect: memory plan, kernel emission,
/// buildCPUToLLVMPipeline.
void buildCPULoweringPipeline(OpPassManager &pm);

/// Registers both as pipelines: `amprt-lower-to-llvm`, `amp-lower-to-cpu`.
void registerCPUPipelines();

} // namespace mlir::amp

#endif // AMP_TARGET_CPU_PIPELINE_H
