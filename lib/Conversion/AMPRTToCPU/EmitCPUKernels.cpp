//===- EmitCPUKernels.cpp - amprt.kernel to functions of loops --*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass: equal kernels share one function, each kernel becomes a call.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Passes.h"

#include "KernelEmitter.h"
#include "amp/Conversion/Utils/KernelCache.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::amp {
#define GEN_PASS_DEF_EMITCPUKERNELSPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct EmitCPUKernelsPass
    : amp::impl::EmitCPUKernelsPassBase<EmitCPUKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    KernelCache<EmittedKernel> cache;
    OpBuilder builder(&getContext());
    SmallVector<amprt::KernelOp> kernels;
    module.walk([&](amprt::KernelOp kernel) { kernels.push_back(kernel); });
    for (amprt::KernelOp kernel : kernels) {
      if (kernel.getNumResults() != 0) {
        kernel.emitOpError("expects kernels on memrefs: run "
                           "'amprt-plan-memory' first");
        return signalPassFailure();
      }
      EmittedKernel *known = cache.find(kernel);
      if (!known) {
        KernelModel model(kernel);
        if (failed(model.analyse()))
          return signalPassFailure();
        builder.setInsertionPointToEnd(module.getBody());
        std::string name =
            ("kernel_" + stringifyKernelKind(kernel.getKind())).str();
        FailureOr<EmittedKernel> emitted =
            KernelEmitter(model, name, builder).emit();
        if (failed(emitted))
          return signalPassFailure();
        // Both get names of their own: a symbol table needs them to be linked
        // under it, which they are.
        for (func::FuncOp function : {emitted->main, emitted->combine})
          if (function)
            symbols.insert(function);
        known = cache.add(kernel, *emitted);
      }
      callKernel(kernel, *known, builder);
      kernel.erase();
    }
  }

  static void callKernel(amprt::KernelOp kernel, const EmittedKernel &emitted,
                         OpBuilder &builder) {
    Location loc = kernel.getLoc();
    builder.setInsertionPoint(kernel);
    SmallVector<Value> operands;
    llvm::DenseSet<Value> seen;
    for (Value operand : kernel.getOperands()) {
      if (!seen.insert(operand).second)
        continue;
      MemRefType type = emitted.bufferTypes[operands.size()];
      if (operand.getType() != type)
        operand = amprt::ViewOp::create(builder, loc, type, operand,
                                        builder.getI64IntegerAttr(0));
      operands.push_back(operand);
    }
    for (MemRefType type : emitted.partialsTypes)
      operands.push_back(memref::AllocaOp::create(
          builder, loc, type, builder.getI64IntegerAttr(64)));
    auto main = emitted.main;
    if (emitted.grain == 0)
      func::CallOp::create(builder, loc, main, operands);
    else
      amprt::ParallelCallOp::create(builder, loc, main.getSymName(), operands,
                                    emitted.count, emitted.grain);
    if (auto combine = emitted.combine)
      func::CallOp::create(builder, loc, combine, operands);
  }
};
} // namespace
