//===- EmitGPUKernels.cpp - amprt.kernel to GPU functions -------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass: equal kernels share their functions, each kernel becomes launches.
// Partial results stand behind the arena of the memory plan; the stream runs
// one kernel after the other, so all kernels of a function use one place.
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
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::amp {
#define GEN_PASS_DEF_EMITGPUKERNELSPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Where every buffer of the runtime starts, and the widest access.
static constexpr int64_t bufferAlignment = 16;
/// Partial results of different reductions start at multiples of this.
static constexpr int64_t partialsAlignment = 256;

/// What the address of a buffer is known to be a multiple of.
static int64_t getAlignment(Value buffer) {
  int64_t alignment = bufferAlignment;
  for (auto view = buffer.getDefiningOp<amprt::ViewOp>(); view;
       view = view.getSource().getDefiningOp<amprt::ViewOp>())
    if (int64_t offset = view.getOffset())
      alignment = std::min(alignment, offset & -offset);
  return alignment;
}

static SmallVector<Value> getDistinctOperands(amprt::KernelOp kernel) {
  SetVector<Value> operands(kernel.operand_begin(), kernel.operand_end());
  return operands.takeVector();
}

static int64_t getBytes(MemRefType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8u);
}

namespace {
/// The end of a function's arena, where partial results go.
class PartialsPlace {
public:
  explicit PartialsPlace(func::FuncOp function) : function(function) {
    for (BlockArgument argument : function.getArguments())
      if (function.getArgAttr(argument.getArgNumber(), "amprt.arena"))
        arena = argument;
    if (arena)
      start = llvm::alignTo(getBytes(cast<MemRefType>(arena.getType())),
                            partialsAlignment);
    end = start;
  }

  /// Views of arrays of `types`, one behind the other.
  SmallVector<Value> allocate(ArrayRef<MemRefType> types, OpBuilder &builder,
                              Location loc) {
    SmallVector<Value> views;
    int64_t offset = start;
    for (MemRefType type : types) {
      int64_t next = llvm::alignTo(offset + getBytes(type), partialsAlignment);
      grow(next);
      views.push_back(amprt::ViewOp::create(builder, loc, type, arena,
                                            builder.getI64IntegerAttr(offset)));
      offset = next;
    }
    return views;
  }

private:
  void grow(int64_t bytes) {
    if (bytes <= end && arena)
      return;
    end = std::max(end, bytes);
    Builder b(function.getContext());
    Type type = MemRefType::get({end}, b.getI8Type());
    if (arena) {
      arena.setType(type);
    } else {
      unsigned index = function.getNumArguments();
      auto attributes =
          b.getDictionaryAttr(b.getNamedAttr("amprt.arena", b.getUnitAttr()));
      (void)function.insertArgument(index, type, attributes, function.getLoc());
      arena = function.getArgument(index);
    }
    function.setFunctionType(b.getFunctionType(
        function.getBody().getArgumentTypes(), function.getResultTypes()));
    function->setAttr("amprt.arena_bytes", b.getI64IntegerAttr(end));
  }

  func::FuncOp function;
  BlockArgument arena;
  int64_t start = 0, end = 0;
};

struct EmitGPUKernelsPass
    : amp::impl::EmitGPUKernelsPassBase<EmitGPUKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder(&getContext());
    gpu::GPUModuleOp kernels;
    KernelCache<EmittedGPUKernel> cache;
    for (func::FuncOp function :
         llvm::to_vector(module.getOps<func::FuncOp>())) {
      PartialsPlace place(function);
      llvm::StringMap<unsigned> numbers;
      SmallVector<amprt::KernelOp> ops;
      function.walk([&](amprt::KernelOp kernel) { ops.push_back(kernel); });
      for (amprt::KernelOp kernel : ops) {
        if (!kernels) {
          builder.setInsertionPointToEnd(module.getBody());
          kernels =
              gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
        }
        if (failed(replace(kernel, function, kernels, place, cache, numbers,
                           builder)))
          return signalPassFailure();
      }
    }
  }

  static LogicalResult replace(amprt::KernelOp kernel, func::FuncOp function,
                               gpu::GPUModuleOp kernels, PartialsPlace &place,
                               KernelCache<EmittedGPUKernel> &cache,
                               llvm::StringMap<unsigned> &numbers,
                               OpBuilder &builder) {
    if (kernel.getNumResults() != 0)
      return kernel.emitOpError("expects kernels on memrefs: run "
                                "'amprt-plan-memory' first");
    SmallVector<Value> operands = getDistinctOperands(kernel);
    SmallVector<int64_t> alignments;
    for (Value operand : operands)
      alignments.push_back(getAlignment(operand));
    EmittedGPUKernel *known = cache.find(kernel, alignments);
    if (!known) {
      KernelModel model(kernel);
      if (failed(model.analyse()))
        return failure();
      builder.setInsertionPointToEnd(kernels.getBody());
      FailureOr<EmittedGPUKernel> emitted =
          GPUKernelEmitter(model, getName(kernel, function, numbers),
                           alignments, builder)
              .emit();
      if (failed(emitted))
        return failure();
      known = cache.add(kernel, *emitted, alignments);
    }
    launch(kernel, operands, *known, place, builder);
    kernel.erase();
    return success();
  }

  /// `<function>_<kind>_<number>`.
  static std::string getName(amprt::KernelOp kernel, func::FuncOp function,
                             llvm::StringMap<unsigned> &numbers) {
    std::string name = function.getSymName().str();
    llvm::replace(name, '.', '_');
    StringRef kind = stringifyKernelKind(kernel.getKind());
    return name + "_" + kind.str() + "_" + std::to_string(numbers[kind]++);
  }

  static void launch(amprt::KernelOp kernel, ArrayRef<Value> buffers,
                     const EmittedGPUKernel &emitted, PartialsPlace &place,
                     OpBuilder &builder) {
    if (emitted.launches.empty())
      return;
    Location loc = kernel.getLoc();
    builder.setInsertionPoint(kernel);
    SmallVector<Value> operands;
    for (auto [buffer, type] : llvm::zip_equal(buffers, emitted.bufferTypes)) {
      Value operand = buffer;
      if (operand.getType() != type)
        operand = amprt::ViewOp::create(builder, loc, type, operand,
                                        builder.getI64IntegerAttr(0));
      operands.push_back(operand);
    }
    operands.append(place.allocate(emitted.partialsTypes, builder, loc));
    for (const EmittedGPUKernel::Launch &launch : emitted.launches) {
      gpu::GPUFuncOp function = launch.function;
      auto callee =
          SymbolRefAttr::get(builder.getStringAttr("kernels"),
                             FlatSymbolRefAttr::get(function.getNameAttr()));
      amprt::LaunchOp::create(builder, loc, callee, operands, launch.blocks,
                              launch.threads);
    }
  }
};
} // namespace
