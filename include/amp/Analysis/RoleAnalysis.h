//===- RoleAnalysis.h - The role of every value of a step -------*- C++ -*-===//
//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Roles are written on function arguments and results only; this analysis knows
// them for the values between. It never changes IR.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_ROLEANALYSIS_H
#define AMP_ANALYSIS_ROLEANALYSIS_H

#include "amp/Dialect/AMP/IR/AMPAttrs.h"

#include "mlir/IR/Value.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace mlir::amp {

/// What is known of a value's role: nothing yet, one role, or that it has none
/// (a constant, an integer, or values of different roles in one place).
class RoleState {
public:
  /// The uninitialised state: the neutral element of `join`.
  RoleState() = default;
  /*implicit*/ RoleState(Role role) : kind(Kind::known), role(role) {}
  static RoleState getNone() {
    RoleState state;
    state.kind = Kind::none;
    return state;
  }

  bool isUninitialized() const { return kind == Kind::uninitialized; }
  bool isNone() const { return kind == Kind::none; }
  bool is(Role other) const { return kind == Kind::known && role == other; }
  std::optional<Role> getRole() const {
    return kind == Kind::known ? std::optional<Role>(role) : std::nullopt;
  }

  /// Equal states stay, different ones have no role in common.
  static RoleState join(RoleState lhs, RoleState rhs) {
    if (lhs.isUninitialized() || lhs == rhs)
      return rhs;
    return rhs.isUninitialized() ? lhs : getNone();
  }

  bool operator==(RoleState other) const {
    return kind == other.kind && (kind != Kind::known || role == other.role);
  }
  bool operator!=(RoleState other) const { return !(*this == other); }

  /// Prints the role's name, `none` or `<uninitialized>`.
  void print(raw_ostream &os) const;

private:
  enum class Kind { uninitialized, known, none };
  Kind kind = Kind::uninitialized;
  Role role = Role::activation;
};

/// The roles of all values of one function, from the roles of its arguments and
/// results, in one walk forward and one backward:
///
/// - arguments have their `amp.role`; without one, an argument used as the
/// target
///   of a loss is a target, any other an input;
/// - casts, reshapes and other movement keep the role of what they move (of all
///   floating operands, if they have one role);
/// - an op that takes a cotangent, or any gradient, makes gradients; a loss op
///   makes a loss; softmax makes probabilities; constants and integers have no
///   role; everything else is an activation;
/// - backward, a result's `amp.role` is the role of the returned value, and the
///   logits of a loss are logits, through the movement and casts above them.
///
/// The body is read in order; values of nested regions are activations. Rebuild
/// the analysis after changing the function.
class RoleAnalysis {
public:
  explicit RoleAnalysis(Operation *function);

  RoleState getState(Value value) const { return states.lookup(value); }
  std::optional<Role> getRole(Value value) const {
    return getState(value).getRole();
  }

private:
  void visitArguments(FunctionOpInterface function);
  void visitForward(Operation *op);
  /// Gives an activation, and what it was moved from, a more precise role.
  void refine(Value value, Role role);

  llvm::DenseMap<Value, RoleState> states;
};

} // namespace mlir::amp

#endif // AMP_ANALYSIS_ROLEANALYSIS_H
