//===- Compile.cpp - The whole way from a model to a step -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Pipelines/Compile.h"

#include "amp/Dialect/AMP/Transforms/Passes.h"
#include "amp/Dialect/AMP/Transforms/Policy.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr Stage kCPUStages[] = {
    {"roles", "amp-annotate-roles", false},
    {"autocast", "amp-autocast{policy=$policy}", true},
    {"autodiff", "nn-autodiff", true},
    {"train-step", "amp-build-train-step{$train}", true},
    // Merging equal values is right only now: before autodiff it would sum
    // cotangents in the low type.
    {"optimize-casts", "amp-optimize-casts,canonicalize,cse", true},
    {"specialize", "amp-specialize-shapes{batch=$batch},canonicalize,cse",
     true},
    // From here on gradients are concatenated and sliced, and the loss-scale
    // rules of those ops are not amp's.
    {"pack", "amp-pack-state,canonicalize,cse", false},
    {"amprt", "convert-nn-to-amprt", false},
    {"linalg", "convert-nn-to-linalg,convert-amp-to-linalg,canonicalize,cse",
     false},
    {"kernels", "amprt-form-kernels", false},
    {"memory", "amprt-plan-memory,canonicalize,cse", false},
    {"cpu", "amprt-emit-cpu-kernels", false},
    {"llvm", "amprt-lower-to-llvm", false},
};

ArrayRef<Stage> amp::getStages(StringRef target) {
  if (target == "cpu")
    return kCPUStages;
  return {};
}

static std::string listStages() {
  std::string text;
  for (const Stage &stage : kCPUStages)
    text += (text.empty() ? "" : ", ") + stage.name.str();
  return text;
}

FailureOr<CompileOptions>
CompileOptions::parse(StringRef text,
                      function_ref<LogicalResult(const Twine &)> onError) {
  CompileOptions options;
  SmallVector<StringRef> pairs;
  text.split(pairs, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef pair : pairs) {
    auto [key, value] = pair.split('=');
    if (key.empty() || value.empty()) {
      (void)onError("expects options of the form key=value, but got '" + pair +
                    "'");
      return failure();
    }
    if (key == "policy") {
      options.policy = value.str();
    } else if (key == "target") {
      options.target = value.str();
    } else if (key == "stop-after") {
      options.stopAfter = value.str();
    } else if (key == "batch") {
      if (value.getAsInteger(10, options.batch) || options.batch < 0 ||
          options.batch > kMaxBatch) {
        (void)onError("expects a batch in [0, " + Twine(kMaxBatch) +
                      "], but got '" + value + "'");
        return failure();
      }
    } else {
      options.trainStep += (options.trainStep.empty() ? "" : " ") + pair.str();
    }
  }
  return options;
}

/// Replaces `placeholder` in `text`.
static std::string substitute(std::string text, StringRef placeholder,
                              StringRef value) {
  for (size_t at = text.find(placeholder); at != std::string::npos;
       at = text.find(placeholder, at + value.size()))
    text.replace(at, placeholder.size(), value);
  return text;
}

LogicalResult
amp::buildCompilePipeline(OpPassManager &pm, const CompileOptions &options,
                          function_ref<LogicalResult(const Twine &)> onError,
                          StringRef after) {
  ArrayRef<Stage> stages = getStages(options.target);
  if (stages.empty())
    return onError("unknown target '" + options.target + "'; expects 'cpu'");
  auto isKnown = [&](StringRef name) {
    return llvm::any_of(stages, [&](const Stage &s) { return s.name == name; });
  };
  for (StringRef name : {StringRef(options.stopAfter), after})
    if (!name.empty() && !isKnown(name))
      return onError("unknown stage '" + name + "'; expects one of " +
                     listStages());
  bool isReached = after.empty();
  for (const Stage &stage : stages) {
    if (isReached) {
      std::string passes =
          substitute(stage.passes.str(), "$policy", options.policy);
      passes = substitute(passes, "$batch", std::to_string(options.batch));
      passes = substitute(passes, "$train", options.trainStep);
      if (stage.isVerified)
        passes += ",amp-verify";
      std::string errors;
      llvm::raw_string_ostream stream(errors);
      // The first line says what is wrong; those after it name the pipeline.
      if (failed(parsePassPipeline(passes, pm, stream)))
        return onError("stage '" + stage.name +
                       "' does not take its options: " +
                       StringRef(errors).trim().split('\n').first +
                       "; 'amp-opt --help' lists those of --amp-compile");
    }
    isReached |= stage.name == after;
    if (stage.name == options.stopAfter)
      break;
  }
  return success();
}

void amp::registerCompilePipeline() {
  static std::string description =
      "Compile a model to a training step: all stages. Options: "
      "policy=NAME (default f32) target=cpu batch=N (default 64) "
      "stop-after=STAGE, and those of "
      "--amp-build-train-step. Stages: " +
      listStages() + ". Policies: ";
  for (auto [index, policy] : llvm::enumerate(getBuiltinPolicies()))
    description += (index ? ", " : "") + policy.first.str();
  registerPassPipeline(
      "amp-compile", description,
      [](OpPassManager &pm, StringRef text,
         function_ref<LogicalResult(const Twine &)> onError) {
        FailureOr<CompileOptions> options =
            CompileOptions::parse(text, onError);
        if (failed(options))
          return failure();
        return buildCompilePipeline(pm, *options, onError);
      },
      [](function_ref<void(const mlir::detail::PassOptions &)>) {});
}
