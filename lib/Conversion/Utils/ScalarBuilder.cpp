//===- ScalarBuilder.cpp - Arithmetic inside linalg regions -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the scalar computation of linalg regions, among it the conversions that
// must round once: f64 to a 16-bit type goes through a round-to-odd f32.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Utils/ScalarBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::amp {

FloatType getComputeType(MLIRContext *context, TypeRange types) {
  for (Type type : types)
    if (getElementTypeOrSelf(type).isF64())
      return Float64Type::get(context);
  return Float32Type::get(context);
}

/// f64 to f32, rounded to odd: the last bit of an inexact result is 1. Rounding
/// that once more, to 11 bits or fewer, equals rounding the f64 directly.
static Value roundToOdd(OpBuilder &builder, Location loc, Value value) {
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  Value nearest = arith::TruncFOp::create(builder, loc, f32, value);
  Value back = arith::ExtFOp::create(builder, loc, value.getType(), nearest);
  Value bits = arith::BitcastOp::create(builder, loc, i32, nearest);
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
  Value minusOne =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(-1));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  Value lastBit = arith::AndIOp::create(builder, loc, bits, one);
  Value even = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     lastBit, zero);
  // Ordered: a NaN, and an infinity, stay what they are.
  Value inexact = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ONE,
                                        back, value);
  Value adjust = arith::AndIOp::create(builder, loc, even, inexact);
  Value magnitude = math::AbsFOp::create(builder, loc, value);
  Value backMagnitude = math::AbsFOp::create(builder, loc, back);
  Value below = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                                      backMagnitude, magnitude);
  Value step = arith::SelectOp::create(builder, loc, below, one, minusOne);
  Value moved = arith::AddIOp::create(builder, loc, bits, step);
  Value odd = arith::SelectOp::create(builder, loc, adjust, moved, bits);
  return arith::BitcastOp::create(builder, loc, f32, odd);
}

Value ScalarBuilder::widen(Value value) { return round(value, compute); }

Value ScalarBuilder::round(Value value, Type type) {
  if (value.getType() == type)
    return value;
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtFOp::create(builder, loc, type, value);
  if (from == to) {
    // Between bf16 and f16: f32 holds both.
    Value wide =
        arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
    return arith::TruncFOp::create(builder, loc, type, wide);
  }
  if (from == 64 && to < 32)
    value = roundToOdd(builder, loc, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}

Value ScalarBuilder::roundTowardZero(Value value, Type type) {
  unsigned to = type.getIntOrFloatBitWidth();
  bool sameWidth = value.getType().getIntOrFloatBitWidth() == to;
  if (value.getType() == type ||
      (!sameWidth && value.getType().getIntOrFloatBitWidth() < to))
    return round(value, type);
  if (sameWidth)
    value = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  Value nearest = round(value, type);
  Value back = round(nearest, value.getType());
  Value backMagnitude = math::AbsFOp::create(builder, loc, back);
  Value magnitude = math::AbsFOp::create(builder, loc, value);
  Value beyond = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                       backMagnitude, magnitude);
  Type bitsType = builder.getIntegerType(to);
  Value bits = arith::BitcastOp::create(builder, loc, bitsType, nearest);
  Value one = arith::ConstantOp::create(builder, loc,
                                        builder.getIntegerAttr(bitsType, 1));
  Value nearer = arith::SubIOp::create(builder, loc, bits, one);
  Value chosen = arith::SelectOp::create(builder, loc, beyond, nearer, bits);
  return arith::BitcastOp::create(builder, loc, type, chosen);
}

Value ScalarBuilder::clampToRange(Value value, FloatType type) {
  auto wide = cast<FloatType>(value.getType());
  APFloat largest = APFloat::getLargest(type.getFloatSemantics());
  bool lossy;
  largest.convert(wide.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &lossy);
  auto makeConstant = [&](const APFloat &number) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     FloatAttr::get(wide, number));
  };
  Value high = makeConstant(largest), low = makeConstant(-largest);
  Value above = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                      value, high);
  Value below = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                                      value, low);
  Value clamped = arith::SelectOp::create(builder, loc, above, high, value);
  return arith::SelectOp::create(builder, loc, below, low, clamped);
}

Value ScalarBuilder::constant(double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(compute, value));
}
Value ScalarBuilder::add(Value lhs, Value rhs) {
  return arith::AddFOp::create(builder, loc, lhs, rhs, flags);
}
Value ScalarBuilder::sub(Value lhs, Value rhs) {
  return arith::SubFOp::create(builder, loc, lhs, rhs, flags);
}
Value ScalarBuilder::mul(Value lhs, Value rhs) {
  return arith::MulFOp::create(builder, loc, lhs, rhs, flags);
}
Value ScalarBuilder::div(Value lhs, Value rhs) {
  return arith::DivFOp::create(builder, loc, lhs, rhs, flags);
}
Value ScalarBuilder::neg(Value value) {
  return arith::NegFOp::create(builder, loc, value);
}
Value ScalarBuilder::abs(Value value) {
  return math::AbsFOp::create(builder, loc, value);
}
Value ScalarBuilder::maximum(Value lhs, Value rhs) {
  return arith::MaximumFOp::create(builder, loc, lhs, rhs);
}
Value ScalarBuilder::minimum(Value lhs, Value rhs) {
  return arith::MinimumFOp::create(builder, loc, lhs, rhs);
}
Value ScalarBuilder::exp(Value value) {
  return math::ExpOp::create(builder, loc, value);
}
Value ScalarBuilder::log(Value value) {
  return math::LogOp::create(builder, loc, value);
}
Value ScalarBuilder::sqrt(Value value) {
  return math::SqrtOp::create(builder, loc, value);
}
Value ScalarBuilder::tanh(Value value) {
  return math::TanhOp::create(builder, loc, value);
}
Value ScalarBuilder::erfc(Value value) {
  return math::ErfcOp::create(builder, loc, value);
}
Value ScalarBuilder::sigmoid(Value value) {
  Value one = constant(1.0);
  Value inverse = neg(value);
  Value power = exp(inverse);
  Value sum = add(one, power);
  return div(one, sum);
}
Value ScalarBuilder::compare(arith::CmpFPredicate predicate, Value lhs,
                             Value rhs) {
  return arith::CmpFOp::create(builder, loc, predicate, lhs, rhs);
}
Value ScalarBuilder::select(Value condition, Value lhs, Value rhs) {
  return arith::SelectOp::create(builder, loc, condition, lhs, rhs);
}
/// `value` as i64; an i1 is 0 or 1.
static Value widenInt(OpBuilder &builder, Location loc, Value value) {
  Type i64 = builder.getI64Type();
  if (value.getType() == i64)
    return value;
  if (value.getType().isInteger(1))
    return arith::ExtUIOp::create(builder, loc, i64, value);
  return arith::ExtSIOp::create(builder, loc, i64, value);
}

Value ScalarBuilder::fromInt(Value value) {
  if (isa<FloatType>(value.getType()))
    return value;
  if (value.getType().isInteger(1))
    return arith::UIToFPOp::create(builder, loc, compute, value);
  return arith::SIToFPOp::create(builder, loc, compute, value);
}
Value ScalarBuilder::compareInt(arith::CmpIPredicate predicate, Value lhs,
                                int64_t rhs) {
  // A constant beyond the type's range equals no value of it.
  unsigned bits = lhs.getType().getIntOrFloatBitWidth();
  if (bits == 1 || (bits < 64 && !llvm::isIntN(bits, rhs)))
    lhs = widenInt(builder, loc, lhs);
  Value constant = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(lhs.getType(), rhs));
  return arith::CmpIOp::create(builder, loc, predicate, lhs, constant);
}
Value ScalarBuilder::isOutside(Value value, int64_t count) {
  Value negative = compareInt(arith::CmpIPredicate::slt, value, 0);
  Value large = compareInt(arith::CmpIPredicate::sge, value, count);
  return arith::OrIOp::create(builder, loc, negative, large);
}
Value ScalarBuilder::isIndex(Value value, int64_t dim) {
  Value index = linalg::IndexOp::create(builder, loc, dim);
  Type i64 = builder.getI64Type();
  Value wide = arith::IndexCastOp::create(builder, loc, i64, index);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, wide,
                               widenInt(builder, loc, value));
}
Value ScalarBuilder::addIf(Value sum, Value value,
                           arith::CmpIPredicate predicate, int64_t other) {
  return addBool(sum, compareInt(predicate, value, other));
}
Value ScalarBuilder::addBool(Value sum, Value condition) {
  Value one = arith::ExtUIOp::create(builder, loc, sum.getType(), condition);
  return arith::AddIOp::create(builder, loc, sum, one);
}
Value ScalarBuilder::either(Value lhs, Value rhs) {
  return arith::OrIOp::create(builder, loc, lhs, rhs);
}

} // namespace mlir::amp
