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
/// Which operands of a kernel are one buffer, in order of first appearance.
SmallVector<unsigned> getAliasPattern(amprt::KernelOp kernel) {
  llvm::DenseMap<Value, unsigned> numbers;
  SmallVector<unsigned> pattern;
  for (Value operand : kernel.getOperands())
    pattern.push_back(
        numbers.try_emplace(operand, numbers.size()).first->second);
  return pattern;
}

/// Functions of the kernels seen so far, found by structure.
class KernelCache {
public:
  struct Entry {
    Region body;
    amprt::KernelKind kind;
    unsigned numInputs;
    SmallVector<unsigned> pattern;
    EmittedKernel emitted;
  };

  Entry *find(amprt::KernelOp kernel) {
    for (Entry *entry : buckets[hash(kernel)])
      if (entry->kind == kernel.getKind() &&
          entry->numInputs == kernel.getInputs().size() &&
          entry->pattern == getAliasPattern(kernel) &&
          OperationEquivalence::isRegionEquivalentTo(
              &entry->body, &kernel.getBody(),
              OperationEquivalence::IgnoreLocations))
        return entry;
    return nullptr;
  }

  /// Takes the kernel's body for later comparisons.
  Entry *add(amprt::KernelOp kernel, const EmittedKernel &emitted) {
    auto bucket = hash(kernel);
    entries.push_back(std::make_unique<Entry>());
    Entry *entry = entries.back().get();
    entry->kind = kernel.getKind();
    entry->numInputs = kernel.getInputs().size();
    entry->pattern = getAliasPattern(kernel);
    entry->emitted = emitted;
    entry->body.takeBody(kernel.getBody());
    buckets[bucket].push_back(entry);
    return entry;
  }

private:
  static llvm::hash_code hash(amprt::KernelOp kernel) {
    llvm::hash_code code =
        llvm::hash_combine(kernel.getKind(), kernel.getInputs().size(),
                           llvm::hash_combine_range(
                               TypeRange(kernel.getBody().getArgumentTypes())));
    kernel.getBody().walk([&](Operation *op) {
      code = llvm::hash_combine(code,
                                OperationEquivalence::computeHash(
                                    op, OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::IgnoreLocations));
    });
    return code;
  }

  std::vector<std::unique_ptr<Entry>> entries;
  llvm::DenseMap<size_t, SmallVector<Entry *>> buckets;
};

struct EmitCPUKernelsPass
    : amp::impl::EmitCPUKernelsPassBase<EmitCPUKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    KernelCache cache;
    OpBuilder builder(&getContext());
    SmallVector<amprt::KernelOp> kernels;
    module.walk([&](amprt::KernelOp kernel) { kernels.push_back(kernel); });
    for (amprt::KernelOp kernel : kernels) {
      if (kernel.getNumResults() != 0) {
        kernel.emitOpError("expects kernels on memrefs: run "
                           "'amprt-plan-memory' first");
        return signalPassFailure();
      }
      KernelCache::Entry *entry = cache.find(kernel);
      if (!entry) {
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
        entry = cache.add(kernel, *emitted);
      }
      callKernel(kernel, entry->emitted, builder);
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
