//===- AutodiffRequest.cpp - What is to be differentiated -------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AutodiffRequest.h"

#include "amp/Dialect/AMP/IR/AMPDialect.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::nn;

bool nn::isFloating(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

bool nn::isFloatingTensor(Type type) {
  return isa<RankedTensorType>(type) && isFloating(type);
}

static bool hasRole(Attribute attribute, amp::Role role) {
  auto roleAttr = dyn_cast_or_null<amp::RoleAttr>(attribute);
  return roleAttr && roleAttr.getValue() == role;
}

std::string nn::getArgumentName(func::FuncOp function, unsigned index) {
  if (auto name =
          function.getArgAttrOfType<StringAttr>(index, amp::kNameAttrName))
    return name.str();
  return ("arg" + Twine(index)).str();
}

std::string nn::getResultName(func::FuncOp function, unsigned index) {
  if (auto name =
          function.getResultAttrOfType<StringAttr>(index, amp::kNameAttrName))
    return name.str();
  if (hasRole(function.getResultAttr(index, amp::kRoleAttrName),
              amp::Role::loss))
    return "loss";
  return ("result" + Twine(index)).str();
}

/// One block, no autocast region, and no function of the new name yet.
static LogicalResult checkFunction(func::FuncOp primal) {
  if (primal.isExternal())
    return primal.emitOpError() << "expects a body to differentiate";
  if (!primal.getBody().hasOneBlock())
    return primal.emitOpError()
           << "expects one block to differentiate, but got "
           << primal.getBody().getBlocks().size();
  std::string name = (primal.getSymName() + ".vjp").str();
  if (Operation *previous = SymbolTable::lookupNearestSymbolFrom(
          primal, StringAttr::get(primal.getContext(), name))) {
    InFlightDiagnostic diagnostic = primal.emitOpError()
                                    << "expects no symbol '@" << name
                                    << "', but it is defined already";
    diagnostic.attachNote(previous->getLoc()) << "see the definition here";
    return diagnostic;
  }
  WalkResult result = primal.walk([](amp::AutocastRegionOp region) {
    region.emitOpError() << "has no derivative; run '-amp-autocast' before "
                            "'-nn-autodiff' to inline it";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult chooseWanted(func::FuncOp primal,
                                  const AutodiffOptions &options,
                                  SmallVectorImpl<unsigned> &wanted) {
  llvm::SmallBitVector chosen(primal.getNumArguments());
  llvm::StringMap<unsigned> byName;
  for (unsigned i = 0, e = primal.getNumArguments(); i < e; ++i)
    byName.try_emplace(getArgumentName(primal, i), i);
  auto addIf = [&](auto predicate) {
    for (unsigned i = 0, e = primal.getNumArguments(); i < e; ++i)
      if (isFloatingTensor(primal.getArgumentTypes()[i]) && predicate(i))
        chosen.set(i);
  };
  auto isParameter = [&](unsigned i) {
    return hasRole(primal.getArgAttr(i, amp::kRoleAttrName),
                   amp::Role::parameter);
  };
  if (options.wrt.empty())
    addIf(isParameter);
  for (StringRef name : options.wrt) {
    if (name == "parameters") {
      addIf(isParameter);
      continue;
    }
    if (name == "all-float-args") {
      addIf([](unsigned) { return true; });
      continue;
    }
    auto found = byName.find(name);
    if (found == byName.end())
      return primal.emitOpError() << "expects an argument named '" << name
                                  << "' to differentiate by, but has none";
    Type type = primal.getArgumentTypes()[found->second];
    if (!isFloatingTensor(type))
      return primal.emitOpError() << "expects argument '" << name
                                  << "' to be a floating-point tensor to "
                                     "differentiate by it, but got "
                                  << type;
    chosen.set(found->second);
  }
  for (unsigned index : chosen.set_bits())
    wanted.push_back(index);
  if (!wanted.empty())
    return success();
  return primal.emitOpError()
         << "expects a floating-point argument of role 'parameter' to "
            "differentiate by, but has none; mark one with 'amp.role = "
            "#amp.role<parameter>', or name arguments with the option 'wrt'";
}

static LogicalResult checkLossType(func::FuncOp primal, unsigned result) {
  Type type = primal.getResultTypes()[result];
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && tensor.getRank() == 0 && isFloating(type))
    return success();
  InFlightDiagnostic diagnostic =
      primal.emitOpError()
      << "non-differentiable loss: expects result #" << result
      << " to be a floating-point tensor of rank 0, but got " << type;
  if (!isFloating(type))
    diagnostic << "; compute it in floating point, without 'nn.compare' or a "
                  "conversion to integers";
  else
    diagnostic << "; reduce it with 'nn.reduce_mean' or 'nn.reduce_sum'";
  return diagnostic;
}

static LogicalResult chooseSeeds(func::FuncOp primal,
                                 const AutodiffOptions &options,
                                 SmallVectorImpl<unsigned> &seeded) {
  bool all = options.cotangents == CotangentSeeds::all;
  for (auto [index, type] : llvm::enumerate(primal.getResultTypes())) {
    if (all ? isFloatingTensor(type)
            : hasRole(primal.getResultAttr(index, amp::kRoleAttrName),
                      amp::Role::loss))
      seeded.push_back(index);
  }
  if (all && seeded.empty())
    return primal.emitOpError()
           << "expects a floating-point result to differentiate, but has none";
  if (all)
    return success();
  if (seeded.size() != 1)
    return primal.emitOpError()
           << "expects one result of role 'loss' to differentiate, but has "
           << seeded.size();
  return checkLossType(primal, seeded.front());
}

FailureOr<AutodiffRequest> nn::resolveRequest(func::FuncOp function,
                                              const AutodiffOptions &options) {
  AutodiffRequest request;
  if (failed(checkFunction(function)) ||
      failed(chooseSeeds(function, options, request.seeded)) ||
      failed(chooseWanted(function, options, request.wanted)))
    return failure();
  return request;
}

FailureOr<func::FuncOp> nn::findModelFunction(ModuleOp module) {
  SmallVector<func::FuncOp> models;
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic())
      continue;
    for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
      if (hasRole(function.getResultAttr(i, amp::kRoleAttrName),
                  amp::Role::loss)) {
        models.push_back(function);
        break;
      }
  }
  if (models.size() == 1)
    return models.front();
  if (models.empty()) {
    // At the location: the module itself would be printed below the error.
    emitError(module.getLoc())
        << "expects a public function with a result of role 'loss', but got "
           "none; mark the loss with 'amp.role = #amp.role<loss>' and return "
           "it first";
    return failure();
  }
  InFlightDiagnostic diagnostic =
      models[1].emitOpError()
      << "expects one public function with a result of role 'loss', but got "
      << models.size() << "; choose one with the option 'function'";
  diagnostic.attachNote(models.front().getLoc()) << "see the first one here";
  return diagnostic;
}
