//===- StepSignature.cpp - What a step function takes and returns ---------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepSignature.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::training;

StepSignature training::getSignature(ModuleOp module) {
  auto buffers = module->getAttrOfType<ArrayAttr>(kBuffersAttrName);
  unsigned numBuffers = buffers ? buffers.size() : 0;
  StepSignature signature;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto kind = function->getAttrOfType<StepKindAttr>(kStepKindAttrName);
    if (!kind)
      continue;
    signature.name = function.getName().str();
    signature.kind = kind.getValue();
    signature.takesState = signature.kind != StepKind::count;
    signature.returnsState =
        signature.takesState && signature.kind != StepKind::forward;
    unsigned firstInput = signature.takesState ? numBuffers : 0;
    for (Type type : function.getArgumentTypes().drop_front(firstInput))
      signature.inputs.push_back(cast<RankedTensorType>(type));
    unsigned firstOutput = signature.returnsState ? numBuffers : 0;
    for (unsigned index = firstOutput; index < function.getNumResults();
         ++index) {
      OutputInfo output;
      output.type = cast<RankedTensorType>(function.getResultTypes()[index]);
      if (auto name =
              function.getResultAttrOfType<StringAttr>(index, kNameAttrName))
        output.name = name.str();
      if (auto role =
              function.getResultAttrOfType<RoleAttr>(index, kRoleAttrName))
        output.role = role.getValue();
      signature.outputs.push_back(output);
    }
  }
  return signature;
}

llvm::Error training::checkInputs(const StepSignature &signature,
                                  ArrayRef<HostTensor> inputs) {
  if (signature.inputs.size() != inputs.size())
    return makeError("'" + signature.name + "' expects " +
                     llvm::Twine(signature.inputs.size()) +
                     " inputs, but got " + llvm::Twine(inputs.size()));
  for (auto [index, input] : llvm::enumerate(inputs)) {
    HostTensor expected;
    expected.dtype = *getDType(signature.inputs[index].getElementType());
    llvm::append_range(expected.shape, signature.inputs[index].getShape());
    if (expected.dtype != input.dtype || expected.shape != input.shape)
      return makeError("'" + signature.name + "' expects input #" +
                       llvm::Twine(index) + " to be " +
                       expected.getTypeString() + ", but got " +
                       input.getTypeString());
  }
  return llvm::Error::success();
}
