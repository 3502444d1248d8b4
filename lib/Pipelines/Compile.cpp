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
#include "amp/Target/CUDA/Arch.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Targets that have a stage.
enum Targets : unsigned { kCPU = 1, kCUDA = 2, kAll = kCPU | kCUDA };

struct Row {
  Stage stage;
  unsigned targets;
};
} // namespace

static constexpr Row kStages[] = {
    {{"roles", "amp-annotate-roles", false}, kAll},
    {{"autocast", "amp-autocast{policy=$policy}", true}, kAll},
    {{"autodiff", "nn-autodiff", true}, kAll},
    {{"train-step", "amp-build-train-step{$train}", true}, kAll},
    // Merging equal values is right only now: before autodiff it would sum
    // cotangents in the low type.
    {{"optimize-casts", "amp-optimize-casts,canonicalize,cse", true}, kAll},
    {{"specialize", "amp-specialize-shapes{batch=$batch},canonicalize,cse",
      true},
     kAll},
    // From here on gradients are concatenated and sliced, and the loss-scale
    // rules of those ops are not amp's.
    {{"pack", "amp-pack-state,canonicalize,cse", false}, kAll},
    {{"amprt", "convert-nn-to-amprt", false}, kCPU},
    {{"amprt", "convert-nn-to-amprt,amprt-fuse-epilogues{arch=$arch $fuse}",
      false},
     kCUDA},
    {{"linalg", "convert-nn-to-linalg,convert-amp-to-linalg,canonicalize,cse",
      false},
     kAll},
    {{"kernels", "amprt-form-kernels", false}, kAll},
    {{"memory", "amprt-plan-memory,canonicalize,cse", false}, kAll},
    {{"cpu", "amprt-emit-cpu-kernels", false}, kCPU},
    {{"llvm", "amprt-lower-to-llvm", false}, kCPU},
    {{"gpu", "amprt-emit-gpu-kernels", false}, kCUDA},
    {{"nvvm",
      "amprt-check-gemms{arch=$arch},amprt-lower-gpu-kernels{arch=$arch}",
      false},
     kCUDA},
    {{"binary", "amprt-assemble-kernels{arch=$arch}", false}, kCUDA},
    {{"llvm", "convert-amprt-to-llvm", false}, kCUDA},
};

static std::vector<Stage> selectStages(unsigned target) {
  std::vector<Stage> stages;
  for (const Row &row : kStages)
    if (row.targets & target)
      stages.push_back(row.stage);
  return stages;
}

ArrayRef<Stage> amp::getStages(StringRef target) {
  static const std::vector<Stage> cpu = selectStages(kCPU);
  static const std::vector<Stage> cuda = selectStages(kCUDA);
  if (target == "cpu")
    return cpu;
  if (target == "cuda")
    return cuda;
  return {};
}

static std::string listStages(StringRef target) {
  std::string text;
  for (const Stage &stage : getStages(target))
    text += (text.empty() ? "" : ", ") + stage.name.str();
  return text;
}

FailureOr<CompileOptions>
CompileOptions::parse(StringRef text,
                      function_ref<LogicalResult(const Twine &)> onError) {
  CompileOptions options;
  // An option that only the CUDA stages read.
  StringRef cudaOption;
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
    } else if (key == "arch") {
      llvm::Expected<SmallVector<Arch>> archs = parseArchs(value);
      if (!archs) {
        (void)onError(llvm::toString(archs.takeError()));
        return failure();
      }
      options.arch = value.str();
      cudaOption = key;
    } else if (key == "epilogues" || key == "nan-relu") {
      cudaOption = key;
      options.fuse += (options.fuse.empty() ? "" : " ") + pair.str();
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
  if (!cudaOption.empty() && options.target != "cuda") {
    (void)onError("option '" + cudaOption +
                  "' expects target=cuda, but got "
                  "target=" +
                  options.target);
    return failure();
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
    return onError("unknown target '" + options.target +
                   "'; expects 'cpu' or 'cuda'");
  auto isKnown = [&](StringRef name) {
    return llvm::any_of(stages, [&](const Stage &s) { return s.name == name; });
  };
  for (StringRef name : {StringRef(options.stopAfter), after})
    if (!name.empty() && !isKnown(name))
      return onError("unknown stage '" + name + "'; expects one of " +
                     listStages(options.target));
  bool isReached = after.empty();
  for (const Stage &stage : stages) {
    if (isReached) {
      std::string passes =
          substitute(stage.passes.str(), "$policy", options.policy);
      passes = substitute(passes, "$arch", options.arch);
      passes = substitute(passes, "$fuse", options.fuse);
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
      "policy=NAME (default f32) target=cpu|cuda (default cpu) "
      "arch=ARCH[+ARCH...] (with target=cuda; default sm_90) batch=N "
      "(default 64) stop-after=STAGE, those of --amp-build-train-step, and "
      "with target=cuda epilogues and nan-relu of --amprt-fuse-epilogues. "
      "Stages: " +
      listStages("cpu") + "; with target=cuda: " + listStages("cuda") +
      ". Architectures: ";
  for (auto [index, arch] : llvm::enumerate(getArchs()))
    description += (index ? ", " : "") + arch.name.str();
  description += ". Policies: ";
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
