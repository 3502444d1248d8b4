//===- EmitGPUKernels.cpp - amprt.kernel to GPU functions -------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass: equal kernels share their functions, each kernel becomes launches.
// Constants and partial results stand behind the arena of the memory plan; the
// stream runs one kernel after the other, so the partial results of all kernels
// of a function use one place.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Passes.h"

#include "Constants.h"
#include "KernelEmitter.h"
#include "amp/Conversion/Utils/KernelCache.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::amp {
#define GEN_PASS_DEF_EMITGPUKERNELSPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Where every buffer of the runtime starts, and the widest access.
static constexpr int64_t bufferAlignment = 16;
/// Constants and partial results start at multiples of this.
static constexpr int64_t placeAlignment = 256;

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
/// What stands behind a function's memory plan: constants, then partial
/// results.
class ArenaEnd {
public:
  explicit ArenaEnd(func::FuncOp function) : function(function) {
    for (BlockArgument argument : function.getArguments())
      if (function.getArgAttr(argument.getArgNumber(), "amprt.arena"))
        arena = argument;
    if (arena)
      start = llvm::alignTo(getBytes(cast<MemRefType>(arena.getType())),
                            placeAlignment);
  }

  /// A place that lasts as long as the function.
  Value reserve(MemRefType type, OpBuilder &builder, Location loc) {
    Value view = createView(start, type, builder, loc);
    start = llvm::alignTo(start + getBytes(type), placeAlignment);
    return view;
  }

  /// Places for one kernel. None is reserved afterwards.
  SmallVector<Value> allocate(ArrayRef<MemRefType> types, OpBuilder &builder,
                              Location loc) {
    SmallVector<Value> views;
    int64_t offset = start;
    for (MemRefType type : types) {
      views.push_back(createView(offset, type, builder, loc));
      offset = llvm::alignTo(offset + getBytes(type), placeAlignment);
    }
    return views;
  }

private:
  Value createView(int64_t offset, MemRefType type, OpBuilder &builder,
                   Location loc) {
    grow(llvm::alignTo(offset + getBytes(type), placeAlignment));
    return amprt::ViewOp::create(builder, loc, type, arena,
                                 builder.getI64IntegerAttr(offset));
  }

  void grow(int64_t bytes) {
    Builder b(function.getContext());
    if (!arena) {
      auto attributes =
          b.getDictionaryAttr(b.getNamedAttr("amprt.arena", b.getUnitAttr()));
      unsigned index = function.getNumArguments();
      (void)function.insertArgument(index, MemRefType::get({0}, b.getI8Type()),
                                    attributes, function.getLoc());
      arena = function.getArgument(index);
    }
    if (bytes <= getBytes(cast<MemRefType>(arena.getType())))
      return;
    arena.setType(MemRefType::get({bytes}, b.getI8Type()));
    function.setFunctionType(b.getFunctionType(
        function.getBody().getArgumentTypes(), function.getResultTypes()));
    function->setAttr("amprt.arena_bytes", b.getI64IntegerAttr(bytes));
  }

  func::FuncOp function;
  BlockArgument arena;
  /// Where partial results go.
  int64_t start = 0;
};

/// Emits the kernels of a module.
class ModuleEmitter {
public:
  explicit ModuleEmitter(ModuleOp module)
      : module(module), builder(module.getContext()) {}

  LogicalResult emit(func::FuncOp function) {
    ArenaEnd end(function);
    numbers.clear();
    SmallVector<memref::GetGlobalOp> constants;
    SmallVector<amprt::KernelOp> ops;
    function.walk([&](memref::GetGlobalOp op) { constants.push_back(op); });
    function.walk([&](amprt::KernelOp kernel) { ops.push_back(kernel); });
    for (memref::GetGlobalOp constant : constants)
      replace(constant, function, end);
    for (amprt::KernelOp kernel : ops)
      if (failed(replace(kernel, function, end)))
        return failure();
    return success();
  }

private:
  gpu::GPUModuleOp getKernels() {
    if (!kernels) {
      builder.setInsertionPointToEnd(module.getBody());
      kernels = gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
    }
    return kernels;
  }

  /// A constant is written once a call, and is then like any other value.
  void replace(memref::GetGlobalOp op, func::FuncOp function, ArenaEnd &end) {
    auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
        op, op.getNameAttr());
    EmittedGPUKernel &emitted = constantKernels[global];
    if (emitted.launches.empty() &&
        cast<MemRefType>(op.getType()).getNumElements() != 0)
      emitted = emitConstantKernel(global, getName("constant", function),
                                   getKernels());
    builder.setInsertionPoint(op);
    Value place =
        end.reserve(cast<MemRefType>(op.getType()), builder, op.getLoc());
    launch(op.getLoc(), place, emitted, end);
    op.replaceAllUsesWith(place);
    op.erase();
    if (SymbolTable::symbolKnownUseEmpty(global, module))
      unused.push_back(global);
  }

  LogicalResult replace(amprt::KernelOp kernel, func::FuncOp function,
                        ArenaEnd &end) {
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
      std::string name =
          getName(stringifyKernelKind(kernel.getKind()), function);
      builder.setInsertionPointToEnd(getKernels().getBody());
      FailureOr<EmittedGPUKernel> emitted =
          GPUKernelEmitter(model, name, alignments, builder).emit();
      if (failed(emitted))
        return failure();
      known = cache.add(kernel, *emitted, alignments);
    }
    builder.setInsertionPoint(kernel);
    launch(kernel.getLoc(), operands, *known, end);
    kernel.erase();
    return success();
  }

  /// The function's name as an identifier of PTX, which no other function has.
  StringRef getPrefix(func::FuncOp function) {
    std::string &prefix = prefixes[function];
    if (!prefix.empty())
      return prefix;
    StringRef name = function.getSymName();
    if (name.empty() || llvm::isDigit(name.front()))
      prefix = "_";
    for (char c : name)
      prefix += llvm::isAlnum(c) ? c : '_';
    while (!takenPrefixes.insert(prefix).second)
      prefix += '_';
    return prefix;
  }

  /// `<function>_<kind>_<number>`.
  std::string getName(StringRef kind, func::FuncOp function) {
    return getPrefix(function).str() + "_" + kind.str() + "_" +
           std::to_string(numbers[kind]++);
  }

  void launch(Location loc, ArrayRef<Value> buffers,
              const EmittedGPUKernel &emitted, ArenaEnd &end) {
    if (emitted.launches.empty())
      return;
    SmallVector<Value> operands;
    for (auto [buffer, type] : llvm::zip_equal(buffers, emitted.bufferTypes)) {
      Value operand = buffer;
      if (operand.getType() != type)
        operand = amprt::ViewOp::create(builder, loc, type, operand,
                                        builder.getI64IntegerAttr(0));
      operands.push_back(operand);
    }
    operands.append(end.allocate(emitted.partialsTypes, builder, loc));
    for (const EmittedGPUKernel::Launch &launch : emitted.launches) {
      gpu::GPUFuncOp function = launch.function;
      auto callee =
          SymbolRefAttr::get(kernels.getSymNameAttr(),
                             FlatSymbolRefAttr::get(function.getNameAttr()));
      amprt::LaunchOp::create(builder, loc, callee, operands, launch.blocks,
                              launch.threads);
    }
  }

public:
  /// Globals of the host that nothing reads any more.
  SmallVector<memref::GlobalOp> unused;

private:
  ModuleOp module;
  OpBuilder builder;
  gpu::GPUModuleOp kernels;
  KernelCache<EmittedGPUKernel> cache;
  llvm::DenseMap<Operation *, EmittedGPUKernel> constantKernels;
  /// What begins the names of each function's kernels.
  llvm::DenseMap<Operation *, std::string> prefixes;
  llvm::StringSet<> takenPrefixes;
  /// Kernels of each kind of the function so far.
  llvm::StringMap<unsigned> numbers;
};

struct EmitGPUKernelsPass
    : amp::impl::EmitGPUKernelsPassBase<EmitGPUKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    ModuleEmitter emitter(module);
    for (func::FuncOp function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (failed(emitter.emit(function)))
        return signalPassFailure();
    for (memref::GlobalOp global : emitter.unused)
      global.erase();
  }
};
} // namespace
