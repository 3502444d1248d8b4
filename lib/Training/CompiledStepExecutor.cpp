//===- CompiledStepExecutor.cpp - Training steps compiled for this CPU ----===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls entry points with the addresses of state, inputs, results and one
// arena.
//
//===----------------------------------------------------------------------===//

#include "StepSignature.h"
#include "amp-rt/amp_rt.h"
#include "amp/Target/CPU/CompiledModule.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Host.h"
#include <cstring>

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::training;

namespace {
class CompiledStepExecutor : public StepExecutor {
public:
  explicit CompiledStepExecutor(std::shared_ptr<amp_rt_context> runtime)
      : runtime(std::move(runtime)) {}
  ~CompiledStepExecutor() override { amp_rt_free(runtime.get(), arena); }
  llvm::Error initialize(OwningOpRef<ModuleOp> lowered, ModuleOp layout);

  llvm::Expected<std::vector<StepOutput>>
  run(StateStore &store, ArrayRef<HostTensor> inputs) override;

private:
  std::shared_ptr<amp_rt_context> runtime;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<CompiledModule> compiled;
  StepSignature signature;
  const EntryPoint *entry = nullptr;
  void *arena = nullptr;
};
} // namespace

llvm::Error CompiledStepExecutor::initialize(OwningOpRef<ModuleOp> lowered,
                                             ModuleOp layout) {
  module = std::move(lowered);
  signature = getSignature(layout);
  llvm::Expected<std::unique_ptr<CompiledModule>> result =
      CompiledModule::create(*module);
  if (!result)
    return result.takeError();
  compiled = std::move(*result);
  entry = compiled->getEntryPoint(signature.name);
  if (!entry)
    return makeError("the compiled module has no entry point '" +
                     signature.name + "'");
  if (llvm::Error error = compiled->prepare(signature.name, runtime.get()))
    return error;
  arena = amp_rt_alloc(runtime.get(), entry->getArenaBytes());
  if (!arena)
    return makeError(amp_rt_last_error(runtime.get()));
  return llvm::Error::success();
}

llvm::Expected<std::vector<StepOutput>>
CompiledStepExecutor::run(StateStore &store, ArrayRef<HostTensor> inputs) {
  if (llvm::Error error = checkInputs(signature, inputs))
    return std::move(error);
  std::vector<StepOutput> outputs;
  for (const OutputInfo &output : signature.outputs)
    outputs.push_back(
        {output.name, output.role,
         HostTensor::zeros(*getDType(output.type.getElementType()),
                           output.type.getShape())});
  SmallVector<void *> pointers;
  unsigned nextState = 0, nextInput = 0, nextOutput = 0;
  for (const EntryArgument &argument : entry->arguments) {
    switch (argument.kind) {
    case EntryArgument::Kind::Result:
      pointers.push_back(outputs[nextOutput++].tensor.data.data());
      break;
    case EntryArgument::Kind::Arena:
      pointers.push_back(arena);
      break;
    case EntryArgument::Kind::State:
    case EntryArgument::Kind::Input:
      // `forward` reads the state without returning it.
      if (signature.takesState && nextState < store.getBuffers().size())
        pointers.push_back(store.getBuffer(nextState++));
      else
        pointers.push_back(const_cast<char *>(inputs[nextInput++].data.data()));
    }
  }
  if (llvm::Error error =
          compiled->run(signature.name, runtime.get(), pointers))
    return std::move(error);
  return outputs;
}

llvm::Expected<std::unique_ptr<StepExecutor>>
amp::createCompiledStepExecutor(OwningOpRef<ModuleOp> module, ModuleOp layout,
                                std::shared_ptr<amp_rt_context> runtime) {
  auto executor = std::make_unique<CompiledStepExecutor>(std::move(runtime));
  if (llvm::Error error = executor->initialize(std::move(module), layout))
    return std::move(error);
  return executor;
}

llvm::Expected<std::shared_ptr<amp_rt_context>> amp::createRuntimeContext() {
  amp_rt_context *created = nullptr;
  if (amp_rt_context_create(nullptr, &created) != 0)
    return makeError("cannot create a runtime context");
  return std::shared_ptr<amp_rt_context>(created, amp_rt_context_destroy);
}

std::map<std::string, std::string>
amp::describeEnvironment(amp_rt_context *runtime) {
  std::map<std::string, std::string> environment{
      {"project", AMP_VERSION},
      {"llvm", LLVM_VERSION_STRING},
      {"cpu", llvm::sys::getHostCPUName().str()}};
  environment["runtime"] = "reference";
  if (runtime) {
    char text[512];
    amp_rt_runtime_info(runtime, text, sizeof(text));
    environment["runtime"] = text;
  }
  return environment;
}
