//===- NNFolds.cpp - Folds and canonical forms of the nn ops ----*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only folds that give the same bits for every input, NaN payloads aside: no
// fold removes a rounding. So x + 0.0 stays (-0.0 + 0.0 is 0.0), x - 0.0 and
// x + -0.0 go. Constants are folded on splats alone, with the one rounding that
// the op has.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/NN/IR/NNDialect.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::nn;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

/// The one value of a constant, where all its elements are equal.
static std::optional<APFloat> getSplat(Attribute attribute) {
  auto dense = dyn_cast_or_null<DenseFPElementsAttr>(attribute);
  if (!dense || !dense.isSplat())
    return std::nullopt;
  return dense.getSplatValue<APFloat>();
}

static bool isSplatOf(Attribute attribute, double value, bool negative) {
  std::optional<APFloat> splat = getSplat(attribute);
  if (!splat)
    return false;
  APFloat expected(value);
  bool lossy;
  expected.convert(splat->getSemantics(), APFloat::rmNearestTiesToEven, &lossy);
  return splat->bitwiseIsEqual(negative ? neg(expected) : expected);
}

/// Folds a binary op on two splats; `compute` rounds once to nearest even.
static OpFoldResult
foldSplats(Type type, Attribute lhs, Attribute rhs,
           function_ref<APFloat(const APFloat &, const APFloat &)> compute) {
  std::optional<APFloat> a = getSplat(lhs), b = getSplat(rhs);
  auto shaped = cast<ShapedType>(type);
  if (!a || !b || !shaped.hasStaticShape())
    return {};
  return DenseElementsAttr::get(shaped, compute(*a, *b));
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // Pattern: x + -0.0 = x
  if (isSplatOf(adaptor.getRhs(), 0.0, /*negative=*/true))
    return getLhs();
  return foldSplats(getType(), adaptor.getLhs(), adaptor.getRhs(),
                    [](const APFloat &a, const APFloat &b) { return a + b; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  // Pattern: x - 0.0 = x
  if (isSplatOf(adaptor.getRhs(), 0.0, /*negative=*/false))
    return getLhs();
  return foldSplats(getType(), adaptor.getLhs(), adaptor.getRhs(),
                    [](const APFloat &a, const APFloat &b) { return a - b; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  // Pattern: x * 1.0 = x
  if (isSplatOf(adaptor.getRhs(), 1.0, /*negative=*/false))
    return getLhs();
  return foldSplats(getType(), adaptor.getLhs(), adaptor.getRhs(),
                    [](const APFloat &a, const APFloat &b) { return a * b; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  // Pattern: x / 1.0 = x
  if (isSplatOf(adaptor.getRhs(), 1.0, /*negative=*/false))
    return getLhs();
  return foldSplats(getType(), adaptor.getLhs(), adaptor.getRhs(),
                    [](const APFloat &a, const APFloat &b) { return a / b; });
}

OpFoldResult MaximumOp::fold(FoldAdaptor adaptor) {
  // Pattern: maximum(x, x) = x
  if (getLhs() == getRhs())
    return getLhs();
  return foldSplats(
      getType(), adaptor.getLhs(), adaptor.getRhs(),
      [](const APFloat &a, const APFloat &b) { return maximum(a, b); });
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  // Pattern: neg(neg(x)) = x
  if (auto inner = getInput().getDefiningOp<NegOp>())
    return inner.getInput();
  if (std::optional<APFloat> value = getSplat(adaptor.getInput()))
    return DenseElementsAttr::get(getType(), neg(*value));
  return {};
}

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  // Pattern: abs(abs(x)) = abs(x)
  if (getInput().getDefiningOp<AbsOp>())
    return getInput();
  // Pattern: abs(neg(x)) = abs(x)
  if (auto inner = getInput().getDefiningOp<NegOp>()) {
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  if (std::optional<APFloat> value = getSplat(adaptor.getInput()))
    return DenseElementsAttr::get(getType(), abs(*value));
  return {};
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  // Pattern: select(c, x, x) = x
  if (getLhs() == getRhs())
    return getLhs();
  // Pattern: select(true, x, y) = x, select(false, x, y) = y
  auto condition =
      dyn_cast_or_null<DenseIntElementsAttr>(adaptor.getCondition());
  if (condition && condition.isSplat())
    return condition.getSplatValue<bool>() ? getLhs() : getRhs();
  return {};
}

OpFoldResult AddNOp::fold(FoldAdaptor) {
  // Pattern: add_n(x) = x
  if (getInputs().size() == 1)
    return getInputs().front();
  return {};
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// A reduction over no dimensions of one type is the identity: one rounding of
/// a value that is in the type already.
// Pattern: reduce(x, dims = []) = x
template <typename OpTy> static OpFoldResult foldEmptyReduction(OpTy op) {
  if (op.getDims().empty() && op.getInput().getType() == op.getType())
    return op.getInput();
  return {};
}
OpFoldResult ReduceSumOp::fold(FoldAdaptor) {
  return foldEmptyReduction(*this);
}
OpFoldResult ReduceMeanOp::fold(FoldAdaptor) {
  return foldEmptyReduction(*this);
}
OpFoldResult ReduceMaxOp::fold(FoldAdaptor) {
  return foldEmptyReduction(*this);
}

//===----------------------------------------------------------------------===//
// Shape and type
//===----------------------------------------------------------------------===//

/// A splat in another static shape of its element type.
static OpFoldResult foldSplatShape(Attribute input, RankedTensorType type) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(input);
  if (!dense || !dense.isSplat() || !type.hasStaticShape())
    return {};
  return dense.resizeSplat(type);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  // Pattern: reshape(x) : T -> T = x, with at most one dynamic dimension
  if (getInput().getType() == getType() && getType().getNumDynamicDims() <= 1)
    return getInput();
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput()))
    if (getType().hasStaticShape() &&
        dense.getNumElements() == getType().getNumElements())
      return dense.reshape(getType());
  return {};
}

namespace {
// Pattern: reshape(reshape(x)) = reshape(x), unless the sizes contradict (an
// error at run time that the combined op would turn into invalid IR)
struct FoldReshapeOfReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<ReshapeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "input is not a reshape");
    RankedTensorType source = inner.getInput().getType();
    if (source.hasStaticShape() && op.getType().hasStaticShape() &&
        source.getNumElements() != op.getType().getNumElements())
      return rewriter.notifyMatchFailure(op, "element counts contradict");
    rewriter.modifyOpInPlace(
        op, [&] { op.getInputMutable().assign(inner.getInput()); });
    return success();
  }
};

// Pattern: transpose(transpose(x, p), q) = transpose(x, p[q])
struct FoldTransposeOfTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "input is not a transpose");
    SmallVector<int64_t> permutation =
        applyPermutation(inner.getPermutation(), op.getPermutation());
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(inner.getInput());
      op.setPermutation(permutation);
    });
    return success();
  }
};
} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<FoldReshapeOfReshape>(context);
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  // Pattern: transpose(x, [0, 1, ...]) = x
  if (isIdentityPermutation(getPermutation()) &&
      getInput().getType() == getType())
    return getInput();
  return foldSplatShape(adaptor.getInput(), getType());
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<FoldTransposeOfTranspose>(context);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  // Pattern: broadcast(x) : T -> T = x, where T is static
  if (getInput().getType() == getType() && getType().hasStaticShape())
    return getInput();
  return foldSplatShape(adaptor.getInput(), getType());
}

OpFoldResult ElementCountOp::fold(FoldAdaptor) {
  // Pattern: element_count(x) = constant, where x is static
  RankedTensorType input = getInput().getType();
  if (!input.hasStaticShape())
    return {};
  return DenseElementsAttr::get(getType(), input.getNumElements());
}
