//===- Fingerprint.cpp - What a checkpoint is valid for -------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input, weight, output and accumulator precision of the contractions, and the
// optimizer's, as sets of types; a hash over each op for what sets hide; and
// the constants of optimizer and scaler.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMP/Transforms/Passes.h"
#include "amp/Interfaces/NumericOpInterface.h"
#include "amp/Training/Program.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/xxhash.h"

#include "mlir/IR/TypeUtilities.h"
#include <set>

using namespace mlir;
using namespace mlir::amp;

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << getElementTypeOrSelf(type);
  return text;
}

static std::string print(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << attribute;
  return text;
}

static std::string hash(StringRef text) {
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true);
}

/// Whether an operand role of a contraction holds weights.
static bool isWeight(StringRef role) {
  return role == "weight" || role == "rhs";
}

static void computeNumerics(ModuleOp module,
                            TrainingConfiguration &configuration) {
  std::set<std::string> input, weight, output, accumulator, optimizer;
  std::string detail;
  module.walk([&](NumericOpInterface op) {
    if (op.getNumericClass() != NumericClass::contraction)
      return;
    detail += op->getName().getStringRef();
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      (isWeight(op.getOperandRole(index)) ? weight : input)
          .insert(print(operand.getType()));
      detail += ":" + print(operand.getType());
    }
    for (Type type : op->getResultTypes()) {
      output.insert(print(type));
      detail += ">" + print(type);
    }
    NumericsAttr numerics = op.getNumericsOrNull();
    accumulator.insert(numerics ? print(numerics.getAccumulateOrF32()) : "f32");
    if (numerics)
      detail += print(numerics);
    detail += "\n";
  });
  if (auto states = module->getAttrOfType<ArrayAttr>(kStateAttrName))
    for (StateAttr state : states.getAsRange<StateAttr>())
      if (state.getRole() == Role::optimizer_state ||
          state.getRole() == Role::parameter)
        optimizer.insert(print(state.getType()));
  configuration.numerics = {
      llvm::join(input, "+"), llvm::join(weight, "+"), llvm::join(output, "+"),
      llvm::join(accumulator, "+"), llvm::join(optimizer, "+")};
  configuration.numericsHash = hash(detail);
}

/// Records every option of -amp-build-train-step that `trainStep` results in,
/// defaults included: a later version with another default is another run.
static void parseTrainStep(StringRef trainStep,
                           TrainingConfiguration &configuration) {
  std::unique_ptr<Pass> pass = createBuildTrainStepPass();
  // The text has built this run's pipeline, so it is known to be valid.
  (void)pass->initializeOptions(trainStep,
                                [](const Twine &) { return failure(); });
  std::string text;
  llvm::raw_string_ostream stream(text);
  pass->printAsTextualPipeline(stream);
  StringRef options = StringRef(text).split('{').second;
  options.consume_back("}");
  SmallVector<StringRef> pairs;
  options.split(pairs, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef pair : pairs) {
    auto [key, value] = pair.split('=');
    if (key == "optimizer") {
      configuration.optimizer = value.str();
      continue;
    }
    if (key == "loss-scale") {
      configuration.scaler = value.str();
      continue;
    }
    double number;
    if (value.getAsDouble(number))
      number = value == "true" || value == "rows";
    bool isScaler =
        llvm::StringSwitch<bool>(key)
            .Cases({"scale", "growth", "backoff", "interval", "floor", "cap"},
                   true)
            .Default(false);
    // Which functions are made does not change what they compute.
    if (key != "window")
      (isScaler ? configuration.scalerConstants
                : configuration.optimizerConstants)[key.str()] = number;
  }
}

TrainingConfiguration amp::computeConfiguration(ModuleOp module,
                                                StringRef trainStep,
                                                StringRef modelText) {
  auto getString = [&](StringRef name) {
    auto attribute = module->getAttrOfType<StringAttr>(name);
    return attribute ? attribute.str() : std::string();
  };
  TrainingConfiguration configuration;
  configuration.policy = getString(kPolicyAttrName);
  configuration.policyHash = getString(kPolicyHashAttrName);
  configuration.parity = stringifyParity(getParity(module)).str();
  configuration.modelHash = hash(modelText);
  computeNumerics(module, configuration);
  parseTrainStep(trainStep, configuration);
  return configuration;
}

std::vector<CheckpointState> amp::collectStates(const StateStore &store) {
  std::vector<CheckpointState> states;
  for (StateAttr state : store.getStates())
    states.push_back({state.getName().str(),
                      stringifyRole(state.getRole()).str(), store.read(state)});
  return states;
}

llvm::Error amp::restoreStates(StateStore &store,
                               const Checkpoint &checkpoint) {
  for (StateAttr state : store.getStates())
    if (llvm::Error error =
            store.write(state, *checkpoint.find(state.getName().getValue())))
      return error;
  return llvm::Error::success();
}
