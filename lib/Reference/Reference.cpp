//===- Reference.cpp - Registration and checked evaluation ----------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Reference/Reference.h"
#include "TensorMath.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::amp;

void amp::registerReferenceModels(DialectRegistry &registry) {
  reference::registerElementwiseModels(registry);
  reference::registerContractionModels(registry);
  reference::registerReductionModels(registry);
  reference::registerLossModels(registry);
  reference::registerShapeModels(registry);
  reference::registerScalingModels(registry);
  reference::registerArithModels(registry);
  reference::registerTensorModels(registry);
}

/// Scalars of a region stand for tensors of any shape.
static bool fits(const ReferenceTensor &tensor, Type type) {
  if (getElementTypeOrSelf(type) != tensor.type.getElementType())
    return false;
  return !isa<ShapedType>(type) ||
         succeeded(verifyCompatibleShape(type, tensor.type));
}

LogicalResult
amp::evaluateReference(Operation *op, ArrayRef<ReferenceTensor> operands,
                       SmallVectorImpl<ReferenceTensor> &results) {
  ReferenceOpInterface model = dyn_cast<ReferenceOpInterface>(op);
  if (!model)
    return op->emitOpError("has no reference semantics");
  if (failed(model.evaluate(operands, results)))
    return failure();
  if (results.size() != op->getNumResults())
    return op->emitOpError("expects ")
           << op->getNumResults() << " results of its reference model, but got "
           << results.size();
  for (auto [index, result] : llvm::enumerate(results))
    if (Type type = op->getResult(index).getType(); !fits(result, type))
      return op->emitOpError("computes ")
             << result.type << ", but declares " << type;
  return success();
}
