//===- VJPContraction.cpp - Derivatives of linear and matmul ----*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backward contractions run in the forward's operand types under the forward's
// accumulator contract. Weight and bias gradients leave the accumulator in f32
// unless the options round them to the operand's type.
//
//===----------------------------------------------------------------------===//

#include "VJPContext.h"

#include "llvm/ADT/Sequence.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::nn;

/// y = x w^T + b: dx = dy w, dw = sum dy^T x, db = sum dy.
static LogicalResult linearVJP(LinearOp op, VJPContext &c) {
  MLIRContext *context = op.getContext();
  Value cotangent = c.cotangentAs(0);
  if (c.wants(0))
    c.set(0, LinearInputGradOp::create(
                 c.builder, c.loc, op.getInput().getType(), cotangent,
                 op.getWeight(), c.contractionNumerics(),
                 amp::PhaseAttr::get(context, amp::Phase::dgrad)));
  if (c.wants(1)) {
    Type weight = op.getWeight().getType();
    c.set(1,
          LinearWeightGradOp::create(
              c.builder, c.loc,
              withElementType(weight, c.parameterGradientElementType(weight)),
              cotangent, op.getInput(), c.contractionNumerics(),
              amp::PhaseAttr::get(context, amp::Phase::wgrad)));
  }
  if (!op.getBias() || !c.wants(2))
    return success();
  Type bias = op.getBias().getType();
  Type elementType = c.parameterGradientElementType(bias);
  int64_t rank = op.getType().getRank();
  // A rank-1 input has no leading dimension to sum over.
  if (rank == 1) {
    c.set(2, cotangent);
    return success();
  }
  c.set(2, ReduceSumOp::create(
               c.builder, c.loc, withElementType(bias, elementType), cotangent,
               llvm::to_vector(llvm::seq<int64_t>(0, rank - 1)),
               /*keepdims=*/false,
               c.reductionNumerics(getElementTypeOrSelf(cotangent))));
  return success();
}

/// `lhs` x `rhs` with transposes, of type `type`, phase dgrad.
static Value createMatmul(VJPContext &c, Type type, Value lhs, Value rhs,
                          bool transposeLhs, bool transposeRhs) {
  return MatmulOp::create(
      c.builder, c.loc, type, lhs, rhs, transposeLhs, transposeRhs,
      c.contractionNumerics(),
      amp::PhaseAttr::get(type.getContext(), amp::Phase::dgrad));
}

/// y = A B with A, B after their transposes: dA = dy B^T, dB = A^T dy, each
/// transposed back by exchanging the factors, so that no transpose op is made.
static LogicalResult matmulVJP(MatmulOp op, VJPContext &c) {
  Value cotangent = c.cotangentAs(0);
  Value lhs = op.getLhs(), rhs = op.getRhs();
  bool tl = op.getTransposeLhs(), tr = op.getTransposeRhs();
  if (c.wants(0))
    c.set(0, tl ? createMatmul(c, lhs.getType(), rhs, cotangent, tr, true)
                : createMatmul(c, lhs.getType(), cotangent, rhs, false, !tr));
  if (c.wants(1))
    c.set(1, tr ? createMatmul(c, rhs.getType(), cotangent, lhs, true, tl)
                : createMatmul(c, rhs.getType(), lhs, cotangent, !tl, false));
  return success();
}

void nn::attachContractionVJPs(MLIRContext *context) {
  attachVJP<LinearOp, linearVJP>(context);
  attachVJP<MatmulOp, matmulVJP>(context);
}
