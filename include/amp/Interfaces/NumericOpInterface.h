//===- NumericOpInterface.h - What a policy needs to know of an op -*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_INTERFACES_NUMERICOPINTERFACE_H
#define AMP_INTERFACES_NUMERICOPINTERFACE_H

#include "amp/Dialect/AMP/IR/AMPAttrs.h"
#include "amp/Interfaces/ScalePower.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::amp {

/// The wider of two floating types: the one whose values include the other's.
/// Null when neither includes the other (f16 and bf16), which is the conflict
/// that the `promote` class reports.
FloatType getWiderFloatType(FloatType a, FloatType b);

/// Whether every value of `narrow` is a value of `wide`.
bool isRepresentableIn(FloatType narrow, FloatType wide);

namespace detail {
bool isCastableByDefault(Operation *op, unsigned index);
NumericsAttr getNumericsAttrOrNull(Operation *op);
bool hasNumericsAttr(Operation *op);
void setNumericsAttr(Operation *op, NumericsAttr numerics);
SmallVector<Type> inferResultElementTypesByDefault(Operation *op,
                                                   ArrayRef<Type> operands);
ScaleTransfer getScaleTransferByDefault(Operation *op);
Operation *rebuildByDefault(Operation *op, OpBuilder &builder,
                            ValueRange operands, TypeRange results);
} // namespace detail
} // namespace mlir::amp

#include "amp/Interfaces/NumericOpInterface.h.inc"

#endif // AMP_INTERFACES_NUMERICOPINTERFACE_H
