//===- NNToLinalg.cpp - Tensor graphs to linalg -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass: applies the pattern families and reports what is left over.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/NNToLinalg/NNToLinalg.h"

#include "PopulatePatterns.h"
#include "amp/Conversion/Passes.h"
#include "amp/Dialect/NN/IR/NNDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTNNTOLINALGPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {

struct ConvertNNToLinalgPass
    : amp::impl::ConvertNNToLinalgPassBase<ConvertNNToLinalgPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateNNToLinalgPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    WalkResult result = getOperation()->walk([](NumericOpInterface op) {
      NumericsAttr numerics = op.getNumericsOrNull();
      if (!numerics ||
          numerics.getOrder().kind != AccumulationOrder::Kind::blocked ||
          !isa<nn::NNDialect>(op->getDialect()))
        return WalkResult::advance();
      op->emitOpError("expects accumulation order 'any' or 'sequential' to be "
                      "lowered, but got ")
          << numerics;
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

void mlir::amp::populateNNToLinalgPatterns(RewritePatternSet &patterns) {
  nntolinalg::populateContractionPatterns(patterns);
  nntolinalg::populateElementwisePatterns(patterns);
  nntolinalg::populateGradientPatterns(patterns);
  nntolinalg::populateLossPatterns(patterns);
  nntolinalg::populateReductionPatterns(patterns);
  nntolinalg::populateShapePatterns(patterns);
  nntolinalg::populateSoftmaxPatterns(patterns);
}
