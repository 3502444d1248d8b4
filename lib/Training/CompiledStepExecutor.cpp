//===- CompiledStepExecutor.cpp - Compiled training steps -----------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls entry points with the addresses of state, inputs, results and one
// arena. They are the same in every call, except that on a CPU inputs are read
// where they lie: so a device records a step once and replays it. Results share
// one block, those of rank 0 first, so that one copy fetches them.
//
//===----------------------------------------------------------------------===//

#include "StepCode.h"
#include "amp-rt/amp_rt.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::training;

/// Between the results of a block.
static constexpr size_t alignmentBytes = 64;

namespace {
class CompiledStepExecutor : public StepExecutor {
public:
  explicit CompiledStepExecutor(std::shared_ptr<Device> device)
      : device(std::move(device)) {}
  llvm::Error initialize(OwningOpRef<ModuleOp> lowered, ModuleOp layout);

  llvm::Expected<StepRun> submit(StateStore &store, ArrayRef<HostTensor> inputs,
                                 OutputSet wanted) override;
  llvm::Error wait() override { return device->synchronize(); }

private:
  llvm::Error allocate();
  void placeOutputs();
  llvm::Expected<SmallVector<void *>> bind(StateStore &store,
                                           ArrayRef<HostTensor> inputs);
  llvm::Expected<StepRun> fetch(OutputSet wanted);

  std::shared_ptr<Device> device;
  StepCode code;
  DeviceBuffer arena, outputs;
  std::vector<DeviceBuffer> inputBuffers; // none where memory is shared
  SmallVector<size_t> offsets;            // of each output
  size_t scalarBytes = 0, outputBytes = 0;
};
} // namespace

llvm::Error CompiledStepExecutor::initialize(OwningOpRef<ModuleOp> lowered,
                                             ModuleOp layout) {
  if (llvm::Error error =
          code.initialize(std::move(lowered), layout, device->getContext()))
    return error;
  placeOutputs();
  return allocate();
}

void CompiledStepExecutor::placeOutputs() {
  offsets.resize(code.signature.outputs.size());
  for (bool isScalar : {true, false}) {
    for (auto [output, offset] :
         llvm::zip_equal(code.signature.outputs, offsets)) {
      if ((output.type.getRank() == 0) != isScalar)
        continue;
      offset = outputBytes;
      outputBytes += llvm::alignTo(getTensorBytes(output.type), alignmentBytes);
    }
    if (isScalar)
      scalarBytes = outputBytes;
  }
}

llvm::Error CompiledStepExecutor::allocate() {
  auto create = [&](size_t bytes, DeviceBuffer &buffer) -> llvm::Error {
    llvm::Expected<DeviceBuffer> created = DeviceBuffer::create(device, bytes);
    if (!created)
      return created.takeError();
    buffer = std::move(*created);
    return llvm::Error::success();
  };
  if (llvm::Error error = create(code.entry->getArenaBytes(), arena))
    return error;
  if (llvm::Error error = create(outputBytes, outputs))
    return error;
  if (device->sharesHostMemory())
    return llvm::Error::success();
  for (RankedTensorType type : code.signature.inputs) {
    inputBuffers.emplace_back();
    if (llvm::Error error = create(getTensorBytes(type), inputBuffers.back()))
      return error;
  }
  return llvm::Error::success();
}

/// The pointers of a call; uploads the inputs.
llvm::Expected<SmallVector<void *>>
CompiledStepExecutor::bind(StateStore &store, ArrayRef<HostTensor> inputs) {
  SmallVector<void *> pointers;
  unsigned nextState = 0, nextInput = 0, nextOutput = 0;
  for (const EntryArgument &argument : code.entry->arguments) {
    switch (argument.kind) {
    case EntryArgument::Kind::Result:
      pointers.push_back(outputs.get() + offsets[nextOutput++]);
      break;
    case EntryArgument::Kind::Arena:
      pointers.push_back(arena.get());
      break;
    case EntryArgument::Kind::State:
    case EntryArgument::Kind::Input: {
      // `forward` reads the state without returning it.
      if (code.signature.takesState && nextState < store.getBuffers().size()) {
        pointers.push_back(store.getDeviceBuffer(nextState++));
        break;
      }
      unsigned index = nextInput++;
      const std::vector<char> &data = inputs[index].data;
      if (inputBuffers.empty()) {
        pointers.push_back(const_cast<char *>(data.data()));
        break;
      }
      pointers.push_back(inputBuffers[index].get());
      if (llvm::Error error =
              device->upload(pointers.back(), data.data(), data.size()))
        return std::move(error);
    }
    }
  }
  return pointers;
}

/// Asks for the outputs of the step that was started last.
llvm::Expected<StepRun> CompiledStepExecutor::fetch(OutputSet wanted) {
  StepRun started;
  for (auto [output, offset] :
       llvm::zip_equal(code.signature.outputs, offsets)) {
    if (wanted == OutputSet::scalars && output.type.getRank() != 0)
      continue;
    started.outputs.push_back(
        {output.name, output.role,
         HostTensor::zeros(*getDType(output.type.getElementType()),
                           output.type.getShape())});
    started.offsets.push_back(offset);
  }
  started.staging.resize(wanted == OutputSet::scalars ? scalarBytes
                                                      : outputBytes);
  if (llvm::Error error = device->download(
          started.staging.data(), outputs.get(), started.staging.size()))
    return std::move(error);
  return started;
}

llvm::Expected<StepRun>
CompiledStepExecutor::submit(StateStore &store, ArrayRef<HostTensor> inputs,
                             OutputSet wanted) {
  if (llvm::Error error = checkInputs(code.signature, inputs))
    return std::move(error);
  if (code.signature.takesState)
    if (llvm::Error error = store.prepareForDevice())
      return std::move(error);
  llvm::Expected<SmallVector<void *>> pointers = bind(store, inputs);
  if (!pointers)
    return pointers.takeError();
  if (llvm::Error error = code.compiled->run(code.signature.name,
                                             device->getContext(), *pointers))
    return std::move(error);
  if (code.signature.returnsState)
    store.setChangedByDevice();
  return fetch(wanted);
}

llvm::Expected<std::unique_ptr<StepExecutor>>
amp::createCompiledStepExecutor(OwningOpRef<ModuleOp> module, ModuleOp layout,
                                std::shared_ptr<Device> device) {
  auto executor = std::make_unique<CompiledStepExecutor>(std::move(device));
  if (llvm::Error error = executor->initialize(std::move(module), layout))
    return std::move(error);
  return executor;
}

std::map<std::string, std::string>
amp::describeEnvironment(const CompileOptions &options, const Device *device) {
  std::map<std::string, std::string> environment{
      {"project", AMP_VERSION},
      {"llvm", LLVM_VERSION_STRING},
      {"cpu", llvm::sys::getHostCPUName().str()}};
  environment["target"] = device ? options.target : "reference";
  if (device && options.target == "cuda")
    environment["arch"] = options.arch;
  environment["runtime"] = device ? device->getDescription() : "reference";
  return environment;
}
