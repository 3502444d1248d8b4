//===- CompiledExecutor.cpp - Runs functions compiled for a target --------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of -amp-compile from shapes on, for one function that need not be
// a training step; then the JIT and the runtime. One way for all targets:
// arguments and results are in memory of the runtime's context.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/amp_rt.h"
#include "amp/Dialect/AMP/Transforms/SpecializeShapes.h"
#include "amp/Execution/Executor.h"
#include "amp/Execution/TensorValues.h"
#include "amp/Pipelines/Compile.h"
#include "amp/Target/CPU/CompiledModule.h"
#include "amp/Target/CUDA/Arch.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::amp;

/// Leaves the function alone in its module, with no call in it.
static constexpr StringLiteral isolation = "inline,symbol-dce";

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

static LogicalResult runPasses(ModuleOp module, StringRef pipeline) {
  PassManager manager(module.getContext());
  if (failed(parsePassPipeline(pipeline, manager)))
    return failure();
  return manager.run(module);
}

/// The stages of -amp-compile behind those that only a training step has.
static LogicalResult runStages(ModuleOp module, const ExecutionTarget &target) {
  CompileOptions options;
  options.target = target.name;
  options.arch = target.arch;
  PassManager manager(module.getContext());
  auto onError = [&](const Twine &message) -> LogicalResult {
    return emitError(module.getLoc(), message);
  };
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  if (failed(buildCompilePipeline(manager, options, onError, "pack")))
    return failure();
  return manager.run(module);
}

/// A copy of the function's module, lowered, in which only the function is
/// public and takes tensors of exactly the arguments' types. Null after a
/// diagnostic.
static OwningOpRef<ModuleOp> lower(func::FuncOp function,
                                   ArrayRef<HostTensor> arguments,
                                   const ExecutionTarget &target) {
  OwningOpRef<ModuleOp> module(function->getParentOfType<ModuleOp>().clone());
  for (func::FuncOp other : module->getOps<func::FuncOp>())
    other.setPrivate();
  func::FuncOp copy = module->lookupSymbol<func::FuncOp>(function.getName());
  copy.setPublic();
  if (failed(runPasses(*module, isolation)))
    return nullptr;
  for (auto [value, tensor] : llvm::zip_equal(copy.getArguments(), arguments))
    value.setType(getTensorType(tensor, function.getContext()));
  if (failed(propagateStaticShapes(copy)) || failed(runStages(*module, target)))
    return nullptr;
  return module;
}

/// The newest architecture that the context's device runs, by the `sm_<number>`
/// of its description.
static std::string getDeviceArch(const amp_rt_context *context) {
  char text[512] = "";
  amp_rt_runtime_info(context, text, sizeof(text));
  StringRef number = StringRef(text).split("sm_").second.take_while(
      [](char c) { return llvm::isDigit(c); });
  unsigned version = 0;
  const Arch *arch =
      number.getAsInteger(10, version) ? nullptr : getArchForDevice(version);
  return (arch ? arch->name : kDefaultArch).str();
}

//===----------------------------------------------------------------------===//
// Executor
//===----------------------------------------------------------------------===//

namespace {
class CompiledExecutor : public Executor {
public:
  CompiledExecutor(func::FuncOp function) : function(function) {}
  ~CompiledExecutor() override {
    for (void *pointer : pointers)
      amp_rt_free(context, pointer);
    amp_rt_context_destroy(context);
  }

  LogicalResult initialize(ArrayRef<HostTensor> arguments,
                           ExecutionTarget target) {
    if (failed(createContext(target)))
      return failure();
    if (target.arch.empty())
      target.arch = getDeviceArch(context);
    OwningOpRef<ModuleOp> module = lower(function, arguments, target);
    if (!module)
      return failure();
    llvm::Expected<std::unique_ptr<CompiledModule>> result =
        CompiledModule::create(*module);
    if (!result)
      return report(result.takeError());
    compiled = std::move(*result);
    entry = compiled->getEntryPoint(function.getName());
    if (!entry)
      return report(makeError("compiled code has no entry point"));
    for (const EntryArgument &argument : entry->arguments) {
      void *memory = amp_rt_alloc(context, argument.getByteSize());
      if (!memory)
        return reportRuntime();
      pointers.push_back(memory);
    }
    if (llvm::Error error = compiled->prepare(entry->name, context))
      return report(std::move(error));
    return success();
  }

  FailureOr<SmallVector<HostTensor>>
  run(ArrayRef<HostTensor> arguments) override {
    using Kind = EntryArgument::Kind;
    size_t next = 0;
    for (auto [argument, pointer] :
         llvm::zip_equal(entry->arguments, pointers)) {
      // What is not written must not look like a result of an earlier run.
      bool isGiven =
          argument.kind == Kind::State || argument.kind == Kind::Input;
      int32_t status =
          isGiven ? amp_rt_upload(context, pointer, arguments[next].data.data(),
                                  arguments[next].data.size())
                  : amp_rt_fill(context, pointer, 0xA5, argument.getByteSize());
      if (status != 0)
        return reportRuntime();
      next += isGiven;
    }
    if (failed(repeat()))
      return failure();
    SmallVector<HostTensor> results(function.getNumResults());
    for (auto [argument, pointer] :
         llvm::zip_equal(entry->arguments, pointers)) {
      if (argument.result < 0)
        continue;
      HostTensor &result = results[argument.result];
      result = HostTensor::zeros(*getDType(argument.type.getElementType()),
                                 argument.type.getShape());
      if (amp_rt_download(context, result.data.data(), pointer,
                          result.data.size()) != 0)
        return reportRuntime();
    }
    if (amp_rt_synchronize(context) != 0)
      return reportRuntime();
    return results;
  }

  LogicalResult repeat() override {
    if (llvm::Error error = compiled->run(entry->name, context, pointers))
      return report(std::move(error));
    return amp_rt_synchronize(context) == 0 ? success() : reportRuntime();
  }

private:
  LogicalResult createContext(const ExecutionTarget &target) {
    contextError = "the runtime has no context";
    amp_rt_context_options options = {};
    options.struct_size = sizeof(options);
    options.backend =
        target.name == "cuda" ? AMP_RT_BACKEND_CUDA : AMP_RT_BACKEND_CPU;
    options.user = &contextError;
    options.on_error = [](void *user, int32_t, const char *text) {
      *static_cast<std::string *>(user) = text;
    };
    if (amp_rt_context_create(&options, &context) != 0)
      return report(makeError(contextError));
    return success();
  }

  LogicalResult reportRuntime() {
    return report(makeError(amp_rt_last_error(context)));
  }

  LogicalResult report(llvm::Error error) {
    return function.emitError("cannot run '")
           << function.getName() << "': " << llvm::toString(std::move(error));
  }

  func::FuncOp function;
  std::unique_ptr<CompiledModule> compiled;
  const EntryPoint *entry = nullptr;
  amp_rt_context *context = nullptr;
  /// What went wrong last, also when there is no context to ask.
  std::string contextError;
  SmallVector<void *> pointers;
};
} // namespace

FailureOr<std::unique_ptr<Executor>>
amp::createCompiledExecutor(func::FuncOp function,
                            ArrayRef<HostTensor> arguments,
                            const ExecutionTarget &target) {
  auto executor = std::make_unique<CompiledExecutor>(function);
  if (failed(executor->initialize(arguments, target)))
    return failure();
  return std::unique_ptr<Executor>(std::move(executor));
}
