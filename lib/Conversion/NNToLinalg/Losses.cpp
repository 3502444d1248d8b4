//===- Losses.cpp - Losses and their derivatives to linalg -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cross_entropy is a row op (one loss per row, the target compared with the
// column index: no gather), then a flat sum; mse_loss is one flat reduction.
// `mean` divides in the accumulator's type, by the count or by the denominator.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "amp/Dialect/NN/IR/NNDialect.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::nntolinalg;

/// A sum over 1-D inputs, to rank 0.
static Value
buildFlatSum(OpBuilder &builder, Location loc, ArrayRef<LinalgInput> inputs,
             FloatType accumulator, NumericsAttr numerics,
             function_ref<Value(ScalarBuilder &, ValueRange)> term) {
  auto type = cast<RankedTensorType>(inputs.front().value.getType());
  return buildReduction(builder, loc, ReductionKind::flat, type.getShape(),
                        inputs, {getFloatInit(builder, accumulator, 0.0)},
                        numerics,
                        [&](ScalarBuilder &scalar, ValueRange elements,
                            ValueRange accumulators) -> SmallVector<Value> {
                          Value value = term(scalar, elements);
                          return {scalar.add(accumulators[0], value)};
                        })
      .front();
}

/// Emits an elementwise op whose region sees float elements widened to
/// `compute`; rounds what it returns.
static Value
buildWide(OpBuilder &builder, Location loc, RankedTensorType result,
          FloatType compute, ArrayRef<LinalgInput> inputs,
          function_ref<Value(OpBuilder &, ScalarBuilder &, ValueRange)> body) {
  return buildElementwise(builder, loc, result, inputs,
                          [&](OpBuilder &nested, Location nestedLoc,
                              ValueRange elements) -> SmallVector<Value> {
                            ScalarBuilder scalar(nested, nestedLoc, compute);
                            SmallVector<Value> wide;
                            for (Value element : elements)
                              wide.push_back(isa<FloatType>(element.getType())
                                                 ? scalar.widen(element)
                                                 : element);
                            return {scalar.round(body(nested, scalar, wide),
                                                 result.getElementType())};
                          });
}

/// The number of targets that are not `ignoreIndex`, rank 0.
static Value buildValidCount(OpBuilder &builder, Location loc, Value targets,
                             int64_t ignoreIndex) {
  auto type = cast<RankedTensorType>(targets.getType());
  Value flat = buildReshape(builder, loc, targets, {type.getNumElements()});
  return buildReduction(
             builder, loc, ReductionKind::flat, {type.getNumElements()}, {flat},
             {builder.getI64IntegerAttr(0)}, nullptr,
             [&](ScalarBuilder &scalar, ValueRange elements,
                 ValueRange accumulators) -> SmallVector<Value> {
               return {scalar.addIf(accumulators[0], elements[0],
                                    arith::CmpIPredicate::ne, ignoreIndex)};
             })
      .front();
}

/// A loss's rounding to `result`, after `mean`'s division: by `denominator`
/// (rank-0 f32, or i64 count) where there is one, else by `count`.
static Value buildLossResult(OpBuilder &builder, Location loc, Value sum,
                             RankedTensorType result, nn::Reduction reduction,
                             Value denominator, int64_t count) {
  auto compute = cast<FloatType>(
      getComputeType(builder.getContext(), {sum.getType(), result}));
  if (reduction == nn::Reduction::sum)
    return buildRounding(builder, loc, sum, result.getElementType());
  SmallVector<LinalgInput> inputs = {sum};
  if (denominator)
    inputs.push_back(denominator);
  return buildWide(builder, loc, result, compute, inputs,
                   [&](OpBuilder &, ScalarBuilder &scalar, ValueRange v) {
                     Value divisor = denominator ? scalar.fromInt(v[1])
                                                 : scalar.constant(count);
                     return scalar.div(v[0], divisor);
                   });
}

/// The rows of a cross entropy: logits [R, C], targets [R].
struct Rows {
  Value logits, targets, max, sum;
  int64_t rows, classes;
  AffineMap rowMap;
};

static Rows buildLossRows(OpBuilder &builder, Location loc, Value logits,
                          Value targets, NumericsAttr numerics) {
  auto type = cast<RankedTensorType>(logits.getType());
  Rows rows;
  rows.rows = cast<RankedTensorType>(targets.getType()).getNumElements();
  rows.classes = type.getShape().back();
  rows.logits = buildReshape(builder, loc, logits, {rows.rows, rows.classes});
  rows.targets = buildReshape(builder, loc, targets, {rows.rows});
  rows.rowMap = getRowMap(builder.getContext(), 2);
  rows.max = buildRowMax(builder, loc, rows.logits);
  rows.sum = buildRowExpSum(builder, loc, rows.logits, rows.max, numerics);
  return rows;
}

/// What a row with `target` contributes: 0 when ignored, NaN when the target is
/// no class, otherwise `value`.
static Value selectByTarget(ScalarBuilder &scalar, Value target, Value value,
                            int64_t ignoreIndex, int64_t classes) {
  Value invalid = scalar.isOutside(target, classes);
  Value nan = scalar.constant(std::numeric_limits<double>::quiet_NaN());
  Value checked = scalar.select(invalid, nan, value);
  Value ignored =
      scalar.compareInt(arith::CmpIPredicate::eq, target, ignoreIndex);
  Value zero = scalar.constant(0.0);
  return scalar.select(ignored, zero, checked);
}

namespace {

/// Pattern: cross_entropy(x, t) = sum(-(1-e) * logp[t] - e/C * sum(logp)) / n
struct LowerCrossEntropy : OpRewritePattern<nn::CrossEntropyOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Two sums per row: (x - max)[target] and, under smoothing, of x - max.
  static SmallVector<Value> buildRowSums(OpBuilder &builder, Location loc,
                                         const Rows &rows, bool smoothed,
                                         FloatType accumulator,
                                         NumericsAttr numerics) {
    TypedAttr zero = getFloatInit(builder, accumulator, 0.0);
    SmallVector<TypedAttr> inits(smoothed ? 2 : 1, zero);
    return buildReduction(
        builder, loc, ReductionKind::row, {rows.rows, rows.classes},
        {rows.logits, {rows.max, rows.rowMap}, {rows.targets, rows.rowMap}},
        inits, numerics,
        [&](ScalarBuilder &scalar, ValueRange elements,
            ValueRange accumulators) -> SmallVector<Value> {
          Value shifted = scalar.sub(elements[0], elements[1]);
          Value hit = scalar.isIndex(elements[2], 1);
          Value picked = scalar.select(hit, shifted, 0.0);
          SmallVector<Value> sums = {scalar.add(accumulators[0], picked)};
          if (smoothed)
            sums.push_back(scalar.add(accumulators[1], shifted));
          return sums;
        });
  }

  LogicalResult matchAndRewrite(nn::CrossEntropyOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(requireLowerable(rewriter, op)))
      return failure();
    Location loc = op.getLoc();
    NumericsAttr numerics = op.getNumericsAttr();
    FloatType accumulator =
        getAccumulatorType(numerics, op.getLogits().getType());
    double smoothing = op.getLabelSmoothing().convertToDouble();
    Rows rows =
        buildLossRows(rewriter, loc, op.getLogits(), op.getTargets(), numerics);
    SmallVector<Value> sums = buildRowSums(
        rewriter, loc, rows, smoothing != 0.0, accumulator, numerics);

    SmallVector<LinalgInput> inputs = {rows.sum, rows.targets};
    inputs.append(sums.begin(), sums.end());
    FloatType compute = getComputeType(rewriter.getContext(),
                                       {sums[0].getType(), op.getType()});
    auto rowType = RankedTensorType::get({rows.rows}, accumulator);
    Value losses = buildWide(
        rewriter, loc, rowType, compute, inputs,
        [&](OpBuilder &, ScalarBuilder &scalar, ValueRange v) {
          Value logSum = scalar.log(v[0]);
          Value loss = scalar.sub(logSum, v[2]);
          if (smoothing != 0.0) {
            Value total = scalar.sub(
                scalar.mul(static_cast<double>(rows.classes), logSum), v[3]);
            Value sharp = scalar.mul(1.0 - smoothing, loss);
            Value smooth = scalar.mul(smoothing / rows.classes, total);
            loss = scalar.add(sharp, smooth);
          }
          return selectByTarget(scalar, v[1], loss, op.getIgnoreIndex(),
                                rows.classes);
        });
    Value sum = buildFlatSum(
        rewriter, loc, {losses}, accumulator, numerics,
        [](ScalarBuilder &, ValueRange elements) { return elements[0]; });
    Value denominator = op.getDenominator();
    if (!denominator && op.getReduction() == nn::Reduction::mean)
      denominator =
          buildValidCount(rewriter, loc, rows.targets, op.getIgnoreIndex());
    rewriter.replaceOp(op, buildLossResult(rewriter, loc, sum, op.getType(),
                                           op.getReduction(), denominator, 0));
    return success();
  }
};

/// Pattern: cross_entropy_grad(c, x, t) = c/n * (softmax(x) - (1-e) * onehot(t)
/// - e/C)
struct LowerCrossEntropyGrad : LoweringPattern<nn::CrossEntropyGradOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::CrossEntropyGradOp op,
             PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    double smoothing = op.getLabelSmoothing().convertToDouble();
    Rows rows = buildLossRows(rewriter, loc, op.getLogits(), op.getTargets(),
                              op.getNumericsAttr());
    Value denominator = op.getDenominator();
    if (!denominator && op.getReduction() == nn::Reduction::mean)
      denominator =
          buildValidCount(rewriter, loc, rows.targets, op.getIgnoreIndex());

    FloatType compute = getComputeType(rewriter.getContext(),
                                       {rows.sum.getType(), op.getType()});
    // c / n, once.
    Value coefficient = op.getCotangent();
    if (denominator)
      coefficient =
          buildWide(rewriter, loc, RankedTensorType::get({}, compute), compute,
                    {coefficient, denominator},
                    [](OpBuilder &, ScalarBuilder &scalar, ValueRange v) {
                      return scalar.div(v[0], scalar.fromInt(v[1]));
                    });

    SmallVector<LinalgInput> inputs = {rows.logits,
                                       {rows.max, rows.rowMap},
                                       {rows.sum, rows.rowMap},
                                       {rows.targets, rows.rowMap},
                                       coefficient};
    auto type = cast<RankedTensorType>(rows.logits.getType())
                    .clone(op.getType().getElementType());
    Value gradient =
        buildWide(rewriter, loc, type, compute, inputs,
                  [&](OpBuilder &, ScalarBuilder &scalar, ValueRange v) {
                    Value power = scalar.exp(scalar.sub(v[0], v[1]));
                    Value share = scalar.div(power, v[2]);
                    Value hit = scalar.isIndex(v[3], 1);
                    double rest = smoothing / rows.classes;
                    Value wanted =
                        scalar.select(hit, 1.0 - smoothing + rest, rest);
                    Value value = scalar.mul(scalar.sub(share, wanted), v[4]);
                    return selectByTarget(scalar, v[3], value,
                                          op.getIgnoreIndex(), rows.classes);
                  });
    rewriter.replaceOp(
        op, buildReshape(rewriter, loc, gradient, op.getType().getShape()));
  }
};

/// Pattern: mse_loss(x, t) = sum((x - t)^2) / n
struct LowerMSELoss : LoweringPattern<nn::MSELossOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::MSELossOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getInput().getType());
    int64_t count = type.getNumElements();
    Value input = buildReshape(rewriter, loc, op.getInput(), {count});
    Value target = buildReshape(rewriter, loc, op.getTarget(), {count});
    Value sum = buildFlatSum(rewriter, loc, {input, target},
                             getAccumulatorType(op.getNumericsAttr(), type),
                             op.getNumericsAttr(),
                             [](ScalarBuilder &scalar, ValueRange v) {
                               Value difference = scalar.sub(v[0], v[1]);
                               return scalar.mul(difference, difference);
                             });
    rewriter.replaceOp(op, buildLossResult(rewriter, loc, sum, op.getType(),
                                           op.getReduction(),
                                           op.getDenominator(), count));
  }
};

/// Pattern: mse_loss_grad(c, x, t) = (2/n) * (x - t) * c
struct LowerMSELossGrad : LoweringPattern<nn::MSELossGradOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::MSELossGradOp op, PatternRewriter &rewriter) const override {
    FloatType compute = getComputeType(rewriter.getContext(),
                                       {op.getInput().getType(), op.getType()});
    bool mean = op.getReduction() == nn::Reduction::mean;
    int64_t count =
        cast<RankedTensorType>(op.getInput().getType()).getNumElements();
    SmallVector<LinalgInput> inputs = {op.getInput(), op.getTarget(),
                                       op.getCotangent()};
    if (op.getDenominator())
      inputs.push_back(op.getDenominator());
    rewriter.replaceOp(
        op,
        buildWide(rewriter, op.getLoc(), op.getType(), compute, inputs,
                  [&](OpBuilder &, ScalarBuilder &scalar, ValueRange v) {
                    Value factor = scalar.constant(
                        mean && v.size() == 3 && count > 0 ? 2.0 / count : 2.0);
                    if (v.size() == 4)
                      factor = scalar.div(factor, v[3]);
                    Value difference = scalar.sub(v[0], v[1]);
                    return scalar.mul(scalar.mul(factor, difference), v[2]);
                  }));
  }
};

struct LowerValidCount : LoweringPattern<nn::ValidCountOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::ValidCountOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op,
                       buildValidCount(rewriter, op.getLoc(), op.getTargets(),
                                       op.getIgnoreIndex()));
  }
};

} // namespace

void nntolinalg::populateLossPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerCrossEntropy, LowerCrossEntropyGrad, LowerMSELoss,
               LowerMSELossGrad, LowerValidCount>(patterns.getContext());
}
