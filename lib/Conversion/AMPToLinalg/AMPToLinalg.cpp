//===- AMPToLinalg.cpp - Precision ops to linalg -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass: casts of packed parameters first, then the pattern families.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/AMPToLinalg/AMPToLinalg.h"

#include "PopulatePatterns.h"
#include "amp/Conversion/Passes.h"
#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTAMPTOLINALGPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {

struct ConvertAMPToLinalgPass
    : amp::impl::ConvertAMPToLinalgPassBase<ConvertAMPToLinalgPass> {
  void runOnOperation() override {
    amptolinalg::hoistCastsOverSlices(getOperation());
    amptolinalg::sinkWideningCasts(getOperation());
    RewritePatternSet patterns(&getContext());
    populateAMPToLinalgPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    WalkResult result = getOperation()->walk([](CastOp op) {
      if (op.getOverflow() == Overflow::error) {
        op.emitOpError("has no lowering with overflow 'error': a kernel cannot "
                       "stop a step; use 'ieee' or 'saturate'");
        return WalkResult::interrupt();
      }
      auto rounding = op.getRounding();
      if (!rounding || *rounding == arith::RoundingMode::to_nearest_even ||
          *rounding == arith::RoundingMode::toward_zero)
        return WalkResult::advance();
      op.emitOpError("has no lowering with rounding mode '")
          << arith::stringifyRoundingMode(*rounding)
          << "'; use 'to_nearest_even' or 'toward_zero'";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

void mlir::amp::populateAMPToLinalgPatterns(RewritePatternSet &patterns) {
  amptolinalg::populateElementwisePatterns(patterns);
  amptolinalg::populateGradientPatterns(patterns);
  amptolinalg::populateUpdatePatterns(patterns);
}
