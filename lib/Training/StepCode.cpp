//===- StepCode.cpp - The machine code of one step function ---------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepCode.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::training;

llvm::Error StepCode::initialize(OwningOpRef<ModuleOp> lowered, ModuleOp layout,
                                 amp_rt_context *context) {
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
  return compiled->prepare(signature.name, context);
}
