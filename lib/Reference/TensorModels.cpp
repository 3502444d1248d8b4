//===- TensorModels.cpp - Reference semantics of tensor and amprt ops -----===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The views, slices and concatenations that packed state is read and written
// through. Static offsets and sizes only, as the packing passes make them.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"
#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::reference;

static void copyElement(ReferenceTensor &to, int64_t toIndex,
                        const ReferenceTensor &from, int64_t fromIndex) {
  if (to.isFloat())
    to.floats[toIndex] = from.floats[fromIndex];
  else
    to.integers[toIndex] = from.integers[fromIndex];
}

namespace {
/// A static slice: where it begins in its source, and its strides there.
struct Slice {
  int64_t begin = 0;
  SmallVector<int64_t> sizes, strides;

  template <typename OpTy>
  static FailureOr<Slice> get(OpTy op, const ReferenceTensor &source) {
    if (ShapedType::isDynamicShape(op.getStaticOffsets()) ||
        ShapedType::isDynamicShape(op.getStaticSizes()) ||
        ShapedType::isDynamicShape(op.getStaticStrides())) {
      op.emitOpError(
          "has reference semantics for static offsets, sizes and strides only");
      return failure();
    }
    Slice slice;
    SmallVector<int64_t> strides = stridesOf(shapeOf(source));
    for (auto [d, offset, size, step] :
         llvm::enumerate(op.getStaticOffsets(), op.getStaticSizes(),
                         op.getStaticStrides())) {
      if (offset + (size - 1) * step >= shapeOf(source)[d]) {
        op.emitOpError("reaches beyond dimension ")
            << d << " of " << source.type;
        return failure();
      }
      slice.begin += offset * strides[d];
      slice.sizes.push_back(size);
      slice.strides.push_back(step * strides[d]);
    }
    return slice;
  }
};

struct Views {
  using Operands = ArrayRef<ReferenceTensor>;

  /// The same elements in the result's shape.
  template <typename OpTy>
  static FailureOr<ReferenceTensor> reshape(OpTy op,
                                            const ReferenceTensor &tensor) {
    auto shape = resolveShape(
        cast<RankedTensorType>(op->getResult(0).getType()), tensor.size());
    if (!shape) {
      op->emitOpError("cannot reshape ")
          << tensor.type << " to " << op->getResult(0).getType();
      return failure();
    }
    return withShape(tensor, *shape);
  }

  static FailureOr<ReferenceTensor> compute(tensor::ExpandShapeOp op,
                                            Operands operands) {
    return reshape(op, operands[0]);
  }
  static FailureOr<ReferenceTensor> compute(tensor::CollapseShapeOp op,
                                            Operands operands) {
    SmallVector<int64_t> shape;
    for (const ReassociationIndices &group : op.getReassociationIndices()) {
      shape.push_back(1);
      for (int64_t d : group)
        shape.back() *= shapeOf(operands[0])[d];
    }
    return withShape(operands[0], shape);
  }
  static FailureOr<ReferenceTensor> compute(tensor::CastOp, Operands operands) {
    return operands[0];
  }

  static FailureOr<ReferenceTensor> compute(tensor::EmptyOp op, Operands) {
    if (!op.getType().hasStaticShape()) {
      op.emitOpError("has reference semantics for static shapes only");
      return failure();
    }
    return makeTensor(op.getType().getShape(), op.getType().getElementType());
  }

  static FailureOr<ReferenceTensor> compute(tensor::ExtractSliceOp op,
                                            Operands operands) {
    FailureOr<Slice> slice = Slice::get(op, operands[0]);
    if (failed(slice))
      return failure();
    ReferenceTensor result =
        makeTensor(op.getType().getShape(), resultElementType(op));
    forEachIndex(slice->sizes, slice->strides, [&](int64_t to, int64_t from) {
      copyElement(result, to, operands[0], slice->begin + from);
    });
    return result;
  }
  static FailureOr<ReferenceTensor> compute(tensor::InsertSliceOp op,
                                            Operands operands) {
    FailureOr<Slice> slice = Slice::get(op, operands[1]);
    if (failed(slice))
      return failure();
    ReferenceTensor result = operands[1];
    forEachIndex(slice->sizes, slice->strides, [&](int64_t from, int64_t to) {
      copyElement(result, slice->begin + to, operands[0], from);
    });
    return result;
  }

  static FailureOr<ReferenceTensor> compute(amprt::ConcatOp op,
                                            Operands operands) {
    RankedTensorType type = cast<RankedTensorType>(op.getResult().getType());
    ReferenceTensor result = makeTensor(type.getShape(), type.getElementType());
    for (auto [piece, offset] : llvm::zip_equal(operands, op.getOffsets())) {
      if (offset + piece.size() > result.size()) {
        op.emitOpError("piece at ") << offset << " reaches beyond the result";
        return failure();
      }
      for (int64_t i = 0, end = piece.size(); i < end; ++i)
        copyElement(result, offset + i, piece, i);
    }
    return result;
  }
};
} // namespace

void reference::registerTensorModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attachTensorModels<Views, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                       tensor::CastOp, tensor::EmptyOp, tensor::ExtractSliceOp,
                       tensor::InsertSliceOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, amprt::AMPRTDialect *) {
    attachTensorModels<Views, amprt::ConcatOp>(context);
  });
}
