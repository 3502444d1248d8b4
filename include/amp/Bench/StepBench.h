//===- StepBench.h - Times of a training step -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a model file to a training step, runs it on random data and reports
// what a step costs in time and memory.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_BENCH_STEPBENCH_H
#define AMP_BENCH_STEPBENCH_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace mlir::amp {

/// What to measure.
struct StepBenchOptions {
  /// `cpu` or `cuda`, and its architectures (empty: the device's).
  std::string target = "cpu", arch;
  std::string policy = "f32";
  /// Options of -amp-build-train-step.
  std::string trainStep = "optimizer=adamw lr=1e-3";
  int64_t batch = 64;
  /// Timed steps, after `warmup` untimed ones.
  int64_t steps = 50;
  int64_t warmup = 10;
  /// Files for the optimised LLVM IR and the assembly; empty for none.
  std::string dumpIR, dumpAssembly;
};

/// What was measured.
struct StepBenchResult {
  double medianMs = 0, bestMs = 0, compileSeconds = 0;
  int64_t stateBytes = 0, arenaBytes = 0;
  /// Largest number of bytes that the runtime allocated in one timed step.
  int64_t bytesPerStep = 0;
  /// 2*m*n*k over the matrix products of the step.
  int64_t flopsPerStep = 0;
  /// Loss of the first and of the last step.
  double firstLoss = 0, lastLoss = 0;
  /// Back end, instruction set, threads.
  std::string runtime;

  double getSamplesPerSecond(int64_t batch) const {
    return batch / (medianMs * 1e-3);
  }
  double getGflops() const { return flopsPerStep / (medianMs * 1e6); }
};

/// Lowers `model` in place and measures its `train` function. The
/// error is empty when a diagnostic was given.
llvm::Expected<StepBenchResult> runStepBench(ModuleOp model,
                                             const StepBenchOptions &options);

/// The result as one JSON object.
llvm::json::Object toJSON(const StepBenchResult &result,
                          const StepBenchOptions &options, StringRef model);

/// `amp-bench MODEL.mlir [options]`: parses the command line, prints one row.
int stepBenchMain(int argc, char **argv, DialectRegistry &registry);

} // namespace mlir::amp

#endif // AMP_BENCH_STEPBENCH_H
