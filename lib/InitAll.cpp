//===- InitAll.cpp - Registration of everything -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/InitAll.h"

#include "amp/Conversion/AMPToLinalg/AMPToLinalg.h"
#include "amp/Conversion/NNToAMPRT/NNToAMPRT.h"
#include "amp/Conversion/NNToLinalg/NNToLinalg.h"
#include "amp/Conversion/Passes.h"
#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Dialect/AMP/Transforms/Passes.h"
#include "amp/Dialect/AMP/Transforms/WindowedLossModels.h"
#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h"
#include "amp/Dialect/AMPRT/Transforms/Passes.h"
#include "amp/Dialect/NN/IR/NNDialect.h"
#include "amp/Dialect/NN/Transforms/Passes.h"
#include "amp/Dialect/NN/Transforms/VJPModels.h"
#include "amp/Pipelines/Compile.h"
#include "amp/Reference/Reference.h"
#include "amp/Support/OpTable.h"
#include "amp/Target/CPU/Pipeline.h"
#include "amp/Target/CUDA/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void amp::registerAllDialects(DialectRegistry &registry) {
  registry.insert<amp::AMPDialect, amprt::AMPRTDialect, nn::NNDialect>();
  registry.insert<arith::ArithDialect, bufferization::BufferizationDialect,
                  cf::ControlFlowDialect, func::FuncDialect,
                  linalg::LinalgDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  tensor::TensorDialect, vector::VectorDialect>();
  nn::registerNNVJPModels(registry);
  registerReferenceModels(registry);
  amp::registerNNWindowedLossModels(registry);
  amp::registerCUDATarget(registry);
}

void amp::registerAllPasses() {
  amp::registerAMPPasses();
  amp::registerAMPConversionPasses();
  amp::registerAMPCUDAPasses();
  amp::registerCPUPipelines();
  amprt::registerAMPRTPasses();
  nn::registerNNPasses();
  registerTransformsPasses();
  amp::registerCompilePipeline();
}

ArrayRef<amp::OpLowering> amp::getAllOpLowerings() {
  static constexpr OpLowering lowerings[] = {
      {"convert-nn-to-amprt", populateNNToAMPRTPatterns},
      {"convert-nn-to-linalg", populateNNToLinalgPatterns},
      {"convert-amp-to-linalg", populateAMPToLinalgPatterns},
  };
  return lowerings;
}
