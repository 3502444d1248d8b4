//===- ReferenceExecutor.cpp - Runs functions by the interpreter ----------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/Executor.h"
#include "amp/Execution/TensorValues.h"
#include "amp/Reference/Interpreter.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
class ReferenceExecutor : public Executor {
public:
  explicit ReferenceExecutor(func::FuncOp function) : function(function) {}

  FailureOr<SmallVector<HostTensor>>
  run(ArrayRef<HostTensor> arguments) override {
    values.clear();
    for (const HostTensor &argument : arguments)
      values.push_back(toReference(argument, function.getContext()));
    FailureOr<Interpreter::Results> results =
        Interpreter().run(function, values);
    if (failed(results))
      return failure();
    SmallVector<HostTensor> tensors;
    for (const ReferenceTensor &result : *results) {
      llvm::Expected<HostTensor> tensor = toHost(result);
      if (!tensor)
        return function.emitError("cannot return from '")
               << function.getName()
               << "': " << llvm::toString(tensor.takeError());
      tensors.push_back(std::move(*tensor));
    }
    return tensors;
  }

  LogicalResult repeat() override {
    return Interpreter().run(function, values);
  }

private:
  func::FuncOp function;
  SmallVector<ReferenceTensor> values;
};
} // namespace

std::unique_ptr<Executor> amp::createReferenceExecutor(func::FuncOp function) {
  return std::make_unique<ReferenceExecutor>(function);
}
