//===- PlanMemory.cpp - Tensors to places in memory -------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rewriting half of -amprt-plan-memory: a function on tensors whose plan is
// known becomes a function on memrefs. MemoryPlan.h has the analysis.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMPRT/Transforms/Passes.h"

#include "MemoryPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::amprt {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "amp/Dialect/AMPRT/Transforms/Passes.h.inc"
} // namespace mlir::amprt

using namespace mlir;
using namespace mlir::amprt;

static MemRefType getMemRefType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType());
}

namespace {
/// One `memref.global` per constant of the module.
class ConstantPool {
public:
  ConstantPool(ModuleOp module, SymbolTable &symbols)
      : module(module), symbols(symbols) {}

  memref::GlobalOp get(arith::ConstantOp constant) {
    memref::GlobalOp &global = globals[constant.getValue()];
    if (global)
      return global;
    OpBuilder b(module.getContext());
    MemRefType type = getMemRefType(constant.getType());
    global = memref::GlobalOp::create(
        b, constant.getLoc(), "constant", b.getStringAttr("private"), type,
        constant.getValue(), /*constant=*/true, b.getI64IntegerAttr(64));
    symbols.insert(global, module.getBody()->begin());
    return global;
  }

private:
  ModuleOp module;
  SymbolTable &symbols;
  llvm::DenseMap<Attribute, memref::GlobalOp> globals;
};

/// Rewrites one function by its plan.
class FunctionRewriter {
public:
  FunctionRewriter(func::FuncOp function, MemoryPlan &plan,
                   ConstantPool &constants)
      : function(function), plan(plan), constants(constants),
        builder(function.getContext()) {}

  void run() {
    Block &oldBody = function.getBody().front();
    auto *newBody = new Block();
    function.getBody().push_back(newBody);
    addArguments(*newBody);
    builder.setInsertionPointToEnd(newBody);
    for (Operation &op : oldBody)
      rewrite(op);
    oldBody.dropAllReferences();
    oldBody.erase();
  }

private:
  /// State and inputs, out-parameters, arena; what each is goes to attributes.
  void addArguments(Block &newBody) {
    FunctionType type = function.getFunctionType();
    SmallVector<DictionaryAttr> attributes;
    SmallVector<Type> types;
    auto add = [&](MemRefType type, DictionaryAttr old, StringRef name,
                   Attribute value) {
      NamedAttrList list(old);
      if (!name.empty())
        list.set(name, value);
      types.push_back(type);
      attributes.push_back(list.getDictionary(function.getContext()));
      newBody.addArgument(type, function.getLoc());
    };
    SmallVector<int64_t> resultOf(type.getNumInputs(), -1);
    for (unsigned i = 0; i < type.getNumResults(); ++i)
      if (std::optional<unsigned> argument = plan.getDonatedArgument(i))
        resultOf[*argument] = i;
    for (unsigned i = 0; i < type.getNumInputs(); ++i) {
      bool isState = resultOf[i] >= 0;
      add(getMemRefType(type.getInput(i)), function.getArgAttrDict(i),
          isState ? "amprt.state" : "",
          isState ? builder.getI64IntegerAttr(resultOf[i]) : Attribute());
    }
    argumentOfResult.assign(type.getNumResults(), 0);
    for (unsigned i = 0; i < type.getNumResults(); ++i) {
      if (plan.getDonatedArgument(i))
        continue;
      argumentOfResult[i] = types.size();
      add(getMemRefType(type.getResult(i)), function.getResultAttrDict(i),
          "amprt.result", builder.getI64IntegerAttr(i));
    }
    ArenaSize size = plan.getArenaSize();
    arenaArgument = types.size();
    add(MemRefType::get({size.bytes}, builder.getI8Type()), {}, "amprt.arena",
        builder.getUnitAttr());
    function->setAttr("amprt.arena_bytes",
                      builder.getI64IntegerAttr(size.bytes));
    function->setAttr("amprt.peak_bytes", builder.getI64IntegerAttr(size.peak));
    function.removeResAttrsAttr();
    function.setFunctionType(builder.getFunctionType(types, {}));
    function.setAllArgAttrs(attributes);
    body = &newBody;
  }

  /// The memref of a tensor: a view of the buffer that holds it. The same
  /// place and type is the same value, so that an update in place shows.
  Value getMemRef(Value tensor) {
    Place place = plan.getPlace(tensor);
    MemRefType type = getMemRefType(tensor.getType());
    return getView(getBase(place), place.offset, type);
  }

  Value getBase(const Place &place) {
    switch (place.kind) {
    case Place::Argument:
      return body->getArgument(place.index);
    case Place::Result:
      return body->getArgument(argumentOfResult[place.index]);
    case Place::Arena:
      return body->getArgument(arenaArgument);
    case Place::Constant:
      break;
    }
    memref::GlobalOp global =
        constants.get(place.constant.getDefiningOp<arith::ConstantOp>());
    Value &memref = globals[global.getOperation()];
    if (!memref)
      memref =
          memref::GetGlobalOp::create(builder, place.constant.getLoc(),
                                      global.getType(), global.getSymName());
    return memref;
  }

  Value getView(Value base, int64_t offset, MemRefType type) {
    if (base.getType() == type && offset == 0)
      return base;
    Value &view = views[{base, {offset, type}}];
    if (!view)
      view = ViewOp::create(builder, base.getLoc(), type, base,
                            builder.getI64IntegerAttr(offset));
    return view;
  }

  void rewrite(Operation &op) {
    if (&op == plan.getFirstStateWriter())
      CommitOp::create(builder, op.getLoc());
    if (auto gemm = dyn_cast<GemmOp>(op)) {
      SmallVector<Value> operands;
      for (Value operand : op.getOperands().drop_back(gemm.getOuts().size()))
        operands.push_back(getMemRef(operand));
      for (Value result : gemm.getResults())
        operands.push_back(getMemRef(result));
      OperationState state(op.getLoc(), op.getName(), operands, {},
                           op.getAttrs());
      builder.create(state);
    } else if (auto kernel = dyn_cast<KernelOp>(op)) {
      SmallVector<Value> inputs, outs;
      for (Value input : kernel.getInputs())
        inputs.push_back(getMemRef(input));
      for (Value result : kernel.getResults())
        outs.push_back(getMemRef(result));
      auto memory = KernelOp::create(builder, op.getLoc(), TypeRange{},
                                     kernel.getKind(), inputs, outs);
      memory->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
      memory.getBody().takeBody(kernel.getBody());
    } else if (auto concat = dyn_cast<ConcatOp>(op)) {
      zeroPadding(concat);
    } else if (isa<func::ReturnOp>(op)) {
      func::ReturnOp::create(builder, op.getLoc());
    }
    // Views, constants and empty tensors have no code of their own.
  }

  /// Fills the gaps between the pieces, one kernel for all gaps of a length.
  void zeroPadding(ConcatOp concat) {
    auto type = cast<RankedTensorType>(concat.getResult().getType());
    auto elementBytes =
        getByteSize(RankedTensorType::get({}, type.getElementType()));
    Place place = plan.getPlace(concat.getResult());
    llvm::MapVector<int64_t, SmallVector<Value>> gaps;
    int64_t end = 0;
    auto addGap = [&](int64_t next) {
      if (next > end)
        gaps[next - end].push_back(
            getView(getBase(place), place.offset + end * elementBytes,
                    MemRefType::get({next - end}, type.getElementType())));
    };
    for (auto [piece, offset] :
         llvm::zip_equal(concat.getPieces(), concat.getOffsets())) {
      addGap(offset);
      end = offset + cast<RankedTensorType>(piece.getType()).getNumElements();
    }
    addGap(type.getNumElements());
    for (auto &[length, views] : gaps)
      createZeroKernel(concat.getLoc(), views,
                       RankedTensorType::get({length}, type.getElementType()));
  }

  void createZeroKernel(Location loc, ArrayRef<Value> outs,
                        RankedTensorType type) {
    OpBuilder::InsertionGuard guard(builder);
    auto kernel = KernelOp::create(builder, loc, TypeRange{},
                                   KernelKind::elementwise, ValueRange{}, outs);
    SmallVector<Type> types(outs.size(), type);
    SmallVector<Location> locs(outs.size(), loc);
    Block *block = builder.createBlock(&kernel.getBody(), {}, types, locs);
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(type.getElementType()));
    SmallVector<Value> results;
    for (Value out : block->getArguments())
      results.push_back(linalg::FillOp::create(builder, loc, ValueRange{zero},
                                               ValueRange{out})
                            .getResult(0));
    amprt::YieldOp::create(builder, loc, results);
  }

  func::FuncOp function;
  MemoryPlan &plan;
  ConstantPool &constants;
  OpBuilder builder;
  Block *body = nullptr;
  SmallVector<unsigned> argumentOfResult;
  unsigned arenaArgument = 0;
  llvm::DenseMap<Operation *, Value> globals;
  llvm::DenseMap<std::pair<Value, std::pair<int64_t, Type>>, Value> views;
};

struct PlanMemoryPass : amprt::impl::PlanMemoryPassBase<PlanMemoryPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    ConstantPool constants(module, symbols);
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (function.isDeclaration())
        continue;
      MemoryPlan plan(function);
      if (failed(plan.compute()))
        return signalPassFailure();
      FunctionRewriter(function, plan, constants).run();
    }
  }
};
} // namespace
