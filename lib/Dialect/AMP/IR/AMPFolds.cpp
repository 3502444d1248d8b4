//===- AMPFolds.cpp - Folds and canonical forms of the precision dialect -*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only rewrites that keep every bit: a cast may vanish where it changes
// nothing, never a round trip through a narrower type, and never a user's cast.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Interfaces/NumericOpInterface.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::amp;

static FloatType getFloatElement(Value value) {
  return cast<FloatType>(getElementTypeOrSelf(value.getType()));
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  // A cast to the same type is no conversion, whoever asked for it.
  if (getInput().getType() == getOutput().getType())
    return getInput();
  if (getOrigin() == CastOrigin::user)
    return {};
  // narrow(widen(x)) == x: widening is exact. Both casts must be ours.
  auto producer = getInput().getDefiningOp<CastOp>();
  if (!producer || producer.getOrigin() == CastOrigin::user ||
      producer.getInput().getType() != getOutput().getType())
    return {};
  if (isRepresentableIn(getFloatElement(producer.getInput()),
                        getFloatElement(producer.getOutput())))
    return producer.getInput();
  return {};
}

namespace {
/// Pattern: cast(widen(x : a to b) : b to c) = cast(x : a to c), a exact in b
struct MergeExactWidening : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getInput().getDefiningOp<CastOp>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "input is not a cast");
    if (op.getOrigin() == CastOrigin::user ||
        producer.getOrigin() == CastOrigin::user)
      return rewriter.notifyMatchFailure(op, "a user's cast is never folded");
    if (!isRepresentableIn(getFloatElement(producer.getInput()),
                           getFloatElement(producer.getOutput())))
      return rewriter.notifyMatchFailure(op, "the first cast rounds");
    rewriter.modifyOpInPlace(
        op, [&] { op.getInputMutable().assign(producer.getInput()); });
    return success();
  }
};
} // namespace

void CastOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                         MLIRContext *context) {
  results.add<MergeExactWidening>(context);
}
