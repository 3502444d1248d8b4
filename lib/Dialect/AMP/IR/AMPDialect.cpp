//===- AMPDialect.cpp - The precision dialect -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dialect registration and the verification of the attributes it puts on
// functions, their arguments and results, and modules.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMP/IR/AMPDialect.h"

#include "amp/Interfaces/InlineAnywhere.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::amp;

#include "amp/Dialect/AMP/IR/AMPDialect.cpp.inc"

void AMPDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "amp/Dialect/AMP/IR/AMPOps.cpp.inc"
      >();
  addInterfaces<amp::InlineAnywhereInterface>();
  registerAttributes();
}

Parity amp::getParity(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  if (!module)
    module = dyn_cast<ModuleOp>(op);
  if (!module)
    return Parity::none;
  auto parity = module->getAttrOfType<ParityAttr>(kParityAttrName);
  return parity ? parity.getValue() : Parity::none;
}

/// Checks that `attribute` has the class that its name asks for.
template <typename AttrT>
static LogicalResult verifyKind(Operation *op, NamedAttribute attribute,
                                StringRef expected) {
  if (isa<AttrT>(attribute.getValue()))
    return success();
  return op->emitError() << "expects '" << attribute.getName().getValue()
                         << "' to be " << expected << ", but got "
                         << attribute.getValue();
}

LogicalResult AMPDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kStateAttrName || name == kBuffersAttrName) {
    auto array = dyn_cast<ArrayAttr>(attribute.getValue());
    bool isState = name == kStateAttrName;
    bool valid =
        array && llvm::all_of(array, [&](Attribute element) {
          return isState ? isa<StateAttr>(element) : isa<BufferAttr>(element);
        });
    if (!valid)
      return op->emitError()
             << "expects '" << name << "' to be an array of #amp."
             << (isState ? "state" : "buffer");
    return success();
  }
  if (name == kStepKindAttrName) {
    if (!isa<FunctionOpInterface>(op))
      return op->emitError() << "expects '" << name << "' on a function";
    return verifyKind<StepKindAttr>(op, attribute, "#amp.step_kind");
  }
  if (name == kParityAttrName)
    return verifyKind<ParityAttr>(op, attribute, "#amp.parity");
  if (name == kRoleAttrName)
    return verifyKind<RoleAttr>(op, attribute, "#amp.role");
  if (name == kNameAttrName || name == kPolicyAttrName ||
      name == kPolicyHashAttrName)
    return verifyKind<StringAttr>(op, attribute, "a string");
  return op->emitError() << "unknown attribute '" << name
                         << "' of the amp dialect";
}

/// Attributes allowed on function arguments and results.
static LogicalResult verifyValueAttribute(Operation *op,
                                          NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kRoleAttrName)
    return verifyKind<RoleAttr>(op, attribute, "#amp.role");
  if (name == kNameAttrName)
    return verifyKind<StringAttr>(op, attribute, "a string");
  if (name == kScalePowerAttrName) {
    auto powers = dyn_cast<DictionaryAttr>(attribute.getValue());
    if (!powers || llvm::any_of(powers, [](NamedAttribute power) {
          return !isa<IntegerAttr>(power.getValue());
        }))
      return op->emitError()
             << "expects '" << name
             << "' to be a dictionary of integer powers, but got "
             << attribute.getValue();
    return success();
  }
  return op->emitError() << "unknown attribute '" << name
                         << "' of the amp dialect on an argument or result";
}

LogicalResult AMPDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned,
                                                   NamedAttribute attribute) {
  return verifyValueAttribute(op, attribute);
}

LogicalResult
AMPDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                        NamedAttribute attribute) {
  return verifyValueAttribute(op, attribute);
}
