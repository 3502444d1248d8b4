//===- VJPReduction.cpp - Derivatives of reductions and losses --*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions, softmax and losses. Where forward has a wider result than its
// operand (`fp32_output`), the cotangent enters the derivative op unrounded if
// that op takes it, and is rounded once to the operand's type.
//
//===----------------------------------------------------------------------===//

#include "VJPContext.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::nn;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The cotangent repeated over the summed dimensions.
static LogicalResult reduceSumVJP(ReduceSumOp op, VJPContext &c) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < input.getRank(); ++dim)
    if (op.getKeepdims() || !llvm::is_contained(op.getDims(), dim))
      dims.push_back(dim);
  Value cotangent = c.cotangentAs(0);
  Value like = input.hasStaticShape() ? Value() : op.getInput();
  c.set(0, BroadcastOp::create(c.builder, c.loc, input, cotangent, like, dims));
  return success();
}

static LogicalResult reduceMeanVJP(ReduceMeanOp op, VJPContext &c) {
  c.set(0, ReduceMeanGradOp::create(c.builder, c.loc, op.getInput().getType(),
                                    c.cotangent(), op.getInput(), op.getDims(),
                                    op.getKeepdims()));
  return success();
}

static LogicalResult reduceMaxVJP(ReduceMaxOp op, VJPContext &c) {
  Type elementType = getElementTypeOrSelf(op.getInput());
  c.set(0, ReduceMaxGradOp::create(c.builder, c.loc, op.getInput().getType(),
                                   c.cotangent(), op.getInput(), op.getResult(),
                                   op.getDims(), op.getKeepdims(),
                                   c.reductionNumerics(elementType)));
  return success();
}

/// dx = GradOp(dy, y) in the output's type, then to the input's.
template <typename OpTy, typename GradOp>
static LogicalResult softmaxVJP(OpTy op, VJPContext &c) {
  Value gradient = GradOp::create(
      c.builder, c.loc, op.getType(), c.cotangent(), op.getResult(),
      op.getDim(), c.reductionNumerics(getElementTypeOrSelf(op.getResult())));
  c.set(0, castToElementType(c.builder, c.loc, gradient,
                             getElementTypeOrSelf(op.getInput())));
  return success();
}

/// Every operand of a sum has the cotangent of the sum.
static LogicalResult addNVJP(AddNOp op, VJPContext &c) {
  for (unsigned index = 0; index < op->getNumOperands(); ++index)
    c.set(index, c.cotangent());
  return success();
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

/// A denominator is data, like a target of integers: it has no cotangent.
static LogicalResult crossEntropyVJP(CrossEntropyOp op, VJPContext &c) {
  c.set(0, CrossEntropyGradOp::create(
               c.builder, c.loc, op.getLogits().getType(), c.cotangent(),
               op.getLogits(), op.getTargets(), op.getDenominator(),
               op.getReduction(), op.getIgnoreIndex(), op.getLabelSmoothing(),
               c.reductionNumerics(getElementTypeOrSelf(op.getLogits()))));
  return success();
}

/// The derivative by the target is the negative of that by the input.
static LogicalResult mseLossVJP(MSELossOp op, VJPContext &c) {
  Type type = op.getInput().getType();
  if (!c.wants(0) && !c.wants(1))
    return success();
  Value gradient = MSELossGradOp::create(
      c.builder, c.loc, type, c.cotangent(), op.getInput(), op.getTarget(),
      op.getDenominator(), op.getReduction());
  c.set(0, gradient);
  if (c.wants(1))
    c.set(1, NegOp::create(c.builder, c.loc, type, gradient));
  return success();
}

void nn::attachReductionVJPs(MLIRContext *context) {
  attachVJP<AddNOp, addNVJP>(context);
  attachVJP<CrossEntropyOp, crossEntropyVJP>(context);
  attachVJP<LogSoftmaxOp, softmaxVJP<LogSoftmaxOp, LogSoftmaxGradOp>>(context);
  attachVJP<MSELossOp, mseLossVJP>(context);
  attachVJP<ReduceMaxOp, reduceMaxVJP>(context);
  attachVJP<ReduceMeanOp, reduceMeanVJP>(context);
  attachVJP<ReduceSumOp, reduceSumVJP>(context);
  attachVJP<SoftmaxOp, softmaxVJP<SoftmaxOp, SoftmaxGradOp>>(context);
}
