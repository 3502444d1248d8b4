//===- Configuration.cpp - What must be equal to resume --------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of the text fields serves printing, parsing and comparing.
//
//===----------------------------------------------------------------------===//

#include "amp/TrainingData/Configuration.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// A text field: its JSON name, the group a difference is reported under, and
/// what it is called there.
struct TextField {
  StringLiteral name, group, what;
  std::string &(*get)(TrainingConfiguration &);
};
/// A table of numbers.
struct NumberField {
  StringLiteral name, group;
  std::map<std::string, double> &(*get)(TrainingConfiguration &);
};
} // namespace

using Configuration = TrainingConfiguration;

static const TextField textFields[] = {
    {"policy", "precision", "policy",
     [](Configuration &c) -> std::string & { return c.policy; }},
    {"policy_hash", "precision", "policy hash",
     [](Configuration &c) -> std::string & { return c.policyHash; }},
    {"input_precision", "precision", "input precision",
     [](Configuration &c) -> std::string & { return c.numerics.input; }},
    {"weight_precision", "precision", "weight precision",
     [](Configuration &c) -> std::string & { return c.numerics.weight; }},
    {"output_precision", "precision", "output precision",
     [](Configuration &c) -> std::string & { return c.numerics.output; }},
    {"accumulator_precision", "precision", "accumulator precision",
     [](Configuration &c) -> std::string & { return c.numerics.accumulator; }},
    {"optimizer_precision", "precision", "optimizer precision",
     [](Configuration &c) -> std::string & { return c.numerics.optimizer; }},
    {"numerics_hash", "precision", "numerics hash",
     [](Configuration &c) -> std::string & { return c.numericsHash; }},
    {"parity", "parity", "mode",
     [](Configuration &c) -> std::string & { return c.parity; }},
    {"model_hash", "model", "hash",
     [](Configuration &c) -> std::string & { return c.modelHash; }},
    {"optimizer", "optimizer", "algorithm",
     [](Configuration &c) -> std::string & { return c.optimizer; }},
    {"scaler", "loss scaling", "mode",
     [](Configuration &c) -> std::string & { return c.scaler; }},
    {"data_hash", "data", "hash",
     [](Configuration &c) -> std::string & { return c.dataHash; }},
};

static const NumberField numberFields[] = {
    {"optimizer_constants", "optimizer",
     [](Configuration &c) -> std::map<std::string, double> & {
       return c.optimizerConstants;
     }},
    {"scaler_constants", "loss scaling",
     [](Configuration &c) -> std::map<std::string, double> & {
       return c.scalerConstants;
     }},
    {"data", "data",
     [](Configuration &c) -> std::map<std::string, double> & {
       return c.data;
     }},
};

llvm::json::Value amp::toJSON(const TrainingConfiguration &configuration) {
  // The accessors serve reading and writing, so they take a mutable object.
  TrainingConfiguration copy = configuration;
  llvm::json::Object object;
  for (const TextField &field : textFields)
    object[field.name] = field.get(copy);
  for (const NumberField &field : numberFields) {
    llvm::json::Object numbers;
    for (const auto &[name, value] : field.get(copy))
      numbers[name] = value;
    object[field.name] = std::move(numbers);
  }
  return object;
}

llvm::Expected<TrainingConfiguration>
amp::parseConfiguration(const llvm::json::Value &value) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return makeError("expects an object 'configuration'");
  TrainingConfiguration configuration;
  for (const TextField &field : textFields) {
    std::optional<StringRef> text = object->getString(field.name);
    if (!text)
      return makeError("expects a string '" + field.name + "'");
    field.get(configuration) = text->str();
  }
  for (const NumberField &field : numberFields) {
    const llvm::json::Object *numbers = object->getObject(field.name);
    if (!numbers)
      return makeError("expects an object '" + field.name + "'");
    for (const auto &[name, number] : *numbers) {
      std::optional<double> parsed = number.getAsNumber();
      if (!parsed)
        return makeError("expects a number '" + field.name + "." +
                         StringRef(name) + "'");
      field.get(configuration)[name.str()] = *parsed;
    }
  }
  return configuration;
}

static std::string formatNumber(double value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::format("%.17g", value);
  // The shortest of the usual precisions that reads back.
  for (int digits : {6, 9, 15}) {
    std::string shorter;
    llvm::raw_string_ostream(shorter) << llvm::format("%.*g", digits, value);
    double back = 0;
    if (llvm::to_float(shorter, back) && back == value)
      return shorter;
  }
  return text;
}

/// A number of a table as text, `nothing` where the table lacks it.
static std::string lookUp(const std::map<std::string, double> &numbers,
                          const std::string &name) {
  auto it = numbers.find(name);
  return it == numbers.end() ? "nothing" : formatNumber(it->second);
}

std::vector<std::string>
amp::compareConfiguration(const TrainingConfiguration &expected,
                          const TrainingConfiguration &found) {
  TrainingConfiguration run = expected, checkpoint = found;
  std::vector<std::string> differences;
  auto add = [&](StringRef group, StringRef what, const std::string &theirs,
                 const std::string &ours) {
    if (theirs != ours)
      differences.push_back((group + ": checkpoint has " + what + " " + theirs +
                             ", this run has " + ours)
                                .str());
  };
  for (const TextField &field : textFields)
    add(field.group, field.what, "'" + field.get(checkpoint) + "'",
        "'" + field.get(run) + "'");
  for (const NumberField &field : numberFields) {
    std::map<std::string, double> &theirs = field.get(checkpoint),
                                  &ours = field.get(run);
    std::map<std::string, double> both = theirs;
    both.insert(ours.begin(), ours.end());
    for (const auto &[name, value] : both)
      add(field.group, name, lookUp(theirs, name), lookUp(ours, name));
  }
  return differences;
}

llvm::Error amp::checkConfiguration(const TrainingConfiguration &expected,
                                    const TrainingConfiguration &found,
                                    StringRef path) {
  std::vector<std::string> differences = compareConfiguration(expected, found);
  if (differences.empty())
    return llvm::Error::success();
  return makeError(
      "cannot resume from '" + path + "': " + llvm::join(differences, "; ") +
      ": resume with the checkpoint's configuration, or start anew in "
      "another directory");
}
