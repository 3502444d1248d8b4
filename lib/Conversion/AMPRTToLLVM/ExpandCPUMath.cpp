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
#include "amp/Conversion/Utils/ExactCasts.h"

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
using namespace mlir::amp;

namespace {
/// Pattern: truncf f32 -> bf16 = bitcast (isNaN ? (x >> 16) | quiet
///                                 : (x + 0x7fff + (x >> 16 & 1)) >> 16)
///
/// All in integers: a select between bf16 values, as the upstream expansion has
/// it, is promoted to f32 when it is vectorised with a mask, and rounded back
/// by a library call that is nowhere.
struct TruncateToBF16 : OpRewritePattern<arith::TruncFOp> {
  TruncateToBF16(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/10) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getIn().getType().isF32() || !op.getType().isBF16())
      return rewriter.notifyMatchFailure(op, "expects f32 to bf16");
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type(), i16 = rewriter.getI16Type();
    auto constant = [&](int32_t value) -> Value {
      return arith::ConstantOp::create(rewriter, loc,
                                       rewriter.getI32IntegerAttr(value));
    };
    Value half = constant(0x7fff), sixteen = constant(16), one = constant(1);
    Value quiet = constant(0x40);
    Value bits = arith::BitcastOp::create(rewriter, loc, i32, op.getIn());
    Value isNaN = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::UNO, op.getIn(), op.getIn());
    Value high = arith::ShRUIOp::create(rewriter, loc, bits, sixteen);
    Value nan = arith::OrIOp::create(rewriter, loc, high, quiet);
    Value last = arith::AndIOp::create(rewriter, loc, high, one);
    Value bias = arith::AddIOp::create(rewriter, loc, last, half);
    Value sum = arith::AddIOp::create(rewriter, loc, bits, bias);
    Value rounded = arith::ShRUIOp::create(rewriter, loc, sum, sixteen);
    Value result = arith::SelectOp::create(rewriter, loc, isNaN, nan, rounded);
    Value narrow = arith::TruncIOp::create(rewriter, loc, i16, result);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), narrow);
    return success();
  }
};

/// Pattern: select c, a, b : bf16 = bitcast (select c, bitcast a, bitcast b :
/// i16)
struct SelectBF16Bits : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isBF16())
      return rewriter.notifyMatchFailure(op, "expects bf16");
    Location loc = op.getLoc();
    Type i16 = rewriter.getI16Type();
    Value a = arith::BitcastOp::create(rewriter, loc, i16, op.getTrueValue());
    Value b = arith::BitcastOp::create(rewriter, loc, i16, op.getFalseValue());
    Value bits =
        arith::SelectOp::create(rewriter, loc, op.getCondition(), a, b);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), bits);
    return success();
  }
};

/// log x = log(x * 2^24) - 24 log 2 where x is subnormal: the polynomial takes
/// every subnormal for the smallest normal number.
void scaleSubnormals(math::LogOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type type = op.getType();
  auto constant = [&](float value) -> Value {
    return arith::ConstantOp::create(b, loc, FloatAttr::get(type, value));
  };
  Value x = op.getOperand();
  Value least = constant(0x1p-126f), factor = constant(0x1p24f);
  Value shift = constant(16.6355323f); // 24 log 2
  Value isSmall =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, least);
  Value scaled = arith::MulFOp::create(b, loc, x, factor);
  op->setOperand(0, arith::SelectOp::create(b, loc, isSmall, scaled, x));
  b.setInsertionPointAfter(op);
  Value result = op.getResult();
  Value shifted = arith::SubFOp::create(b, loc, result, shift);
  auto select = arith::SelectOp::create(b, loc, isSmall, shifted, result);
  result.replaceUsesWithIf(select, [&](OpOperand &use) {
    return use.getOwner() != select &&
           use.getOwner() != shifted.getDefiningOp();
  });
}

/// erf x = copysign(erf x, x): the polynomial loses the sign of -0.
void keepSignOfZero(math::ErfOp op) {
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  auto sign =
      math::CopySignOp::create(b, op.getLoc(), op.getResult(), op.getOperand());
  op.getResult().replaceAllUsesExcept(sign, sign);
}

struct ExpandCPUMathPass : amp::impl::ExpandCPUMathPassBase<ExpandCPUMathPass> {
  void runOnOperation() override {
    // What the polynomials get wrong at the edges.
    getOperation()->walk([](Operation *op) {
      if (!llvm::all_of(op->getResultTypes(), [](Type t) { return t.isF32(); }))
        return;
      if (auto log = dyn_cast<math::LogOp>(op))
        scaleSubnormals(log);
      else if (auto erf = dyn_cast<math::ErfOp>(op))
        keepSignOfZero(erf);
    });
    RewritePatternSet patterns(&getContext());
    populateExactCastPatterns(patterns);
    patterns.add<SelectBF16Bits, TruncateToBF16>(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    populateMathPolynomialApproximationPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
