//===- Gradients.cpp - What a step computes over its gradients -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unscaling, norm, finite check, share of zeros, clipping: flat reductions to
// rank 0 and elementwise ops that read rank-0 values.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "amp/Dialect/AMP/IR/AMPDialect.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::amptolinalg;

static LogicalResult requireStaticShapes(PatternRewriter &rewriter,
                                         Operation *op) {
  for (Type type : op->getOperandTypes())
    if (!cast<RankedTensorType>(type).hasStaticShape())
      return rewriter.notifyMatchFailure(op, "expects static shapes");
  return success();
}

static Value buildFlat(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return buildReshape(builder, loc, value, {type.getNumElements()});
}

/// A rank-0 op on floats of type `compute`, rounded to `result`.
static Value
buildScalar(OpBuilder &builder, Location loc, FloatType result,
            FloatType compute, ValueRange inputs,
            function_ref<Value(ScalarBuilder &, ValueRange)> body) {
  SmallVector<LinalgInput> operands;
  for (Value input : inputs)
    operands.emplace_back(input);
  return buildElementwise(builder, loc, RankedTensorType::get({}, result),
                          operands,
                          [&](OpBuilder &nested, Location nestedLoc,
                              ValueRange elements) -> SmallVector<Value> {
                            ScalarBuilder scalar(nested, nestedLoc, compute);
                            SmallVector<Value> wide;
                            for (Value element : elements)
                              wide.push_back(scalar.widen(element));
                            return {scalar.round(body(scalar, wide), result)};
                          });
}

/// Infinite or NaN: not below infinity.
static Value isNonFinite(ScalarBuilder &scalar, Value value) {
  Value magnitude = scalar.abs(value);
  Value infinity = scalar.constant(std::numeric_limits<double>::infinity());
  return scalar.compare(arith::CmpFPredicate::UGE, magnitude, infinity);
}

/// gradient * factor in f32, for a rank-0 `factor`.
static Value buildScaled(OpBuilder &builder, Location loc, Value gradient,
                         Value factor) {
  auto type = cast<RankedTensorType>(gradient.getType());
  FloatType f32 = builder.getF32Type();
  return buildElementwise(
      builder, loc, type.clone(f32), {gradient, factor},
      [&](OpBuilder &nested, Location nestedLoc,
          ValueRange elements) -> SmallVector<Value> {
        ScalarBuilder scalar(
            nested, nestedLoc,
            getComputeType(nested.getContext(), elements[0].getType()));
        Value element = scalar.widen(elements[0]);
        Value wideFactor = scalar.widen(elements[1]);
        return {scalar.round(scalar.mul(element, wideFactor), f32)};
      });
}

/// A reduction of all elements of `gradient` to rank 0.
static Value reduceFlat(OpBuilder &builder, Location loc, Value gradient,
                        TypedAttr init, NumericsAttr numerics,
                        ReductionBody body) {
  Value flat = buildFlat(builder, loc, gradient);
  return buildReduction(builder, loc, ReductionKind::flat,
                        cast<RankedTensorType>(flat.getType()).getShape(),
                        {flat}, {init}, numerics, body)
      .front();
}

namespace {

/// Pattern: scale_loss(l, s) = l * s
struct LowerScaleLoss : OpRewritePattern<ScaleLossOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScaleLossOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op, buildScaled(rewriter, op.getLoc(), op.getLoss(), op.getScale()));
    return success();
  }
};

/// Pattern: unscale_grads(s, g) = g * f32(1 / f64(s))
struct LowerUnscaleGrads : OpRewritePattern<UnscaleGradsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(UnscaleGradsOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(requireStaticShapes(rewriter, op)))
      return failure();
    Location loc = op.getLoc();
    Value inverse =
        buildScalar(rewriter, loc, rewriter.getF32Type(), rewriter.getF64Type(),
                    op.getScale(), [](ScalarBuilder &scalar, ValueRange v) {
                      return scalar.div(scalar.constant(1.0), v[0]);
                    });
    SmallVector<Value> results;
    for (Value gradient : op.getGradients())
      results.push_back(buildScaled(rewriter, loc, gradient, inverse));
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Pattern: global_norm(g...) = sqrt(sum(g^2))
struct LowerGlobalNorm : OpRewritePattern<GlobalNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GlobalNormOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(requireStaticShapes(rewriter, op)))
      return failure();
    Location loc = op.getLoc();
    NumericsAttr numerics = op.getNumericsAttr();
    FloatType accumulator = rewriter.getF32Type();
    if (numerics && numerics.getAccumulate())
      accumulator = cast<FloatType>(numerics.getAccumulate());
    SmallVector<Value> sums;
    for (Value gradient : op.getGradients())
      sums.push_back(
          reduceFlat(rewriter, loc, gradient,
                     rewriter.getFloatAttr(accumulator, 0.0), numerics,
                     [](ScalarBuilder &scalar, ValueRange elements,
                        ValueRange accumulators) -> SmallVector<Value> {
                       Value square = scalar.mul(elements[0], elements[0]);
                       return {scalar.add(accumulators[0], square)};
                     }));
    FloatType compute = getComputeType(getContext(), TypeRange(accumulator));
    rewriter.replaceOp(op, buildScalar(rewriter, loc, rewriter.getF32Type(),
                                       compute, sums,
                                       [](ScalarBuilder &scalar, ValueRange v) {
                                         if (v.empty())
                                           return scalar.constant(0.0);
                                         Value sum = v.front();
                                         for (Value part : v.drop_front())
                                           sum = scalar.add(sum, part);
                                         return scalar.sqrt(sum);
                                       }));
    return success();
  }
};

/// Pattern: found_inf(g..., n) = any(not finite(g)) or not finite(n)
struct LowerFoundInf : OpRewritePattern<FoundInfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(FoundInfOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(requireStaticShapes(rewriter, op)))
      return failure();
    Location loc = op.getLoc();
    Type i1 = rewriter.getI1Type();
    SmallVector<LinalgInput> parts;
    for (Value gradient : op.getGradients())
      parts.emplace_back(reduceFlat(
          rewriter, loc, gradient, rewriter.getBoolAttr(false), nullptr,
          [&](ScalarBuilder &scalar, ValueRange elements,
              ValueRange accumulators) -> SmallVector<Value> {
            Value found = isNonFinite(scalar, elements[0]);
            return {scalar.either(accumulators[0], found)};
          }));
    if (parts.size() == 1 && !op.getNorm()) {
      rewriter.replaceOp(op, parts.front().value);
      return success();
    }
    if (op.getNorm())
      parts.emplace_back(op.getNorm());
    rewriter.replaceOp(
        op, buildElementwise(
                rewriter, loc, RankedTensorType::get({}, i1), parts,
                [&](OpBuilder &builder, Location nested,
                    ValueRange elements) -> SmallVector<Value> {
                  ScalarBuilder scalar(builder, nested, builder.getF32Type());
                  Value found;
                  for (Value part : elements) {
                    if (isa<FloatType>(part.getType()))
                      part = isNonFinite(scalar, part);
                    found = found ? scalar.either(found, part) : part;
                  }
                  if (!found)
                    found = arith::ConstantOp::create(
                        builder, nested, builder.getBoolAttr(false));
                  return {found};
                }));
    return success();
  }
};

/// Counts zeros; those of the padding are known, and taken off.
struct LowerZeroShare : OpRewritePattern<ZeroShareOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ZeroShareOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(requireStaticShapes(rewriter, op)))
      return failure();
    Location loc = op.getLoc();
    Type i64 = rewriter.getI64Type();
    int64_t total = 0;
    SmallVector<LinalgInput> counts;
    for (Value gradient : op.getGradients()) {
      total += cast<RankedTensorType>(gradient.getType()).getNumElements();
      counts.emplace_back(reduceFlat(
          rewriter, loc, gradient, rewriter.getI64IntegerAttr(0), nullptr,
          [&](ScalarBuilder &scalar, ValueRange elements,
              ValueRange accumulators) -> SmallVector<Value> {
            Value zero = scalar.compare(arith::CmpFPredicate::OEQ, elements[0],
                                        scalar.constant(0.0));
            return {scalar.addBool(accumulators[0], zero)};
          }));
    }
    int64_t elements = op.getElements().value_or(total);
    int64_t padding = total - elements;
    auto body = [&](OpBuilder &builder, Location nested,
                    ValueRange parts) -> SmallVector<Value> {
      ScalarBuilder scalar(builder, nested, builder.getF64Type());
      Value count = arith::ConstantOp::create(
          builder, nested, builder.getIntegerAttr(i64, -padding));
      for (Value part : parts)
        count = arith::AddIOp::create(builder, nested, count, part);
      Value wide = scalar.fromInt(count);
      Value share =
          scalar.div(wide, scalar.constant(std::max<int64_t>(elements, 1)));
      return {scalar.round(share, builder.getF32Type())};
    };
    rewriter.replaceOp(
        op, buildElementwise(rewriter, loc, op.getType(), counts, body));
    return success();
  }
};

/// Pattern: clip_by_global_norm(n, g) = g * min(1, max_norm / (n + eps))
struct LowerClipByGlobalNorm : OpRewritePattern<ClipByGlobalNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ClipByGlobalNormOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(requireStaticShapes(rewriter, op)))
      return failure();
    Location loc = op.getLoc();
    FloatType f32 = rewriter.getF32Type();
    Value coefficient = buildScalar(
        rewriter, loc, f32, f32, op.getNorm(),
        [&](ScalarBuilder &scalar, ValueRange v) {
          Value epsilon = scalar.constant(op.getEpsilon().convertToFloat());
          Value divisor = scalar.add(v[0], epsilon);
          Value limit = scalar.constant(op.getMaxNorm().convertToFloat());
          Value ratio = scalar.div(limit, divisor);
          return scalar.minimum(scalar.constant(1.0), ratio);
        });
    SmallVector<Value> results;
    for (Value gradient : op.getGradients())
      results.push_back(buildScaled(rewriter, loc, gradient, coefficient));
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void amptolinalg::populateGradientPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerClipByGlobalNorm, LowerFoundInf, LowerGlobalNorm,
               LowerScaleLoss, LowerUnscaleGrads, LowerZeroShare>(
      patterns.getContext());
}
