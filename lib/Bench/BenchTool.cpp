//===- BenchTool.cpp - What amp-bench does -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line of the step benchmark.
//
//===----------------------------------------------------------------------===//

#include "amp/Bench/StepBench.h"
#include "amp/Support/ToolSetup.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::amp;
namespace cl = llvm::cl;

namespace {
struct Flags {
  cl::OptionCategory category{"amp-bench options"};
  cl::opt<std::string> file{cl::Positional, cl::Required,
                            cl::desc("<model.mlir>"), cl::cat(category)};
  cl::opt<std::string> policy{"policy", cl::init("f32"), cl::cat(category),
                              cl::desc("Autocast policy (default f32)")};
  cl::opt<std::string> target{"target", cl::init("cpu"), cl::cat(category),
                              cl::desc("cpu or cuda (default cpu)")};
  cl::opt<std::string> arch{
      "arch", cl::cat(category),
      cl::desc("GPU architectures (default: the device's)")};
  cl::opt<std::string> options{"options", cl::init("optimizer=adamw lr=1e-3"),
                               cl::cat(category),
                               cl::desc("Options of --amp-build-train-step")};
  cl::opt<int64_t> batch{"batch", cl::init(64), cl::cat(category),
                         cl::desc("Rows of a step (default 64)")};
  cl::opt<int64_t> steps{"steps", cl::init(50), cl::cat(category),
                         cl::desc("Timed steps (default 50)")};
  cl::opt<int64_t> warmup{"warmup", cl::init(10), cl::cat(category),
                          cl::desc("Untimed steps before them (default 10)")};
  cl::opt<std::string> json{"json", cl::value_desc("file"), cl::cat(category),
                            cl::desc("Writes the result as one JSON object")};
  cl::opt<std::string> dumpIR{"dump-llvm", cl::value_desc("file"),
                              cl::cat(category),
                              cl::desc("Writes the optimised LLVM IR")};
  cl::opt<std::string> dumpAssembly{"dump-asm", cl::value_desc("file"),
                                    cl::cat(category),
                                    cl::desc("Writes the assembly")};
};
} // namespace

static int reportError(const llvm::Twine &message) {
  llvm::errs() << "error: " << message << "\n";
  return 1;
}

int amp::stepBenchMain(int argc, char **argv, DialectRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
  setUpTool();
  freeOptionNames({"target", "arch"});
  Flags flags;
  cl::HideUnrelatedOptions(flags.category);
  cl::ParseCommandLineOptions(argc, argv, "Times of a model's training step\n");
  if (flags.batch < 0 || flags.steps < 1 || flags.warmup < 0)
    return reportError("expects --steps of at least 1 and --batch and --warmup "
                       "of at least 0");
  StepBenchOptions options;
  options.policy = flags.policy;
  options.target = flags.target;
  options.arch = flags.arch;
  options.trainStep = flags.options;
  options.batch = flags.batch;
  options.steps = flags.steps;
  options.warmup = flags.warmup;
  options.dumpIR = flags.dumpIR;
  options.dumpAssembly = flags.dumpAssembly;

  std::string message;
  auto buffer = openInputFile(flags.file, &message);
  if (!buffer)
    return reportError(message);
  MLIRContext context(registry);
  // An error is for reading: not with the whole module.
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1;
  llvm::Expected<StepBenchResult> result = runStepBench(*module, options);
  if (!result) {
    // Empty after a diagnostic.
    std::string text = llvm::toString(result.takeError());
    return text.empty() ? 1 : reportError("'" + flags.file + "': " + text);
  }

  StringRef model = llvm::sys::path::stem(flags.file);
  llvm::outs() << llvm::format(
      "%-14s %-9s %5lld %9.3f ms %9.3f best %10.0f samples/s %7.1f GFLOP/s "
      "%6.1f "
      "MB state %6.1f MB arena %lld bytes allocated per step\n",
      model.str().c_str(), options.policy.c_str(), (long long)options.batch,
      result->medianMs, result->bestMs,
      result->getSamplesPerSecond(options.batch), result->getGflops(),
      result->stateBytes / 1e6, result->arenaBytes / 1e6,
      (long long)result->bytesPerStep);
  if (flags.json.empty())
    return 0;
  auto output = openOutputFile(flags.json, &message);
  if (!output)
    return reportError(message);
  output->os() << llvm::formatv(
      "{0:2}\n", llvm::json::Value(toJSON(*result, options, model)));
  output->keep();
  return 0;
}
