//===- HostConverter.h - A step function to its C entry ---------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_AMPRTTOLLVM_HOSTCONVERTER_H
#define AMP_LIB_CONVERSION_AMPRTTOLLVM_HOSTCONVERTER_H

#include "GemmDescriptor.h"
#include "LaunchDescriptor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::amp {

/// Rewrites functions of runtime calls (amprt ops on memrefs) into
/// `i32 @f(ptr %ctx, ptr %args)` and `i32 @f.prepare(ptr %ctx)`. The kernels
/// that they call are functions of the LLVM dialect already, or entries of an
/// image. What launches those is `@f.record`, and `@f` one call of amp_rt_step,
/// which records it once.
class HostConverter {
public:
  HostConverter(ModuleOp module, GemmDescriptors &descriptors)
      : module(module), symbols(module), descriptors(descriptors),
        launchDescriptors(module, symbols), builder(module.getContext()),
        ptr(LLVM::LLVMPointerType::get(module.getContext())) {}

  LogicalResult convert(func::FuncOp function);

private:
  LogicalResult convertOp(Operation &op);
  LogicalResult convertGemm(amprt::GemmOp op);
  LogicalResult convertParallelCall(amprt::ParallelCallOp op);
  void convertLaunch(amprt::LaunchOp op);
  void convertCommit(amprt::CommitOp op);
  void convertReturn(func::ReturnOp op);
  void createPrepare(Location loc, StringRef name);
  /// Makes `entry`, which was converted as `@f.record`, internal, and `@f`,
  /// which has it recorded, the entry.
  void createStepEntry(Location loc, StringRef name, int64_t numArgs);
  /// Closes what amp_rt_step_begin opened, where there is one.
  void createStepEnd(Location loc);
  /// `void @callee.piece(ptr %captures, i64 %begin, i64 %end)`.
  LLVM::LLVMFuncOp getThunk(StringRef callee, unsigned numPointers);
  LLVM::LLVMFuncOp getRuntimeFunction(StringRef name, Type result,
                                      ArrayRef<Type> arguments);
  /// What argument i of the entry is, for whoever calls it.
  ArrayAttr describeArguments(func::FuncOp function);
  Value createI64(Location loc, int64_t value);
  Value createFieldPointer(Location loc, Type type, Value base, int32_t field);
  /// Memory on the stack that every call of the function uses in turn.
  Value createAlloca(Location loc, Type type, int64_t count,
                     int64_t alignment = 8);

  ModuleOp module;
  SymbolTable symbols;
  GemmDescriptors &descriptors;
  LaunchDescriptors launchDescriptors;
  OpBuilder builder;
  Type ptr;

  // State of the function that is being converted.
  LLVM::LLVMFuncOp entry;
  bool isRecorded = false;
  Value context, captures, gemmArgs, launchPointers;
  IRMapping pointers;
  llvm::SetVector<Operation *> usedDescriptors, usedImages;
};

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_AMPRTTOLLVM_HOSTCONVERTER_H
