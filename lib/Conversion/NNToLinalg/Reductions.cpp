//===- Reductions.cpp - Reductions to linalg -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction over any dimensions becomes one over a 1-D (flat) or 2-D (row,
// column) domain: reduced dimensions that are all trailing, all leading or all
// there are collapse; others are moved to the end first.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "amp/Dialect/NN/IR/NNDialect.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::nntolinalg;

/// A reduction brought to its domain.
struct Domain {
  ReductionKind kind;
  SmallVector<int64_t> shape;
  Value input;
};

static Domain buildDomain(OpBuilder &builder, Location loc, Value input,
                          ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(input.getType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> kept;
  int64_t keptCount = 1, reducedCount = 1;
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool reduced = llvm::is_contained(dims, dim);
    if (!reduced)
      kept.push_back(dim);
    (reduced ? reducedCount : keptCount) *= type.getDimSize(dim);
  }
  auto isSequence = [](ArrayRef<int64_t> list, int64_t start) {
    for (auto [index, dim] : llvm::enumerate(list))
      if (dim != start + static_cast<int64_t>(index))
        return false;
    return true;
  };

  Domain domain;
  if (kept.empty()) {
    domain.kind = ReductionKind::flat;
    domain.shape = {reducedCount};
  } else if (!dims.empty() && isSequence(dims, 0)) {
    domain.kind = ReductionKind::column;
    domain.shape = {reducedCount, keptCount};
  } else {
    domain.kind = ReductionKind::row;
    domain.shape = {keptCount, reducedCount};
    if (!isSequence(kept, 0)) {
      SmallVector<int64_t> permutation(kept);
      permutation.append(dims.begin(), dims.end());
      input = buildTranspose(builder, loc, input, permutation);
    }
  }
  domain.input = buildReshape(builder, loc, input, domain.shape);
  return domain;
}

static Value buildSum(OpBuilder &builder, Location loc, const Domain &domain,
                      FloatType accumulator, NumericsAttr numerics) {
  return buildReduction(builder, loc, domain.kind, domain.shape, {domain.input},
                        {getFloatInit(builder, accumulator, 0.0)}, numerics,
                        [](ScalarBuilder &scalar, ValueRange elements,
                           ValueRange accumulators) -> SmallVector<Value> {
                          return {scalar.add(accumulators[0], elements[0])};
                        })
      .front();
}

Value nntolinalg::buildSumOverDims(OpBuilder &builder, Location loc,
                                   Value input, ArrayRef<int64_t> dims) {
  Domain domain = buildDomain(builder, loc, input, dims);
  auto type = cast<FloatType>(getElementTypeOrSelf(input));
  return buildSum(builder, loc, domain, type, nullptr);
}

namespace {

struct LowerReduceSum : LoweringPattern<nn::ReduceSumOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::ReduceSumOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType result = op.getType();
    Domain domain = buildDomain(rewriter, loc, op.getInput(), op.getDims());
    FloatType accumulator =
        getAccumulatorType(op.getNumericsAttr(), op.getInput().getType());
    Value sum =
        buildSum(rewriter, loc, domain, accumulator, op.getNumericsAttr());
    sum = buildRounding(rewriter, loc, sum, result.getElementType());
    rewriter.replaceOp(op, buildReshape(rewriter, loc, sum, result.getShape()));
  }
};

/// Divides in the accumulator's type: the sum may exceed the range of the
/// result's type.
struct LowerReduceMean : LoweringPattern<nn::ReduceMeanOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::ReduceMeanOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType result = op.getType();
    Domain domain = buildDomain(rewriter, loc, op.getInput(), op.getDims());
    FloatType accumulator =
        getAccumulatorType(op.getNumericsAttr(), op.getInput().getType());
    Value sum =
        buildSum(rewriter, loc, domain, accumulator, op.getNumericsAttr());
    int64_t count = domain.kind == ReductionKind::row ? domain.shape.back()
                                                      : domain.shape.front();
    auto rounded =
        cast<RankedTensorType>(sum.getType()).clone(result.getElementType());
    Value mean = buildElementwise(
        rewriter, loc, rounded, {sum},
        [&](OpBuilder &builder, Location nested,
            ValueRange elements) -> SmallVector<Value> {
          ScalarBuilder scalar(
              builder, nested,
              getComputeType(builder.getContext(), elements[0].getType()));
          Value quotient =
              scalar.div(scalar.widen(elements[0]), static_cast<double>(count));
          return {scalar.round(quotient, result.getElementType())};
        });
    rewriter.replaceOp(op,
                       buildReshape(rewriter, loc, mean, result.getShape()));
  }
};

struct LowerReduceMax : LoweringPattern<nn::ReduceMaxOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::ReduceMaxOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType result = op.getType();
    Domain domain = buildDomain(rewriter, loc, op.getInput(), op.getDims());
    FloatType compute =
        getComputeType(rewriter.getContext(), op.getInput().getType());
    Value largest =
        buildReduction(rewriter, loc, domain.kind, domain.shape, {domain.input},
                       {getFloatInit(rewriter, compute, -INFINITY)},
                       op.getNumericsAttr(),
                       [](ScalarBuilder &scalar, ValueRange elements,
                          ValueRange accumulators) -> SmallVector<Value> {
                         return {scalar.maximum(accumulators[0], elements[0])};
                       })
            .front();
    largest = buildRounding(rewriter, loc, largest, result.getElementType());
    rewriter.replaceOp(op,
                       buildReshape(rewriter, loc, largest, result.getShape()));
  }
};

} // namespace

void nntolinalg::populateReductionPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerReduceMax, LowerReduceMean, LowerReduceSum>(
      patterns.getContext());
}
