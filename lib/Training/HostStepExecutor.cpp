//===- HostStepExecutor.cpp - Compiled functions of the host's data -------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a micro-batch counts is needed before the window starts, and its inputs
// are the host's: so that nothing waits for a device, it is computed here, by
// code for the CPU, whatever steps run on.
//
//===----------------------------------------------------------------------===//

#include "StepCode.h"
#include "llvm/Support/MemAlloc.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::training;

/// What compiled code expects of its arena.
static constexpr size_t alignmentBytes = 64;

namespace {
class HostStepExecutor : public StepExecutor {
public:
  explicit HostStepExecutor(std::shared_ptr<Device> device)
      : device(std::move(device)) {}
  ~HostStepExecutor() override {
    if (arena)
      llvm::deallocate_buffer(arena, code.entry->getArenaBytes(),
                              alignmentBytes);
  }
  llvm::Error initialize(OwningOpRef<ModuleOp> lowered, ModuleOp layout);

  llvm::Expected<StepRun> submit(StateStore &, ArrayRef<HostTensor> inputs,
                                 OutputSet wanted) override;
  llvm::Error wait() override { return llvm::Error::success(); }

private:
  std::shared_ptr<Device> device;
  StepCode code;
  void *arena = nullptr;
};
} // namespace

llvm::Error HostStepExecutor::initialize(OwningOpRef<ModuleOp> lowered,
                                         ModuleOp layout) {
  if (llvm::Error error =
          code.initialize(std::move(lowered), layout, device->getContext()))
    return error;
  if (code.entry->getArenaBytes())
    arena = llvm::allocate_buffer(code.entry->getArenaBytes(), alignmentBytes);
  return llvm::Error::success();
}

llvm::Expected<StepRun>
HostStepExecutor::submit(StateStore &, ArrayRef<HostTensor> inputs, OutputSet) {
  if (llvm::Error error = checkInputs(code.signature, inputs))
    return std::move(error);
  StepRun run;
  for (const OutputInfo &output : code.signature.outputs)
    run.outputs.push_back(
        {output.name, output.role,
         HostTensor::zeros(*getDType(output.type.getElementType()),
                           output.type.getShape())});
  SmallVector<void *> pointers;
  unsigned nextInput = 0, nextOutput = 0;
  for (const EntryArgument &argument : code.entry->arguments) {
    if (argument.kind == EntryArgument::Kind::Result)
      pointers.push_back(run.outputs[nextOutput++].tensor.data.data());
    else if (argument.kind == EntryArgument::Kind::Arena)
      pointers.push_back(arena);
    else
      pointers.push_back(const_cast<char *>(inputs[nextInput++].data.data()));
  }
  if (llvm::Error error = code.compiled->run(code.signature.name,
                                             device->getContext(), pointers))
    return std::move(error);
  return run;
}

llvm::Expected<std::unique_ptr<StepExecutor>>
amp::createHostStepExecutor(OwningOpRef<ModuleOp> module, ModuleOp layout,
                            std::shared_ptr<Device> device) {
  auto executor = std::make_unique<HostStepExecutor>(std::move(device));
  if (llvm::Error error = executor->initialize(std::move(module), layout))
    return std::move(error);
  return executor;
}
