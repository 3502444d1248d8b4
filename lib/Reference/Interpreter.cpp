//===- Interpreter.cpp - Runs functions by reference semantics ------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Reference/Interpreter.h"
#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Reference/Reference.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::amp;

/// Calls deeper than this are taken for endless recursion: nothing in the graph
/// could end one.
static constexpr unsigned maxDepth = 256;

static LogicalResult checkArguments(func::FuncOp function,
                                    ArrayRef<ReferenceTensor> arguments) {
  if (function.isExternal())
    return function.emitError("function '")
           << function.getName() << "' has no body";
  if (!function.getBody().hasOneBlock())
    return function.emitError("function '")
           << function.getName()
           << "' has control flow, which has no reference semantics";
  if (arguments.size() != function.getNumArguments())
    return function.emitError("function '")
           << function.getName() << "' expects " << function.getNumArguments()
           << " arguments, but got " << arguments.size();
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    Type type = function.getArgumentTypes()[index];
    if (getElementTypeOrSelf(type) != argument.type.getElementType() ||
        !isa<RankedTensorType>(type) ||
        failed(verifyCompatibleShape(type, argument.type)))
      return function.emitError("argument ")
             << index << " of '" << function.getName() << "' expects " << type
             << ", but got " << argument.type;
  }
  return success();
}

FailureOr<Interpreter::Results>
Interpreter::run(func::FuncOp function, ArrayRef<ReferenceTensor> arguments) {
  if (failed(checkArguments(function, arguments)))
    return failure();
  if (depth == maxDepth)
    return function.emitError("calls of '")
           << function.getName() << "' nest deeper than " << maxDepth;
  Frame frame;
  Block &entry = function.getBody().front();
  for (auto [argument, value] :
       llvm::zip_equal(entry.getArguments(), arguments))
    frame.values[argument] = value;
  Results results;
  ++depth;
  LogicalResult status = runBlock(entry, frame, results);
  --depth;
  if (failed(status))
    return failure();
  return results;
}

LogicalResult Interpreter::runBlock(Block &block, Frame &frame,
                                    Results &yielded) {
  for (Operation &op : block.without_terminator()) {
    Results results;
    if (failed(runOp(&op, frame, results)))
      return failure();
    for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
      if (!result.use_empty())
        frame.values[result] = std::move(value);
  }
  FailureOr<Results> operands = takeOperands(block.getTerminator(), frame);
  if (failed(operands))
    return failure();
  yielded = std::move(*operands);
  return success();
}

LogicalResult Interpreter::runOp(Operation *op, Frame &frame,
                                 Results &results) {
  if (AutocastRegionOp region = dyn_cast<AutocastRegionOp>(op))
    return runBlock(region.getBody().front(), frame, results);
  FailureOr<Results> operands = takeOperands(op, frame);
  if (failed(operands))
    return failure();
  func::CallOp call = dyn_cast<func::CallOp>(op);
  if (!call)
    return evaluateReference(op, *operands, results);
  func::FuncOp callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (!callee)
    return op->emitOpError("calls '")
           << call.getCallee() << "', which is no function";
  FailureOr<Results> returned = run(callee, *operands);
  if (failed(returned)) {
    mlir::emitRemark(op->getLoc(), "in this call of '")
        << call.getCallee() << "'";
    return failure();
  }
  results = std::move(*returned);
  return success();
}

FailureOr<Interpreter::Results> Interpreter::takeOperands(Operation *op,
                                                          Frame &frame) {
  Results operands;
  for (Value operand : op->getOperands()) {
    auto it = frame.values.find(operand);
    if (it == frame.values.end())
      return op->emitOpError("reads a value that was not evaluated");
    unsigned &pending = frame.pendingUses[operand];
    if (pending == 0)
      pending = llvm::range_size(operand.getUses());
    if (--pending != 0) {
      operands.push_back(it->second);
      continue;
    }
    operands.push_back(std::move(it->second));
    frame.values.erase(it);
  }
  return operands;
}
