//===- Softmax.cpp - Softmax family to linalg -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Row operations in a domain [..., C]: largest element, sum of exponentials,
// normalisation. A dimension other than the last is moved there first.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Dialect/NN/IR/NNDialect.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::nntolinalg;

Value nntolinalg::buildRowMax(OpBuilder &builder, Location loc, Value input) {
  auto type = cast<RankedTensorType>(input.getType());
  FloatType compute = getComputeType(builder.getContext(), type);
  return buildReduction(builder, loc, ReductionKind::row, type.getShape(),
                        {input}, {getFloatInit(builder, compute, -INFINITY)},
                        nullptr,
                        [](ScalarBuilder &scalar, ValueRange elements,
                           ValueRange accumulators) -> SmallVector<Value> {
                          return {scalar.maximum(accumulators[0], elements[0])};
                        })
      .front();
}

Value nntolinalg::buildRowExpSum(OpBuilder &builder, Location loc, Value input,
                                 Value max, NumericsAttr numerics) {
  auto type = cast<RankedTensorType>(input.getType());
  AffineMap rowMap = getRowMap(builder.getContext(), type.getRank());
  FloatType accumulator = getAccumulatorType(numerics, type);
  return buildReduction(builder, loc, ReductionKind::row, type.getShape(),
                        {input, {max, rowMap}},
                        {getFloatInit(builder, accumulator, 0.0)}, numerics,
                        [](ScalarBuilder &scalar, ValueRange elements,
                           ValueRange accumulators) -> SmallVector<Value> {
                          Value shifted = scalar.sub(elements[0], elements[1]);
                          Value power = scalar.exp(shifted);
                          return {scalar.add(accumulators[0], power)};
                        })
      .front();
}

Value nntolinalg::moveDimToEnd(OpBuilder &builder, Location loc, Value input,
                               int64_t dim) {
  int64_t rank = cast<RankedTensorType>(input.getType()).getRank();
  SmallVector<int64_t> permutation;
  for (int64_t i = 0; i < rank; ++i)
    if (i != dim)
      permutation.push_back(i);
  permutation.push_back(dim);
  return buildTranspose(builder, loc, input, permutation);
}

Value nntolinalg::moveDimFromEnd(OpBuilder &builder, Location loc, Value input,
                                 int64_t dim) {
  int64_t rank = cast<RankedTensorType>(input.getType()).getRank();
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank - 1));
  permutation.insert(permutation.begin() + dim, rank - 1);
  return buildTranspose(builder, loc, input, permutation);
}

/// `input` with `dim` last and at least two dimensions.
static Value buildRows(OpBuilder &builder, Location loc, Value input,
                       int64_t dim) {
  auto type = cast<RankedTensorType>(input.getType());
  if (type.getRank() == 1)
    return buildReshape(builder, loc, input, {1, type.getDimSize(0)});
  return moveDimToEnd(builder, loc, input, dim);
}

/// The inverse of `buildRows`.
static Value buildFromRows(OpBuilder &builder, Location loc, Value rows,
                           RankedTensorType result, int64_t dim) {
  if (result.getRank() == 1)
    return buildReshape(builder, loc, rows, result.getShape());
  return moveDimFromEnd(builder, loc, rows, dim);
}

/// Emits one op over the rows: `body` combines the widened elements.
static Value
buildRowResult(OpBuilder &builder, Location loc, Type elementType,
               ArrayRef<LinalgInput> inputs,
               function_ref<Value(ScalarBuilder &, ValueRange)> body) {
  auto type = cast<RankedTensorType>(inputs.front().value.getType());
  SmallVector<Type> types;
  for (const LinalgInput &input : inputs)
    types.push_back(input.value.getType());
  FloatType compute = getComputeType(builder.getContext(), types);
  return buildElementwise(builder, loc, type.clone(elementType), inputs,
                          [&](OpBuilder &nested, Location nestedLoc,
                              ValueRange elements) -> SmallVector<Value> {
                            ScalarBuilder scalar(nested, nestedLoc, compute);
                            SmallVector<Value> wide;
                            for (Value element : elements)
                              wide.push_back(scalar.widen(element));
                            return {
                                scalar.round(body(scalar, wide), elementType)};
                          });
}

namespace {

/// Pattern: softmax(x) = e^(x - max) / sum(e^(x - max))
struct LowerSoftmax : LoweringPattern<nn::SoftmaxOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::SoftmaxOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType result = op.getType();
    Value rows = buildRows(rewriter, loc, op.getInput(), op.getDim());
    unsigned rank = cast<RankedTensorType>(rows.getType()).getRank();
    AffineMap rowMap = getRowMap(rewriter.getContext(), rank);
    Value max = buildRowMax(rewriter, loc, rows);
    Value sum = buildRowExpSum(rewriter, loc, rows, max, op.getNumericsAttr());
    Value share = buildRowResult(rewriter, loc, result.getElementType(),
                                 {rows, {max, rowMap}, {sum, rowMap}},
                                 [](ScalarBuilder &scalar, ValueRange v) {
                                   Value power =
                                       scalar.exp(scalar.sub(v[0], v[1]));
                                   return scalar.div(power, v[2]);
                                 });
    rewriter.replaceOp(
        op, buildFromRows(rewriter, loc, share, result, op.getDim()));
  }
};

/// Pattern: log_softmax(x) = (x - max) - log(sum(e^(x - max)))
/// Under parity with PyTorch sum and logarithm are stored in a 16-bit result's
/// type, as its CPU kernel does.
struct LowerLogSoftmax : LoweringPattern<nn::LogSoftmaxOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::LogSoftmaxOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType result = op.getType();
    Value rows = buildRows(rewriter, loc, op.getInput(), op.getDim());
    auto rowsType = cast<RankedTensorType>(rows.getType());
    AffineMap rowMap = getRowMap(rewriter.getContext(), rowsType.getRank());
    Value max = buildRowMax(rewriter, loc, rows);
    Value sum = buildRowExpSum(rewriter, loc, rows, max, op.getNumericsAttr());
    Type stored = getElementTypeOrSelf(sum);
    if (getParity(op) == Parity::pytorch &&
        rowsType.getElementTypeBitWidth() < 32) {
      stored = rowsType.getElementType();
      sum = buildRowResult(rewriter, loc, stored, {sum},
                           [](ScalarBuilder &, ValueRange v) { return v[0]; });
    }
    Value logSum = buildRowResult(
        rewriter, loc, stored, {sum},
        [](ScalarBuilder &scalar, ValueRange v) { return scalar.log(v[0]); });
    Value share = buildRowResult(rewriter, loc, result.getElementType(),
                                 {rows, {max, rowMap}, {logSum, rowMap}},
                                 [](ScalarBuilder &scalar, ValueRange v) {
                                   Value shifted = scalar.sub(v[0], v[1]);
                                   return scalar.sub(shifted, v[2]);
                                 });
    rewriter.replaceOp(
        op, buildFromRows(rewriter, loc, share, result, op.getDim()));
  }
};

/// The sum of `term(cotangent, output)` along `dim`, and the result that
/// `combine(cotangent, output, sum)` gives for each element.
template <typename OpTy>
static void
replaceRowGradient(PatternRewriter &rewriter, OpTy op,
                   function_ref<Value(ScalarBuilder &, Value, Value)> term,
                   function_ref<Value(ScalarBuilder &, ValueRange)> combine) {
  Location loc = op.getLoc();
  RankedTensorType result = op.getType();
  Value cotangent = buildRows(rewriter, loc, op.getCotangent(), op.getDim());
  Value output = buildRows(rewriter, loc, op.getOutput(), op.getDim());
  auto rowsType = cast<RankedTensorType>(output.getType());
  AffineMap rowMap = getRowMap(rewriter.getContext(), rowsType.getRank());
  NumericsAttr numerics = op.getNumericsAttr();
  FloatType accumulator = getAccumulatorType(numerics, rowsType);
  Value sum =
      buildReduction(rewriter, loc, ReductionKind::row, rowsType.getShape(),
                     {cotangent, output},
                     {getFloatInit(rewriter, accumulator, 0.0)}, numerics,
                     [&](ScalarBuilder &scalar, ValueRange elements,
                         ValueRange accumulators) -> SmallVector<Value> {
                       Value value = term(scalar, elements[0], elements[1]);
                       return {scalar.add(accumulators[0], value)};
                     })
          .front();
  Value gradient = buildRowResult(rewriter, loc, result.getElementType(),
                                  {cotangent, output, {sum, rowMap}}, combine);
  rewriter.replaceOp(
      op, buildFromRows(rewriter, loc, gradient, result, op.getDim()));
}

/// Pattern: softmax_grad(c, y) = (c - sum(c * y)) * y
struct LowerSoftmaxGrad : LoweringPattern<nn::SoftmaxGradOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::SoftmaxGradOp op, PatternRewriter &rewriter) const override {
    replaceRowGradient(
        rewriter, op,
        [](ScalarBuilder &scalar, Value cotangent, Value output) {
          return scalar.mul(cotangent, output);
        },
        [](ScalarBuilder &scalar, ValueRange v) {
          return scalar.mul(scalar.sub(v[0], v[2]), v[1]);
        });
  }
};

/// Pattern: log_softmax_grad(c, y) = c - e^y * sum(c)
struct LowerLogSoftmaxGrad : LoweringPattern<nn::LogSoftmaxGradOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::LogSoftmaxGradOp op,
             PatternRewriter &rewriter) const override {
    replaceRowGradient(
        rewriter, op,
        [](ScalarBuilder &, Value cotangent, Value) { return cotangent; },
        [](ScalarBuilder &scalar, ValueRange v) {
          Value power = scalar.exp(v[1]);
          return scalar.sub(v[0], scalar.mul(power, v[2]));
        });
  }
};

} // namespace

void nntolinalg::populateSoftmaxPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerLogSoftmax, LowerLogSoftmaxGrad, LowerSoftmax,
               LowerSoftmaxGrad>(patterns.getContext());
}
