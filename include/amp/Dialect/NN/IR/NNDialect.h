//===- NNDialect.h - The tensor-graph dialect -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_NN_IR_NNDIALECT_H
#define AMP_DIALECT_NN_IR_NNDIALECT_H

#include "amp/Dialect/AMP/IR/AMPAttrs.h"
#include "amp/Interfaces/NumericOpInterface.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "amp/Dialect/NN/IR/NNDialect.h.inc"
#include "amp/Dialect/NN/IR/NNEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "amp/Dialect/NN/IR/NNAttrs.h.inc"

namespace mlir::nn {
namespace detail {
LogicalResult verifyInferredResultShapes(Operation *op);
} // namespace detail

/// Verifies that declared result shapes are compatible with those that
/// `inferReturnTypeComponents` gives, reporting both.
template <typename ConcreteType>
class HasInferredResultShapes
    : public OpTrait::TraitBase<ConcreteType, HasInferredResultShapes> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return detail::verifyInferredResultShapes(op);
  }
};

/// `shape` without `dims`, or with 1 in their place under `keepdims`; none when
/// a dimension is outside the rank.
std::optional<SmallVector<int64_t>>
getReducedShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims, bool keepdims);
} // namespace mlir::nn

#define GET_OP_CLASSES
#include "amp/Dialect/NN/IR/NNOps.h.inc"

#endif // AMP_DIALECT_NN_IR_NNDIALECT_H
