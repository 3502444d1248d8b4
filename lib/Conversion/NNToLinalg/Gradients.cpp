//===- Gradients.cpp - Derivatives to linalg -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One `emit` overload per elementwise derivative, from the saved value, in the
// compute type with one rounding; the fan-in sum and the derivatives of
// reductions.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "amp/Dialect/NN/IR/NNDialect.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::nntolinalg;

static Value emit(nn::DivRhsGradOp, ScalarBuilder &s, ValueRange v) {
  Value quotient = s.div(s.div(v[1], v[2]), v[2]);
  return s.mul(s.neg(v[0]), quotient);
}
/// sign(x) is 0 at 0; NaN gives NaN.
static Value emit(nn::AbsGradOp, ScalarBuilder &s, ValueRange v) {
  Value zero = s.constant(0.0);
  Value positive = s.compare(arith::CmpFPredicate::OGT, v[1], zero);
  Value negative = s.compare(arith::CmpFPredicate::OLT, v[1], zero);
  Value sign = s.select(negative, s.constant(-1.0), v[1]);
  sign = s.select(positive, s.constant(1.0), sign);
  return s.mul(v[0], sign);
}
static Value emit(nn::SqrtGradOp, ScalarBuilder &s, ValueRange v) {
  return s.div(v[0], s.mul(2.0, v[1]));
}
static Value emit(nn::RsqrtGradOp, ScalarBuilder &s, ValueRange v) {
  Value cube = s.mul(s.mul(v[1], v[1]), v[1]);
  return s.mul(s.mul(-0.5, v[0]), cube);
}
static Value emit(nn::TanhGradOp, ScalarBuilder &s, ValueRange v) {
  Value square = s.mul(v[1], v[1]);
  return s.mul(v[0], s.sub(1.0, square));
}
static Value emit(nn::SigmoidGradOp, ScalarBuilder &s, ValueRange v) {
  Value complement = s.sub(1.0, v[1]);
  return s.mul(v[0], s.mul(complement, v[1]));
}
static Value emit(nn::ReluGradOp, ScalarBuilder &s, ValueRange v) {
  Value zero = s.constant(0.0);
  Value open = s.compare(arith::CmpFPredicate::OGT, v[1], zero);
  return s.select(open, v[0], zero);
}
static Value emit(nn::SiluGradOp, ScalarBuilder &s, ValueRange v) {
  Value one = s.constant(1.0);
  Value sigmoid = s.sigmoid(v[1]);
  Value inner = s.add(one, s.mul(v[1], s.sub(one, sigmoid)));
  return s.mul(v[0], s.mul(sigmoid, inner));
}
/// erf: cdf + x * pdf. tanh: with g = sigmoid(2u), g + 2x * g * (1 - g) * u'.
static Value emit(nn::GeluGradOp op, ScalarBuilder &s, ValueRange v) {
  Value x = v[1];
  Value square = s.mul(x, x);
  if (op.getApproximate() == nn::GeluKind::erf) {
    Value argument = s.mul(-0.70710678118654752440, x);
    Value cdf = s.mul(0.5, s.erfc(argument));
    Value power = s.exp(s.mul(-0.5, square));
    Value pdf = s.mul(0.39894228040143267794, power);
    return s.mul(v[0], s.add(cdf, s.mul(x, pdf)));
  }
  constexpr double beta = 0.79788456080286535588; // sqrt(2/pi)
  Value cubic = s.mul(0.044715, s.mul(square, x));
  Value twice = s.mul(2 * beta, s.add(x, cubic));
  Value gate = s.sigmoid(twice);
  Value curve = s.mul(3 * 0.044715, square);
  Value slope = s.mul(2 * beta, s.add(1.0, curve));
  Value spread = s.mul(gate, s.sub(1.0, gate));
  Value tail = s.mul(s.mul(x, spread), slope);
  return s.mul(v[0], s.add(gate, tail));
}
namespace {

template <typename OpTy> struct LowerGradient : LoweringPattern<OpTy> {
  using LoweringPattern<OpTy>::LoweringPattern;
  void lower(OpTy op, PatternRewriter &rewriter) const override {
    replaceElementwise(rewriter, op,
                       [&](ScalarBuilder &scalar, ValueRange wide) {
                         return emit(op, scalar, wide);
                       });
  }
};

/// Left to right in the accumulator's type, one rounding.
struct LowerAddN : LoweringPattern<nn::AddNOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::AddNOp op, PatternRewriter &rewriter) const override {
    auto result = cast<RankedTensorType>(op.getType());
    FloatType accumulator = getAccumulatorType(op.getNumericsAttr(), result);
    FloatType compute =
        getComputeType(rewriter.getContext(), {Type(accumulator), result});
    SmallVector<LinalgInput> inputs;
    for (Value operand : op.getInputs())
      inputs.emplace_back(operand);
    rewriter.replaceOp(
        op,
        buildElementwise(rewriter, op.getLoc(), result, inputs,
                         [&](OpBuilder &builder, Location loc,
                             ValueRange elements) -> SmallVector<Value> {
                           ScalarBuilder scalar(builder, loc, compute);
                           Value sum = scalar.round(elements[0], accumulator);
                           for (Value term : elements.drop_front()) {
                             Value wide = scalar.widen(term);
                             Value total = scalar.add(scalar.widen(sum), wide);
                             sum = scalar.round(total, accumulator);
                           }
                           return {scalar.round(sum, result.getElementType())};
                         }));
  }
};

/// PyTorch's rule: the smaller operand gets nothing, equal ones half each.
struct LowerMaximumGrad : LoweringPattern<nn::MaximumGradOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::MaximumGradOp op, PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getLhsGrad().getType());
    FloatType compute = getComputeType(rewriter.getContext(), type);
    auto body = [&](OpBuilder &builder, Location loc,
                    ValueRange elements) -> SmallVector<Value> {
      ScalarBuilder scalar(builder, loc, compute);
      SmallVector<Value> v = widenAll(scalar, elements);
      Value zero = scalar.constant(0.0);
      Value half = scalar.mul(0.5, v[0]);
      Value equal = scalar.compare(arith::CmpFPredicate::OEQ, v[1], v[2]);
      Value less = scalar.compare(arith::CmpFPredicate::OLT, v[1], v[2]);
      Value greater = scalar.compare(arith::CmpFPredicate::OGT, v[1], v[2]);
      Value shared = scalar.select(equal, half, v[0]);
      Value lhs = scalar.select(less, zero, shared);
      Value rhs = scalar.select(greater, zero, shared);
      return {scalar.round(lhs, type.getElementType()),
              scalar.round(rhs, type.getElementType())};
    };
    rewriter.replaceOp(
        op,
        buildElementwise(rewriter, op.getLoc(), TypeRange{type, type},
                         {op.getCotangent(), op.getLhs(), op.getRhs()}, body));
  }
};

/// `value`, a reduction's result (with or without kept dimensions), without the
/// reduced ones, and the map by which `input`'s domain reads it.
static LinalgInput buildReduced(OpBuilder &builder, Location loc, Value value,
                                RankedTensorType input,
                                ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> reads;
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    if (llvm::is_contained(dims, dim))
      continue;
    shape.push_back(input.getDimSize(dim));
    reads.push_back(builder.getAffineDimExpr(dim));
  }
  Value reduced = buildReshape(builder, loc, value, shape);
  return {reduced,
          AffineMap::get(input.getRank(), 0, reads, builder.getContext())};
}

struct LowerReduceMeanGrad : LoweringPattern<nn::ReduceMeanGradOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::ReduceMeanGradOp op,
             PatternRewriter &rewriter) const override {
    auto result = cast<RankedTensorType>(op.getType());
    double count = 1;
    for (int64_t dim : op.getDims())
      count *= result.getDimSize(dim);
    FloatType compute =
        getComputeType(rewriter.getContext(), op->getOperandTypes());
    LinalgInput cotangent = buildReduced(
        rewriter, op.getLoc(), op.getCotangent(), result, op.getDims());
    rewriter.replaceOp(
        op, buildElementwise(
                rewriter, op.getLoc(), result, {cotangent},
                [&](OpBuilder &builder, Location loc,
                    ValueRange elements) -> SmallVector<Value> {
                  ScalarBuilder scalar(builder, loc, compute);
                  Value share = scalar.div(scalar.widen(elements[0]), count);
                  return {scalar.round(share, result.getElementType())};
                }));
  }
};

/// Counts the elements that equal the maximum, then gives each of them its
/// share.
struct LowerReduceMaxGrad : OpRewritePattern<nn::ReduceMaxGradOp> {
  using OpRewritePattern::OpRewritePattern;

  static Value buildEqual(ScalarBuilder &scalar, Value lhs, Value rhs) {
    return scalar.compare(arith::CmpFPredicate::OEQ, lhs, rhs);
  }

  /// The count of maxima, by the reduction of a 0/1 tensor.
  static Value buildCount(PatternRewriter &rewriter, nn::ReduceMaxGradOp op,
                          const LinalgInput &output, FloatType compute) {
    auto type = cast<RankedTensorType>(op.getInput().getType());
    Location loc = op.getLoc();
    Value hits = buildElementwise(
        rewriter, loc, type.clone(compute), {op.getInput(), output},
        [&](OpBuilder &builder, Location nested,
            ValueRange elements) -> SmallVector<Value> {
          ScalarBuilder scalar(builder, nested, compute);
          SmallVector<Value> v = widenAll(scalar, elements);
          return {scalar.select(buildEqual(scalar, v[0], v[1]), 1.0, 0.0)};
        });
    return buildSumOverDims(rewriter, loc, hits, op.getDims());
  }

  LogicalResult matchAndRewrite(nn::ReduceMaxGradOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(requireLowerable(rewriter, op)))
      return failure();
    Location loc = op.getLoc();
    auto result = cast<RankedTensorType>(op.getType());
    FloatType compute =
        getComputeType(rewriter.getContext(), op->getOperandTypes());
    LinalgInput output =
        buildReduced(rewriter, loc, op.getOutput(), result, op.getDims());
    LinalgInput cotangent =
        buildReduced(rewriter, loc, op.getCotangent(), result, op.getDims());
    LinalgInput count =
        buildReduced(rewriter, loc, buildCount(rewriter, op, output, compute),
                     result, op.getDims());
    rewriter.replaceOp(
        op,
        buildElementwise(
            rewriter, loc, result, {cotangent, op.getInput(), output, count},
            [&](OpBuilder &builder, Location nested,
                ValueRange elements) -> SmallVector<Value> {
              ScalarBuilder scalar(builder, nested, compute);
              SmallVector<Value> v = widenAll(scalar, elements);
              Value share = scalar.div(v[0], v[3]);
              Value value =
                  scalar.select(buildEqual(scalar, v[1], v[2]), share, 0.0);
              return {scalar.round(value, result.getElementType())};
            }));
    return success();
  }
};

} // namespace

void nntolinalg::populateGradientPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerGradient<nn::AbsGradOp>, LowerGradient<nn::DivRhsGradOp>,
               LowerGradient<nn::GeluGradOp>, LowerGradient<nn::ReluGradOp>,
               LowerGradient<nn::RsqrtGradOp>, LowerGradient<nn::SigmoidGradOp>,
               LowerGradient<nn::SiluGradOp>, LowerGradient<nn::SqrtGradOp>,
               LowerGradient<nn::TanhGradOp>, LowerAddN, LowerMaximumGrad,
               LowerReduceMaxGrad, LowerReduceMeanGrad>(patterns.getContext());
}
