//===- ScalarBuilder.h - Arithmetic inside linalg regions -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin builder for the scalar computation of a linalg region: values are
// widened to one compute type, combined there, and rounded once at the end.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_UTILS_SCALARBUILDER_H
#define AMP_CONVERSION_UTILS_SCALARBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mlir::amp {

/// The type scalar computation on elements of `types` is done in: f64 where one
/// of them is f64, otherwise f32.
FloatType getComputeType(MLIRContext *context, TypeRange types);

/// Emits arith and math ops on scalars of one compute type.
class ScalarBuilder {
public:
  ScalarBuilder(OpBuilder &builder, Location loc, FloatType compute,
                arith::FastMathFlags flags = arith::FastMathFlags::none)
      : builder(builder), loc(loc), compute(compute), flags(flags) {}

  FloatType getComputeType() const { return compute; }

  /// `value`, a float of any type, as the compute type; exact unless `value` is
  /// wider.
  Value widen(Value value);
  /// `value` converted to the float type `type` with one rounding, also from
  /// f64 to a 16-bit type.
  Value round(Value value, Type type);
  /// As `round`, toward zero.
  Value roundTowardZero(Value value, Type type);
  /// Values beyond `type`'s range, infinities too, become its largest
  /// magnitude.
  Value clampToRange(Value value, FloatType type);

  Value constant(double value);
  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, Value rhs);
  Value div(Value lhs, Value rhs);
  Value neg(Value value);
  Value abs(Value value);
  /// NaN if either is NaN.
  Value maximum(Value lhs, Value rhs);
  Value minimum(Value lhs, Value rhs);
  Value exp(Value value);
  Value log(Value value);
  Value sqrt(Value value);
  Value tanh(Value value);
  Value erfc(Value value);
  /// 1 / (1 + e^-value); 0 and 1 at the ends, never inf / inf.
  Value sigmoid(Value value);
  Value compare(arith::CmpFPredicate predicate, Value lhs, Value rhs);
  /// Forms with a constant, so that no argument list creates two ops (whose
  /// order would be the compiler's choice).
  Value add(double lhs, Value rhs) { return add(constant(lhs), rhs); }
  Value sub(double lhs, Value rhs) { return sub(constant(lhs), rhs); }
  Value mul(double lhs, Value rhs) { return mul(constant(lhs), rhs); }
  Value div(Value lhs, double rhs) { return div(lhs, constant(rhs)); }
  Value div(double lhs, Value rhs) { return div(constant(lhs), rhs); }
  Value select(Value condition, Value lhs, double rhs) {
    return select(condition, lhs, constant(rhs));
  }
  Value select(Value condition, double lhs, double rhs) {
    Value first = constant(lhs);
    return select(condition, first, constant(rhs));
  }
  Value select(Value condition, Value lhs, Value rhs);

  /// An integer (signed) as the compute type; a float stays.
  Value fromInt(Value value);
  /// Compares an integer with a constant.
  Value compareInt(arith::CmpIPredicate predicate, Value lhs, int64_t rhs);
  /// Whether an integer is negative or not less than `count`.
  Value isOutside(Value value, int64_t count);
  /// Whether an integer equals the index of the linalg loop `dim`.
  Value isIndex(Value value, int64_t dim);
  /// The i64 `sum`, plus one where `value` compares so with `other`.
  Value addIf(Value sum, Value value, arith::CmpIPredicate predicate,
              int64_t other);
  /// The integer `sum`, plus one where `condition` holds.
  Value addBool(Value sum, Value condition);
  /// Whether one of two conditions holds.
  Value either(Value lhs, Value rhs);

private:
  OpBuilder &builder;
  Location loc;
  FloatType compute;
  arith::FastMathFlags flags;
};

} // namespace mlir::amp

#endif // AMP_CONVERSION_UTILS_SCALARBUILDER_H
