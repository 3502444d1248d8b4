//===- Compile.h - The whole way from a model to a step -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of compilation as data, and the one pipeline that runs them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_PIPELINES_COMPILE_H
#define AMP_PIPELINES_COMPILE_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir::amp {

/// One stage: what `stop-after=` names, and the passes it runs, as pipeline
/// text.
/// `$policy`, `$arch`, `$batch`, `$train` and `$fuse` stand for the options of
/// that name.
struct Stage {
  StringLiteral name;
  StringLiteral passes;
  /// Whether -amp-verify runs after it (the graph is still nn and amp).
  bool isVerified;
};

/// All stages for `target` (`cpu`, `cuda`), in order; empty for an unknown
/// target.
ArrayRef<Stage> getStages(StringRef target);

/// What to compile and how far.
struct CompileOptions {
  std::string policy = "f32";
  std::string target = "cpu";
  /// GPU architectures, joined by '+'; only `cuda` reads it.
  std::string arch = "sm_90";
  /// Options of -amprt-fuse-epilogues, as text; only `cuda` reads it.
  std::string fuse;
  /// Value of dynamic leading dimensions.
  int64_t batch = 64;
  /// The last stage to run; empty: all.
  std::string stopAfter;
  /// Options of -amp-build-train-step, as text: `optimizer=adamw lr=1e-3`.
  std::string trainStep;

  /// Parses `key=value` pairs separated by spaces. Keys that are not fields of
  /// this struct are options of -amp-build-train-step.
  static FailureOr<CompileOptions>
  parse(StringRef text, function_ref<LogicalResult(const Twine &)> onError);
};

/// Adds the stages after `after` (empty: from the first) up to and including
/// `options.stopAfter` to `pm`. Fails, with the message given to `onError`, on
/// an unknown stage, target or option.
LogicalResult
buildCompilePipeline(OpPassManager &pm, const CompileOptions &options,
                     function_ref<LogicalResult(const Twine &)> onError,
                     StringRef after = {});

/// Registers `--amp-compile`.
void registerCompilePipeline();

} // namespace mlir::amp

#endif // AMP_PIPELINES_COMPILE_H
