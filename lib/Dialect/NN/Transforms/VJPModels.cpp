//===- VJPModels.cpp - Shared steps of the rules ----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/NN/Transforms/VJPModels.h"
#include "VJPContext.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::nn;

RankedTensorType nn::withElementType(Type type, Type elementType) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), elementType,
                               tensor.getEncoding());
}

Value nn::castToElementType(OpBuilder &builder, Location loc, Value value,
                            Type elementType, amp::CastOrigin origin) {
  if (getElementTypeOrSelf(value) == elementType)
    return value;
  return amp::CastOp::create(builder, loc, value, elementType, origin);
}

Value nn::createZero(OpBuilder &builder, Location loc, RankedTensorType type,
                     Value like) {
  TypedAttr zero = builder.getZeroAttr(type.getElementType());
  if (type.hasStaticShape())
    return ConstantOp::create(builder, loc, type,
                              DenseElementsAttr::get(type, zero));
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value constant = ConstantOp::create(builder, loc, scalar,
                                      DenseElementsAttr::get(scalar, zero));
  return BroadcastOp::create(builder, loc, type, constant, like,
                             ArrayRef<int64_t>{});
}

amp::NumericsAttr nn::getDefaultNumerics(Type elementType) {
  MLIRContext *context = elementType.getContext();
  if (elementType.isF64())
    return amp::NumericsAttr::get(context, elementType);
  return amp::NumericsAttr::getF32(context);
}

Value VJPContext::cotangentAs(unsigned index) {
  return castToElementType(builder, loc, cotangent(),
                           getElementTypeOrSelf(op->getOperand(index)));
}

amp::NumericsAttr VJPContext::contractionNumerics() const {
  if (amp::NumericsAttr numerics = amp::detail::getNumericsAttrOrNull(op))
    return numerics;
  return getDefaultNumerics(getElementTypeOrSelf(op->getOperand(0)));
}

amp::NumericsAttr VJPContext::reductionNumerics(Type elementType) const {
  amp::NumericsAttr numerics = amp::detail::getNumericsAttrOrNull(op);
  if (!numerics)
    return getDefaultNumerics(elementType);
  return amp::NumericsAttr::get(
      op->getContext(), amp::OperandPrecision(), amp::OperandPrecision(),
      numerics.getAccumulateOrF32(), numerics.getOrder(),
      numerics.getSubnormals(), numerics.getExcess());
}

Type VJPContext::parameterGradientElementType(Type operand) const {
  auto elementType = cast<FloatType>(getElementTypeOrSelf(operand));
  if (options.roundParameterGradients || elementType.getWidth() >= 32)
    return elementType;
  return Float32Type::get(operand.getContext());
}

void nn::registerNNVJPModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, NNDialect *) {
    attachContractionVJPs(context);
    attachElementwiseVJPs(context);
    attachMovementVJPs(context);
    attachReductionVJPs(context);
  });
  registry.addExtension(
      +[](MLIRContext *context, amp::AMPDialect *) { attachCastVJP(context); });
}
