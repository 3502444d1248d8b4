//===- Elementwise.cpp - Casts and tensor arithmetic to linalg -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cast is one elementwise op with one rounding. Arith and math ops on tensors
// (the arithmetic of schedules, counters and metrics) become their scalar
// forms.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::amptolinalg;

namespace {

struct LowerCast : OpRewritePattern<amp::CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(amp::CastOp op,
                                PatternRewriter &rewriter) const override {
    auto result = dyn_cast<RankedTensorType>(op.getType());
    if (!result || !result.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "expects static shapes");
    if (op.getOverflow() == Overflow::error)
      return rewriter.notifyMatchFailure(op,
                                         "a kernel cannot report an overflow");
    auto rounding = op.getRounding();
    bool towardZero = rounding && *rounding == arith::RoundingMode::toward_zero;
    if (rounding && !towardZero &&
        *rounding != arith::RoundingMode::to_nearest_even)
      return rewriter.notifyMatchFailure(op, "rounding mode has no lowering");

    auto elementType = cast<FloatType>(result.getElementType());
    rewriter.replaceOp(
        op, buildElementwise(
                rewriter, op.getLoc(), result, {op.getInput()},
                [&](OpBuilder &builder, Location loc,
                    ValueRange elements) -> SmallVector<Value> {
                  ScalarBuilder scalar(builder, loc, builder.getF32Type());
                  Value value = elements[0];
                  // Widening cannot overflow; bf16 to f16 can.
                  if (op.getOverflow() == Overflow::saturate &&
                      value.getType() != elementType)
                    value = clamp(scalar, value, elementType);
                  return {towardZero
                              ? scalar.roundTowardZero(value, elementType)
                              : scalar.round(value, elementType)};
                }));
    return success();
  }

  static Value clamp(ScalarBuilder &scalar, Value value, FloatType to) {
    if (APFloat::semanticsMaxExponent(to.getFloatSemantics()) >=
            APFloat::semanticsMaxExponent(
                cast<FloatType>(value.getType()).getFloatSemantics()) &&
        to.getFPMantissaWidth() >=
            cast<FloatType>(value.getType()).getFPMantissaWidth())
      return value;
    if (value.getType().getIntOrFloatBitWidth() < 32)
      value = scalar.widen(value);
    return scalar.clampToRange(value, to);
  }
};

/// Any elementwise arith or math op whose operands and results are tensors.
struct LowerElementwiseMappable : RewritePattern {
  LowerElementwiseMappable(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto isStatic = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape();
    };
    if (!isa_and_present<arith::ArithDialect, math::MathDialect>(
            op->getDialect()) ||
        !OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() == 0)
      return failure();
    if (!llvm::all_of(op->getOperandTypes(), isStatic) ||
        !llvm::all_of(op->getResultTypes(), isStatic))
      return rewriter.notifyMatchFailure(op, "expects static tensors only");
    SmallVector<LinalgInput> inputs;
    for (Value operand : op->getOperands())
      inputs.emplace_back(operand);
    SmallVector<Type> elementTypes;
    for (Type type : op->getResultTypes())
      elementTypes.push_back(getElementTypeOrSelf(type));
    rewriter.replaceOp(
        op, buildElementwise(
                rewriter, op->getLoc(), op->getResultTypes(), inputs,
                [&](OpBuilder &builder, Location loc,
                    ValueRange elements) -> SmallVector<Value> {
                  Operation *scalar =
                      builder.create(loc, op->getName().getIdentifier(),
                                     elements, elementTypes, op->getAttrs());
                  return llvm::to_vector_of<Value>(scalar->getResults());
                }));
    return success();
  }
};

} // namespace

void amptolinalg::populateElementwisePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerCast, LowerElementwiseMappable>(patterns.getContext());
}
