//===- LinalgBuilder.h - linalg ops as this project writes them -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The few shapes of linalg op that lowerings emit: an elementwise op with
// identity output maps, and a reduction in a domain [kept..., reduced] (row),
// [reduced, kept] (column) or [reduced] (flat). `-amprt-form-kernels` counts on
// them (docs/contracts.md, section 5).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_UTILS_LINALGBUILDER_H
#define AMP_CONVERSION_UTILS_LINALGBUILDER_H

#include "amp/Conversion/Utils/ScalarBuilder.h"
#include "amp/Dialect/AMP/IR/AMPAttrs.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::amp {

/// Computes the scalars a region yields from the elements of its inputs.
using ElementBody =
    function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>;
/// As `ElementBody`, of a reduction: the elements, then the accumulators, all
/// floating elements widened to the compute type.
using ReductionBody =
    function_ref<SmallVector<Value>(ScalarBuilder &, ValueRange, ValueRange)>;

/// An input of a linalg op and where each iteration reads it. A null map is the
/// identity for inputs of the domain's rank and () for rank-0 inputs.
struct LinalgInput {
  LinalgInput(Value value, AffineMap map = {}) : value(value), map(map) {}
  Value value;
  AffineMap map;
};

/// Emits an elementwise op over the shape of `results` (all of one shape).
SmallVector<Value> buildElementwise(OpBuilder &builder, Location loc,
                                    TypeRange results,
                                    ArrayRef<LinalgInput> inputs,
                                    ElementBody body);
/// The same, of one result.
Value buildElementwise(OpBuilder &builder, Location loc, Type result,
                       ArrayRef<LinalgInput> inputs, ElementBody body);

/// Converts a float tensor elementwise to `elementType`, with one rounding.
/// Returns the tensor itself where it has that type.
Value buildRounding(OpBuilder &builder, Location loc, Value input,
                    Type elementType);

/// Which dimension of the domain a reduction reduces.
enum class ReductionKind { row, column, flat };

/// Emits a reduction over `domain`: `row` reduces the last dimension, `column`
/// all but the last, `flat` all. There is one result per accumulator, of
/// the accumulator's type. Element values are widened to the compute type of
/// inputs and accumulators; what the body returns is rounded to the
/// accumulator's type. `numerics` (may be null) decides whether the order
/// of additions is free, which `fastmath<reassoc, contract>` on them states.
SmallVector<Value> buildReduction(OpBuilder &builder, Location loc,
                                  ReductionKind kind, ArrayRef<int64_t> domain,
                                  ArrayRef<LinalgInput> inputs,
                                  ArrayRef<TypedAttr> inits,
                                  NumericsAttr numerics, ReductionBody body);

/// The map of a domain of `rank` dimensions to all but the last one.
AffineMap getRowMap(MLIRContext *context, unsigned rank);

/// A reshape of static shapes by `tensor.collapse_shape` and
/// `tensor.expand_shape`.
Value buildReshape(OpBuilder &builder, Location loc, Value input,
                   ArrayRef<int64_t> shape);

/// The accumulator's type: `numerics`'s where stated, otherwise the compute
/// type of `operand`.
FloatType getAccumulatorType(NumericsAttr numerics, Type operand);

} // namespace mlir::amp

#endif // AMP_CONVERSION_UTILS_LINALGBUILDER_H
