//===- Pipeline.cpp - Kernels to LLVM on the CPU ----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Target/CPU/Pipeline.h"

#include "amp/Conversion/Passes.h"
#include "amp/Dialect/AMPRT/Transforms/Passes.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void amp::buildCPUToLLVMPipeline(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(amp::createExpandCPUMathPass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  // Keeps the loop annotation on the latch; simplifying blocks afterwards could
  // lose it.
  functions.addPass(createSCFToControlFlowPass());
  pm.addPass(amp::createConvertAMPRTToLLVMPass());
}

void amp::buildCPULoweringPipeline(OpPassManager &pm) {
  pm.addPass(amprt::createPlanMemoryPass());
  pm.addPass(amp::createEmitCPUKernelsPass());
  buildCPUToLLVMPipeline(pm);
}

void amp::registerCPUPipelines() {
  PassPipelineRegistration<>("amp-lower-to-cpu",
                             "Lowers from the 'kernels' stage to the LLVM "
                             "dialect for the CPU",
                             buildCPULoweringPipeline);
  PassPipelineRegistration<>(
      "amprt-lower-to-llvm",
      "Lowers from the 'cpu' stage (kernels as functions "
      "of loops) to the LLVM dialect",
      buildCPUToLLVMPipeline);
}
