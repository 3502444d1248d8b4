//===- TrainStepUpdate.cpp - The end of a training step -------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Order: unscale once in f32, norm, found-inf over the unscaled gradients and
// their norm, clip, guarded update, scale, counters. Nothing is read back to
// the host: skips are values.
//
//===----------------------------------------------------------------------===//

#include "TrainStep.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::train;

namespace {
/// What the step found out about its gradients.
struct Verdict {
  Value norm;      // f32: global norm of the unscaled gradients
  Value nonFinite; // i1: an unscaled gradient element is not finite
  Value found;     // i1: the guard's flag, false on an empty window
  Value hold;      // i1: the update is held; null without a guard
};

/// Builds the update part by part; one instance per function.
class UpdateBuilder {
public:
  UpdateBuilder(ImplicitLocOpBuilder &builder, const StepConfig &config,
                const Optimizer &optimizer, const StateLayout &layout,
                SmallVectorImpl<Value> &states, Value empty)
      : builder(builder), config(config), optimizer(optimizer), layout(layout),
        states(states), empty(empty) {}

  SmallVector<Metric> build(ValueRange gradients);

private:
  Value get(StringRef name) { return states[layout.getScalar(name)]; }
  void set(StringRef name, Value value) {
    states[layout.getScalar(name)] = value;
  }
  Value buildNot(Value flag) {
    return arith::XOrIOp::create(builder, flag, buildI1(builder, true));
  }
  void count(StringRef name, Value condition) {
    set(name, buildIncrement(builder, get(name), condition));
  }

  SmallVector<Value> buildUnscale(ValueRange gradients);
  Verdict buildVerdict(ValueRange scaled, ValueRange unscaled);
  SmallVector<Value> buildClip(ValueRange gradients, const Verdict &verdict);
  void buildGuardedUpdate(ValueRange gradients, const Verdict &verdict);
  void buildScaleUpdate(const Verdict &verdict);
  void buildCounters(const Verdict &verdict);

  ImplicitLocOpBuilder &builder;
  const StepConfig &config;
  const Optimizer &optimizer;
  const StateLayout &layout;
  SmallVectorImpl<Value> &states;
  Value empty;
};
} // namespace

SmallVector<Value> UpdateBuilder::buildUnscale(ValueRange gradients) {
  if (!config.scales())
    return llvm::to_vector(gradients);
  auto scaler = FlatSymbolRefAttr::get(builder.getContext(), kScalerName);
  auto unscaled = UnscaleGradsOp::create(builder, gradients.getTypes(), scaler,
                                         get("scaler.scale"), gradients);
  return llvm::to_vector(ValueRange(unscaled.getResults()));
}

Verdict UpdateBuilder::buildVerdict(ValueRange scaled, ValueRange unscaled) {
  RankedTensorType f32 = getScalarType(builder.getF32Type());
  RankedTensorType i1 = getScalarType(builder.getI1Type());
  Verdict verdict;
  verdict.norm = GlobalNormOp::create(
      builder, f32, unscaled, NumericsAttr::getF32(builder.getContext()));
  verdict.nonFinite =
      FoundInfOp::create(builder, i1, unscaled, /*norm=*/Value());
  // PyTorch reads the scaled gradients, and a norm that overflows alone is not
  // found-inf.
  if (config.parity != Parity::pytorch)
    verdict.found = FoundInfOp::create(builder, i1, unscaled, verdict.norm);
  else if (config.scales())
    verdict.found = FoundInfOp::create(builder, i1, scaled, /*norm=*/Value());
  else
    verdict.found = verdict.nonFinite;
  // An empty window has its own counter and moves nothing.
  verdict.found =
      arith::AndIOp::create(builder, verdict.found, buildNot(empty));
  if (config.guard)
    verdict.hold = arith::OrIOp::create(builder, verdict.found, empty);
  return verdict;
}

SmallVector<Value> UpdateBuilder::buildClip(ValueRange gradients,
                                            const Verdict &verdict) {
  if (config.clip == 0)
    return llvm::to_vector(gradients);
  Value norm = verdict.norm;
  // Clipping is left out on a non-finite step. Under the guard that step is
  // held anyway; without it a norm of 0 makes the coefficient 1.
  if (!config.guard) {
    Value zero = buildF32(builder, 0.0);
    norm = arith::SelectOp::create(builder, verdict.nonFinite, zero, norm);
  }
  auto clipped = ClipByGlobalNormOp::create(
      builder, gradients.getTypes(), norm, gradients,
      builder.getF32FloatAttr(config.clip), builder.getF32FloatAttr(1e-6));
  return llvm::to_vector(ValueRange(clipped.getResults()));
}

void UpdateBuilder::buildGuardedUpdate(ValueRange gradients,
                                       const Verdict &verdict) {
  unsigned numStates = layout.getNumParameters() * (1 + layout.getNumSlots());
  SmallVector<Value> scalars =
      optimizer.buildScalars(builder, get("step"), get("lr"));
  ValueRange old = ValueRange(states).take_front(numStates);
  auto update = GuardedUpdateOp::create(builder, old.getTypes(), verdict.hold,
                                        old, gradients, scalars,
                                        builder.getStringAttr("default"));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&update.getUpdate());
  for (unsigned slot = 0; slot <= layout.getNumSlots(); ++slot)
    body->addArgument(
        getElementTypeOrSelf(old[slot * layout.getNumParameters()]),
        builder.getLoc());
  body->addArgument(getElementTypeOrSelf(gradients.front()), builder.getLoc());
  for (Value scalar : scalars)
    body->addArgument(getElementTypeOrSelf(scalar), builder.getLoc());
  ValueRange arguments = body->getArguments();
  unsigned numElements = 1 + layout.getNumSlots();
  SmallVector<Value> updated = optimizer.buildElement(
      builder, arguments.take_front(numElements), arguments[numElements],
      arguments.drop_front(numElements + 1));
  YieldOp::create(builder, updated);
  for (auto [index, result] : llvm::enumerate(update.getResults()))
    states[index] = result;
}

void UpdateBuilder::buildScaleUpdate(const Verdict &verdict) {
  if (!config.scales())
    return;
  Value scale = get("scaler.scale"), tracker = get("scaler.growth_tracker");
  auto update = UpdateScaleOp::create(
      builder, scale.getType(), tracker.getType(), kScalerName, scale, tracker,
      verdict.found,
      /*exact_interval=*/config.parity == Parity::pytorch);
  // An empty window says nothing about the scale.
  Value newScale =
      arith::SelectOp::create(builder, empty, scale, update.getNewScale());
  Value newTracker =
      arith::SelectOp::create(builder, empty, tracker, update.getNewTracker());
  set("scaler.scale", newScale);
  set("scaler.growth_tracker", newTracker);
  count("metrics.growths",
        arith::CmpFOp::create(builder, arith::CmpFPredicate::OGT, newScale,
                              scale));
  count("metrics.backoffs",
        arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, newScale,
                              scale));
}

void UpdateBuilder::buildCounters(const Verdict &verdict) {
  Value no = buildI1(builder, false);
  Value skipped = config.guard ? verdict.found : no;
  count("step", buildNot(config.guard ? verdict.hold : no));
  count("metrics.skips", skipped);
  count("metrics.empty_windows", empty);
  // Skips in a row: an empty window neither adds to the row nor ends it.
  Value row = get("metrics.skips_in_row");
  Value longer = buildIncrement(builder, row, skipped);
  Value goesOn = arith::OrIOp::create(builder, skipped, empty);
  set("metrics.skips_in_row",
      arith::SelectOp::create(builder, goesOn, longer, buildI64(builder, 0)));
}

SmallVector<Metric> UpdateBuilder::build(ValueRange gradients) {
  SmallVector<Value> unscaled = buildUnscale(gradients);
  Verdict verdict = buildVerdict(gradients, unscaled);
  Value zeroShare =
      ZeroShareOp::create(builder, getScalarType(builder.getF32Type()),
                          unscaled, /*elements=*/IntegerAttr());
  SmallVector<Value> clipped = buildClip(unscaled, verdict);
  buildGuardedUpdate(clipped, verdict);
  buildScaleUpdate(verdict);
  buildCounters(verdict);
  Value scale = config.scales() ? get("scaler.scale") : buildF32(builder, 1.0);
  Value tracker =
      config.scales() ? get("scaler.growth_tracker") : buildI64(builder, 0);
  return {{"loss_scale", scale},
          {"growth_tracker", tracker},
          {"grad_norm", verdict.norm},
          {"skipped", config.guard ? verdict.hold : buildI1(builder, false)},
          {"finite", buildNot(verdict.nonFinite)},
          {"empty_window", empty},
          {"zero_gradient_share", zeroShare}};
}

SmallVector<Metric> train::buildUpdate(ImplicitLocOpBuilder &builder,
                                       const StepConfig &config,
                                       const Optimizer &optimizer,
                                       const StateLayout &layout,
                                       SmallVectorImpl<Value> &states,
                                       ValueRange gradients, Value empty) {
  return UpdateBuilder(builder, config, optimizer, layout, states, empty)
      .build(gradients);
}
