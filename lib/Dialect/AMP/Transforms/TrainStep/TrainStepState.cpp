//===- TrainStepState.cpp - The manifest of training state ----------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which state a step has, under which names, in which order: parameters,
// optimizer slots, gradients, then scalars.
//
//===----------------------------------------------------------------------===//

#include "TrainStep.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::train;

/// The group that all state belongs to until groups are an option.
static constexpr StringLiteral defaultGroup = "default";

void StateLayout::add(const Twine &name, Role role, RankedTensorType type,
                      Attribute init, StringRef of) {
  entries.push_back({name.str(), role, type, init, of.str()});
}

StateLayout::StateLayout(MLIRContext *context, ArrayRef<Parameter> parameters,
                         const StepConfig &config, const Optimizer &optimizer)
    : numParameters(parameters.size()), numSlots(optimizer.getSlots().size()) {
  Builder builder(context);
  Attribute zeroF32 = builder.getF32FloatAttr(0);
  Attribute zeroI64 = builder.getI64IntegerAttr(0);
  auto f32Type = [&](RankedTensorType type) {
    return RankedTensorType::get(type.getShape(), builder.getF32Type());
  };
  RankedTensorType f32 = getScalarType(builder.getF32Type());
  RankedTensorType i64 = getScalarType(builder.getI64Type());

  for (const Parameter &parameter : parameters)
    add(parameter.name, Role::parameter, parameter.type, builder.getUnitAttr(),
        parameter.name);
  for (StringRef slot : optimizer.getSlots())
    for (const Parameter &parameter : parameters)
      add(parameter.name + "." + slot, Role::optimizer_state,
          f32Type(parameter.type), zeroF32, parameter.name);
  if (config.accumulates())
    for (const Parameter &parameter : parameters)
      add(parameter.name + ".gradient", Role::gradient, f32Type(parameter.type),
          zeroF32, parameter.name);
  if (config.scales()) {
    add("scaler.scale", Role::scaler_state, f32,
        builder.getF32FloatAttr(config.scale));
    add("scaler.growth_tracker", Role::scaler_state, i64, zeroI64);
  }
  add("step", Role::step_counter, i64, zeroI64);
  add("lr", Role::schedule, f32, builder.getF32FloatAttr(config.lr));
  for (StringRef counter :
       {"growths", "backoffs", "skips", "skips_in_row", "empty_windows"})
    add("metrics." + counter, Role::metric, i64, zeroI64);
  if (config.accumulates())
    add("window.denominator", Role::metric, i64, zeroI64);
}

unsigned StateLayout::getScalar(StringRef name) const {
  for (auto [index, entry] : llvm::enumerate(entries))
    if (entry.name == name)
      return index;
  llvm_unreachable("no such scalar state");
}

void StateLayout::attachManifest(ModuleOp module) const {
  MLIRContext *context = module.getContext();
  auto string = [&](StringRef text) { return StringAttr::get(context, text); };
  SmallVector<Attribute> states, buffers;
  for (auto [index, entry] : llvm::enumerate(entries)) {
    StringAttr of = entry.of.empty() ? StringAttr() : string(entry.of);
    states.push_back(StateAttr::get(context, string(entry.name), entry.role,
                                    entry.type, entry.init,
                                    string(defaultGroup), of, index,
                                    /*offset=*/0));
    buffers.push_back(
        BufferAttr::get(context, string(entry.name), entry.role, entry.type));
  }
  module->setAttr(kStateAttrName, ArrayAttr::get(context, states));
  module->setAttr(kBuffersAttrName, ArrayAttr::get(context, buffers));
}
