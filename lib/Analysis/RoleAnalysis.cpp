//===- RoleAnalysis.cpp - The role of every value ---------------*- C++ -*-===//
//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/RoleAnalysis.h"

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Dialect/NN/IR/NNDialect.h"
#include "amp/Interfaces/NumericOpInterface.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;
using namespace mlir::amp;

static bool isFloating(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

static RoleState getStatedRole(Attribute attribute) {
  if (auto role = dyn_cast_or_null<RoleAttr>(attribute))
    return role.getValue();
  return RoleState();
}

/// Whether `op` hands on elements as they are, in another place, shape or type.
static bool isMovement(Operation *op) {
  if (isa<CastOpInterface>(op))
    return true;
  auto numeric = dyn_cast<NumericOpInterface>(op);
  return numeric && numeric.getNumericClass() == NumericClass::movement;
}

/// The name of an operand to its op, empty where the op has no names.
static StringRef getOperandRole(OpOperand &operand) {
  if (auto numeric = dyn_cast<NumericOpInterface>(operand.getOwner()))
    return numeric.getOperandRole(operand.getOperandNumber());
  return "";
}

/// The operands whose elements a movement op hands on to result `index`.
static SmallVector<Value> getMovedOperands(Operation *op, unsigned index) {
  // As many results as operands: one to one.
  if (op->getNumResults() > 1 && op->getNumResults() == op->getNumOperands())
    return {op->getOperand(index)};
  SmallVector<Value> moved;
  for (OpOperand &operand : op->getOpOperands()) {
    StringRef role = getOperandRole(operand);
    if (isFloating(operand.get()) && role != "like" && role != "condition")
      moved.push_back(operand.get());
  }
  return moved;
}

void RoleState::print(raw_ostream &os) const {
  if (std::optional<Role> known = getRole())
    os << stringifyRole(*known);
  else
    os << (isNone() ? "none" : "<uninitialized>");
}

void RoleAnalysis::visitArguments(FunctionOpInterface function) {
  for (BlockArgument argument : function.getArguments()) {
    RoleState state = getStatedRole(
        function.getArgAttr(argument.getArgNumber(), kRoleAttrName));
    if (state.isUninitialized()) {
      bool isTarget = llvm::any_of(argument.getUses(), [](OpOperand &use) {
        return getOperandRole(use) == "target";
      });
      state = isTarget ? Role::target : Role::input;
    }
    states[argument] = state;
  }
}

/// The role of the floating results of an op that computes.
static RoleState getComputedRole(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return RoleState::getNone();
  // The two ops with probabilities as results.
  if (isa<nn::SoftmaxOp, nn::LogSoftmaxOp>(op))
    return Role::probability;
  auto numeric = dyn_cast<NumericOpInterface>(op);
  if (numeric && numeric.getNumericClass() == NumericClass::loss)
    return Role::loss;
  return Role::activation;
}

void RoleAnalysis::visitForward(Operation *op) {
  bool makesGradient = llvm::any_of(op->getOpOperands(), [&](OpOperand &use) {
    return getOperandRole(use) == "cotangent" ||
           getState(use.get()).is(Role::gradient);
  });
  for (OpResult result : op->getResults()) {
    RoleState state;
    if (isMovement(op))
      for (Value moved : getMovedOperands(op, result.getResultNumber())) {
        // Constants adopt the role of what they are selected with.
        if (!getState(moved).isNone())
          state = RoleState::join(state, getState(moved));
      }
    if (!isFloating(result))
      state = RoleState::getNone();
    else if (state.isUninitialized() || state.isNone())
      state = makesGradient ? RoleState(Role::gradient) : getComputedRole(op);
    states[result] = state;
  }
}

void RoleAnalysis::refine(Value value, Role role) {
  while (true) {
    RoleState &state = states[value];
    if (!state.is(Role::activation) && !state.isUninitialized())
      return;
    state = role;
    Operation *op = value.getDefiningOp();
    if (!op || !isMovement(op))
      return;
    SmallVector<Value> moved =
        getMovedOperands(op, cast<OpResult>(value).getResultNumber());
    if (moved.size() != 1)
      return;
    value = moved.front();
  }
}

RoleAnalysis::RoleAnalysis(Operation *operation) {
  auto function = dyn_cast<FunctionOpInterface>(operation);
  if (!function || function.isExternal())
    return;
  visitArguments(function);
  function.getFunctionBody().walk<WalkOrder::PreOrder>(
      [&](Operation *op) { visitForward(op); });

  for (Block &block : function.getFunctionBody())
    for (Operation &op : llvm::reverse(block)) {
      if (op.hasTrait<OpTrait::ReturnLike>())
        for (auto [index, value] : llvm::enumerate(op.getOperands()))
          if (std::optional<Role> role =
                  getStatedRole(function.getResultAttr(index, kRoleAttrName))
                      .getRole())
            refine(value, *role);
      for (OpOperand &operand : op.getOpOperands())
        if (getOperandRole(operand) == "logits")
          refine(operand.get(), Role::logits);
    }
}
