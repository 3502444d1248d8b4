//===- VJPElementwise.cpp - Derivatives of elementwise ops ------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One op per derivative, from the value that PyTorch saves: the output for
// relu, tanh, sigmoid, exp, sqrt and rsqrt, the input for the others.
//
//===----------------------------------------------------------------------===//

#include "VJPContext.h"

using namespace mlir;
using namespace mlir::nn;

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

/// dx = GradOp(dy, y).
template <typename OpTy, typename GradOp>
static LogicalResult savedOutputVJP(OpTy op, VJPContext &c) {
  c.set(0, GradOp::create(c.builder, c.loc, op.getInput().getType(),
                          c.cotangent(), op.getResult()));
  return success();
}

/// dx = GradOp(dy, x).
template <typename OpTy, typename GradOp>
static LogicalResult savedInputVJP(OpTy op, VJPContext &c) {
  c.set(0, GradOp::create(c.builder, c.loc, op.getInput().getType(),
                          c.cotangent(), op.getInput()));
  return success();
}

static LogicalResult geluVJP(GeluOp op, VJPContext &c) {
  c.set(0,
        GeluGradOp::create(c.builder, c.loc, op.getInput().getType(),
                           c.cotangent(), op.getInput(), op.getApproximate()));
  return success();
}

static LogicalResult negVJP(NegOp op, VJPContext &c) {
  c.set(0, NegOp::create(c.builder, c.loc, op.getType(), c.cotangent()));
  return success();
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

static LogicalResult addVJP(AddOp op, VJPContext &c) {
  c.set(0, c.cotangent());
  c.set(1, c.cotangent());
  return success();
}

static LogicalResult subVJP(SubOp op, VJPContext &c) {
  c.set(0, c.cotangent());
  if (c.wants(1))
    c.set(1, NegOp::create(c.builder, c.loc, op.getType(), c.cotangent()));
  return success();
}

static LogicalResult mulVJP(MulOp op, VJPContext &c) {
  if (c.wants(0))
    c.set(0, MulOp::create(c.builder, c.loc, op.getType(), c.cotangent(),
                           op.getRhs()));
  if (c.wants(1))
    c.set(1, MulOp::create(c.builder, c.loc, op.getType(), c.cotangent(),
                           op.getLhs()));
  return success();
}

static LogicalResult divVJP(DivOp op, VJPContext &c) {
  if (c.wants(0))
    c.set(0, DivOp::create(c.builder, c.loc, op.getType(), c.cotangent(),
                           op.getRhs()));
  if (c.wants(1))
    c.set(1, DivRhsGradOp::create(c.builder, c.loc, op.getType(), c.cotangent(),
                                  op.getLhs(), op.getRhs()));
  return success();
}

static LogicalResult maximumVJP(MaximumOp op, VJPContext &c) {
  auto grad =
      MaximumGradOp::create(c.builder, c.loc, op.getType(), op.getType(),
                            c.cotangent(), op.getLhs(), op.getRhs());
  c.set(0, grad.getLhsGrad());
  c.set(1, grad.getRhsGrad());
  return success();
}

//===----------------------------------------------------------------------===//
// Select
//===----------------------------------------------------------------------===//

/// The cotangent goes to the arm that was taken, zero to the other.
static LogicalResult selectVJP(SelectOp op, VJPContext &c) {
  Value cotangent = c.cotangent();
  auto type = cast<RankedTensorType>(cotangent.getType());
  if (!c.wants(1) && !c.wants(2))
    return success();
  Value zero = createZero(c.builder, c.loc, type, cotangent);
  if (c.wants(1))
    c.set(1, SelectOp::create(c.builder, c.loc, type, op.getCondition(),
                              cotangent, zero));
  if (c.wants(2))
    c.set(2, SelectOp::create(c.builder, c.loc, type, op.getCondition(), zero,
                              cotangent));
  return success();
}

void nn::attachElementwiseVJPs(MLIRContext *context) {
  attachVJP<AbsOp, savedInputVJP<AbsOp, AbsGradOp>>(context);
  attachVJP<AddOp, addVJP>(context);
  attachVJP<CompareOp, zeroVJP<CompareOp>>(context);
  attachVJP<DivOp, divVJP>(context);
  attachVJP<ExpOp, savedOutputVJP<ExpOp, MulOp>>(context);
  attachVJP<GeluOp, geluVJP>(context);
  attachVJP<LogOp, savedInputVJP<LogOp, DivOp>>(context);
  attachVJP<MaximumOp, maximumVJP>(context);
  attachVJP<MulOp, mulVJP>(context);
  attachVJP<NegOp, negVJP>(context);
  attachVJP<ReluOp, savedOutputVJP<ReluOp, ReluGradOp>>(context);
  attachVJP<RsqrtOp, savedOutputVJP<RsqrtOp, RsqrtGradOp>>(context);
  attachVJP<SelectOp, selectVJP>(context);
  attachVJP<SigmoidOp, savedOutputVJP<SigmoidOp, SigmoidGradOp>>(context);
  attachVJP<SiluOp, savedInputVJP<SiluOp, SiluGradOp>>(context);
  attachVJP<SqrtOp, savedOutputVJP<SqrtOp, SqrtGradOp>>(context);
  attachVJP<SubOp, subVJP>(context);
  attachVJP<TanhOp, savedOutputVJP<TanhOp, TanhGradOp>>(context);
}
