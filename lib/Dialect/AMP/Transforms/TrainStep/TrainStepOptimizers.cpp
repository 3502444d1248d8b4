//===- TrainStepOptimizers.cpp - Update rules -----------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SGD, Adam and AdamW in the order of operations of PyTorch's single-tensor f32
// code. A quantity that depends on the step count alone (1 - beta^t, its root,
// lr / (1 - beta1^t)) is computed in f64 and rounded to f32 once: in f32 1 -
// 0.999^t is off by 1.3e-5.
//
//===----------------------------------------------------------------------===//

#include "TrainStep.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::train;

//===----------------------------------------------------------------------===//
// Rank-0 tensors
//===----------------------------------------------------------------------===//

RankedTensorType train::getScalarType(Type elementType) {
  return RankedTensorType::get({}, elementType);
}

static Value buildConstant(ImplicitLocOpBuilder &builder, TypedAttr element) {
  return arith::ConstantOp::create(
      builder,
      DenseElementsAttr::get(getScalarType(element.getType()), element));
}

Value train::buildF32(ImplicitLocOpBuilder &builder, double value) {
  return buildConstant(builder, builder.getF32FloatAttr(value));
}
Value train::buildF64(ImplicitLocOpBuilder &builder, double value) {
  return buildConstant(builder, builder.getF64FloatAttr(value));
}
Value train::buildI64(ImplicitLocOpBuilder &builder, int64_t value) {
  return buildConstant(builder, builder.getI64IntegerAttr(value));
}
Value train::buildI1(ImplicitLocOpBuilder &builder, bool value) {
  return buildConstant(builder, builder.getBoolAttr(value));
}

Value train::buildIncrement(ImplicitLocOpBuilder &builder, Value counter,
                            Value condition) {
  Value increment =
      arith::ExtUIOp::create(builder, counter.getType(), condition);
  return arith::AddIOp::create(builder, counter, increment);
}

Value train::buildRound(ImplicitLocOpBuilder &builder, Value f64) {
  return arith::TruncFOp::create(builder, getScalarType(builder.getF32Type()),
                                 f64);
}

static Value toF64(ImplicitLocOpBuilder &builder, Value f32) {
  return arith::ExtFOp::create(builder, getScalarType(builder.getF64Type()),
                               f32);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static Value elementConstant(ImplicitLocOpBuilder &builder, double value) {
  return arith::ConstantOp::create(builder, builder.getF32FloatAttr(value));
}

/// base + factor * value, two roundings.
static Value addScaled(ImplicitLocOpBuilder &builder, Value base, Value factor,
                       Value value) {
  Value product = arith::MulFOp::create(builder, factor, value);
  return arith::AddFOp::create(builder, base, product);
}

/// gradient + decay * parameter: weight decay as an L2 term.
static Value addWeightDecay(ImplicitLocOpBuilder &builder, Value gradient,
                            Value parameter, double decay) {
  if (decay == 0)
    return gradient;
  return addScaled(builder, gradient, elementConstant(builder, decay),
                   parameter);
}

//===----------------------------------------------------------------------===//
// SGD
//===----------------------------------------------------------------------===//

namespace {
/// p -= lr * d, d = g + decay * p; with momentum b = momentum * b + (1 -
/// dampening) * d (the first applied step sets b = d), and d = b, or d +
/// momentum * b for Nesterov.
class SGD : public Optimizer {
public:
  explicit SGD(const StepConfig &config) : config(config) {}

  ArrayRef<StringLiteral> getSlots() const override {
    static constexpr StringLiteral slots[] = {"momentum"};
    return config.momentum != 0 ? ArrayRef<StringLiteral>(slots)
                                : ArrayRef<StringLiteral>();
  }

  SmallVector<Value> buildScalars(ImplicitLocOpBuilder &builder, Value step,
                                  Value lr) const override {
    SmallVector<Value> scalars{arith::NegFOp::create(builder, lr)};
    if (config.momentum == 0)
      return scalars;
    Value zero = buildI64(builder, 0);
    scalars.push_back(
        arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, step, zero));
    return scalars;
  }

  SmallVector<Value> buildElement(ImplicitLocOpBuilder &builder,
                                  ValueRange states, Value gradient,
                                  ValueRange scalars) const override {
    Value parameter = states[0];
    Value direction =
        addWeightDecay(builder, gradient, parameter, config.weightDecay);
    if (config.momentum == 0)
      return {addScaled(builder, parameter, scalars[0], direction)};
    Value momentum = elementConstant(builder, config.momentum);
    Value decayed = arith::MulFOp::create(builder, states[1], momentum);
    Value damped =
        config.dampening == 0
            ? direction
            : arith::MulFOp::create(
                  builder, elementConstant(builder, 1.0 - config.dampening),
                  direction)
                  .getResult();
    Value later = arith::AddFOp::create(builder, decayed, damped);
    Value buffer =
        arith::SelectOp::create(builder, scalars[1], direction, later);
    Value update = config.nesterov
                       ? addScaled(builder, direction, momentum, buffer)
                       : buffer;
    Value updated = addScaled(builder, parameter, scalars[0], update);
    return {updated, buffer};
  }

private:
  StepConfig config;
};

//===----------------------------------------------------------------------===//
// Adam and AdamW
//===----------------------------------------------------------------------===//

/// m += (1 - beta1) * (g - m); v = beta2 * v + (1 - beta2) * g * g;
/// p += -lr / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + eps).
/// AdamW first multiplies p by 1 - lr * decay; Adam adds decay * p to g.
class Adam : public Optimizer {
public:
  explicit Adam(const StepConfig &config) : config(config) {}

  ArrayRef<StringLiteral> getSlots() const override {
    static constexpr StringLiteral slots[] = {"exp_avg", "exp_avg_sq"};
    return slots;
  }

  SmallVector<Value> buildScalars(ImplicitLocOpBuilder &builder, Value step,
                                  Value lr) const override {
    Value one = buildI64(builder, 1);
    Value next = arith::AddIOp::create(builder, step, one);
    Value exponent = arith::SIToFPOp::create(
        builder, getScalarType(builder.getF64Type()), next);
    Value correction1 = buildCorrection(builder, config.beta1, exponent);
    Value correction2 = buildCorrection(builder, config.beta2, exponent);
    Value rate = toF64(builder, lr);
    Value stepSize = arith::DivFOp::create(builder, rate, correction1);
    Value negated = arith::NegFOp::create(builder, stepSize);
    Value root = math::SqrtOp::create(builder, correction2);
    SmallVector<Value> scalars{buildRound(builder, negated),
                               buildRound(builder, root)};
    if (!decouples())
      return scalars;
    Value decay = buildF64(builder, config.weightDecay);
    Value product = arith::MulFOp::create(builder, rate, decay);
    Value keep =
        arith::SubFOp::create(builder, buildF64(builder, 1.0), product);
    scalars.push_back(buildRound(builder, keep));
    return scalars;
  }

  SmallVector<Value> buildElement(ImplicitLocOpBuilder &builder,
                                  ValueRange states, Value gradient,
                                  ValueRange scalars) const override {
    Value parameter = states[0];
    if (decouples())
      parameter = arith::MulFOp::create(builder, parameter, scalars[2]);
    else
      gradient =
          addWeightDecay(builder, gradient, parameter, config.weightDecay);
    Value average = buildLerp(builder, states[1], gradient);
    Value decayed = arith::MulFOp::create(
        builder, states[2], elementConstant(builder, config.beta2));
    Value weighted = arith::MulFOp::create(
        builder, elementConstant(builder, 1.0 - config.beta2), gradient);
    Value square = arith::MulFOp::create(builder, weighted, gradient);
    Value averageSquare = arith::AddFOp::create(builder, decayed, square);
    Value root = math::SqrtOp::create(builder, averageSquare);
    Value corrected = arith::DivFOp::create(builder, root, scalars[1]);
    Value denominator = arith::AddFOp::create(
        builder, corrected, elementConstant(builder, config.eps));
    Value scaled = arith::MulFOp::create(builder, scalars[0], average);
    Value change = arith::DivFOp::create(builder, scaled, denominator);
    Value updated = arith::AddFOp::create(builder, parameter, change);
    return {updated, average, averageSquare};
  }

private:
  bool decouples() const {
    return config.optimizer == OptimizerKind::adamw && config.weightDecay != 0;
  }

  /// 1 - beta^t in f64.
  static Value buildCorrection(ImplicitLocOpBuilder &builder, double beta,
                               Value exponent) {
    Value base = buildF64(builder, beta);
    Value power = math::PowFOp::create(builder, base, exponent);
    return arith::SubFOp::create(builder, buildF64(builder, 1.0), power);
  }

  /// PyTorch's lerp of the first moment towards the gradient: it starts from
  /// the nearer end.
  Value buildLerp(ImplicitLocOpBuilder &builder, Value average,
                  Value gradient) const {
    double weight = 1.0 - config.beta1;
    Value difference = arith::SubFOp::create(builder, gradient, average);
    if (weight < 0.5)
      return addScaled(builder, average, elementConstant(builder, weight),
                       difference);
    Value rest = elementConstant(builder, 1.0f - static_cast<float>(weight));
    Value back = arith::MulFOp::create(builder, difference, rest);
    return arith::SubFOp::create(builder, gradient, back);
  }

  StepConfig config;
};
} // namespace

std::unique_ptr<Optimizer> train::createOptimizer(const StepConfig &config) {
  if (config.optimizer == OptimizerKind::sgd)
    return std::make_unique<SGD>(config);
  return std::make_unique<Adam>(config);
}
