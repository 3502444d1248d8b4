//===- VJPMovement.cpp - Derivatives of casts and movement ------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that move elements without changing them, and casts. These rules keep the
// element type of the cotangent, so an f32 weight gradient passes through them
// unrounded on its way to the parameter.
//
//===----------------------------------------------------------------------===//

#include "VJPContext.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::nn;

/// The type of operand `index` in the element type of the cotangent.
static RankedTensorType getGradientType(VJPContext &c, unsigned index = 0) {
  return withElementType(c.op->getOperand(index).getType(),
                         getElementTypeOrSelf(c.cotangent()));
}

/// A cast's derivative casts back; an f32 weight gradient of a narrow copy is
/// there already. The forward's rounding and overflow are not inherited: an
/// overflowing gradient must become infinite to be found.
static LogicalResult castVJP(amp::CastOp op, VJPContext &c) {
  c.set(0,
        castToElementType(c.builder, c.loc, c.cotangent(),
                          getElementTypeOrSelf(op.getInput()), op.getOrigin()));
  return success();
}

static LogicalResult reshapeVJP(ReshapeOp op, VJPContext &c) {
  RankedTensorType type = getGradientType(c);
  if (type.getNumDynamicDims() > 1)
    return op.emitOpError()
           << "expects an input with at most one dynamic dimension to be "
              "differentiated, but got "
           << op.getInput().getType()
           << "; specialize shapes first, or keep one dimension dynamic";
  c.set(0, ReshapeOp::create(c.builder, c.loc, type, c.cotangent()));
  return success();
}

static LogicalResult transposeVJP(TransposeOp op, VJPContext &c) {
  SmallVector<int64_t> inverse = invertPermutationVector(op.getPermutation());
  c.set(0, TransposeOp::create(c.builder, c.loc, getGradientType(c),
                               c.cotangent(), inverse));
  return success();
}

/// The cotangent summed over the dimensions that were repeated, in one
/// accumulation with one rounding.
static LogicalResult broadcastVJP(BroadcastOp op, VJPContext &c) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto result = cast<RankedTensorType>(op.getType());
  ArrayRef<int64_t> dims = op.getDims();
  SmallVector<int64_t> summed;
  bool summedUnit = false, summedNew = false;
  for (int64_t dim = 0, next = 0; dim < result.getRank(); ++dim) {
    bool isNew = next == input.getRank() || dims[next] != dim;
    bool isUnit =
        !isNew && input.getDimSize(next) == 1 && result.getDimSize(dim) != 1;
    next += !isNew;
    if (!isNew && !isUnit)
      continue;
    summed.push_back(dim);
    summedNew |= isNew;
    summedUnit |= isUnit;
  }
  RankedTensorType type = getGradientType(c);
  if (summed.empty()) {
    c.set(0, c.cotangent());
    return success();
  }
  amp::NumericsAttr numerics = getDefaultNumerics(type.getElementType());
  bool mixed = summedUnit && summedNew;
  if (!mixed) {
    c.set(0, ReduceSumOp::create(c.builder, c.loc, type, c.cotangent(), summed,
                                 /*keepdims=*/summedUnit, numerics));
    return success();
  }
  if (type.getNumDynamicDims() > 1)
    return op.emitOpError() << "expects an input with at most one dynamic "
                               "dimension to be differentiated where new and "
                               "unit dimensions are repeated, but got "
                            << input;
  SmallVector<int64_t> kept;
  for (auto [dim, size] : llvm::enumerate(result.getShape()))
    if (!llvm::is_contained(summed, static_cast<int64_t>(dim)))
      kept.push_back(size);
  Value sum = ReduceSumOp::create(
      c.builder, c.loc, RankedTensorType::get(kept, type.getElementType()),
      c.cotangent(), summed, /*keepdims=*/false, numerics);
  c.set(0, ReshapeOp::create(c.builder, c.loc, type, sum));
  return success();
}

/// The identity, result by result. A recomputed clone behind the barrier has
/// the value's own derivative.
static LogicalResult barrierVJP(OptimizationBarrierOp, VJPContext &c) {
  for (auto [index, cotangent] : llvm::enumerate(c.cotangents))
    c.set(index, cotangent);
  return success();
}

void nn::attachMovementVJPs(MLIRContext *context) {
  attachVJP<BroadcastOp, broadcastVJP>(context);
  attachVJP<ConstantOp, zeroVJP<ConstantOp>>(context);
  attachVJP<ConvertOp, zeroVJP<ConvertOp>>(context);
  attachVJP<ElementCountOp, zeroVJP<ElementCountOp>>(context);
  attachVJP<OptimizationBarrierOp, barrierVJP>(context);
  attachVJP<ReshapeOp, reshapeVJP>(context);
  attachVJP<TransposeOp, transposeVJP>(context);
  attachVJP<ValidCountOp, zeroVJP<ValidCountOp>>(context);
}

void nn::attachCastVJP(MLIRContext *context) {
  attachVJP<amp::CastOp, castVJP>(context);
}
