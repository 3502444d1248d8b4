//===- Contractions.cpp - Contractions without a runtime call to linalg -*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What -convert-nn-to-amprt leaves (f64): a row reduction over the contracted
// dimension, then bias and rounding. Correct, not fast.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "amp/Dialect/NN/IR/NNDialect.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::nntolinalg;

/// Replaces `op` by sum over the last dimension of `domain` of lhs * rhs, plus
/// `bias` along the last kept dimension.
template <typename OpTy>
static void replaceWithDot(PatternRewriter &rewriter, OpTy op,
                           ArrayRef<int64_t> domain, const LinalgInput &lhs,
                           const LinalgInput &rhs, Value bias = {}) {
  Location loc = op.getLoc();
  auto result = cast<RankedTensorType>(op.getType());
  NumericsAttr numerics = op.getNumericsAttr();
  FloatType accumulator = getAccumulatorType(numerics, lhs.value.getType());
  Value sum =
      buildReduction(rewriter, loc, ReductionKind::row, domain, {lhs, rhs},
                     {rewriter.getFloatAttr(accumulator, 0.0)}, numerics,
                     [](ScalarBuilder &scalar, ValueRange elements,
                        ValueRange accumulators) -> SmallVector<Value> {
                       Value term = scalar.mul(elements[0], elements[1]);
                       return {scalar.add(accumulators[0], term)};
                     })
          .front();
  if (!bias) {
    sum = buildRounding(rewriter, loc, sum, result.getElementType());
    rewriter.replaceOp(op, buildReshape(rewriter, loc, sum, result.getShape()));
    return;
  }
  unsigned rank = domain.size() - 1;
  auto last = AffineMap::get(rank, 0, rewriter.getAffineDimExpr(rank - 1));
  auto type =
      cast<RankedTensorType>(sum.getType()).clone(result.getElementType());
  Value total = buildElementwise(
      rewriter, loc, type, {sum, {bias, last}},
      [&](OpBuilder &builder, Location nested,
          ValueRange elements) -> SmallVector<Value> {
        FloatType compute = getComputeType(
            builder.getContext(), {elements[0].getType(), bias.getType()});
        ScalarBuilder scalar(builder, nested, compute);
        Value wideSum = scalar.widen(elements[0]);
        Value wideBias = scalar.widen(elements[1]);
        return {scalar.round(scalar.add(wideSum, wideBias),
                             result.getElementType())};
      });
  rewriter.replaceOp(op, buildReshape(rewriter, loc, total, result.getShape()));
}

/// `value` ([..., C]) as [rows, C].
static Value collapseRows(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t rows = 1;
  for (int64_t size : type.getShape().drop_back())
    rows *= size;
  return buildReshape(builder, loc, value, {rows, type.getShape().back()});
}

static int64_t getSize(Value value, int64_t dim) {
  return cast<RankedTensorType>(value.getType()).getDimSize(dim);
}

/// A map of a domain of `rank` to its dimensions `dims`.
static AffineMap getMap(OpBuilder &builder, unsigned rank,
                        ArrayRef<int64_t> dims) {
  SmallVector<AffineExpr> results;
  for (int64_t dim : dims)
    results.push_back(builder.getAffineDimExpr(dim));
  return AffineMap::get(rank, 0, results, builder.getContext());
}

namespace {

struct LowerLinear : LoweringPattern<nn::LinearOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::LinearOp op, PatternRewriter &rewriter) const override {
    Value input = collapseRows(rewriter, op.getLoc(), op.getInput());
    Value weight = op.getWeight();
    replaceWithDot(rewriter, op,
                   {getSize(input, 0), getSize(weight, 0), getSize(input, 1)},
                   {input, getMap(rewriter, 3, {0, 2})},
                   {weight, getMap(rewriter, 3, {1, 2})}, op.getBias());
  }
};

struct LowerMatmul : LoweringPattern<nn::MatmulOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::MatmulOp op, PatternRewriter &rewriter) const override {
    auto result = cast<RankedTensorType>(op.getType());
    int64_t rank = result.getRank();
    SmallVector<int64_t> domain(result.getShape());
    domain.push_back(
        getSize(op.getLhs(), op.getTransposeLhs() ? rank - 2 : rank - 1));
    auto lhsDims = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
    SmallVector<int64_t> rhsDims(lhsDims);
    if (op.getTransposeLhs())
      lhsDims.append({rank, rank - 2});
    else
      lhsDims.append({rank - 2, rank});
    if (op.getTransposeRhs())
      rhsDims.append({rank - 1, rank});
    else
      rhsDims.append({rank, rank - 1});
    replaceWithDot(rewriter, op, domain,
                   {op.getLhs(), getMap(rewriter, rank + 1, lhsDims)},
                   {op.getRhs(), getMap(rewriter, rank + 1, rhsDims)});
  }
};

struct LowerLinearInputGrad : LoweringPattern<nn::LinearInputGradOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::LinearInputGradOp op,
             PatternRewriter &rewriter) const override {
    Value cotangent = collapseRows(rewriter, op.getLoc(), op.getCotangent());
    Value weight = op.getWeight();
    replaceWithDot(
        rewriter, op,
        {getSize(cotangent, 0), getSize(weight, 1), getSize(weight, 0)},
        {cotangent, getMap(rewriter, 3, {0, 2})},
        {weight, getMap(rewriter, 3, {2, 1})});
  }
};

struct LowerLinearWeightGrad : LoweringPattern<nn::LinearWeightGradOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::LinearWeightGradOp op,
             PatternRewriter &rewriter) const override {
    Value cotangent = collapseRows(rewriter, op.getLoc(), op.getCotangent());
    Value input = collapseRows(rewriter, op.getLoc(), op.getInput());
    replaceWithDot(
        rewriter, op,
        {getSize(cotangent, 1), getSize(input, 1), getSize(input, 0)},
        {cotangent, getMap(rewriter, 3, {2, 0})},
        {input, getMap(rewriter, 3, {2, 1})});
  }
};

} // namespace

void nntolinalg::populateContractionPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerLinear, LowerLinearInputGrad, LowerLinearWeightGrad,
               LowerMatmul>(patterns.getContext());
}
