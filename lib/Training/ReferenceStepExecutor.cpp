//===- ReferenceStepExecutor.cpp - Interpreted training steps -------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Step functions by the reference interpreter, on state that is not packed.
//
//===----------------------------------------------------------------------===//

#include "StepSignature.h"
#include "amp/Execution/Executor.h"
#include <cstring>

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::training;

namespace {
class ReferenceStepExecutor : public StepExecutor {
public:
  explicit ReferenceStepExecutor(OwningOpRef<ModuleOp> module)
      : module(std::move(module)), signature(getSignature(*this->module)) {}

  llvm::Expected<StepRun> submit(StateStore &store, ArrayRef<HostTensor> inputs,
                                 OutputSet wanted) override;
  llvm::Error wait() override { return llvm::Error::success(); }

private:
  OwningOpRef<ModuleOp> module;
  StepSignature signature;
};
} // namespace

llvm::Expected<StepRun>
ReferenceStepExecutor::submit(StateStore &store, ArrayRef<HostTensor> inputs,
                              OutputSet wanted) {
  if (llvm::Error error = checkInputs(signature, inputs))
    return std::move(error);
  auto function = module->lookupSymbol<func::FuncOp>(signature.name);
  SmallVector<HostTensor> arguments;
  if (signature.takesState)
    for (StateAttr state : store.getStates())
      arguments.push_back(store.read(state));
  llvm::append_range(arguments, inputs);
  FailureOr<SmallVector<HostTensor>> results =
      createReferenceExecutor(function)->run(arguments);
  if (failed(results))
    return makeError("the reference interpreter failed in '" + signature.name +
                     "'");
  ArrayRef<HostTensor> rest(*results);
  if (signature.returnsState) {
    for (auto [state, value] : llvm::zip(store.getStates(), rest))
      if (llvm::Error error = store.write(state, value))
        return std::move(error);
    rest = rest.drop_front(store.getStates().size());
  }
  StepRun started;
  for (auto [output, value] : llvm::zip_equal(signature.outputs, rest))
    if (wanted == OutputSet::all || value.shape.empty())
      started.outputs.push_back({output.name, output.role, value});
  return started;
}

llvm::Expected<std::unique_ptr<StepExecutor>>
amp::createReferenceStepExecutor(OwningOpRef<ModuleOp> module) {
  return std::make_unique<ReferenceStepExecutor>(std::move(module));
}
