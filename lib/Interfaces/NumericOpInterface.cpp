//===- NumericOpInterface.cpp - What a policy needs to know of an op -*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Default behaviour of the interface's methods, shared by every dialect that
// implements it.
//
//===----------------------------------------------------------------------===//

#include "amp/Interfaces/NumericOpInterface.h"

#include "llvm/ADT/APFloat.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr StringLiteral kNumericsName = "numerics";

bool amp::isRepresentableIn(FloatType narrow, FloatType wide) {
  return APFloat::isRepresentableBy(narrow.getFloatSemantics(),
                                    wide.getFloatSemantics());
}

FloatType amp::getWiderFloatType(FloatType a, FloatType b) {
  if (isRepresentableIn(a, b))
    return b;
  if (isRepresentableIn(b, a))
    return a;
  return {};
}

bool amp::detail::isCastableByDefault(Operation *op, unsigned index) {
  Type type = getElementTypeOrSelf(op->getOperand(index).getType());
  return isa<FloatType>(type) && !type.isF64();
}

// An inherent attribute is asked for by name, so that the defaults serve ops of
// any dialect that has an attribute 'numerics'.
NumericsAttr amp::detail::getNumericsAttrOrNull(Operation *op) {
  return op->getAttrOfType<NumericsAttr>(kNumericsName);
}

bool amp::detail::hasNumericsAttr(Operation *op) {
  if (std::optional<RegisteredOperationName> info = op->getRegisteredInfo())
    return llvm::any_of(info->getAttributeNames(),
                        [](StringAttr name) { return name == kNumericsName; });
  return op->hasAttr(kNumericsName);
}

void amp::detail::setNumericsAttr(Operation *op, NumericsAttr numerics) {
  op->setAttr(kNumericsName, numerics);
}

SmallVector<Type>
amp::detail::inferResultElementTypesByDefault(Operation *op,
                                              ArrayRef<Type> operands) {
  auto numeric = cast<NumericOpInterface>(op);
  FloatType widest;
  for (auto [index, type] : llvm::enumerate(operands)) {
    auto floatType = dyn_cast_or_null<FloatType>(type);
    if (!floatType || !numeric.isCastable(index))
      continue;
    FloatType wider = widest ? getWiderFloatType(widest, floatType) : floatType;
    // Neither includes the other: f32 holds both.
    widest = wider ? wider : Float32Type::get(op->getContext());
  }
  SmallVector<Type> results;
  for (Type type : op->getResultTypes()) {
    Type element = getElementTypeOrSelf(type);
    bool follows = widest && isa<FloatType>(element) && !element.isF64();
    results.push_back(follows ? Type(widest) : element);
  }
  return results;
}

ScaleTransfer amp::detail::getScaleTransferByDefault(Operation *op) {
  auto numeric = cast<NumericOpInterface>(op);
  NumericClass numericClass = numeric.getNumericClass();
  if (numericClass == NumericClass::contraction)
    return ScaleTransfer::multiplicative;
  if (op->getNumOperands() != 0 && numeric.getOperandRole(0) == "cotangent")
    return ScaleTransfer::linearInFirst;
  switch (numericClass) {
  case NumericClass::elementwise:
  case NumericClass::movement:
  case NumericClass::reduction:
  case NumericClass::conversion:
  case NumericClass::constant:
    return ScaleTransfer::additive;
  case NumericClass::comparison:
    return ScaleTransfer::comparison;
  case NumericClass::contraction:
  case NumericClass::normalization:
  case NumericClass::loss:
  case NumericClass::transcendental:
    return ScaleTransfer::nonlinear;
  }
  llvm_unreachable("unknown numeric class");
}

Operation *amp::detail::rebuildByDefault(Operation *op, OpBuilder &builder,
                                         ValueRange operands,
                                         TypeRange results) {
  IRMapping mapping;
  Operation *copy = builder.clone(*op, mapping);
  copy->setOperands(operands);
  for (auto [result, type] : llvm::zip_equal(copy->getResults(), results))
    result.setType(type);
  return copy;
}

#include "amp/Interfaces/NumericOpInterface.cpp.inc"
