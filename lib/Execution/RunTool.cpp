//===- RunTool.cpp - What amp-run does ------------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps: parse; apply a policy, take derivatives; find arguments; run,
// interpreted or compiled; print, write, compare, time.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/RunTool.h"
#include "amp/Execution/Compare.h"
#include "amp/Execution/Executor.h"
#include "amp/Execution/TensorSource.h"
#include "amp/Execution/TensorValues.h"
#include "amp/Support/Npy.h"
#include "amp/Support/Safetensors.h"
#include "amp/Support/ToolSetup.h"
#include "amp/Target/CUDA/Arch.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include <chrono>

using namespace mlir;
using namespace mlir::amp;
namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
struct Options {
  cl::OptionCategory category{"amp-run options"};
  cl::opt<std::string> file{cl::Positional, cl::desc("<file.mlir>"),
                            cl::init("-"), cl::cat(category)};
  cl::opt<std::string> function{
      "function", cl::cat(category),
      cl::desc("Function to run (default: the only public one, or @main)")};
  cl::opt<std::string> inputs{
      "inputs", cl::cat(category), cl::value_desc("files"),
      cl::desc(
          "Arguments: a .safetensors file, or .npy files separated by commas")};
  cl::opt<std::string> prefix{"input-prefix", cl::cat(category),
                              cl::desc("Prefix of the tensors' names in the "
                                       "files of --inputs and --expect")};
  cl::opt<std::string> randomInputs{
      "random-inputs", cl::cat(category), cl::value_desc("seed"),
      cl::desc("Normally distributed arguments instead of --inputs")};
  cl::opt<int64_t> dynamicSize{
      "dynamic-size", cl::cat(category), cl::init(4),
      cl::desc("Size of dynamic dimensions of --random-inputs (default 4)")};
  cl::opt<std::string> output{
      "output", cl::cat(category), cl::value_desc("file"),
      cl::desc("Writes the results to a .safetensors or .npy file")};
  cl::opt<bool> reference{
      "reference", cl::cat(category),
      cl::desc("Runs the reference interpreter instead of compiled code")};
  cl::opt<std::string> target{
      "target", cl::cat(category), cl::init("cpu"), cl::value_desc("cpu|cuda"),
      cl::desc("What to compile for and run on (default cpu)")};
  cl::opt<std::string> arch{
      "arch", cl::cat(category), cl::value_desc("sm_90"),
      cl::desc("GPU architectures to compile for, joined by '+' (default: the "
               "newest that the device runs)")};
  cl::opt<std::string> policy{
      "policy", cl::cat(category),
      cl::desc("Applies -amp-autocast with this policy first")};
  cl::opt<bool> grad{"grad", cl::cat(category),
                     cl::desc("Runs the function's derivative: takes a "
                              "cotangent per floating result, "
                              "gives a gradient per floating argument")};
  cl::opt<std::string> expect{"expect", cl::cat(category),
                              cl::value_desc("files|reference"),
                              cl::desc("Compares the results with tensors of a "
                                       "file, or with the interpreter's")};
  cl::opt<std::string> ulp{
      "ulp", cl::cat(category),
      cl::desc("Largest distance in units of the result's format")};
  cl::opt<std::string> relative{"rtol", cl::cat(category),
                                cl::desc("Largest relative error")};
  cl::opt<std::string> absolute{"atol", cl::cat(category),
                                cl::desc("Largest absolute error")};
  cl::opt<std::string> time{
      "time", cl::cat(category), cl::ValueOptional, cl::value_desc("runs"),
      cl::desc("Prints the median time of this many runs (default 10)")};
};

/// One argument list, function and set of results of a run.
class Run {
public:
  Run(const Options &options, MLIRContext &context)
      : options(options), context(context) {}

  llvm::Error execute(ModuleOp module);
  bool allResultsAgree() const { return agrees; }

private:
  llvm::Error applyPasses(ModuleOp module, const llvm::Twine &pipeline);
  llvm::Error chooseFunction(ModuleOp module);
  llvm::Error differentiate(ModuleOp module);
  llvm::Error findArguments();
  llvm::Error makeExecutor();
  llvm::Error findExpected();
  llvm::Error checkTarget() const;
  llvm::Error parseTolerance();
  llvm::Error parseTime();
  llvm::Error writeResults() const;
  llvm::Error measure();
  void printResults();
  void compare(StringRef name, const ReferenceTensor &got,
               const ReferenceTensor &want);

  const Options &options;
  MLIRContext &context;
  func::FuncOp function;
  /// What the function takes, and what of its results is looked at.
  SmallVector<TensorSlot> argumentSlots, resultSlots;
  /// Leading results to ignore: the primal's, under --grad.
  unsigned skippedResults = 0;
  std::unique_ptr<Executor> executor;
  SmallVector<HostTensor> arguments, results;
  std::optional<SmallVector<HostTensor>> expected;
  Tolerance tolerance;
  unsigned timedRuns = 10;
  bool agrees = true;
};
} // namespace

/// The error after a diagnostic: nothing to add.
static llvm::Error alreadyReported() { return makeError(""); }

//===----------------------------------------------------------------------===//
// Function and arguments
//===----------------------------------------------------------------------===//

llvm::Error Run::applyPasses(ModuleOp module, const llvm::Twine &pipeline) {
  PassManager manager(&context);
  if (failed(parsePassPipeline(pipeline.str(), manager)) ||
      failed(manager.run(module)))
    return alreadyReported();
  return llvm::Error::success();
}

llvm::Error Run::chooseFunction(ModuleOp module) {
  SmallVector<func::FuncOp> publicFunctions;
  std::string names;
  for (func::FuncOp candidate : module.getOps<func::FuncOp>()) {
    names += (names.empty() ? "'" : ", '") + candidate.getName().str() + "'";
    if (candidate.isPublic())
      publicFunctions.push_back(candidate);
  }
  if (names.empty())
    return makeError("'" + options.file + "' has no function");
  std::string name = options.function.empty() ? std::string("main")
                                              : options.function.getValue();
  function = module.lookupSymbol<func::FuncOp>(name);
  if (!function && options.function.empty() && publicFunctions.size() == 1)
    function = publicFunctions.front();
  if (!function)
    return makeError("'" + options.file + "' has no function '" + name +
                     "', but " + names);
  argumentSlots = getArgumentSlots(function);
  resultSlots = getResultSlots(function);
  return llvm::Error::success();
}

llvm::Error Run::differentiate(ModuleOp module) {
  SmallVector<TensorSlot> gradients;
  for (auto [index, slot] : llvm::enumerate(argumentSlots))
    if (isa<FloatType>(getElementTypeOrSelf(slot.type)))
      gradients.push_back(
          {("grad" + Twine(index)).str(), slot.name, slot.type});
  for (auto [index, slot] : llvm::enumerate(resultSlots))
    if (isa<FloatType>(getElementTypeOrSelf(slot.type)))
      argumentSlots.push_back(
          {("cotangent" + Twine(index)).str(), "", slot.type});
  std::string name = function.getName().str();
  if (llvm::Error error =
          applyPasses(module, "nn-autodiff{function=" + name +
                                  " wrt=all-float-args cotangents=all}"))
    return error;
  function = module.lookupSymbol<func::FuncOp>(name + ".vjp");
  if (!function ||
      function.getNumResults() != resultSlots.size() + gradients.size())
    return makeError("'nn-autodiff' made no derivative of '" + name + "'");
  skippedResults = resultSlots.size();
  resultSlots = std::move(gradients);
  // Gradients of parameters may be wider than these.
  for (auto [slot, type] : llvm::zip_equal(
           resultSlots, function.getResultTypes().drop_front(skippedResults)))
    slot.type = type;
  return llvm::Error::success();
}

llvm::Error Run::findArguments() {
  if (!options.inputs.empty()) {
    llvm::Expected<TensorSource> source =
        TensorSource::read(options.inputs, options.prefix);
    if (!source)
      return source.takeError();
    llvm::Expected<SmallVector<HostTensor>> selected =
        source->select(argumentSlots, &context);
    if (!selected)
      return selected.takeError();
    arguments = std::move(*selected);
    return llvm::Error::success();
  }
  if (argumentSlots.empty())
    return llvm::Error::success();
  uint64_t seed = 0;
  if (options.randomInputs.empty())
    return makeError(
        "'" + function.getName() + "' takes " + Twine(argumentSlots.size()) +
        " arguments: give '--inputs=FILE' or '--random-inputs=SEED'");
  if (StringRef(options.randomInputs).getAsInteger(10, seed))
    return makeError("expects a number as '--random-inputs', but got '" +
                     options.randomInputs + "'");
  if (options.dynamicSize < 0)
    return makeError("expects '--dynamic-size' of at least 0, but got " +
                     Twine(int64_t(options.dynamicSize)));
  for (const TensorSlot &slot : argumentSlots) {
    RankedTensorType type = dyn_cast<RankedTensorType>(slot.type);
    std::optional<HostTensor> tensor;
    if (type)
      tensor = makeRandomTensor(type, options.dynamicSize, seed++);
    if (!tensor)
      return makeError("cannot make random values for '" + slot.numbered +
                       "' of '" + function.getName() + "'");
    arguments.push_back(std::move(*tensor));
  }
  return llvm::Error::success();
}

llvm::Error Run::checkTarget() const {
  if (options.target != "cpu" && options.target != "cuda")
    return makeError("unknown target '" + options.target +
                     "'; expects 'cpu' or 'cuda'");
  if (options.arch.empty())
    return llvm::Error::success();
  if (options.target != "cuda")
    return makeError("'--arch' expects '--target=cuda'");
  return parseArchs(options.arch).takeError();
}

llvm::Error Run::makeExecutor() {
  if (options.reference) {
    executor = createReferenceExecutor(function);
    return llvm::Error::success();
  }
  FailureOr<std::unique_ptr<Executor>> compiled = createCompiledExecutor(
      function, arguments, {options.target, options.arch});
  if (failed(compiled))
    return alreadyReported();
  executor = std::move(*compiled);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

llvm::Error Run::parseTolerance() {
  auto parse = [](StringRef name, const std::string &text,
                  std::optional<double> &value) -> llvm::Error {
    if (text.empty())
      return llvm::Error::success();
    double number = 0;
    if (StringRef(text).getAsDouble(number) || !(number >= 0))
      return makeError("expects a number of at least 0 as '--" + name +
                       "', but got '" + text + "'");
    value = number;
    return llvm::Error::success();
  };
  if (llvm::Error error = parse("ulp", options.ulp, tolerance.ulp))
    return error;
  if (llvm::Error error = parse("rtol", options.relative, tolerance.relative))
    return error;
  return parse("atol", options.absolute, tolerance.absolute);
}

llvm::Error Run::parseTime() {
  if (options.time.empty())
    return llvm::Error::success();
  if (StringRef(options.time).getAsInteger(10, timedRuns) || timedRuns == 0)
    return makeError("expects a number of runs of at least 1 as '--time', but "
                     "got '" +
                     options.time + "'");
  return llvm::Error::success();
}

llvm::Error Run::findExpected() {
  if (options.expect.empty())
    return llvm::Error::success();
  if (options.expect == "reference") {
    if (options.reference)
      return makeError(
          "'--reference --expect=reference' would compare the interpreter with "
          "itself: leave one out");
    FailureOr<SmallVector<HostTensor>> all =
        createReferenceExecutor(function)->run(arguments);
    if (failed(all))
      return alreadyReported();
    expected =
        SmallVector<HostTensor>(ArrayRef(*all).drop_front(skippedResults));
    return llvm::Error::success();
  }
  llvm::Expected<TensorSource> source =
      TensorSource::read(options.expect, options.prefix);
  if (!source)
    return source.takeError();
  llvm::Expected<SmallVector<HostTensor>> selected =
      source->select(resultSlots, &context);
  if (!selected)
    return selected.takeError();
  expected = std::move(*selected);
  return llvm::Error::success();
}

llvm::Error Run::writeResults() const {
  StringRef path = options.output;
  if (path.empty())
    return llvm::Error::success();
  if (path.ends_with(".npy")) {
    if (results.size() != 1)
      return makeError("'" + path + "' holds one tensor, but there are " +
                       Twine(results.size()) +
                       " results: write a .safetensors file");
    return writeNpy(path, results.front());
  }
  SafetensorsFile file;
  // A named result keeps its name; a gradient has the name of what it is of.
  for (auto [slot, result] : llvm::zip_equal(resultSlots, results))
    file.tensors.push_back(
        {options.prefix +
             (options.grad || slot.name.empty() ? slot.numbered : slot.name),
         result});
  return writeSafetensors(path, file);
}

void Run::compare(StringRef name, const ReferenceTensor &got,
                  const ReferenceTensor &want) {
  if (got.type != want.type) {
    agrees = false;
    llvm::outs() << "  differs: expects " << want.type << "\n";
    return;
  }
  Comparison difference = compareTensors(got, want, tolerance);
  if (got.isFloat())
    llvm::outs() << "  largest difference: "
                 << llvm::format("%g", difference.ulp) << " ulp, "
                 << llvm::format("%.3g", difference.relative) << " relative, "
                 << llvm::format("%.3g", difference.absolute) << " absolute\n";
  if (difference.failures == 0)
    return;
  agrees = false;
  llvm::outs().flush();
  llvm::errs() << "error: '" << name << "' of '" << function.getName()
               << "' differs in " << difference.failures << " of " << got.size()
               << " elements (" << tolerance.describe() << "); worst at "
               << formatIndex(got.type.getShape(), difference.worst)
               << ": expects " << formatElement(want, difference.worst)
               << ", but got " << formatElement(got, difference.worst) << "\n";
}

void Run::printResults() {
  for (auto [index, slot] : llvm::enumerate(resultSlots)) {
    ReferenceTensor got = toReference(results[index], &context);
    llvm::outs() << slot.numbered;
    if (!slot.name.empty())
      llvm::outs() << " (" << slot.name << ")";
    llvm::outs() << ": " << got.type << " = " << summarize(got) << "\n";
    if (expected)
      compare(slot.numbered, got, toReference((*expected)[index], &context));
  }
}

llvm::Error Run::measure() {
  if (!options.time.getNumOccurrences())
    return llvm::Error::success();
  SmallVector<double> milliseconds;
  for (unsigned i = 0; i < timedRuns; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (failed(executor->repeat()))
      return alreadyReported();
    std::chrono::duration<double, std::milli> time =
        std::chrono::steady_clock::now() - start;
    milliseconds.push_back(time.count());
  }
  llvm::sort(milliseconds);
  llvm::outs() << "time: median "
               << llvm::format("%.4g", milliseconds[timedRuns / 2])
               << " ms, fastest " << llvm::format("%.4g", milliseconds.front())
               << " ms of " << timedRuns << " runs\n";
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The whole run
//===----------------------------------------------------------------------===//

llvm::Error Run::execute(ModuleOp module) {
  if (llvm::Error error = checkTarget())
    return error;
  if (llvm::Error error = parseTolerance())
    return error;
  if (llvm::Error error = parseTime())
    return error;
  if (!options.policy.empty())
    if (llvm::Error error =
            applyPasses(module, "amp-autocast{policy=" + options.policy + "}"))
      return error;
  if (llvm::Error error = chooseFunction(module))
    return error;
  if (options.grad)
    if (llvm::Error error = differentiate(module))
      return error;
  if (llvm::Error error = findArguments())
    return error;
  if (llvm::Error error = findExpected())
    return error;
  if (llvm::Error error = makeExecutor())
    return error;
  FailureOr<SmallVector<HostTensor>> all = executor->run(arguments);
  if (failed(all))
    return alreadyReported();
  results.assign(all->begin() + skippedResults, all->end());
  printResults();
  if (llvm::Error error = writeResults())
    return error;
  return measure();
}

/// Prints an error that is not empty, and gives the exit code.
static int reportError(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  if (!text.empty())
    llvm::errs() << "error: " << text << "\n";
  return 1;
}

int amp::runToolMain(int argc, char **argv, DialectRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
  setUpTool();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Runs one function of an AMP-MLIR module\n");

  std::string message;
  auto buffer = openInputFile(options.file, &message);
  if (!buffer)
    return reportError(makeError(message));
  func::registerInlinerExtension(registry);
  MLIRContext context(registry);
  context.allowUnregisteredDialects();
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1;
  Run run(options, context);
  if (llvm::Error error = run.execute(*module))
    return reportError(std::move(error));
  return run.allResultsAgree() ? 0 : 1;
}
