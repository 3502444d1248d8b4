//===- AnnotateRoles.cpp - Checks and completes roles -----------*- C++ -*-===//
//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first stage: what a model file states about its arguments and results is
// checked once, here, so that later stages need not.
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/RoleAnalysis.h"
#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Dialect/AMP/Transforms/Passes.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::amp {
#define GEN_PASS_DEF_ANNOTATEROLESPASS
#include "amp/Dialect/AMP/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {
struct AnnotateRolesPass : amp::impl::AnnotateRolesPassBase<AnnotateRolesPass> {
  using Base::Base;

  void runOnOperation() override;
};
} // namespace

static bool isFloatingTensor(Type type) {
  return isa<RankedTensorType>(type) &&
         isa<FloatType>(getElementTypeOrSelf(type));
}

static std::optional<Role> getRole(Attribute attribute) {
  if (auto role = dyn_cast_or_null<RoleAttr>(attribute))
    return role.getValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Parameters have a name and are floating; names of arguments are unique.
static LogicalResult checkArguments(FunctionOpInterface function) {
  llvm::StringMap<unsigned> seen;
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttrName);
    bool isParameter =
        getRole(function.getArgAttr(index, kRoleAttrName)) == Role::parameter;
    if (isParameter && (!name || name.empty()))
      return emitError(argument.getLoc())
             << "expects argument #" << index
             << " of role 'parameter' to have a name; add 'amp.name = "
                "\"...\"', the key of checkpoints and reports";
    if (isParameter && !isFloatingTensor(argument.getType()))
      return emitError(argument.getLoc())
             << "expects argument #" << index
             << " of role 'parameter' to be a floating-point tensor, but got "
             << argument.getType();
    if (!name)
      continue;
    auto [entry, inserted] = seen.try_emplace(name, index);
    if (inserted)
      continue;
    InFlightDiagnostic diagnostic =
        emitError(argument.getLoc())
        << "expects argument names to be unique, but got '" << name.getValue()
        << "' for #" << entry->second << " and #" << index;
    diagnostic.attachNote(function.getArgument(entry->second).getLoc())
        << "see the first one here";
    return diagnostic;
  }
  return success();
}

/// At most one loss, the first result, floating and of rank 0; names of results
/// are unique.
static LogicalResult checkResults(FunctionOpInterface function) {
  std::optional<unsigned> loss;
  llvm::StringMap<unsigned> seen;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    if (auto name =
            function.getResultAttrOfType<StringAttr>(index, kNameAttrName)) {
      auto [entry, inserted] =
          seen.try_emplace(name, static_cast<unsigned>(index));
      if (!inserted)
        return function.emitOpError()
               << "expects result names to be unique, but got '"
               << name.getValue() << "' for #" << entry->second << " and #"
               << index;
    }
    if (getRole(function.getResultAttr(index, kRoleAttrName)) != Role::loss)
      continue;
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getRank() != 0 || !isFloatingTensor(type))
      return function.emitOpError()
             << "expects result #" << index
             << " of role 'loss' to be a floating-point tensor of rank 0, but "
                "got "
             << type;
    if (loss)
      return function.emitOpError()
             << "expects one result of role 'loss', but got #" << *loss
             << " and #" << index << "; add them to one loss";
    if (index != 0)
      return function.emitOpError()
             << "expects the loss to be result #0, but got #" << index;
    loss = index;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

/// `base`, or `base` with the first number that makes it new.
static StringAttr getFreshName(MLIRContext *context, StringRef base,
                               llvm::StringSet<> &used) {
  std::string name = base.str();
  for (unsigned suffix = 1; !used.insert(name).second; ++suffix)
    name = (base + "." + Twine(suffix)).str();
  return StringAttr::get(context, name);
}

static void fillArguments(FunctionOpInterface function,
                          const RoleAnalysis &roles) {
  MLIRContext *context = function.getContext();
  llvm::StringSet<> used;
  for (BlockArgument argument : function.getArguments())
    if (auto name = function.getArgAttrOfType<StringAttr>(
            argument.getArgNumber(), kNameAttrName))
      used.insert(name);
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (!function.getArgAttr(index, kNameAttrName))
      function.setArgAttr(
          index, kNameAttrName,
          getFreshName(context, ("arg" + Twine(index)).str(), used));
    std::optional<Role> role = roles.getRole(argument);
    if (role && !function.getArgAttr(index, kRoleAttrName))
      function.setArgAttr(index, kRoleAttrName, RoleAttr::get(context, *role));
  }
}

/// A result without a role takes that of the returned value. A computed loss is
/// the loss only as the first result of a function that states none.
static std::optional<Role> getDefaultResultRole(FunctionOpInterface function,
                                                unsigned index, Value returned,
                                                const RoleAnalysis &roles) {
  std::optional<Role> role = roles.getRole(returned);
  // A constant, or values of several roles.
  if (!role && isFloatingTensor(returned.getType()))
    return Role::activation;
  if (role != Role::loss)
    return role;
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
    if (getRole(function.getResultAttr(i, kRoleAttrName)) == Role::loss)
      return Role::metric;
  auto tensor = dyn_cast<RankedTensorType>(returned.getType());
  bool isLoss = index == 0 && tensor && tensor.getRank() == 0;
  return isLoss ? Role::loss : Role::metric;
}

static void fillResults(FunctionOpInterface function,
                        const RoleAnalysis &roles) {
  MLIRContext *context = function.getContext();
  Operation *terminator = function.getFunctionBody().back().getTerminator();
  llvm::StringSet<> used;
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
    if (auto name = function.getResultAttrOfType<StringAttr>(i, kNameAttrName))
      used.insert(name);
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i) {
    std::optional<Role> role =
        getRole(function.getResultAttr(i, kRoleAttrName));
    if (!role && i < terminator->getNumOperands()) {
      role =
          getDefaultResultRole(function, i, terminator->getOperand(i), roles);
      if (role)
        function.setResultAttr(i, kRoleAttrName, RoleAttr::get(context, *role));
    }
    if (function.getResultAttr(i, kNameAttrName))
      continue;
    bool namedByRole = role == Role::loss || role == Role::logits;
    std::string base =
        namedByRole ? stringifyRole(*role).str() : ("result" + Twine(i)).str();
    function.setResultAttr(i, kNameAttrName, getFreshName(context, base, used));
  }
}

/// Writes the role of the first result that has one onto each op.
static void printRoles(FunctionOpInterface function,
                       const RoleAnalysis &roles) {
  function.getFunctionBody().walk([&](Operation *op) {
    op->removeAttr(kRoleAttrName);
    for (Value result : op->getResults())
      if (std::optional<Role> role = roles.getRole(result)) {
        op->setAttr(kRoleAttrName, RoleAttr::get(op->getContext(), *role));
        return;
      }
  });
}

void AnnotateRolesPass::runOnOperation() {
  for (auto function : getOperation().getOps<FunctionOpInterface>()) {
    if (function.isExternal())
      continue;
    if (failed(checkArguments(function)) || failed(checkResults(function)))
      return signalPassFailure();
    RoleAnalysis roles(function);
    // A private function is called with what its callers have: it has no
    // interface that needs names.
    if (function.isPublic()) {
      fillArguments(function, roles);
      fillResults(function, roles);
    }
    if (print)
      printRoles(function, roles);
  }
}
