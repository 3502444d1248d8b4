//===- LaunchDescriptor.h - Launches and steps as LLVM constants *- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_AMPRTTOLLVM_LAUNCHDESCRIPTOR_H
#define AMP_LIB_CONVERSION_AMPRTTOLLVM_LAUNCHDESCRIPTOR_H

#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::amp {

/// The constants of amp-rt/device.h that generated code passes to the runtime.
class LaunchDescriptors {
public:
  LaunchDescriptors(ModuleOp module, SymbolTable &symbols)
      : module(module), symbols(symbols) {}

  /// The `amp_rt_launch_desc` of `launch`; one per distinct launch.
  LLVM::GlobalOp get(amprt::LaunchOp launch);

  /// The `amp_rt_image` that the kernels of `launch` are in: a declaration,
  /// which embedKernelImages gives its value.
  LLVM::GlobalOp getImage(amprt::LaunchOp launch);

  /// The `amp_rt_step_desc` @<name>.step of `record`, a function of `numArgs`
  /// pointers.
  LLVM::GlobalOp createStep(LLVM::LLVMFuncOp record, StringRef name,
                            int64_t numArgs);

private:
  /// The zero-terminated constant @<name>.name that holds `text`.
  LLVM::GlobalOp getString(Location loc, StringRef name, StringRef text);

  ModuleOp module;
  SymbolTable &symbols;
  llvm::StringMap<LLVM::GlobalOp> launches;
};

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_AMPRTTOLLVM_LAUNCHDESCRIPTOR_H
