//===- TrainTool.cpp - The command line of amp-train ----------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Training/TrainTool.h"
#include "amp/Support/PythonJSON.h"
#include "amp/Support/ToolSetup.h"
#include "amp/Training/Replay.h"
#include "amp/Training/Trainer.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::amp;
namespace cl = llvm::cl;

namespace {
struct CommandLine {
  cl::OptionCategory category{"amp-train options"};
  cl::opt<std::string> model{cl::Positional, cl::Required,
                             cl::desc("MODEL.mlir"), cl::cat(category)};
  cl::opt<std::string> replay{
      "replay", cl::value_desc("CASE.json"), cl::cat(category),
      cl::desc("Train on a recorded run and compare with it")};
  cl::opt<Parity> parity{
      "parity", cl::desc("Whose habits to follow where they differ from ours"),
      cl::values(clEnumValN(Parity::none, "none", "ours"),
                 clEnumValN(Parity::pytorch, "pytorch", "PyTorch's")),
      cl::init(Parity::none), cl::cat(category)};
  cl::opt<double> rtol{
      "rtol", cl::cat(category),
      cl::desc("Relative tolerance of a replay (default 1e-5 in f32, "
               "2e-4 in f16 and bf16)")};
  cl::opt<std::string> checkpoint{
      "checkpoint", cl::value_desc("DIR"), cl::cat(category),
      cl::desc("Directory to save to, and to resume from")};
  cl::opt<int64_t> stopAfter{"stop-after", cl::value_desc("N"),
                             cl::cat(category),
                             cl::desc("Stop when N steps are done, and save")};
  cl::opt<bool> resume{"resume", cl::cat(category),
                       cl::desc("Continue from the checkpoint")};
  cl::opt<std::string> compile{
      "amp-compile", cl::value_desc("OPTIONS"), cl::cat(category),
      cl::desc("As of amp-opt: policy=cpu-f16 optimizer=adamw lr=1e-3 "
               "loss-scale=dynamic")};
  cl::opt<std::string> target{
      "target", cl::value_desc("cpu|cuda"), cl::cat(category),
      cl::desc("What steps run on (default cpu); short for target=NAME in "
               "--amp-compile")};
  cl::opt<std::string> arch{
      "arch", cl::value_desc("sm_90"), cl::cat(category),
      cl::desc("GPU architectures (default: the device's); short for "
               "arch=NAMES in --amp-compile")};
  cl::opt<std::string> data{
      "data", cl::value_desc("FILES"), cl::cat(category),
      cl::desc(".safetensors or .npy files, or directories of .npy "
               "files, comma-separated")};
  cl::opt<std::string> init{
      "target",
      "arch",
      "init",
      cl::value_desc("FILE.safetensors"),
      cl::cat(category),
      cl::desc("Initial parameters (default: drawn from the seed)")};
  cl::opt<int64_t> batch{"batch", cl::init(64), cl::cat(category),
                         cl::desc("Rows of an update (default 64)")};
  cl::opt<int64_t> microBatch{
      "micro-batch", cl::init(0), cl::cat(category),
      cl::desc("Rows of a micro-batch (default: the batch)")};
  cl::opt<int64_t> epochs{"epochs", cl::init(1), cl::cat(category),
                          cl::desc("Epochs (default 1)")};
  cl::opt<int64_t> steps{"steps", cl::cat(category),
                         cl::desc("Updates, instead of epochs")};
  cl::opt<uint64_t> seed{
      "seed", cl::init(0), cl::cat(category),
      cl::desc("Seed of initial parameters and data order (default 0)")};
  cl::opt<std::string> metrics{"metrics", cl::value_desc("FILE.jsonl"),
                               cl::cat(category),
                               cl::desc("Write one JSON line a step")};
  cl::opt<int64_t> checkpointEvery{"checkpoint-every", cl::init(0),
                                   cl::cat(category),
                                   cl::desc("Save after every N updates")};
  cl::opt<int64_t> maxSkips{
      "max-skips", cl::init(200), cl::cat(category),
      cl::desc("Fail after N skipped updates in a row (default 200); 0 never")};
  cl::opt<bool> progress{"progress", cl::cat(category),
                         cl::desc("Show progress without a terminal")};
  cl::opt<bool> quiet{"quiet", cl::cat(category), cl::desc("Show no progress")};
  cl::opt<bool> reference{
      "reference", cl::cat(category),
      cl::desc(
          "Run step functions by the reference interpreter, not compiled")};
};
} // namespace

static int fail(llvm::Error error) {
  llvm::errs() << "amp-train: error: " << llvm::toString(std::move(error))
               << "\n";
  return 1;
}

/// Numbers that count, and options that need another.
static llvm::Error checkOptions(const CommandLine &command) {
  for (const cl::opt<int64_t> *option :
       {&command.stopAfter, &command.steps, &command.epochs,
        &command.checkpointEvery, &command.maxSkips})
    if (*option < 0)
      return makeError("expects --" + option->ArgStr +
                       " of at least 0, but got " + Twine(int64_t(*option)));
  if (command.resume && command.checkpoint.empty())
    return makeError("--resume needs --checkpoint=DIR");
  if (command.checkpointEvery != 0 && command.checkpoint.empty())
    return makeError("--checkpoint-every needs --checkpoint=DIR");
  return llvm::Error::success();
}

/// The text of --amp-compile with the short forms after it, parsed. Without an
/// architecture it is the device's.
static llvm::Expected<CompileOptions> parseCompile(const CommandLine &command) {
  std::string text = command.compile, message;
  for (const cl::opt<std::string> *option : {&command.target, &command.arch})
    if (!option->empty())
      text += " " + option->ArgStr.str() + "=" + option->getValue();
  auto onError = [&](const Twine &error) -> LogicalResult {
    message = error.str();
    return failure();
  };
  FailureOr<CompileOptions> compile = CompileOptions::parse(text, onError);
  if (failed(compile))
    return makeError("--amp-compile: " + message);
  if (!StringRef(text).contains("arch="))
    compile->arch.clear();
  if (getStages(compile->target).empty())
    return makeError("unknown target '" + compile->target +
                     "'; expects 'cpu' or 'cuda'");
  return *compile;
}

static int runReplay(const CommandLine &command, MLIRContext &context) {
  llvm::Expected<ReplayCase> recorded = readReplayCase(command.replay);
  if (!recorded)
    return fail(recorded.takeError());
  llvm::Expected<CompileOptions> compile = parseCompile(command);
  if (!compile)
    return fail(compile.takeError());
  ReplayOptions options;
  options.compile = *compile;
  options.modelPath = command.model;
  options.parity = command.parity;
  options.execution =
      command.reference ? ExecutionKind::reference : ExecutionKind::compiled;
  if (command.rtol.getNumOccurrences())
    options.rtol = command.rtol;
  options.checkpoint = command.checkpoint;
  if (command.stopAfter.getNumOccurrences())
    options.stopAfter = command.stopAfter;
  options.resume = command.resume;
  llvm::Expected<bool> agrees =
      replay(context, *recorded, options, llvm::outs());
  if (!agrees)
    return fail(agrees.takeError());
  return *agrees ? 0 : 1;
}

static int runTraining(const CommandLine &command, MLIRContext &context) {
  llvm::Expected<CompileOptions> compile = parseCompile(command);
  if (!compile)
    return fail(compile.takeError());
  // What the driver decides itself.
  for (StringRef text : llvm::split(StringRef(command.compile), ' '))
    if (StringRef key = text.split('=').first;
        key == "batch" || key == "stop-after" || key == "window")
      return fail(makeError("--amp-compile: expects no '" + key +
                            "': the driver chooses it"));
  TrainOptions options;
  options.program.modelPath = command.model;
  options.program.compile = *compile;
  options.program.parity = command.parity;
  options.program.execution =
      command.reference ? ExecutionKind::reference : ExecutionKind::compiled;
  options.data = command.data;
  options.init = command.init;
  options.batch = command.batch;
  options.microBatch = command.microBatch;
  options.epochs = command.epochs;
  if (command.steps.getNumOccurrences())
    options.steps = command.steps;
  options.seed = command.seed;
  options.checkpoint = command.checkpoint;
  options.checkpointEvery = command.checkpointEvery;
  options.resume = command.resume;
  if (command.stopAfter.getNumOccurrences())
    options.stopAfter = command.stopAfter;
  options.metrics = command.metrics;
  options.progress = command.progress;
  options.quiet = command.quiet;
  options.maxSkips = command.maxSkips;
  llvm::Expected<llvm::json::Object> summary = train(context, options);
  if (!summary)
    return fail(summary.takeError());
  printPythonJSON(llvm::outs(), std::move(*summary));
  llvm::outs() << "\n";
  return 0;
}

int amp::trainToolMain(int argc, char **argv, DialectRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
  setUpTool();
  freeOptionNames({"replay",      "parity",     "rtol",
                   "checkpoint",  "stop-after", "resume",
                   "amp-compile", "data",       "target",
                   "arch",        "init",       "batch",
                   "micro-batch", "epochs",     "steps",
                   "seed",        "metrics",    "checkpoint-every",
                   "max-skips",   "progress",   "quiet",
                   "reference"});
  CommandLine command;
  cl::HideUnrelatedOptions(command.category);
  cl::ParseCommandLineOptions(argc, argv, "AMP-MLIR training driver\n");
  if (llvm::Error error = checkOptions(command))
    return fail(std::move(error));
  MLIRContext context(registry);
  // One error is one line, not a line and the module it stands in.
  context.printOpOnDiagnostic(false);
  context.loadAllAvailableDialects();
  if (!command.replay.empty())
    return runReplay(command, context);
  if (!command.data.empty())
    return runTraining(command, context);
  return fail(makeError("expects --data=FILES or --replay=CASE.json"));
}
