//===- MemoryOrder.cpp - An order that allows updates in place --*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A topological order over two kinds of edges, producer -> user and reader of
// an old value -> its writer. What writes state, and all that must follow it,
// comes last; otherwise the given order is kept.
//
//===----------------------------------------------------------------------===//

#include "MemoryPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include <queue>

using namespace mlir;
using namespace mlir::amprt;

/// The ops that write what lives in the place of `root`: its maker, and for a
/// concat the makers of its pieces as well.
void MemoryPlan::collectWriters(Value root,
                                SmallVectorImpl<Operation *> &writers) {
  SmallVector<Value> worklist{root};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    writers.push_back(next.getDefiningOp());
    auto pieces = piecesOf.find(next);
    if (pieces != piecesOf.end())
      worklist.append(pieces->second);
  }
}

/// "state 'w'" for messages.
static std::string describe(func::FuncOp function, Value root) {
  auto argument = dyn_cast<BlockArgument>(root);
  if (!argument)
    return "a value";
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    "amp.name");
  return name ? "state '" + name.str() + "'"
              : "argument #" + std::to_string(argument.getArgNumber());
}

LogicalResult MemoryPlan::addUpdateEdges(
    Value oldRoot, Value newRoot, unsigned resultIndex,
    llvm::function_ref<void(Operation *, Operation *)> addEdge) {
  SmallVector<Operation *> writers;
  collectWriters(newRoot, writers);
  // What lives in the old value's place: itself, and the pieces of a concat.
  llvm::SetVector<Value> olds;
  olds.insert(oldRoot);
  for (unsigned i = 0; i < olds.size(); ++i)
    olds.insert_range(piecesOf.lookup(olds[i]));
  auto conflicts = [&](Operation *op, OpOperand &operand) {
    Slot location = locate(operand.get());
    if (!olds.contains(location.root) ||
        cast<DestinationStyleOpInterface>(op).isDpsInit(&operand))
      return false;
    auto kernel = dyn_cast<KernelOp>(op);
    return !kernel || location.root != oldRoot || location.offset != 0 ||
           !isElementwiseInPlace(kernel, operand, resultIndex);
  };
  for (Value old : olds) {
    for (Operation *reader : readers.lookup(old)) {
      if (isa<func::ReturnOp>(reader))
        return newRoot.getDefiningOp()->emitError("updates ")
               << describe(function, oldRoot)
               << " in place, but its old value is returned as well";
      for (Operation *writer : writers) {
        if (reader != writer) {
          // The pieces of the old value come before it anyway.
          addEdge(reader, writer);
          continue;
        }
        for (OpOperand &operand : writer->getOpOperands())
          if (isa<GemmOp, KernelOp>(writer) && conflicts(writer, operand))
            return writer->emitError("updates ")
                   << describe(function, oldRoot) << " in place, but operand #"
                   << operand.getOperandNumber()
                   << " reads other elements of it";
      }
    }
  }
  return success();
}

LogicalResult MemoryPlan::order() {
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> indexOf;
  for (Operation &op : body.without_terminator()) {
    indexOf[&op] = ops.size();
    ops.push_back(&op);
  }
  // Who reads which root.
  for (Operation &op : body) {
    if (op.getNumResults() == 1 &&
        locate(op.getResult(0)).root != op.getResult(0))
      continue; // a view: its users read
    auto dps = dyn_cast<DestinationStyleOpInterface>(&op);
    for (OpOperand &operand : op.getOpOperands()) {
      if (dps && dps.isDpsInit(&operand) &&
          !readsInit(&op, dps.getTiedOpResult(&operand).getResultNumber()))
        continue;
      SmallVector<Operation *> &of = readers[locate(operand.get()).root];
      if (of.empty() || of.back() != &op)
        of.push_back(&op);
    }
  }

  SmallVector<SmallVector<unsigned>> successors(ops.size());
  SmallVector<unsigned> pending(ops.size(), 0);
  SmallVector<std::pair<Operation *, Operation *>> updateEdges;
  auto addEdge = [&](Operation *from, Operation *to) {
    successors[indexOf.lookup(from)].push_back(indexOf.lookup(to));
    ++pending[indexOf.lookup(to)];
  };
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        addEdge(producer, op);
  for (const Update &update : updates) {
    unsigned result = cast<OpResult>(update.newRoot).getResultNumber();
    if (failed(addUpdateEdges(update.oldRoot, update.newRoot, result,
                              [&](Operation *from, Operation *to) {
                                addEdge(from, to);
                                updateEdges.push_back({from, to});
                              })))
      return failure();
  }

  // State writers and everything that must follow them go last.
  SmallVector<bool> isLate(ops.size(), false);
  SmallVector<unsigned> worklist;
  llvm::DenseMap<unsigned, unsigned> causeOf; // late op -> its predecessor
  for (auto [index, op] : llvm::enumerate(ops))
    for (Value result : op->getResults())
      if (locate(result).root == result && !isLate[index] &&
          isStateArgument(resolve({result, 0}).root)) {
        isLate[index] = true;
        worklist.push_back(index);
      }
  while (!worklist.empty()) {
    unsigned index = worklist.pop_back_val();
    for (unsigned next : successors[index]) {
      if (isLate[next])
        continue;
      isLate[next] = true;
      causeOf[next] = index;
      worklist.push_back(next);
    }
  }
  for (auto [index, op] : llvm::enumerate(ops)) {
    if (!isLate[index] || !isa<GemmOp>(op))
      continue;
    InFlightDiagnostic diagnostic = op->emitError(
        "can fail, but must run after a write of state: a failed step could "
        "not leave the state as it was");
    auto cause = causeOf.find(index);
    if (cause != causeOf.end())
      diagnostic.attachNote(ops[cause->second]->getLoc())
          << "must run after this op";
    return diagnostic;
  }

  using Entry = std::pair<bool, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
  for (unsigned index = 0; index < ops.size(); ++index)
    if (pending[index] == 0)
      ready.push({isLate[index], index});
  Operation *terminator = body.getTerminator();
  unsigned numOrdered = 0;
  SmallVector<bool> isDone(ops.size(), false);
  while (!ready.empty()) {
    auto [late, index] = ready.top();
    ready.pop();
    ++numOrdered;
    isDone[index] = true;
    ops[index]->moveBefore(terminator);
    if (late && !firstStateWriter)
      firstStateWriter = ops[index];
    for (unsigned next : successors[index])
      if (--pending[next] == 0)
        ready.push({isLate[next], next});
  }
  if (numOrdered == ops.size())
    return success();

  // A cycle: some reader of an old value depends on its writer. Name the pair.
  for (auto [reader, writer] : updateEdges) {
    SmallVector<unsigned> stack{indexOf.lookup(writer)};
    llvm::SmallDenseSet<unsigned> seen;
    while (!stack.empty()) {
      unsigned index = stack.pop_back_val();
      if (!seen.insert(index).second)
        continue;
      if (ops[index] == reader) {
        InFlightDiagnostic diagnostic = writer->emitError(
            "updates a value in place, but a reader of the old value can only "
            "run after it");
        diagnostic.attachNote(reader->getLoc())
            << "see the reader '" << reader->getName() << "' here";
        return diagnostic;
      }
      stack.append(successors[index]);
    }
  }
  return function.emitOpError(
      "expects an order of its ops, but they form a cycle");
}
