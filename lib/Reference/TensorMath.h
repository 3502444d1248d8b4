//===- TensorMath.h - Tensor arithmetic of the reference models -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the models share: rounding, tensors by shape and type, iteration over
// strided index spaces, elementwise evaluation. Private to this library.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_REFERENCE_TENSORMATH_H
#define AMP_LIB_REFERENCE_TENSORMATH_H

#include "amp/Interfaces/ReferenceOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::amp::reference {

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// `value` rounded to `type`, to nearest even unless stated, as a double again.
double roundTo(double value, FloatType type,
               llvm::RoundingMode mode = llvm::RoundingMode::NearestTiesToEven);
/// APFloat's name of an arith rounding mode, nearest even unless stated.
llvm::RoundingMode convertRounding(std::optional<arith::RoundingMode> mode);
/// An integer rounded to `type` in one step.
double roundInteger(int64_t value, bool isSigned, FloatType type);
/// `value` as an integer of `type`: wrapped to its width and sign-extended; i1
/// is 0 or 1.
int64_t wrapInteger(int64_t value, Type type);
/// Toward zero, saturating, NaN to 0.
int64_t truncateToInteger(double value, Type type);
double largestFinite(FloatType type);
double smallestNormal(FloatType type);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// A tensor of zeros.
ReferenceTensor makeTensor(ArrayRef<int64_t> shape, Type elementType);
/// A rank-0 tensor; the value is rounded or wrapped to the type.
ReferenceTensor makeScalar(double value, FloatType type);
ReferenceTensor makeScalar(int64_t value, IntegerType type);
/// The elements of a constant.
ReferenceTensor fromElements(ElementsAttr elements);
/// Rounds all elements to the tensor's element type.
void roundElements(ReferenceTensor &tensor);
/// The same elements in another shape of the same size.
ReferenceTensor withShape(ReferenceTensor tensor, ArrayRef<int64_t> shape);

inline ArrayRef<int64_t> shapeOf(const ReferenceTensor &tensor) {
  return tensor.type.getShape();
}
/// Product of sizes.
int64_t countOf(ArrayRef<int64_t> shape);
/// Row-major strides.
SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape);
/// The shape `type` declares for `count` elements: at most one dynamic
/// dimension takes what the static ones leave. None if that is impossible.
std::optional<SmallVector<int64_t>> resolveShape(RankedTensorType type,
                                                 int64_t count);
/// The element type of an op's result, tensor or scalar.
Type resultElementType(Operation *op, unsigned index = 0);

/// Visits every index of `shape` in row-major order as (row-major offset, sum
/// of index[d] * strides[d]).
template <typename Fn>
void forEachIndex(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides, Fn fn) {
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t mapped = 0;
  for (int64_t offset = 0, end = countOf(shape); offset < end; ++offset) {
    fn(offset, mapped);
    for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
      mapped += strides[d];
      if (++index[d] < shape[d])
        break;
      mapped -= shape[d] * strides[d];
      index[d] = 0;
    }
  }
}

//===----------------------------------------------------------------------===//
// Elementwise evaluation
//===----------------------------------------------------------------------===//

/// One element: `f` where the type is floating, `i` elsewhere.
struct Element {
  double f = 0;
  int64_t i = 0;
};
inline Element real(double value) { return {value, 0}; }
inline Element integer(int64_t value) { return {0, value}; }

/// Applies `fn` to each element; rank-0 operands meet every element (scalars of
/// a region, evaluated for all elements at once). Rounds to `elementType`.
FailureOr<ReferenceTensor>
mapElements(Operation *op, Type elementType, ArrayRef<ReferenceTensor> operands,
            llvm::function_ref<Element(ArrayRef<Element>)> fn);

/// A model whose op is a function of one element: `Family::compute(op,
/// elements)`.
template <typename OpTy, typename Family>
struct ElementwiseModel
    : ReferenceOpInterface::ExternalModel<ElementwiseModel<OpTy, Family>,
                                          OpTy> {
  LogicalResult evaluate(Operation *op, ArrayRef<ReferenceTensor> operands,
                         SmallVectorImpl<ReferenceTensor> &results) const {
    OpTy typed = cast<OpTy>(op);
    FailureOr<ReferenceTensor> result = mapElements(
        op, resultElementType(op), operands,
        [&](ArrayRef<Element> x) { return Family::compute(typed, x); });
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
    return success();
  }
};

/// Attaches `ElementwiseModel` to each of `OpTys`.
template <typename Family, typename... OpTys>
void attachElementwise(MLIRContext *context) {
  (OpTys::template attachInterface<ElementwiseModel<OpTys, Family>>(*context),
   ...);
}

/// A model with one result: `Family::compute(op, operands)`.
template <typename OpTy, typename Family>
struct TensorModel
    : ReferenceOpInterface::ExternalModel<TensorModel<OpTy, Family>, OpTy> {
  LogicalResult evaluate(Operation *op, ArrayRef<ReferenceTensor> operands,
                         SmallVectorImpl<ReferenceTensor> &results) const {
    FailureOr<ReferenceTensor> result =
        Family::compute(cast<OpTy>(op), operands);
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
    return success();
  }
};

/// Attaches `TensorModel` to each of `OpTys`.
template <typename Family, typename... OpTys>
void attachTensorModels(MLIRContext *context) {
  (OpTys::template attachInterface<TensorModel<OpTys, Family>>(*context), ...);
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

void registerElementwiseModels(DialectRegistry &registry);
void registerContractionModels(DialectRegistry &registry);
void registerReductionModels(DialectRegistry &registry);
void registerLossModels(DialectRegistry &registry);
void registerShapeModels(DialectRegistry &registry);
void registerScalingModels(DialectRegistry &registry);
void registerArithModels(DialectRegistry &registry);
void registerTensorModels(DialectRegistry &registry);

} // namespace mlir::amp::reference

#endif // AMP_LIB_REFERENCE_TENSORMATH_H
