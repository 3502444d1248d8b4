//===- AMPLossScale.cpp - Loss-scale rules of the precision dialect -*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which power of a scaler the ops of loss scaling take, give and require: the
// order "scale, accumulate, unscale once, check, clip, update" as rules.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMP/IR/AMPDialect.h"

using namespace mlir;
using namespace mlir::amp;

/// Requires operand `index` to carry no scale.
static LogicalResult expectUnscaled(Operation *op, unsigned index,
                                    const ScalePower &power, StringRef what,
                                    StringRef remedy) {
  if (power.isAny() || power.isNone())
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("expects ")
                                  << what << " without a loss scale, but got "
                                  << power.str() << "; " << remedy;
  diagnostic.attachNote(op->getOperand(index).getLoc())
      << "see scaled value defined here";
  return diagnostic;
}

LogicalResult
CastOp::transferScalePowers(ArrayRef<ScalePower> operands,
                            SmallVectorImpl<ScalePower> &results) {
  results.push_back(operands.front());
  return success();
}

LogicalResult
ScaleLossOp::transferScalePowers(ArrayRef<ScalePower> operands,
                                 SmallVectorImpl<ScalePower> &results) {
  if (failed(expectUnscaled(*this, 0, operands[0], "a loss",
                            "the loss is scaled once")))
    return failure();
  results.push_back(ScalePower::of(getScalerAttr().getAttr()));
  return success();
}

LogicalResult
UnscaleGradsOp::transferScalePowers(ArrayRef<ScalePower> operands,
                                    SmallVectorImpl<ScalePower> &results) {
  ScalePower expected = ScalePower::of(getScalerAttr().getAttr());
  for (auto [index, power] : llvm::enumerate(operands.drop_front())) {
    if (!power.isAny() && power != expected) {
      InFlightDiagnostic diagnostic =
          emitOpError("expects gradients that carry ")
          << expected.str() << ", but gradient #" << index << " carries "
          << power.str()
          << (power.isNone() ? "; it was unscaled before, or never scaled"
                             : "; unscale each scaler once");
      diagnostic.attachNote(getGradients()[index].getLoc())
          << "see gradient defined here";
      return diagnostic;
    }
    results.push_back(power.isAny() ? power : ScalePower());
  }
  return success();
}

LogicalResult
GlobalNormOp::transferScalePowers(ArrayRef<ScalePower> operands,
                                  SmallVectorImpl<ScalePower> &results) {
  ScalePower norm = ScalePower::any();
  for (auto [index, power] : llvm::enumerate(operands)) {
    std::optional<ScalePower> joined = ScalePower::join(norm, power);
    if (!joined) {
      InFlightDiagnostic diagnostic =
          emitOpError("expects gradients of one loss scale, but got ")
          << norm.str() << " and " << power.str()
          << "; unscale all of them first";
      diagnostic.attachNote(getGradients()[index].getLoc())
          << "see gradient of " << power.str() << " here";
      return diagnostic;
    }
    norm = *joined;
  }
  results.push_back(norm);
  return success();
}

LogicalResult
FoundInfOp::transferScalePowers(ArrayRef<ScalePower>,
                                SmallVectorImpl<ScalePower> &results) {
  results.emplace_back(); // A flag: any power is fine to look at.
  return success();
}

LogicalResult
ZeroShareOp::transferScalePowers(ArrayRef<ScalePower>,
                                 SmallVectorImpl<ScalePower> &results) {
  results.emplace_back();
  return success();
}

LogicalResult
ClipByGlobalNormOp::transferScalePowers(ArrayRef<ScalePower> operands,
                                        SmallVectorImpl<ScalePower> &results) {
  StringRef remedy =
      "clip after 'amp.unscale_grads': a threshold means nothing "
      "to a scaled gradient";
  if (failed(expectUnscaled(*this, 0, operands[0], "a norm", remedy)))
    return failure();
  for (auto [index, power] : llvm::enumerate(operands.drop_front())) {
    if (failed(expectUnscaled(*this, index + 1, power, "gradients", remedy)))
      return failure();
    results.push_back(power);
  }
  return success();
}

LogicalResult
UpdateScaleOp::transferScalePowers(ArrayRef<ScalePower>,
                                   SmallVectorImpl<ScalePower> &results) {
  results.resize(2);
  return success();
}

LogicalResult
GuardedUpdateOp::transferScalePowers(ArrayRef<ScalePower> operands,
                                     SmallVectorImpl<ScalePower> &results) {
  for (auto [index, power] : llvm::enumerate(operands))
    if (failed(expectUnscaled(*this, index, power, "operands",
                              "apply 'amp.unscale_grads' before the update")))
      return failure();
  results.resize(getNumResults());
  return success();
}
