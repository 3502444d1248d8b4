//===- StepCode.h - The machine code of one step function -------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every executor of compiled steps holds, wherever the step's memory is.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_TRAINING_STEPCODE_H
#define AMP_LIB_TRAINING_STEPCODE_H

#include "StepSignature.h"
#include "amp/Target/CPU/CompiledModule.h"

struct amp_rt_context;

namespace mlir::amp::training {

/// A step function's code with its signature and entry point.
struct StepCode {
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<CompiledModule> compiled;
  StepSignature signature;
  const EntryPoint *entry = nullptr;

  /// Generates code for the step function of `lowered`, whose signature
  /// `layout` has, and prepares it in `context`.
  llvm::Error initialize(OwningOpRef<ModuleOp> lowered, ModuleOp layout,
                         amp_rt_context *context);
};

} // namespace mlir::amp::training

#endif // AMP_LIB_TRAINING_STEPCODE_H
