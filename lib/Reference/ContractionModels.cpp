//===- ContractionModels.cpp - Reference semantics of contractions --------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// linear, matmul and the gradients of linear, all as one strided product.
// Products of two f32 are exact in f64; sums are not rounded below it.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"
#include "amp/Dialect/NN/IR/NNDialect.h"
#include <cmath>

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::reference;

/// The value at which `value`, stored as `storage`, enters a multiplier: the
/// sum of `components` successive roundings to the stated type.
static double enterMultiplier(double value, FloatType storage,
                              const OperandPrecision &precision,
                              Subnormals subnormals) {
  if (subnormals == Subnormals::flush &&
      std::fabs(value) < smallestNormal(storage))
    value = std::copysign(0.0, value);
  if (!precision || !std::isfinite(value))
    return value;
  double sum = 0.0;
  for (unsigned i = 0; i < precision.components; ++i)
    sum += roundTo(value - sum, cast<FloatType>(precision.type));
  return sum;
}

static void enterMultiplier(ReferenceTensor &tensor,
                            const OperandPrecision &precision,
                            Subnormals subnormals) {
  if (!precision && subnormals != Subnormals::flush)
    return;
  FloatType storage = cast<FloatType>(tensor.type.getElementType());
  for (double &value : tensor.floats)
    value = enterMultiplier(value, storage, precision, subnormals);
}

namespace {
/// A matrix inside a tensor.
struct Matrix {
  const double *data;
  int64_t rows, columns, rowStride, columnStride;

  double at(int64_t row, int64_t column) const {
    return data[row * rowStride + column * columnStride];
  }
  Matrix transposed() const {
    return {data, columns, rows, columnStride, rowStride};
  }
};
} // namespace

/// A tensor as a matrix of its leading dimensions by its last.
static Matrix asMatrix(const ReferenceTensor &tensor) {
  int64_t columns = shapeOf(tensor).back();
  int64_t rows = countOf(shapeOf(tensor).drop_back());
  return {tensor.floats.data(), rows, columns, columns, 1};
}

/// out = lhs x rhs, row-major.
static void multiply(const Matrix &lhs, const Matrix &rhs, double *out) {
  for (int64_t m = 0; m < lhs.rows; ++m) {
    double *row = out + m * rhs.columns;
    std::fill(row, row + rhs.columns, 0.0);
    for (int64_t n = 0; rhs.columnStride != 1 && n < rhs.columns; ++n)
      for (int64_t k = 0; k < lhs.columns; ++k)
        row[n] += lhs.at(m, k) * rhs.at(k, n);
    // The same sums in the same order, along contiguous rows of `rhs`.
    for (int64_t k = 0; rhs.columnStride == 1 && k < lhs.columns; ++k)
      for (int64_t n = 0; n < rhs.columns; ++n)
        row[n] += lhs.at(m, k) * rhs.at(k, n);
  }
}

static LogicalResult checkContracted(Operation *op, int64_t lhs, int64_t rhs) {
  if (lhs == rhs)
    return success();
  return op->emitOpError("expects contracted dimensions of one size, but got ")
         << lhs << " and " << rhs;
}

namespace {
struct Contraction {
  using Operands = ArrayRef<ReferenceTensor>;

  /// Both factors at the precision that `numerics` states.
  template <typename OpTy>
  static std::pair<ReferenceTensor, ReferenceTensor>
  factors(OpTy op, Operands operands) {
    std::pair<ReferenceTensor, ReferenceTensor> pair(operands[0], operands[1]);
    if (std::optional<NumericsAttr> numerics = op.getNumerics()) {
      enterMultiplier(pair.first, numerics->getLhs(),
                      numerics->getSubnormals());
      enterMultiplier(pair.second, numerics->getRhs(),
                      numerics->getSubnormals());
    }
    return pair;
  }

  template <typename OpTy>
  static void finish(OpTy op, ReferenceTensor &result) {
    roundElements(result);
    std::optional<NumericsAttr> numerics = op.getNumerics();
    if (numerics && numerics->getSubnormals() == Subnormals::flush)
      enterMultiplier(result, OperandPrecision(), Subnormals::flush);
  }

  template <typename OpTy>
  static FailureOr<ReferenceTensor> product(OpTy op, const Matrix &lhs,
                                            const Matrix &rhs,
                                            ArrayRef<int64_t> shape) {
    if (failed(checkContracted(op, lhs.columns, rhs.rows)))
      return failure();
    ReferenceTensor result = makeTensor(shape, resultElementType(op));
    multiply(lhs, rhs, result.floats.data());
    return result;
  }

  static FailureOr<ReferenceTensor> compute(nn::LinearOp op,
                                            Operands operands) {
    auto [input, weight] = factors(op, operands);
    SmallVector<int64_t> shape(shapeOf(input));
    shape.back() = shapeOf(weight)[0];
    FailureOr<ReferenceTensor> result =
        product(op, asMatrix(input), asMatrix(weight).transposed(), shape);
    if (failed(result))
      return failure();
    if (op.getBias())
      for (int64_t i = 0, n = shape.back(), end = result->size(); i < end; ++i)
        result->floats[i] += operands[2].floats[i % n];
    finish(op, *result);
    return result;
  }

  static FailureOr<ReferenceTensor> compute(nn::LinearInputGradOp op,
                                            Operands operands) {
    auto [cotangent, weight] = factors(op, operands);
    SmallVector<int64_t> shape(shapeOf(cotangent));
    shape.back() = shapeOf(weight)[1];
    FailureOr<ReferenceTensor> result =
        product(op, asMatrix(cotangent), asMatrix(weight), shape);
    if (succeeded(result))
      finish(op, *result);
    return result;
  }

  static FailureOr<ReferenceTensor> compute(nn::LinearWeightGradOp op,
                                            Operands operands) {
    auto [cotangent, input] = factors(op, operands);
    FailureOr<ReferenceTensor> result =
        product(op, asMatrix(cotangent).transposed(), asMatrix(input),
                {shapeOf(cotangent).back(), shapeOf(input).back()});
    if (succeeded(result))
      finish(op, *result);
    return result;
  }

  static FailureOr<ReferenceTensor> compute(nn::MatmulOp op,
                                            Operands operands) {
    auto [lhs, rhs] = factors(op, operands);
    ArrayRef<int64_t> batch = shapeOf(lhs).drop_back(2);
    if (batch != shapeOf(rhs).drop_back(2)) {
      op.emitOpError("expects equal batch dimensions, but got ")
          << lhs.type << " and " << rhs.type;
      return failure();
    }
    auto slice = [](const ReferenceTensor &tensor, int64_t index,
                    bool transpose) {
      ArrayRef<int64_t> matrix = shapeOf(tensor).take_back(2);
      Matrix result{tensor.floats.data() + index * matrix[0] * matrix[1],
                    matrix[0], matrix[1], matrix[1], 1};
      return transpose ? result.transposed() : result;
    };
    Matrix first = slice(lhs, 0, op.getTransposeLhs());
    Matrix second = slice(rhs, 0, op.getTransposeRhs());
    if (failed(checkContracted(op, first.columns, second.rows)))
      return failure();
    SmallVector<int64_t> shape(batch);
    shape.append({first.rows, second.columns});
    ReferenceTensor result = makeTensor(shape, resultElementType(op));
    for (int64_t b = 0, end = countOf(batch); b < end; ++b)
      multiply(slice(lhs, b, op.getTransposeLhs()),
               slice(rhs, b, op.getTransposeRhs()),
               result.floats.data() + b * first.rows * second.columns);
    finish(op, result);
    return result;
  }
};
} // namespace

void reference::registerContractionModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, nn::NNDialect *) {
    attachTensorModels<Contraction, nn::LinearOp, nn::LinearInputGradOp,
                       nn::LinearWeightGradOp, nn::MatmulOp>(context);
  });
}
