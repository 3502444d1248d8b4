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

#include "amp/Dialect/AMP/Transforms/SpecializeShapes.h"
#include "amp/Execution/Device.h"
#include "amp/Execution/Executor.h"
#include "amp/Execution/TensorValues.h"
#include "amp/Pipelines/Compile.h"
#include "amp/Target/CPU/CompiledModule.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

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

//===----------------------------------------------------------------------===//
// Executor
//===----------------------------------------------------------------------===//

namespace {
class CompiledExecutor : public Executor {
public:
  CompiledExecutor(func::FuncOp function) : function(function) {}

  LogicalResult initialize(ArrayRef<HostTensor> arguments,
                           ExecutionTarget target) {
    llvm::Expected<std::shared_ptr<Device>> created =
        Device::create(target.name);
    if (!created)
      return report(created.takeError());
    device = std::move(*created);
    if (target.arch.empty())
      target.arch = device->getArch();
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
      llvm::Expected<DeviceBuffer> buffer =
          DeviceBuffer::create(device, argument.getByteSize());
      if (!buffer)
        return report(buffer.takeError());
      pointers.push_back(buffer->get());
      buffers.push_back(std::move(*buffer));
    }
    if (llvm::Error error =
            compiled->prepare(entry->name, device->getContext()))
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
      llvm::Error error =
          isGiven ? device->upload(pointer, arguments[next].data.data(),
                                   arguments[next].data.size())
                  : device->fill(pointer, 0xA5, argument.getByteSize());
      if (error)
        return report(std::move(error));
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
      if (llvm::Error error =
              device->download(result.data.data(), pointer, result.data.size()))
        return report(std::move(error));
    }
    if (llvm::Error error = device->synchronize())
      return report(std::move(error));
    return results;
  }

  LogicalResult repeat() override {
    llvm::Error error =
        compiled->run(entry->name, device->getContext(), pointers);
    if (!error)
      error = device->synchronize();
    if (error)
      return report(std::move(error));
    return success();
  }

private:
  LogicalResult report(llvm::Error error) {
    return function.emitError("cannot run '")
           << function.getName() << "': " << llvm::toString(std::move(error));
  }

  func::FuncOp function;
  std::unique_ptr<CompiledModule> compiled;
  const EntryPoint *entry = nullptr;
  std::shared_ptr<Device> device;
  std::vector<DeviceBuffer> buffers;
  SmallVector<void *> pointers; // to the buffers
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
