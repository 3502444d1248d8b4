//===- ExpandCPUMath.cpp - Scalars that x86-64 lacks ------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions to narrow floats as exact integer arithmetic, and transcendental
// functions as polynomials that vectorise.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::amp {
#define GEN_PASS_DEF_EXPANDCPUMATHPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;

namespace {
/// Pattern: truncf f64 -> t = truncf (roundToOdd f64 -> f32) -> t
///
/// Rounding to nearest twice may land on a tie that wasn't one. Rounding to odd
/// first keeps, in f32's last bit, the fact that something was cut off; f32 has
/// more than two bits beyond f16's and bf16's precision, so the second rounding
/// is right. Where f32 is subnormal or overflows the argument holds as well:
/// the next f32 towards x is taken when the nearest is even and inexact.
struct TruncateOnce : OpRewritePattern<arith::TruncFOp> {
  TruncateOnce(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/10) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getIn().getType().isF64() ||
        op.getType().getIntOrFloatBitWidth() >= 32)
      return rewriter.notifyMatchFailure(op, "expects f64 to a narrow float");
    Location loc = op.getLoc();
    Type f32 = rewriter.getF32Type(), i32 = rewriter.getI32Type();
    Value x = op.getIn();
    Value nearest = arith::TruncFOp::create(rewriter, loc, f32, x);
    Value back = arith::ExtFOp::create(rewriter, loc, x.getType(), nearest);
    Value magnitude = math::AbsFOp::create(rewriter, loc, x);
    Value backMagnitude = math::AbsFOp::create(rewriter, loc, back);
    Value isBelow = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OLT, backMagnitude, magnitude);
    Value isAbove = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OGT, backMagnitude, magnitude);
    Value bits = arith::BitcastOp::create(rewriter, loc, i32, nearest);
    auto constant = [&](int32_t value) -> Value {
      return arith::ConstantOp::create(rewriter, loc,
                                       rewriter.getI32IntegerAttr(value));
    };
    Value zero = constant(0), one = constant(1), minusOne = constant(-1);
    // Bits of one sign are ordered by magnitude.
    Value up = arith::SelectOp::create(rewriter, loc, isBelow, one, zero);
    Value step = arith::SelectOp::create(rewriter, loc, isAbove, minusOne, up);
    Value last = arith::AndIOp::create(rewriter, loc, bits, one);
    Value isOdd = arith::CmpIOp::create(rewriter, loc,
                                        arith::CmpIPredicate::ne, last, zero);
    Value taken = arith::SelectOp::create(rewriter, loc, isOdd, zero, step);
    Value oddBits = arith::AddIOp::create(rewriter, loc, bits, taken);
    Value odd = arith::BitcastOp::create(rewriter, loc, f32, oddBits);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), odd);
    return success();
  }
};

struct ExpandCPUMathPass : amp::impl::ExpandCPUMathPassBase<ExpandCPUMathPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<TruncateOnce>(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    populateMathPolynomialApproximationPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
