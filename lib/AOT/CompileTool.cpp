//===- CompileTool.cpp - The command line of amp-compile --------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/AOT/CompileTool.h"

#include "amp/AOT/Program.h"
#include "amp/Pipelines/Compile.h"
#include "amp/Support/HostTensor.h"
#include "amp/Support/ToolSetup.h"
#include "amp/TrainingData/DurableFiles.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::amp;
namespace cl = llvm::cl;

namespace {
struct Flags {
  cl::OptionCategory category{"amp-compile options"};
  cl::opt<std::string> model{cl::Positional, cl::Required,
                             cl::desc("MODEL.mlir"), cl::cat(category)};
  cl::opt<std::string> output{
      "o", cl::value_desc("DIR/NAME.o"), cl::Required, cl::cat(category),
      cl::desc("Object file to write; the header is written beside it")};
  cl::opt<std::string> compile{
      "amp-compile", cl::value_desc("OPTIONS"), cl::cat(category),
      cl::desc("As of amp-opt: policy=cpu-f16 target=cpu batch=64 "
               "optimizer=adamw lr=1e-3 loss-scale=dynamic")};
  cl::opt<std::string> policy{"policy", cl::value_desc("NAME"),
                              cl::cat(category),
                              cl::desc("Short for policy=NAME in OPTIONS")};
  cl::opt<std::string> target{"target", cl::value_desc("cpu|cuda"),
                              cl::cat(category),
                              cl::desc("Short for target=NAME in OPTIONS")};
  cl::opt<std::string> arch{"arch", cl::value_desc("sm_90"), cl::cat(category),
                            cl::desc("Short for arch=NAMES in OPTIONS")};
  cl::opt<std::string> name{
      "name", cl::value_desc("NAME"), cl::cat(category),
      cl::desc("Begins every symbol (default: the object file's name)")};
  cl::opt<std::string> cpu{
      "cpu", cl::value_desc("NAME"), cl::cat(category),
      cl::desc("Processor of the host code: 'host', or a name that LLVM knows "
               "(default: host for target=cpu, x86-64-v3 for target=cuda)")};
  cl::opt<Parity> parity{
      "parity", cl::desc("Whose habits to follow where they differ from ours"),
      cl::values(clEnumValN(Parity::none, "none", "ours"),
                 clEnumValN(Parity::pytorch, "pytorch", "PyTorch's")),
      cl::init(Parity::none), cl::cat(category)};
};
} // namespace

static int fail(const Twine &message) {
  llvm::errs() << "amp-compile: error: " << message << "\n";
  return 1;
}

static int fail(llvm::Error error) {
  return fail(llvm::toString(std::move(error)));
}

/// The options of the pipeline: the text's, with the short forms after them.
static llvm::Expected<CompileOptions> parseOptions(const Flags &flags) {
  std::string text = flags.compile;
  for (const cl::opt<std::string> *flag :
       {&flags.policy, &flags.target, &flags.arch})
    if (!flag->empty())
      text += " " + flag->ArgStr.str() + "=" + flag->getValue();
  std::string message;
  FailureOr<CompileOptions> options =
      CompileOptions::parse(text, [&](const Twine &error) -> LogicalResult {
        message = error.str();
        return failure();
      });
  if (failed(options))
    return makeError("--amp-compile: " + message);
  if (!options->stopAfter.empty())
    return makeError("--amp-compile: expects no 'stop-after': an object file "
                     "holds the last stage");
  return *options;
}

static llvm::Error lower(ModuleOp module, const CompileOptions &options) {
  PassManager manager(module.getContext());
  std::string message;
  auto onError = [&](const Twine &text) -> LogicalResult {
    message = text.str();
    return failure();
  };
  if (failed(buildCompilePipeline(manager, options, onError)))
    return makeError(message);
  if (failed(manager.run(module)))
    return makeError("compilation failed"); // After a diagnostic.
  return llvm::Error::success();
}

/// Compiles and writes both files.
static llvm::Error compile(ModuleOp module, StringRef name, const Flags &flags,
                           const CompileOptions &compileOptions) {
  if (llvm::Error error = lower(module, compileOptions))
    return error;
  StringRef path = flags.output;
  path.consume_back(".o");
  aot::ProgramOptions options;
  options.name = name.str();
  options.model = flags.model;
  options.target = compileOptions.target;
  bool isHost = options.target == "cpu";
  options.cpu = !flags.cpu.empty() ? flags.cpu.getValue()
                : isHost           ? "host"
                                   : "x86-64-v3";
  auto functions = aot::nameFunctions(module, options.name);
  if (!functions)
    return functions.takeError();
  auto header = aot::generateHeader(module, *functions, options);
  if (!header)
    return header.takeError();
  auto object = aot::generateObject(module, *functions, options);
  if (!object)
    return object.takeError();
  return writeFilesAtomically({{(path + ".h").str(), std::move(*header)},
                               {(path + ".o").str(), std::move(*object)}});
}

int amp::compileToolMain(int argc, char **argv, DialectRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
  setUpTool();
  freeOptionNames({"o", "amp-compile", "policy", "target", "arch", "name",
                   "cpu", "parity"});
  Flags flags;
  cl::HideUnrelatedOptions(flags.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles a model's training step to an object file and a C header\n");
  StringRef path = flags.output;
  path.consume_back(".o");
  std::string name = flags.name.empty() ? llvm::sys::path::filename(path).str()
                                        : flags.name.getValue();
  if (!aot::isIdentifier(name))
    return fail("expects a C identifier as name, but got '" + name +
                "'; --name=NAME gives one");
  llvm::Expected<CompileOptions> options = parseOptions(flags);
  if (!options)
    return fail(options.takeError());
  std::string message;
  auto buffer = openInputFile(flags.model, &message);
  if (!buffer)
    return fail(message);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return fail("cannot parse '" + flags.model + "'");
  if (flags.parity != Parity::none)
    module.get()->setAttr(kParityAttrName,
                          ParityAttr::get(&context, flags.parity));
  if (llvm::Error error = compile(*module, name, flags, *options))
    return fail(std::move(error));
  return 0;
}
