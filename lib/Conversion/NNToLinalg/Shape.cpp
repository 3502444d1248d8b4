//===- Shape.cpp - Shape and type ops to linalg -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Movement: reshapes are views, transposes and broadcasts are reads through a
// map, integer conversions are elementwise.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "amp/Dialect/NN/IR/NNDialect.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::nntolinalg;

/// Yields its first element.
static SmallVector<Value> forward(OpBuilder &, Location, ValueRange elements) {
  return {elements[0]};
}

Value nntolinalg::buildTranspose(OpBuilder &builder, Location loc, Value input,
                                 ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape;
  SmallVector<unsigned> readAt(permutation.size());
  for (auto [index, dim] : llvm::enumerate(permutation)) {
    shape.push_back(type.getDimSize(dim));
    readAt[dim] = index;
  }
  auto map = AffineMap::getPermutationMap(readAt, builder.getContext());
  if (readAt.empty() || map.isIdentity())
    return input;
  return buildElementwise(builder, loc,
                          RankedTensorType::get(shape, type.getElementType()),
                          {{input, map}}, forward);
}

namespace {

struct LowerReshape : LoweringPattern<nn::ReshapeOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::ReshapeOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, buildReshape(rewriter, op.getLoc(), op.getInput(),
                                        op.getType().getShape()));
  }
};

struct LowerTranspose : LoweringPattern<nn::TransposeOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::TransposeOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, buildTranspose(rewriter, op.getLoc(), op.getInput(),
                                          op.getPermutation()));
  }
};

/// Input dimensions of size 1 that the result repeats collapse away, so that
/// every read is a projected permutation.
struct LowerBroadcast : OpRewritePattern<nn::BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto input = cast<RankedTensorType>(op.getInput().getType());
    RankedTensorType result = op.getType();
    if (!input.hasStaticShape() || !result.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "expects static shapes");
    SmallVector<int64_t> shape;
    SmallVector<AffineExpr> reads;
    for (auto [dim, size] : llvm::zip_equal(op.getDims(), input.getShape())) {
      if (size != result.getDimSize(dim))
        continue;
      shape.push_back(size);
      reads.push_back(rewriter.getAffineDimExpr(dim));
    }
    Value source = buildReshape(rewriter, op.getLoc(), op.getInput(), shape);
    auto map =
        AffineMap::get(result.getRank(), 0, reads, rewriter.getContext());
    if (map.isIdentity())
      rewriter.replaceOp(op, source);
    else
      rewriter.replaceOp(op, buildElementwise(rewriter, op.getLoc(), result,
                                              {{source, map}}, forward));
    return success();
  }
};

struct LowerConvert : OpRewritePattern<nn::ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Integers of up to 64 bits to float: through f64, exact up to 53 bits, and
  /// from there with one rounding.
  static Value convertToFloat(OpBuilder &builder, Location loc, Value element,
                              FloatType to) {
    unsigned bits = element.getType().getIntOrFloatBitWidth();
    Type wide =
        bits <= 16 || to.isF32() ? builder.getF32Type() : builder.getF64Type();
    Value value;
    if (bits == 1)
      value = arith::UIToFPOp::create(builder, loc, wide, element);
    else
      value = arith::SIToFPOp::create(builder, loc, wide, element);
    return ScalarBuilder(builder, loc, to).round(value, to);
  }

  static Value convertElement(OpBuilder &builder, Location loc, Value element,
                              Type to) {
    Type from = element.getType();
    if (auto floatType = dyn_cast<FloatType>(to))
      return convertToFloat(builder, loc, element, floatType);
    if (isa<FloatType>(from)) {
      ScalarBuilder scalar(builder, loc,
                           getComputeType(builder.getContext(), from));
      Value wide = scalar.widen(element);
      if (to.isInteger(1))
        return scalar.compare(arith::CmpFPredicate::UNE, wide,
                              scalar.constant(0.0));
      return arith::FPToSIOp::create(builder, loc, to, wide);
    }
    unsigned fromBits = from.getIntOrFloatBitWidth();
    unsigned toBits = to.getIntOrFloatBitWidth();
    if (fromBits == toBits)
      return element;
    if (toBits == 1) {
      Value zero = arith::ConstantOp::create(builder, loc,
                                             builder.getIntegerAttr(from, 0));
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                   element, zero);
    }
    if (toBits < fromBits)
      return arith::TruncIOp::create(builder, loc, to, element);
    if (fromBits == 1)
      return arith::ExtUIOp::create(builder, loc, to, element);
    return arith::ExtSIOp::create(builder, loc, to, element);
  }

  LogicalResult matchAndRewrite(nn::ConvertOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(requireLowerable(rewriter, op)))
      return failure();
    rewriter.replaceOp(
        op, buildElementwise(
                rewriter, op.getLoc(), op.getType(), {op.getInput()},
                [&](OpBuilder &builder, Location loc,
                    ValueRange elements) -> SmallVector<Value> {
                  return {convertElement(builder, loc, elements[0],
                                         op.getType().getElementType())};
                }));
    return success();
  }
};

struct LowerConstant : OpRewritePattern<nn::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::ConstantOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, cast<TypedAttr>(op.getValue()));
    return success();
  }
};

/// From here on nothing moves or merges clones any more.
struct LowerOptimizationBarrier : OpRewritePattern<nn::OptimizationBarrierOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::OptimizationBarrierOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op.getInputs());
    return success();
  }
};

struct LowerElementCount : LoweringPattern<nn::ElementCountOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::ElementCountOp op, PatternRewriter &rewriter) const override {
    int64_t count =
        cast<RankedTensorType>(op.getInput().getType()).getNumElements();
    auto type = cast<RankedTensorType>(op.getType());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, DenseElementsAttr::get(type, rewriter.getI64IntegerAttr(count)));
  }
};

} // namespace

void nntolinalg::populateShapePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerBroadcast, LowerConstant, LowerConvert, LowerElementCount,
               LowerOptimizationBarrier, LowerReshape, LowerTranspose>(
      patterns.getContext());
}
