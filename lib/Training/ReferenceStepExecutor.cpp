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

  llvm::Expected<std::vector<StepOutput>>
  run(StateStore &store, ArrayRef<HostTensor> inputs) override;

private:
  OwningOpRef<ModuleOp> module;
  StepSignature signature;
};
} // namespace

llvm::Expected<std::vector<StepOutput>>
ReferenceStepExecutor::run(StateStore &store, ArrayRef<HostTensor> inputs) {
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
  std::vector<StepOutput> outputs;
  for (auto [output, value] : llvm::zip_equal(signature.outputs, rest))
    outputs.push_back({output.name, output.role, value});
  return outputs;
}

llvm::Expected<std::unique_ptr<StepExecutor>>
amp::createReferenceStepExecutor(OwningOpRef<ModuleOp> module) {
  return std::make_unique<ReferenceStepExecutor>(std::move(module));
}
