//===- ShapeModels.cpp - Reference semantics of data movement in nn -------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants, reshapes, transposes, broadcasts and the barrier: nothing is
// rounded.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"
#include "amp/Dialect/NN/IR/NNDialect.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::reference;

/// Elements of `source` at the offsets that `strides` gives each index of
/// `shape`.
static ReferenceTensor gather(const ReferenceTensor &source,
                              ArrayRef<int64_t> shape,
                              ArrayRef<int64_t> strides) {
  ReferenceTensor result = makeTensor(shape, source.type.getElementType());
  forEachIndex(shape, strides, [&](int64_t to, int64_t from) {
    if (result.isFloat())
      result.floats[to] = source.floats[from];
    else
      result.integers[to] = source.integers[from];
  });
  return result;
}

namespace {
struct Movement {
  using Operands = ArrayRef<ReferenceTensor>;

  static FailureOr<ReferenceTensor> compute(nn::ConstantOp op, Operands) {
    return fromElements(op.getValue());
  }

  static FailureOr<ReferenceTensor> compute(nn::ReshapeOp op,
                                            Operands operands) {
    auto shape = resolveShape(op.getType(), operands[0].size());
    if (!shape) {
      op.emitOpError("cannot reshape ")
          << operands[0].type << " to " << op.getType();
      return failure();
    }
    return withShape(operands[0], *shape);
  }

  static FailureOr<ReferenceTensor> compute(nn::TransposeOp op,
                                            Operands operands) {
    SmallVector<int64_t> from = stridesOf(shapeOf(operands[0])), strides, shape;
    for (int64_t d : op.getPermutation()) {
      shape.push_back(shapeOf(operands[0])[d]);
      strides.push_back(from[d]);
    }
    return gather(operands[0], shape, strides);
  }

  static FailureOr<ReferenceTensor> compute(nn::BroadcastOp op,
                                            Operands operands) {
    SmallVector<int64_t> shape(op.getType().getShape());
    if (op.getLike())
      shape.assign(shapeOf(operands[1]).begin(), shapeOf(operands[1]).end());
    SmallVector<int64_t> from = stridesOf(shapeOf(operands[0])),
                         strides(shape.size(), 0);
    for (auto [d, target] : llvm::enumerate(op.getDims())) {
      int64_t size = shapeOf(operands[0])[d];
      if (size == 1)
        continue;
      if (size != shape[target]) {
        op.emitOpError("expects dimension ")
            << d << " of size 1 or " << shape[target] << ", but got " << size;
        return failure();
      }
      strides[target] = from[d];
    }
    return gather(operands[0], shape, strides);
  }
};

struct BarrierModel
    : ReferenceOpInterface::ExternalModel<BarrierModel,
                                          nn::OptimizationBarrierOp> {
  LogicalResult evaluate(Operation *, ArrayRef<ReferenceTensor> operands,
                         SmallVectorImpl<ReferenceTensor> &results) const {
    results.append(operands.begin(), operands.end());
    return success();
  }
};
} // namespace

void reference::registerShapeModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, nn::NNDialect *) {
    attachTensorModels<Movement, nn::ConstantOp, nn::ReshapeOp, nn::TransposeOp,
                       nn::BroadcastOp>(context);
    nn::OptimizationBarrierOp::attachInterface<BarrierModel>(*context);
  });
}
