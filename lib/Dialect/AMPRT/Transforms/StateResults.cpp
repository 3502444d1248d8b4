//===- StateResults.cpp - Where a function's results live -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rank-0 state is always written by a copy at the very end: it costs nothing
// and leaves the old value readable by everything else.
//
//===----------------------------------------------------------------------===//

#include "StateResults.h"
#include "KernelGroups.h"

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amprt;

static bool isDonated(FunctionOpInterface function, unsigned index) {
  // Steps of these kinds take the state and return none of it.
  auto kind =
      function->getAttrOfType<amp::StepKindAttr>(amp::kStepKindAttrName);
  if (kind && (kind.getValue() == amp::StepKind::count ||
               kind.getValue() == amp::StepKind::forward))
    return false;
  if (index >= function.getNumArguments() ||
      function.getArgument(index).getType() != function.getResultTypes()[index])
    return false;
  auto writable = function.getArgAttrOfType<BoolAttr>(
      index, bufferization::BufferizationDialect::kWritableAttrName);
  return writable && writable.getValue();
}

/// An elementwise copy of `value` before `terminator`.
static linalg::GenericOp buildCopy(Operation *terminator, Value value) {
  OpBuilder builder(terminator);
  auto type = cast<RankedTensorType>(value.getType());
  Location loc = value.getLoc();
  Value init = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                       type.getElementType());
  auto map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      builder, loc, type, value, init, ArrayRef<AffineMap>{map, map}, iterators,
      [](OpBuilder &nested, Location nestedLoc, ValueRange elements) {
        linalg::YieldOp::create(nested, nestedLoc, elements.front());
      });
}

StateResults::StateResults(FunctionOpInterface function)
    : function(function),
      terminator(function.getFunctionBody().front().getTerminator()) {
  for (unsigned i = 0, e = terminator->getNumOperands(); i < e; ++i)
    if (isDonated(function, i))
      placeState(i);
  for (unsigned i = 0, e = terminator->getNumOperands(); i < e; ++i)
    if (!isDonated(function, i))
      placeOther(i);
}

bool StateResults::updatesInPlace(Operation *op) const {
  return !commits.contains(op) &&
         llvm::any_of(op->getResults(), [&](OpResult result) {
           return static_cast<bool>(getDestination(result));
         });
}

void StateResults::addCommit(unsigned index, Value value) {
  // An argument may itself be overwritten by then: take its value now.
  if (isa<BlockArgument>(value))
    value = buildCopy(terminator, value).getResult(0);
  linalg::GenericOp copy = buildCopy(terminator, value);
  commits.insert(copy);
  destinations[copy.getResult(0)] = function.getArgument(index);
  terminator->setOperand(index, copy.getResult(0));
}

void StateResults::copyAtEnd(OpResult result) {
  destinations.erase(result);
  addCommit(stateIndex.lookup(result), result);
}

void StateResults::placeState(unsigned index) {
  Value argument = function.getArgument(index);
  Value value = terminator->getOperand(index);
  if (value == argument)
    return;
  bool scalar = cast<RankedTensorType>(value.getType()).getRank() == 0;
  Operation *producer = value.getDefiningOp();
  if (!scalar && producer && value.hasOneUse()) {
    if (isa<linalg::LinalgOp>(producer)) {
      destinations[value] = argument;
      stateIndex[value] = index;
      claimed.insert(value);
      return;
    }
    // Written before the end: only where nobody reads the old value.
    if (isa<GemmOp, ConcatOp>(producer) && argument.use_empty()) {
      if (auto gemm = dyn_cast<GemmOp>(producer))
        gemm.getTiedOpOperand(cast<OpResult>(value))->set(argument);
      claimed.insert(value);
      return;
    }
  }
  addCommit(index, value);
}

void StateResults::placeOther(unsigned index) {
  Value root = terminator->getOperand(index);
  bool sliced = false;
  while (Operation *view = root.getDefiningOp()) {
    if (!isView(view))
      break;
    sliced |= isa<tensor::ExtractSliceOp>(view);
    root = view->getOperand(0);
  }
  bool fresh = !sliced && !isa<BlockArgument>(root) &&
               !matchPattern(root, m_Constant()) &&
               !root.getDefiningOp<tensor::EmptyOp>() &&
               claimed.insert(root).second;
  if (fresh)
    return;
  Value copy =
      buildCopy(terminator, terminator->getOperand(index)).getResult(0);
  claimed.insert(copy);
  terminator->setOperand(index, copy);
}
