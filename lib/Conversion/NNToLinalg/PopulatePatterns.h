//===- PopulatePatterns.h - Pattern families of NNToLinalg -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Common to all families: elements are widened to f32 (f64 where an operand is
// f64), computed there, and rounded once; accumulators have the type that
// `numerics` states. Patterns match static shapes only.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_NNTOLINALG_POPULATEPATTERNS_H
#define AMP_LIB_CONVERSION_NNTOLINALG_POPULATEPATTERNS_H

#include "amp/Conversion/Utils/LinalgBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::amp::nntolinalg {

void populateContractionPatterns(RewritePatternSet &patterns);
void populateElementwisePatterns(RewritePatternSet &patterns);
void populateGradientPatterns(RewritePatternSet &patterns);
void populateLossPatterns(RewritePatternSet &patterns);
void populateReductionPatterns(RewritePatternSet &patterns);
void populateShapePatterns(RewritePatternSet &patterns);
void populateSoftmaxPatterns(RewritePatternSet &patterns);

/// Fails with a reason unless all operands and results are static and the order
/// of accumulation is one that a region can state.
LogicalResult requireLowerable(PatternRewriter &rewriter, Operation *op);

/// The lowering of every op of a kind that is lowerable at all.
template <typename OpTy> struct LoweringPattern : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const final {
    if (failed(requireLowerable(rewriter, op)))
      return failure();
    lower(op, rewriter);
    return success();
  }

  /// Replaces `op`.
  virtual void lower(OpTy op, PatternRewriter &rewriter) const = 0;
};

/// Replaces `op`, floats to one float all of one shape, by an elementwise op
/// that computes `emit` of the widened elements and rounds once.
void replaceElementwise(PatternRewriter &rewriter, Operation *op,
                        function_ref<Value(ScalarBuilder &, ValueRange)> emit);

/// The elements of an elementwise region, widened.
SmallVector<Value> widenAll(ScalarBuilder &scalar, ValueRange elements);

/// A float constant of the accumulator type.
inline TypedAttr getFloatInit(OpBuilder &builder, FloatType type,
                              double value) {
  return builder.getFloatAttr(type, value);
}

/// The sum of `input` over `dims`, in its own type; the reduced dimensions are
/// gone and the others collapsed into at most one.
Value buildSumOverDims(OpBuilder &builder, Location loc, Value input,
                       ArrayRef<int64_t> dims);

/// The largest element of each row of `input` ([..., C]), as f32 (or f64).
Value buildRowMax(OpBuilder &builder, Location loc, Value input);
/// Per row, the sum of e^(input - max), in the accumulator type.
Value buildRowExpSum(OpBuilder &builder, Location loc, Value input, Value max,
                     NumericsAttr numerics);

/// The input with dimension `dim` moved to the end; the input itself where it
/// is there already.
Value moveDimToEnd(OpBuilder &builder, Location loc, Value input, int64_t dim);
/// The inverse: the last dimension moved back to `dim`.
Value moveDimFromEnd(OpBuilder &builder, Location loc, Value input,
                     int64_t dim);
/// Result dimension i is input dimension `permutation[i]`.
Value buildTranspose(OpBuilder &builder, Location loc, Value input,
                     ArrayRef<int64_t> permutation);

} // namespace mlir::amp::nntolinalg

#endif // AMP_LIB_CONVERSION_NNTOLINALG_POPULATEPATTERNS_H
