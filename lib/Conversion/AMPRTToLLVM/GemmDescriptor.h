//===- GemmDescriptor.h - amp_rt_gemm_desc as an LLVM constant --*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_AMPRTTOLLVM_GEMMDESCRIPTOR_H
#define AMP_LIB_CONVERSION_AMPRTTOLLVM_GEMMDESCRIPTOR_H

#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::amp {

/// One constant `amp_rt_gemm_desc` per distinct GEMM of a module.
class GemmDescriptors {
public:
  explicit GemmDescriptors(ModuleOp module) : module(module) {}

  /// The global that describes `gemm` (on memrefs). Fails with an error where
  /// the runtime has no such GEMM.
  FailureOr<LLVM::GlobalOp> get(amprt::GemmOp gemm);

  /// The type of `amp_rt_gemm_args`: its size, then pointers.
  static LLVM::LLVMStructType getArgsType(MLIRContext *context);
  /// Positions of pointers in it.
  enum ArgField {
    lhs = 1,
    rhs = 2,
    bias = 3,
    out = 4,
    aux = 5,
    biasGrad = 11,
    numFields = 12
  };

private:
  ModuleOp module;
  llvm::StringMap<LLVM::GlobalOp> globals;
};

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_AMPRTTOLLVM_GEMMDESCRIPTOR_H
