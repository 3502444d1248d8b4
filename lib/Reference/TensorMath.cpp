//===- TensorMath.cpp - Tensor arithmetic of the reference models ---------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APSInt.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::reference;

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

static double toDouble(llvm::APFloat value) {
  bool losesInfo = false;
  value.convert(llvm::APFloat::IEEEdouble(),
                llvm::RoundingMode::NearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

double reference::roundTo(double value, FloatType type,
                          llvm::RoundingMode mode) {
  if (type.isF64())
    return value;
  llvm::APFloat rounded(value);
  bool losesInfo = false;
  rounded.convert(type.getFloatSemantics(), mode, &losesInfo);
  return toDouble(rounded);
}

llvm::RoundingMode
reference::convertRounding(std::optional<arith::RoundingMode> mode) {
  switch (mode.value_or(arith::RoundingMode::to_nearest_even)) {
  case arith::RoundingMode::to_nearest_even:
    return llvm::RoundingMode::NearestTiesToEven;
  case arith::RoundingMode::downward:
    return llvm::RoundingMode::TowardNegative;
  case arith::RoundingMode::upward:
    return llvm::RoundingMode::TowardPositive;
  case arith::RoundingMode::toward_zero:
    return llvm::RoundingMode::TowardZero;
  case arith::RoundingMode::to_nearest_away:
    return llvm::RoundingMode::NearestTiesToAway;
  }
  llvm_unreachable("all rounding modes are handled");
}

double reference::roundInteger(int64_t value, bool isSigned, FloatType type) {
  llvm::APFloat rounded(type.getFloatSemantics());
  rounded.convertFromAPInt(llvm::APInt(64, value, /*isSigned=*/true), isSigned,
                           llvm::RoundingMode::NearestTiesToEven);
  return toDouble(rounded);
}

int64_t reference::wrapInteger(int64_t value, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 1)
    return value & 1;
  if (width >= 64)
    return value;
  return int64_t(uint64_t(value) << (64 - width)) >> (64 - width);
}

int64_t reference::truncateToInteger(double value, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  llvm::APSInt result(width, /*isUnsigned=*/width == 1);
  bool isExact = false;
  // Out of range saturates, NaN gives 0: what APFloat leaves in `result`.
  llvm::APFloat(value).convertToInteger(result, llvm::RoundingMode::TowardZero,
                                        &isExact);
  return width == 1 ? result.getZExtValue() : result.getSExtValue();
}

double reference::largestFinite(FloatType type) {
  return toDouble(llvm::APFloat::getLargest(type.getFloatSemantics()));
}

double reference::smallestNormal(FloatType type) {
  return toDouble(
      llvm::APFloat::getSmallestNormalized(type.getFloatSemantics()));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

int64_t reference::countOf(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

SmallVector<int64_t> reference::stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t d = int64_t(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

std::optional<SmallVector<int64_t>>
reference::resolveShape(RankedTensorType type, int64_t count) {
  SmallVector<int64_t> shape(type.getShape());
  int64_t known = 1, dynamic = 0;
  for (int64_t size : shape) {
    known *= ShapedType::isDynamic(size) ? 1 : size;
    dynamic += ShapedType::isDynamic(size);
  }
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = known == 0 ? 0 : count / known;
  if (dynamic > 1 || countOf(shape) != count)
    return std::nullopt;
  return shape;
}

Type reference::resultElementType(Operation *op, unsigned index) {
  return getElementTypeOrSelf(op->getResult(index).getType());
}

ReferenceTensor reference::makeTensor(ArrayRef<int64_t> shape,
                                      Type elementType) {
  ReferenceTensor tensor;
  tensor.type = RankedTensorType::get(shape, elementType);
  if (tensor.isFloat())
    tensor.floats.resize(countOf(shape), 0.0);
  else
    tensor.integers.resize(countOf(shape), 0);
  return tensor;
}

ReferenceTensor reference::makeScalar(double value, FloatType type) {
  ReferenceTensor tensor = makeTensor({}, type);
  tensor.floats[0] = roundTo(value, type);
  return tensor;
}

ReferenceTensor reference::makeScalar(int64_t value, IntegerType type) {
  ReferenceTensor tensor = makeTensor({}, type);
  tensor.integers[0] = wrapInteger(value, type);
  return tensor;
}

ReferenceTensor reference::fromElements(ElementsAttr elements) {
  RankedTensorType type = cast<RankedTensorType>(elements.getShapedType());
  ReferenceTensor tensor = makeTensor(type.getShape(), type.getElementType());
  int64_t next = 0;
  if (tensor.isFloat())
    for (const llvm::APFloat &value : elements.getValues<llvm::APFloat>())
      tensor.floats[next++] = toDouble(value);
  else
    for (const llvm::APInt &value : elements.getValues<llvm::APInt>())
      tensor.integers[next++] =
          wrapInteger(value.getSExtValue(), type.getElementType());
  return tensor;
}

void reference::roundElements(ReferenceTensor &tensor) {
  FloatType type = cast<FloatType>(tensor.type.getElementType());
  if (type.isF64())
    return;
  for (double &value : tensor.floats)
    value = type.isF32() ? double(float(value)) : roundTo(value, type);
}

ReferenceTensor reference::withShape(ReferenceTensor tensor,
                                     ArrayRef<int64_t> shape) {
  tensor.type = RankedTensorType::get(shape, tensor.type.getElementType());
  return tensor;
}

//===----------------------------------------------------------------------===//
// Elementwise evaluation
//===----------------------------------------------------------------------===//

/// The shape that all operands of rank > 0 have.
static FailureOr<SmallVector<int64_t>>
commonShape(Operation *op, ArrayRef<ReferenceTensor> operands) {
  const ReferenceTensor *shaped = nullptr;
  for (const ReferenceTensor &operand : operands) {
    if (operand.type.getRank() == 0)
      continue;
    if (shaped && shapeOf(*shaped) != shapeOf(operand))
      return op->emitOpError("expects operands of one shape, but got ")
             << shaped->type << " and " << operand.type;
    shaped = &operand;
  }
  return shaped ? llvm::to_vector(shapeOf(*shaped)) : SmallVector<int64_t>();
}

FailureOr<ReferenceTensor>
reference::mapElements(Operation *op, Type elementType,
                       ArrayRef<ReferenceTensor> operands,
                       llvm::function_ref<Element(ArrayRef<Element>)> fn) {
  FailureOr<SmallVector<int64_t>> shape = commonShape(op, operands);
  if (failed(shape))
    return failure();
  ReferenceTensor result = makeTensor(*shape, elementType);
  SmallVector<Element> elements(operands.size());
  for (int64_t index = 0, end = result.size(); index < end; ++index) {
    for (auto [element, operand] : llvm::zip_equal(elements, operands)) {
      int64_t at = operand.type.getRank() == 0 ? 0 : index;
      if (operand.isFloat())
        element.f = operand.floats[at];
      else
        element.i = operand.integers[at];
    }
    Element value = fn(elements);
    if (result.isFloat())
      result.floats[index] = value.f;
    else
      result.integers[index] = wrapInteger(value.i, elementType);
  }
  if (result.isFloat())
    roundElements(result);
  return result;
}
