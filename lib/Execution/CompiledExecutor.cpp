//===- CompiledExecutor.cpp - Runs functions compiled for this CPU --------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of -amp-compile from shapes on, for one function that need not be
// a training step; then the JIT and the runtime.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/amp_rt.h"
#include "amp/Dialect/AMP/Transforms/SpecializeShapes.h"
#include "amp/Execution/Executor.h"
#include "amp/Execution/TensorValues.h"
#include "amp/Target/CPU/CompiledModule.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::amp;

/// Leaves the function alone in its module, with no call in it.
static constexpr StringLiteral isolation = "inline,symbol-dce";

/// No pass may stand between the last two: what formed kernels is what is
/// planned.
static constexpr StringLiteral lowering =
    "canonicalize,cse,convert-nn-to-amprt,convert-nn-to-linalg,convert-amp-to-"
    "linalg,"
    "canonicalize,cse,amprt-form-kernels,amp-lower-to-cpu";

/// Compiled code asks for this alignment of everything it is given.
static constexpr size_t alignment = 64;

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

static LogicalResult runPasses(ModuleOp module, StringRef pipeline) {
  PassManager manager(module.getContext());
  if (failed(parsePassPipeline(pipeline, manager)))
    return failure();
  return manager.run(module);
}

/// A copy of the function's module, lowered, in which only the function is
/// public and takes tensors of exactly the arguments' types. Null after a
/// diagnostic.
static OwningOpRef<ModuleOp> lower(func::FuncOp function,
                                   ArrayRef<HostTensor> arguments) {
  OwningOpRef<ModuleOp> module(function->getParentOfType<ModuleOp>().clone());
  for (func::FuncOp other : module->getOps<func::FuncOp>())
    other.setPrivate();
  func::FuncOp copy = module->lookupSymbol<func::FuncOp>(function.getName());
  copy.setPublic();
  if (failed(runPasses(*module, isolation)))
    return nullptr;
  for (auto [value, tensor] : llvm::zip_equal(copy.getArguments(), arguments))
    value.setType(getTensorType(tensor, function.getContext()));
  if (failed(propagateStaticShapes(copy)) ||
      failed(runPasses(*module, lowering)))
    return nullptr;
  return module;
}

//===----------------------------------------------------------------------===//
// Executor
//===----------------------------------------------------------------------===//

namespace {
/// Bytes for one pointer of an entry point.
class Buffer {
public:
  explicit Buffer(size_t bytes)
      : size(bytes), data(static_cast<char *>(std::aligned_alloc(
                         alignment, (bytes / alignment + 1) * alignment))) {}
  Buffer(Buffer &&other)
      : size(other.size), data(std::exchange(other.data, nullptr)) {}
  ~Buffer() { std::free(data); }

  void *get() const { return data; }
  void write(const std::vector<char> &bytes) { llvm::copy(bytes, data); }
  std::vector<char> read() const {
    return std::vector<char>(data, data + size);
  }
  /// What is not written must not look like a result of an earlier run.
  void poison() { std::memset(data, 0xA5, size); }

private:
  size_t size;
  char *data;
};

class CompiledExecutor : public Executor {
public:
  CompiledExecutor(func::FuncOp function) : function(function) {}
  ~CompiledExecutor() override { amp_rt_context_destroy(context); }

  LogicalResult initialize(ArrayRef<HostTensor> arguments) {
    OwningOpRef<ModuleOp> module = lower(function, arguments);
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
    amp_rt_context_options options = {};
    options.struct_size = sizeof(options);
    options.on_error = [](void *, int32_t, const char *) {};
    if (amp_rt_context_create(&options, &context) != 0)
      return report(makeError("the runtime has no context"));
    for (const EntryArgument &argument : entry->arguments) {
      buffers.emplace_back(argument.getByteSize());
      pointers.push_back(buffers.back().get());
    }
    if (llvm::Error error = compiled->prepare(entry->name, context))
      return report(std::move(error));
    return success();
  }

  FailureOr<SmallVector<HostTensor>>
  run(ArrayRef<HostTensor> arguments) override {
    using Kind = EntryArgument::Kind;
    size_t next = 0;
    for (auto [argument, buffer] : llvm::zip_equal(entry->arguments, buffers)) {
      if (argument.kind == Kind::State || argument.kind == Kind::Input)
        buffer.write(arguments[next++].data);
      else
        buffer.poison();
    }
    if (failed(repeat()))
      return failure();
    SmallVector<HostTensor> results(function.getNumResults());
    for (auto [argument, buffer] : llvm::zip_equal(entry->arguments, buffers))
      if (argument.result >= 0)
        results[argument.result] = {
            *getDType(argument.type.getElementType()),
            SmallVector<int64_t>(argument.type.getShape()), buffer.read()};
    return results;
  }

  LogicalResult repeat() override {
    if (llvm::Error error = compiled->run(entry->name, context, pointers))
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
  amp_rt_context *context = nullptr;
  std::vector<Buffer> buffers;
  SmallVector<void *> pointers;
};
} // namespace

FailureOr<std::unique_ptr<Executor>>
amp::createCompiledExecutor(func::FuncOp function,
                            ArrayRef<HostTensor> arguments) {
  auto executor = std::make_unique<CompiledExecutor>(function);
  if (failed(executor->initialize(arguments)))
    return failure();
  return std::unique_ptr<Executor>(std::move(executor));
}
