//===- BuildTrainStep.cpp - The functions of a training step --------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembles the step functions from a model and its derivative:
//
// 1. Check the options and the model's interface; lay out the state.
// 2. For each kind of function: declare it over all state buffers and the
//    inputs it needs, clone model or derivative into it, append the update.
// 3. Attach the manifest, drop the derivative.
//
//===----------------------------------------------------------------------===//

#include "TrainStep.h"
#include "amp/Dialect/AMP/Transforms/Passes.h"
#include "amp/Dialect/NN/IR/NNDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>

namespace mlir::amp {
#define GEN_PASS_DEF_BUILDTRAINSTEPPASS
#include "amp/Dialect/AMP/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::train;

/// What a derivative's name adds to its model's.
static constexpr StringLiteral vjpSuffix = ".vjp";
static constexpr StringLiteral writableAttrName = "bufferization.writable";

namespace {
/// One result of a step function beyond the state.
struct StepResult {
  Value value;
  DictionaryAttr attributes;
};

/// A step function under construction.
struct StepFunction {
  func::FuncOp function;
  SmallVector<Value> states; // current values, in layout order
  IRMapping inputs;          // the model's inputs and targets
  Value denominator;         // i64, only in accumulate_*
  SmallVector<StepResult> results;
};

/// Builds all step functions of one model.
class StepBuilder {
public:
  StepBuilder(func::FuncOp model, func::FuncOp derivative,
              const StepConfig &config)
      : model(model), derivative(derivative), config(config),
        optimizer(createOptimizer(config)),
        builder(model.getLoc(), model.getContext()) {}

  LogicalResult build();

private:
  LogicalResult analyzeModel();
  LogicalResult analyzeDerivative();
  LogicalResult checkNames();
  void createScaler();

  std::string getStepName(StepKind kind) {
    return (model.getName() + "." + stringifyStepKind(kind)).str();
  }
  StepFunction begin(StepKind kind, bool takesState, bool takesInputs,
                     bool takesDenominator);
  void finish(StepFunction &step, bool returnsState);
  DictionaryAttr makeAttributes(Role role, StringRef name);
  DictionaryAttr makeStateAttributes(const StateEntry &entry);

  void buildTrain();
  void buildAccumulate(StepKind kind);
  void buildApply();
  void buildCount();
  void buildForward();

  /// Clones the body of `source` (model or derivative) and returns its results.
  SmallVector<Value> cloneBody(StepFunction &step, func::FuncOp source,
                               Value cotangent);
  /// Clones the derivative seeded with `weight` times the scale; sets the
  /// function's loss and further results; returns the gradients.
  SmallVector<Value> buildBackward(StepFunction &step, Value weight);
  void addModelResults(StepFunction &step, ValueRange values);
  void addMetrics(StepFunction &step, ArrayRef<Metric> metrics);

  func::FuncOp model, derivative;
  StepConfig config;
  std::unique_ptr<Optimizer> optimizer;
  ImplicitLocOpBuilder builder;
  SmallVector<Parameter> parameters;
  SmallVector<unsigned> inputs;          // the model's other arguments
  SmallVector<unsigned> gradientResults; // of the derivative, per parameter
  std::optional<StateLayout> layout;
  WindowPlan plan;
};
} // namespace

//===----------------------------------------------------------------------===//
// The model's interface
//===----------------------------------------------------------------------===//

LogicalResult StepBuilder::analyzeModel() {
  if (model.isExternal() || !llvm::hasSingleElement(model.getBody()))
    return model.emitError() << "expects a body of one block";
  llvm::StringSet<> names;
  for (unsigned index = 0, e = model.getNumArguments(); index < e; ++index) {
    auto role = model.getArgAttrOfType<RoleAttr>(index, kRoleAttrName);
    auto name = model.getArgAttrOfType<StringAttr>(index, kNameAttrName);
    auto type = dyn_cast<RankedTensorType>(model.getArgument(index).getType());
    if (!role || !type)
      return model.emitError()
             << "expects argument #" << index << " to be a ranked tensor with '"
             << kRoleAttrName << "'";
    if (role.getValue() == Role::input || role.getValue() == Role::target) {
      inputs.push_back(index);
      continue;
    }
    if (role.getValue() != Role::parameter)
      return model.emitError()
             << "expects argument #" << index
             << " to be a parameter, input or target, but got role '"
             << stringifyRole(role.getValue()) << "'";
    if (!name || !names.insert(name.getValue()).second)
      return model.emitError() << "expects parameter #" << index
                               << " to have a unique '" << kNameAttrName << "'";
    if (!type.getElementType().isF32() || !type.hasStaticShape())
      return model.emitError()
             << "expects parameter '" << name.getValue()
             << "' to be a static f32 tensor, but got " << type;
    // Parameters are parts of flat buffers.
    if (type.getRank() == 0)
      return model.emitError()
             << "expects parameter '" << name.getValue()
             << "' to have a rank of at least 1, but got " << type
             << "; declare it as 'tensor<1xf32>' and use 'nn.reshape'";
    if (type.getNumElements() == 0)
      return model.emitError() << "expects parameter '" << name.getValue()
                               << "' to have elements, but got " << type;
    parameters.push_back({name.str(), type, index});
  }
  if (parameters.empty())
    return model.emitError()
           << "expects at least one argument of role 'parameter'";
  auto loss = model.getNumResults()
                  ? dyn_cast<RankedTensorType>(model.getResultTypes().front())
                  : RankedTensorType();
  if (!loss || loss.getRank() != 0 || !isa<FloatType>(loss.getElementType()))
    return model.emitError()
           << "expects the first result to be the loss, a rank-0 "
              "floating tensor";
  return success();
}

LogicalResult StepBuilder::analyzeDerivative() {
  if (derivative.getNumArguments() != model.getNumArguments() + 1)
    return derivative.emitError()
           << "expects the arguments of the model and the loss cotangent, but "
              "got "
           << derivative.getNumArguments() << " arguments";
  for (const Parameter &parameter : parameters) {
    std::optional<unsigned> found;
    for (unsigned index = 0, e = derivative.getNumResults(); index < e;
         ++index) {
      auto role =
          derivative.getResultAttrOfType<RoleAttr>(index, kRoleAttrName);
      auto name =
          derivative.getResultAttrOfType<StringAttr>(index, kNameAttrName);
      if (role && role.getValue() == Role::gradient && name &&
          name.getValue() == parameter.name)
        found = index;
    }
    if (!found)
      return derivative.emitError()
             << "expects a result of role 'gradient' named '" << parameter.name
             << "'";
    if (derivative.getResultTypes()[*found] != parameter.type)
      return derivative.emitError()
             << "expects the gradient of '" << parameter.name
             << "' to have type " << parameter.type << ", but got "
             << derivative.getResultTypes()[*found];
    gradientResults.push_back(*found);
  }
  return success();
}

/// Parameters must leave the names of other states, and functions those of what
/// is made here, to them.
LogicalResult StepBuilder::checkNames() {
  llvm::StringSet<> names;
  for (const StateEntry &entry : layout->getEntries()) {
    if (names.insert(entry.name).second)
      continue;
    return model.emitError()
           << "expects no parameter named '" << entry.name
           << "', which is the name of another state of the training "
              "step; rename the parameter";
  }
  SmallVector<std::string> symbols;
  if (config.scales())
    symbols.push_back(kScalerName.str());
  if (config.fuses())
    symbols.push_back(getStepName(StepKind::train));
  if (config.accumulates())
    for (StepKind kind : {StepKind::accumulate_first, StepKind::accumulate_next,
                          StepKind::apply})
      symbols.push_back(getStepName(kind));
  symbols.push_back(getStepName(StepKind::count));
  symbols.push_back(getStepName(StepKind::forward));
  auto module = model->getParentOfType<ModuleOp>();
  for (StringRef symbol : symbols)
    if (Operation *previous = module.lookupSymbol(symbol))
      return previous->emitError() << "expects no symbol '@" << symbol
                                   << "', which the training step defines";
  return success();
}

void StepBuilder::createScaler() {
  if (!config.scales())
    return;
  builder.setInsertionPoint(model);
  auto f32 = [&](double value) { return builder.getF32FloatAttr(value); };
  ScalerKind kind = config.lossScale == LossScaleKind::dynamic
                        ? ScalerKind::dynamic
                        : ScalerKind::static_scale;
  ScalerOp::create(builder, builder.getStringAttr(kScalerName),
                   ScalerKindAttr::get(builder.getContext(), kind),
                   f32(config.scale), f32(config.growth), f32(config.backoff),
                   builder.getI64IntegerAttr(config.interval),
                   f32(config.floor),
                   config.cap > 0 ? f32(config.cap) : FloatAttr());
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

DictionaryAttr StepBuilder::makeAttributes(Role role, StringRef name) {
  NamedAttrList attributes;
  attributes.set(kRoleAttrName, RoleAttr::get(builder.getContext(), role));
  if (!name.empty())
    attributes.set(kNameAttrName, builder.getStringAttr(name));
  return attributes.getDictionary(builder.getContext());
}

DictionaryAttr StepBuilder::makeStateAttributes(const StateEntry &entry) {
  NamedAttrList attributes(makeAttributes(entry.role, entry.name));
  // Between micro-batches gradients stay scaled.
  if (entry.role == Role::gradient && config.scales())
    attributes.set(kScalePowerAttrName,
                   builder.getDictionaryAttr(builder.getNamedAttr(
                       kScalerName, builder.getI64IntegerAttr(1))));
  return attributes.getDictionary(builder.getContext());
}

StepFunction StepBuilder::begin(StepKind kind, bool takesState,
                                bool takesInputs, bool takesDenominator) {
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  auto add = [&](Type type, DictionaryAttr dictionary, bool writable) {
    NamedAttrList list(dictionary);
    list.set(writableAttrName, builder.getBoolAttr(writable));
    types.push_back(type);
    attributes.push_back(list.getDictionary(builder.getContext()));
  };
  if (takesState)
    for (const StateEntry &entry : layout->getEntries())
      add(entry.type, makeStateAttributes(entry), /*writable=*/true);
  if (takesInputs)
    for (unsigned index : inputs)
      add(model.getArgument(index).getType(), model.getArgAttrDict(index),
          /*writable=*/false);
  if (takesDenominator) {
    NamedAttrList name;
    name.set(kNameAttrName, builder.getStringAttr("denominator"));
    add(getScalarType(builder.getI64Type()),
        name.getDictionary(builder.getContext()),
        /*writable=*/false);
  }

  auto module = model->getParentOfType<ModuleOp>();
  builder.setInsertionPointToEnd(module.getBody());
  std::string name = getStepName(kind);
  StepFunction step;
  step.function =
      func::FuncOp::create(builder, name, builder.getFunctionType(types, {}));
  step.function->setAttr(kStepKindAttrName,
                         StepKindAttr::get(builder.getContext(), kind));
  Block *body = step.function.addEntryBlock();
  for (auto [index, dictionary] : llvm::enumerate(attributes))
    step.function.setArgAttrs(index, dictionary);
  builder.setInsertionPointToStart(body);
  unsigned next = 0;
  if (takesState)
    for (; next < layout->size(); ++next)
      step.states.push_back(body->getArgument(next));
  if (takesInputs)
    for (unsigned index : inputs)
      step.inputs.map(model.getArgument(index), body->getArgument(next++));
  if (takesDenominator)
    step.denominator = body->getArgument(next);
  return step;
}

void StepBuilder::finish(StepFunction &step, bool returnsState) {
  SmallVector<Value> values;
  SmallVector<DictionaryAttr> attributes;
  if (returnsState) {
    for (auto [entry, value] :
         llvm::zip_equal(layout->getEntries(), step.states)) {
      values.push_back(value);
      attributes.push_back(makeStateAttributes(entry));
    }
  }
  for (const StepResult &result : step.results) {
    values.push_back(result.value);
    attributes.push_back(result.attributes);
  }
  func::ReturnOp::create(builder, values);
  step.function.setType(builder.getFunctionType(
      step.function.getArgumentTypes(), ValueRange(values).getTypes()));
  for (auto [index, dictionary] : llvm::enumerate(attributes))
    if (dictionary)
      step.function.setResultAttrs(index, dictionary);
}

SmallVector<Value> StepBuilder::cloneBody(StepFunction &step,
                                          func::FuncOp source,
                                          Value cotangent) {
  IRMapping mapping;
  for (auto [index, parameter] : llvm::enumerate(parameters))
    mapping.map(source.getArgument(parameter.argument),
                step.states[layout->getParameter(index)]);
  for (unsigned index : inputs)
    mapping.map(source.getArgument(index),
                step.inputs.lookup(model.getArgument(index)));
  if (cotangent)
    mapping.map(source.getArguments().back(), cotangent);
  for (Operation &op : source.front().without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> results;
  for (Value operand : source.front().getTerminator()->getOperands())
    results.push_back(mapping.lookup(operand));
  return results;
}

void StepBuilder::addModelResults(StepFunction &step, ValueRange values) {
  for (unsigned index = 0, e = model.getNumResults(); index < e; ++index) {
    DictionaryAttr attributes = model.getResultAttrDict(index);
    Value value = values[index];
    // The loss leaves as f32 whatever the model computes it in.
    if (index == 0) {
      attributes = makeAttributes(Role::loss, "");
      if (!getElementTypeOrSelf(value).isF32())
        value = CastOp::create(builder, value, builder.getF32Type(),
                               CastOrigin::boundary);
    }
    step.results.push_back({value, attributes});
  }
}

void StepBuilder::addMetrics(StepFunction &step, ArrayRef<Metric> metrics) {
  for (const Metric &metric : metrics)
    step.results.push_back(
        {metric.value, makeAttributes(Role::metric, metric.name)});
}

SmallVector<Value> StepBuilder::buildBackward(StepFunction &step,
                                              Value weight) {
  Value seed = weight ? weight : buildF32(builder, 1.0);
  if (config.scales()) {
    auto scaler = FlatSymbolRefAttr::get(builder.getContext(), kScalerName);
    Value scale = step.states[layout->getScalar("scaler.scale")];
    seed = ScaleLossOp::create(builder, seed.getType(), scaler, seed, scale);
  }
  SmallVector<Value> results = cloneBody(step, derivative, seed);
  addModelResults(step, ValueRange(results).take_front(model.getNumResults()));
  if (weight) {
    Value &loss = step.results.front().value;
    loss = arith::MulFOp::create(builder, loss, weight);
  }
  SmallVector<Value> gradients;
  for (unsigned index : gradientResults)
    gradients.push_back(results[index]);
  return gradients;
}

void StepBuilder::buildTrain() {
  StepFunction step = begin(StepKind::train, true, true, false);
  Value zero = buildI64(builder, 0);
  Value count = train::buildCount(builder, model, plan, step.inputs);
  Value empty =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, count, zero);
  // A window of one micro-batch divides by its own count: no weight is needed.
  SmallVector<Value> gradients = buildBackward(step, /*weight=*/Value());
  addMetrics(step, buildUpdate(builder, config, *optimizer, *layout,
                               step.states, gradients, empty));
  finish(step, /*returnsState=*/true);
}

void StepBuilder::buildAccumulate(StepKind kind) {
  StepFunction step = begin(kind, true, true, true);
  Value weight;
  if (plan.weightsLoss) {
    Value rows = buildRows(builder, model, plan, step.inputs);
    weight = buildRowWeight(builder, rows, step.denominator);
  }
  Value denominator;
  if (!plan.weightsLoss && plan.count.counted)
    denominator = nn::ConvertOp::create(
        builder, getScalarType(builder.getF32Type()), step.denominator);
  SmallVector<Value> gradients = buildBackward(step, weight);
  if (denominator)
    setDenominators(step.function.front(), denominator);
  bool first = kind == StepKind::accumulate_first;
  for (auto [index, gradient] : llvm::enumerate(gradients)) {
    Value &state = step.states[layout->getGradient(index)];
    state = first ? gradient
                  : nn::AddOp::create(builder, state.getType(), state, gradient)
                        .getResult();
  }
  step.states[layout->getScalar("window.denominator")] = step.denominator;
  finish(step, /*returnsState=*/true);
}

void StepBuilder::buildApply() {
  StepFunction step = begin(StepKind::apply, true, false, false);
  Value zero = buildI64(builder, 0);
  Value denominator = step.states[layout->getScalar("window.denominator")];
  Value empty = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                      denominator, zero);
  SmallVector<Value> gradients;
  for (unsigned index = 0; index < parameters.size(); ++index)
    gradients.push_back(step.states[layout->getGradient(index)]);
  addMetrics(step, buildUpdate(builder, config, *optimizer, *layout,
                               step.states, gradients, empty));
  finish(step, /*returnsState=*/true);
}

void StepBuilder::buildCount() {
  StepFunction step = begin(StepKind::count, false, true, false);
  Value count = train::buildCount(builder, model, plan, step.inputs);
  step.results.push_back({count, makeAttributes(Role::metric, "count")});
  finish(step, /*returnsState=*/false);
}

void StepBuilder::buildForward() {
  StepFunction step = begin(StepKind::forward, true, true, false);
  SmallVector<Value> results = cloneBody(step, model, /*cotangent=*/Value());
  addModelResults(step, results);
  finish(step, /*returnsState=*/false);
}

LogicalResult StepBuilder::build() {
  if (failed(analyzeModel()) || failed(analyzeDerivative()))
    return failure();
  FailureOr<WindowPlan> window = planWindow(model, config);
  if (failed(window))
    return failure();
  plan = *window;
  layout.emplace(model.getContext(), parameters, config, *optimizer);
  if (failed(checkNames()))
    return failure();
  createScaler();
  if (config.fuses())
    buildTrain();
  if (config.accumulates()) {
    buildAccumulate(StepKind::accumulate_first);
    buildAccumulate(StepKind::accumulate_next);
    buildApply();
  }
  buildCount();
  buildForward();
  layout->attachManifest(model->getParentOfType<ModuleOp>());
  derivative.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct BuildTrainStepPass
    : amp::impl::BuildTrainStepPassBase<BuildTrainStepPass> {
  using BuildTrainStepPassBase::BuildTrainStepPassBase;

  void runOnOperation() override;

private:
  FailureOr<StepConfig> makeConfig();
};
} // namespace

FailureOr<StepConfig> BuildTrainStepPass::makeConfig() {
  ModuleOp module = getOperation();
  StepConfig config;
  config.optimizer = optimizer;
  config.lr = lr;
  config.momentum = momentum;
  config.dampening = dampening;
  config.nesterov = nesterov;
  config.weightDecay = weightDecay;
  if (config.weightDecay == -1)
    config.weightDecay = config.optimizer == OptimizerKind::adamw ? 1e-2 : 0.0;
  config.beta1 = beta1;
  config.beta2 = beta2;
  config.eps = eps;
  config.lossScale = lossScale;
  config.scale = scale;
  config.growth = growth;
  config.backoff = backoff;
  config.interval = interval;
  config.floor = floor;
  config.cap = cap;
  config.clip = clip;
  config.window = window;
  config.weighting = weighting;
  config.guard = guard;
  config.parity = getParity(module);

  auto expects = [&](bool condition, StringRef what,
                     double got) -> LogicalResult {
    if (condition)
      return success();
    return module.emitError() << "expects " << what << ", but got " << got;
  };
  // The step holds them in f32.
  auto isFinite = [](double value) {
    return std::isfinite(static_cast<float>(value));
  };
  struct Number {
    StringLiteral name;
    double value;
  };
  for (auto [name, value] :
       {Number{"lr", config.lr}, Number{"momentum", config.momentum},
        Number{"weight-decay", config.weightDecay}, Number{"eps", config.eps},
        Number{"clip", config.clip}, Number{"floor", config.floor},
        Number{"cap", config.cap}}) {
    std::string what = ("'" + name + "' of at least 0").str();
    if (failed(expects(value >= 0, what, value)) ||
        failed(expects(isFinite(value), ("'" + name + "' finite in f32").str(),
                       value)))
      return failure();
  }
  if (failed(expects(isFinite(config.dampening), "'dampening' finite in f32",
                     config.dampening)) ||
      failed(expects(config.beta1 >= 0 && config.beta1 < 1, "'beta1' in [0, 1)",
                     config.beta1)) ||
      failed(expects(config.beta2 >= 0 && config.beta2 < 1, "'beta2' in [0, 1)",
                     config.beta2)))
    return failure();
  if (config.nesterov && (config.momentum <= 0 || config.dampening != 0))
    return module.emitError()
           << "expects 'momentum' above 0 and no 'dampening' with 'nesterov'";
  return config;
}

void BuildTrainStepPass::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<StepConfig> config = makeConfig();
  if (failed(config))
    return signalPassFailure();
  func::FuncOp model, derivative;
  for (auto function : module.getOps<func::FuncOp>()) {
    StringRef name = function.getName();
    if (!name.consume_back(vjpSuffix))
      continue;
    if (derivative) {
      function.emitError()
          << "expects one derivative in the module, but got a second";
      return signalPassFailure();
    }
    derivative = function;
    model = module.lookupSymbol<func::FuncOp>(name);
  }
  if (!model) {
    module.emitError() << "expects a model and its derivative '@<model>"
                       << vjpSuffix << "': run -nn-autodiff first";
    return signalPassFailure();
  }
  if (failed(StepBuilder(model, derivative, *config).build()))
    signalPassFailure();
}
