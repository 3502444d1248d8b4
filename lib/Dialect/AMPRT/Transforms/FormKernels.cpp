//===- FormKernels.cpp - linalg ops to kernels -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps:
// 1. Give each result of the function its place (StateResults).
// 2. Group linalg ops (KernelGroups); where an in-place update would overwrite
// a
//    value that is read later, copy that state at the end and group again.
// 3. Order the units: computations in program order, then updates of
//    state, then the writes of rank-0 state.
// 4. Emit one `amprt.kernel` per group.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMPRT/Transforms/Passes.h"

#include "KernelGroups.h"
#include "StateResults.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::amprt {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "amp/Dialect/AMPRT/Transforms/Passes.h.inc"
} // namespace mlir::amprt

using namespace mlir;
using namespace mlir::amprt;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// The value that `value` is a view of.
static Value getViewSource(Value value) {
  while (Operation *view = value.getDefiningOp()) {
    if (!isView(view))
      break;
    value = view->getOperand(0);
  }
  return value;
}

/// Whether `op`, if it reads `argument` at all, reads each element in the
/// iteration of that element.
static bool readsOwnElement(Operation *op, Value argument) {
  auto linalgOp = cast<linalg::LinalgOp>(op);
  return llvm::all_of(getReads(linalgOp), [&](OpOperand *read) {
    if (getViewSource(read->get()) != argument)
      return true;
    return read->get() == argument &&
           linalgOp.getMatchingIndexingMap(read).isIdentity();
  });
}

/// The order in which units are emitted, and which of them come late.
class Schedule {
public:
  Schedule(const KernelGroups &groups, const StateResults &states);

  /// An in-place update whose old value a later unit reads, null if none.
  OpResult findConflict() const;
  /// All units in their final order; views stand before their first reader.
  SmallVector<int64_t> getOrder(Operation *terminator) const;

private:
  bool isCommit(int64_t unit) const;
  bool isUpdate(int64_t unit) const;
  bool readsArgument(int64_t unit, Value argument) const;
  void emit(int64_t unit, SmallVectorImpl<int64_t> &order,
            SmallVectorImpl<char> &emitted) const;

  const KernelGroups &groups;
  const StateResults &states;
  /// Units by level, then program position: a topological order.
  SmallVector<int64_t> sorted;
  /// Updates of state and what depends on them.
  SmallVector<char> late;
};

Schedule::Schedule(const KernelGroups &groups, const StateResults &states)
    : groups(groups), states(states) {
  ArrayRef<Unit> units = groups.getUnits();
  late.resize(units.size());
  for (auto [index, unit] : llvm::enumerate(units))
    if (!unit.dead)
      sorted.push_back(index);
  llvm::stable_sort(sorted, [&](int64_t a, int64_t b) {
    return std::pair(units[a].level, units[a].position) <
           std::pair(units[b].level, units[b].position);
  });
  for (int64_t unit : sorted)
    late[unit] = isUpdate(unit) ||
                 llvm::any_of(groups.getDependencies(unit),
                              [&](int64_t other) { return late[other]; });
}

bool Schedule::isCommit(int64_t unit) const {
  return states.getCommits().contains(groups.getUnits()[unit].ops.front());
}

bool Schedule::isUpdate(int64_t unit) const {
  return llvm::any_of(groups.getUnits()[unit].ops,
                      [&](Operation *op) { return states.updatesInPlace(op); });
}

bool Schedule::readsArgument(int64_t unit, Value argument) const {
  auto reads = [&](Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value value) {
      return getViewSource(value) == argument;
    });
  };
  return llvm::any_of(groups.getUnits()[unit].ops, reads) ||
         llvm::any_of(groups.getClones(unit), reads);
}

OpResult Schedule::findConflict() const {
  SmallVector<int64_t> lateUnits = llvm::filter_to_vector(
      sorted, [&](int64_t unit) { return late[unit] && !isCommit(unit); });
  for (auto [index, unit] : llvm::enumerate(lateUnits)) {
    for (Operation *op : groups.getUnits()[unit].ops) {
      for (OpResult result : op->getResults()) {
        Value argument = states.getDestination(result);
        if (!argument)
          continue;
        for (int64_t later : ArrayRef(lateUnits).drop_front(index + 1))
          if (readsArgument(later, argument))
            return result;
        auto fits = [&](Operation *other) {
          return readsOwnElement(other, argument);
        };
        if (!llvm::all_of(groups.getUnits()[unit].ops, fits) ||
            !llvm::all_of(groups.getClones(unit), fits))
          return result;
      }
    }
  }
  return {};
}

void Schedule::emit(int64_t unit, SmallVectorImpl<int64_t> &order,
                    SmallVectorImpl<char> &emitted) const {
  SmallVector<std::pair<int64_t, SmallVector<int64_t>>> stack;
  auto push = [&](int64_t next) {
    if (emitted[next])
      return;
    emitted[next] = true;
    SmallVector<int64_t> dependencies = groups.getDependencies(next);
    std::reverse(dependencies.begin(), dependencies.end());
    stack.emplace_back(next, std::move(dependencies));
  };
  push(unit);
  while (!stack.empty()) {
    auto &[current, pending] = stack.back();
    if (pending.empty()) {
      order.push_back(current);
      stack.pop_back();
      continue;
    }
    push(pending.pop_back_val());
  }
}

SmallVector<int64_t> Schedule::getOrder(Operation *terminator) const {
  ArrayRef<Unit> units = groups.getUnits();
  SmallVector<int64_t> byPosition(sorted), order;
  SmallVector<char> emitted(units.size());
  llvm::stable_sort(byPosition, [&](int64_t a, int64_t b) {
    return units[a].position < units[b].position;
  });
  auto isComputation = [&](int64_t unit) {
    return !isView(units[unit].ops.front());
  };
  for (int64_t unit : byPosition)
    if (!late[unit] && !isCommit(unit) && isComputation(unit))
      emit(unit, order, emitted);
  for (int64_t unit : sorted)
    if (late[unit] && !isCommit(unit) && isComputation(unit))
      emit(unit, order, emitted);
  for (int64_t unit : byPosition)
    if (isCommit(unit))
      emit(unit, order, emitted);
  for (Value result : terminator->getOperands())
    if (Operation *producer = result.getDefiningOp())
      if (int64_t unit = groups.getUnit(producer); unit >= 0)
        emit(unit, order, emitted);
  return order;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// Turns one group into a kernel.
class KernelBuilder {
public:
  KernelBuilder(OpBuilder &builder, const KernelGroups &groups,
                const StateResults &states, int64_t unit)
      : builder(builder), groups(groups), states(states), index(unit),
        unit(groups.getUnits()[unit]) {}

  void build();

private:
  void collect();
  bool isInside(Operation *op) const { return members.contains(op); }
  void cloneInto(linalg::LinalgOp op, OpBuilder &body);
  Value getInit(linalg::LinalgOp op, OpOperand &init, OpBuilder &body);
  Value cloneCheap(Value value, OpBuilder &body);

  OpBuilder &builder;
  const KernelGroups &groups;
  const StateResults &states;
  int64_t index;
  const Unit &unit;
  /// Ops of the body in order.
  SmallVector<Operation *> sequence;
  DenseSet<Operation *> members;
  llvm::SetVector<Value> inputs;
  SmallVector<OpResult> outs;
  IRMapping mapping;
  DenseMap<Value, Value> outArguments;
};

void KernelBuilder::collect() {
  DenseSet<Operation *> own(unit.ops.begin(), unit.ops.end());
  DenseSet<Operation *> needed;
  SmallVector<Operation *> reversed;
  for (Operation *op : llvm::reverse(unit.ops)) {
    bool used = false;
    for (OpResult result : llvm::reverse(op->getResults())) {
      bool isOut = llvm::any_of(result.getUsers(), [&](Operation *user) {
        return !own.contains(user) &&
               !groups.isClonedInto(op, groups.getUnit(user));
      });
      if (isOut)
        outs.push_back(result);
      used |= isOut || llvm::any_of(result.getUsers(), [&](Operation *user) {
                return needed.contains(user);
              });
    }
    if (!used)
      continue;
    needed.insert(op);
    reversed.push_back(op);
  }
  std::reverse(outs.begin(), outs.end());
  llvm::append_range(sequence, groups.getClones(index));
  llvm::append_range(sequence, llvm::reverse(reversed));
  members.insert(sequence.begin(), sequence.end());
  for (Operation *op : sequence)
    for (OpOperand *read : getReads(cast<linalg::LinalgOp>(op)))
      if (Operation *producer = read->get().getDefiningOp();
          !producer || !isInside(producer))
        inputs.insert(read->get());
}

/// A constant, or an empty or filled tensor, made again inside the kernel.
Value KernelBuilder::cloneCheap(Value value, OpBuilder &body) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneCheap(operand, body);
  return body.clone(*op, mapping)->getResult(0);
}

Value KernelBuilder::getInit(linalg::LinalgOp op, OpOperand &init,
                             OpBuilder &body) {
  OpResult result = op.getTiedOpResult(&init);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(result.getType());
  bool used = op.payloadUsesValueFromOperand(&init);
  auto fill = init.get().getDefiningOp<linalg::FillOp>();
  if (used && !fill) {
    if (Value known = mapping.lookupOrNull(init.get()))
      return known;
    return cloneCheap(init.get(), body);
  }
  Value place = outArguments.lookup(result);
  if (!place)
    place = tensor::EmptyOp::create(body, loc, type.getShape(),
                                    type.getElementType());
  if (!used)
    return place;
  Value start = cloneCheap(fill.getInputs().front(), body);
  return linalg::FillOp::create(body, loc, start, place).getResult(0);
}

void KernelBuilder::cloneInto(linalg::LinalgOp op, OpBuilder &body) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    cloneCheap(value, body);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.isDpsInit(&operand)) {
      operands.push_back(getInit(op, operand, body));
      continue;
    }
    Value known = mapping.lookupOrNull(operand.get());
    operands.push_back(known ? known : cloneCheap(operand.get(), body));
  }
  IRMapping inner(mapping);
  Operation *clone = body.clone(*op, inner);
  clone->setOperands(operands);
  mapping.map(op->getResults(), clone->getResults());
}

void KernelBuilder::build() {
  collect();
  if (outs.empty())
    return;
  SmallVector<Value> destinations;
  SmallVector<Location> locations;
  for (OpResult result : outs) {
    Value destination = states.getDestination(result);
    auto type = cast<RankedTensorType>(result.getType());
    if (!destination)
      destination = tensor::EmptyOp::create(
          builder, result.getLoc(), type.getShape(), type.getElementType());
    destinations.push_back(destination);
  }
  for (Operation *op : sequence)
    locations.push_back(op->getLoc());
  Location loc = builder.getFusedLoc(locations);
  auto kernel =
      KernelOp::create(builder, loc, ValueRange(destinations).getTypes(),
                       KernelKindAttr::get(builder.getContext(), unit.kind),
                       inputs.getArrayRef(), destinations);
  Block &block = kernel.getBody().emplaceBlock();
  for (Value input : inputs)
    mapping.map(input, block.addArgument(input.getType(), input.getLoc()));
  for (auto [result, destination] : llvm::zip_equal(outs, destinations))
    outArguments[result] =
        block.addArgument(destination.getType(), destination.getLoc());

  OpBuilder body = OpBuilder::atBlockEnd(&block);
  for (Operation *op : sequence)
    cloneInto(cast<linalg::LinalgOp>(op), body);
  SmallVector<Value> yielded;
  for (OpResult result : outs)
    yielded.push_back(mapping.lookup(result));
  amprt::YieldOp::create(body, loc, yielded);

  for (auto [result, value] : llvm::zip_equal(outs, kernel.getResults()))
    result.replaceUsesWithIf(value, [&](OpOperand &use) {
      return groups.getUnit(use.getOwner()) != index;
    });
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Erases from the end on what `shouldErase` names.
static void eraseBackward(Block &block,
                          function_ref<bool(Operation *)> shouldErase) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (shouldErase(op))
      op->erase();
}

/// Every gemm writes to a tensor of its own.
static void separateDestinations(Block &block) {
  for (GemmOp gemm : block.getOps<GemmOp>()) {
    for (OpOperand &out : gemm.getOutsMutable()) {
      auto empty = out.get().getDefiningOp<tensor::EmptyOp>();
      if (!empty || empty->hasOneUse())
        continue;
      OpBuilder builder(gemm);
      out.set(builder.clone(*empty)->getResult(0));
    }
  }
}

static LogicalResult formKernels(FunctionOpInterface function) {
  Block &block = function.getFunctionBody().front();
  if (!llvm::hasSingleElement(function.getFunctionBody()))
    return function.emitError("expects one block per function to form kernels");
  Operation *terminator = block.getTerminator();
  eraseBackward(block, isOpTriviallyDead);
  StateResults states(function);
  separateDestinations(block);

  std::unique_ptr<KernelGroups> groups;
  SmallVector<int64_t> order;
  while (true) {
    groups = std::make_unique<KernelGroups>(block, states.getCommits());
    if (failed(groups->build()))
      return failure();
    Schedule schedule(*groups, states);
    OpResult conflict = schedule.findConflict();
    if (!conflict) {
      order = schedule.getOrder(terminator);
      break;
    }
    states.copyAtEnd(conflict);
  }

  OpBuilder builder(terminator);
  for (int64_t index : order) {
    const Unit &unit = groups->getUnits()[index];
    if (unit.isGroup) {
      KernelBuilder(builder, *groups, states, index).build();
      continue;
    }
    Operation *op = unit.ops.front();
    if (auto gemm = dyn_cast<GemmOp>(op))
      for (Value out : gemm.getOuts())
        if (auto empty = out.getDefiningOp<tensor::EmptyOp>())
          empty->moveBefore(terminator);
    op->moveBefore(terminator);
  }
  // What is left of the linalg ops reads only what is left of them.
  eraseBackward(block, llvm::IsaPred<linalg::LinalgOp>);
  eraseBackward(block, isOpTriviallyDead);
  return success();
}

namespace {

struct FormKernelsPass : amprt::impl::FormKernelsPassBase<FormKernelsPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](FunctionOpInterface function) {
      if (function.isExternal())
        return WalkResult::skip();
      return failed(formKernels(function)) ? WalkResult::interrupt()
                                           : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
