//===- ExactCasts.cpp - Casts that round once ------------------- -*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What both targets lack, or do with two roundings.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Utils/ExactCasts.h"

#include "amp/Conversion/Utils/LaneBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::amp;

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
    Type from = getElementTypeOrSelf(op.getIn().getType());
    if (!from.isF64() ||
        getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() >= 32)
      return rewriter.notifyMatchFailure(op, "expects f64 to a narrow float");
    Location loc = op.getLoc();
    LaneBuilder b(rewriter, loc, op.getType());
    Type f32 = b.type(rewriter.getF32Type());
    Value x = op.getIn();
    Value nearest = arith::TruncFOp::create(rewriter, loc, f32, x);
    Value back = arith::ExtFOp::create(rewriter, loc, x.getType(), nearest);
    Value magnitude = math::AbsFOp::create(rewriter, loc, x);
    Value backMagnitude = math::AbsFOp::create(rewriter, loc, back);
    Value isBelow = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OLT, backMagnitude, magnitude);
    Value isAbove = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OGT, backMagnitude, magnitude);
    Value bits = b.bitcast(nearest, rewriter.getI32Type());
    Value zero = b.constantLike(bits, 0), one = b.constantLike(bits, 1);
    // Bits of one sign are ordered by magnitude.
    Value up = b.select(isBelow, one, zero);
    Value step = b.select(isAbove, -1, up);
    Value last = b.bitAnd(bits, 1);
    Value isOdd = b.compare(arith::CmpIPredicate::ne, last, 0);
    Value taken = b.select(isOdd, zero, step);
    Value odd = b.bitcast(b.add(bits, taken), rewriter.getF32Type());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), odd);
    return success();
  }
};

/// Pattern: uitofp, sitofp i -> bf16 = truncf (uitofp, sitofp i -> f32 | f64)
/// -> bf16
///
/// By way of the type that holds the integer (f64 up to 53 bits): the
/// canonicalizer merges such pairs, and not every target has the instruction.
template <typename OpTy> struct ConvertIntegerToBF16 : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "expects a result of bf16");
    Type from = getElementTypeOrSelf(op.getIn().getType());
    bool isNarrow = from.getIntOrFloatBitWidth() <= 24;
    Type wide = isNarrow ? Type(rewriter.getF32Type()) : rewriter.getF64Type();
    LaneBuilder b(rewriter, op.getLoc(), op.getType());
    Value value = OpTy::create(rewriter, op.getLoc(), b.type(wide), op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), value);
    return success();
  }
};

} // namespace

void amp::populateExactCastPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertIntegerToBF16<arith::SIToFPOp>,
               ConvertIntegerToBF16<arith::UIToFPOp>, TruncateOnce>(
      patterns.getContext());
}
