//===- TrainStep.h - Parts of -amp-build-train-step -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass is split by concern: configuration, state manifest (TrainState),
// optimizers, the window's loss, and the end of a step (unscale, check, clip,
// update). This header is private to the library.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMP_TRANSFORMS_TRAINSTEP_H
#define AMP_LIB_DIALECT_AMP_TRANSFORMS_TRAINSTEP_H

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Dialect/AMP/Transforms/TrainStepOptions.h"
#include "amp/Interfaces/WindowedLossOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <memory>

namespace mlir::amp::train {

//===----------------------------------------------------------------------===//
// Configuration
//===----------------------------------------------------------------------===//

/// The pass options, checked, with defaults filled in.
struct StepConfig {
  OptimizerKind optimizer = OptimizerKind::sgd;
  double lr = 1e-3, momentum = 0, dampening = 0, weightDecay = 0;
  bool nesterov = false;
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  LossScaleKind lossScale = LossScaleKind::none;
  double scale = 65536, growth = 2, backoff = 0.5, floor = 0, cap = 0;
  int64_t interval = 2000;
  double clip = 0;
  WindowKind window = WindowKind::both;
  WindowWeighting weighting = WindowWeighting::counted;
  bool guard = true;
  Parity parity = Parity::none;

  bool scales() const { return lossScale != LossScaleKind::none; }
  bool accumulates() const { return window != WindowKind::single; }
  bool fuses() const { return window != WindowKind::accumulate; }
};

/// The symbol of the module's scaler.
inline constexpr StringLiteral kScalerName = "scaler";

//===----------------------------------------------------------------------===//
// Optimizers
//===----------------------------------------------------------------------===//

/// An update rule: which slots it keeps per parameter, which scalars it needs
/// per step, and what it does to one element.
class Optimizer {
public:
  virtual ~Optimizer() = default;
  /// Slot names, in the order of the states after the parameter.
  virtual ArrayRef<StringLiteral> getSlots() const = 0;
  /// Rank-0 tensors that the element update reads, from the number of steps
  /// applied so far (i64) and the learning rate (f32).
  virtual SmallVector<Value> buildScalars(ImplicitLocOpBuilder &builder,
                                          Value step, Value lr) const = 0;
  /// New elements of (parameter, slots...), from the old ones, the gradient's
  /// element and the scalars' elements. All f32.
  virtual SmallVector<Value> buildElement(ImplicitLocOpBuilder &builder,
                                          ValueRange states, Value gradient,
                                          ValueRange scalars) const = 0;
};

std::unique_ptr<Optimizer> createOptimizer(const StepConfig &config);

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

/// A parameter of the model.
struct Parameter {
  std::string name;
  RankedTensorType type;
  unsigned argument; // index in the model's arguments
};

/// One entry of the manifest.
struct StateEntry {
  std::string name;
  Role role;
  RankedTensorType type;
  Attribute init;
  std::string of; // the parameter it belongs to, or empty
};

/// The state of a training step, in argument order, and where each part lies.
class StateLayout {
public:
  StateLayout(MLIRContext *context, ArrayRef<Parameter> parameters,
              const StepConfig &config, const Optimizer &optimizer);

  ArrayRef<StateEntry> getEntries() const { return entries; }
  unsigned size() const { return entries.size(); }
  unsigned getNumParameters() const { return numParameters; }
  unsigned getNumSlots() const { return numSlots; }

  unsigned getParameter(unsigned index) const { return index; }
  unsigned getSlot(unsigned slot, unsigned index) const {
    return numParameters * (1 + slot) + index;
  }
  unsigned getGradient(unsigned index) const {
    return numParameters * (1 + numSlots) + index;
  }
  /// The index of the scalar state of that name; it must exist.
  unsigned getScalar(StringRef name) const;

  /// The module attributes `amp.state` and `amp.buffers`, one buffer per state.
  void attachManifest(ModuleOp module) const;

private:
  void add(const Twine &name, Role role, RankedTensorType type, Attribute init,
           StringRef of = {});
  SmallVector<StateEntry> entries;
  unsigned numParameters, numSlots;
};

//===----------------------------------------------------------------------===//
// The window's loss
//===----------------------------------------------------------------------===//

/// How a micro-batch's part of the loss is weighted.
struct WindowPlan {
  /// The whole loss is multiplied by rows / denominator. Otherwise its parts
  /// add up over the window as they are, once every loss that divides by a
  /// count divides by the denominator.
  bool weightsLoss = true;
  /// What the denominator counts (a value of the model); rows where null.
  LossCount count;
  /// The model's argument whose leading dimension is the number of rows.
  unsigned rowsArgument = 0;
};

/// Decides from the model's loss. Fails with a diagnostic where there are no
/// rows.
FailureOr<WindowPlan> planWindow(func::FuncOp model, const StepConfig &config);

/// Builds the i64 count of a micro-batch. `mapping` maps the model's inputs and
/// targets.
Value buildCount(ImplicitLocOpBuilder &builder, func::FuncOp model,
                 const WindowPlan &plan, IRMapping &mapping);

/// Builds the i64 number of rows of a micro-batch.
Value buildRows(ImplicitLocOpBuilder &builder, func::FuncOp model,
                const WindowPlan &plan, const IRMapping &mapping);

/// rows / denominator as f32, computed in f64 and rounded once.
Value buildRowWeight(ImplicitLocOpBuilder &builder, Value rows,
                     Value denominator);

/// Gives every loss in `block` that divides by a count the f32 denominator.
void setDenominators(Block &block, Value denominator);

//===----------------------------------------------------------------------===//
// The end of a step
//===----------------------------------------------------------------------===//

/// One metric result.
struct Metric {
  StringLiteral name;
  Value value;
};

/// Builds everything after backward: unscale, check, clip, guarded update,
/// scale update, counters. `states` holds the current values in layout order
/// and receives the new ones; `empty` is an i1 tensor: the window's denominator
/// is 0.
SmallVector<Metric>
buildUpdate(ImplicitLocOpBuilder &builder, const StepConfig &config,
            const Optimizer &optimizer, const StateLayout &layout,
            SmallVectorImpl<Value> &states, ValueRange gradients, Value empty);

//===----------------------------------------------------------------------===//
// Rank-0 tensors
//===----------------------------------------------------------------------===//

/// `tensor<elementType>`.
RankedTensorType getScalarType(Type elementType);
/// Rank-0 constants.
Value buildF32(ImplicitLocOpBuilder &builder, double value);
Value buildF64(ImplicitLocOpBuilder &builder, double value);
Value buildI64(ImplicitLocOpBuilder &builder, int64_t value);
Value buildI1(ImplicitLocOpBuilder &builder, bool value);
/// f64 to f32.
Value buildRound(ImplicitLocOpBuilder &builder, Value f64);
/// `counter` + (`condition` ? 1 : 0).
Value buildIncrement(ImplicitLocOpBuilder &builder, Value counter,
                     Value condition);

} // namespace mlir::amp::train

#endif // AMP_LIB_DIALECT_AMP_TRANSFORMS_TRAINSTEP_H
