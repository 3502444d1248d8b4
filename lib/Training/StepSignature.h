//===- StepSignature.h - What a step function takes and returns -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_TRAINING_STEPSIGNATURE_H
#define AMP_LIB_TRAINING_STEPSIGNATURE_H

#include "amp/Training/Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::amp::training {

/// A result that is not state.
struct OutputInfo {
  std::string name;
  std::optional<Role> role;
  RankedTensorType type;
};

/// A step function as its caller sees it.
struct StepSignature {
  std::string name;
  StepKind kind;
  bool takesState, returnsState;
  SmallVector<RankedTensorType> inputs; // arguments that are not state
  SmallVector<OutputInfo> outputs;
};

/// The signature of the one step function of a module with static shapes.
StepSignature getSignature(ModuleOp module);

/// An error where `inputs` do not fit the function.
llvm::Error checkInputs(const StepSignature &signature,
                        ArrayRef<HostTensor> inputs);

} // namespace mlir::amp::training

#endif // AMP_LIB_TRAINING_STEPSIGNATURE_H
