//===- LaneBuilder.h - Bits of scalars and vectors --------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin builder for arithmetic on the bits of a value that is a scalar or a
// vector: every op is one of arith on the lanes' type.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_UTILS_LANEBUILDER_H
#define AMP_CONVERSION_UTILS_LANEBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mlir::amp {

class LaneBuilder {
public:
  /// Values have as many lanes as `like`.
  LaneBuilder(OpBuilder &builder, Location loc, Type like)
      : builder(builder), loc(loc), shape(dyn_cast<ShapedType>(like)) {}

  /// `element` in every lane.
  Type type(Type element) {
    return shape ? Type(shape.clone(element)) : element;
  }
  Type integer(unsigned width) { return type(builder.getIntegerType(width)); }
  Value constant(TypedAttr value) {
    if (!shape)
      return arith::ConstantOp::create(builder, loc, value);
    auto lanes = cast<ShapedType>(type(value.getType()));
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(lanes, value));
  }
  /// Of the width of `like`'s lanes.
  Value constantLike(Value like, int64_t value) {
    Type element = getElementTypeOrSelf(like.getType());
    return constant(builder.getIntegerAttr(element, value));
  }
  Value bitcast(Value value, Type element) {
    return arith::BitcastOp::create(builder, loc, type(element), value);
  }
  Value extend(Value value, unsigned width) {
    return arith::ExtUIOp::create(builder, loc, integer(width), value);
  }
  Value truncate(Value value, unsigned width) {
    return arith::TruncIOp::create(builder, loc, integer(width), value);
  }
  Value select(Value condition, Value lhs, Value rhs) {
    return arith::SelectOp::create(builder, loc, condition, lhs, rhs);
  }
  Value select(Value condition, int64_t lhs, Value rhs) {
    return select(condition, constantLike(rhs, lhs), rhs);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, int64_t rhs) {
    Value bound = constantLike(lhs, rhs);
    return arith::CmpIOp::create(builder, loc, predicate, lhs, bound);
  }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  }
  Value bitAnd(Value lhs, int64_t rhs) {
    Value mask = constantLike(lhs, rhs);
    return arith::AndIOp::create(builder, loc, lhs, mask);
  }
  Value bitOr(Value lhs, Value rhs) {
    return arith::OrIOp::create(builder, loc, lhs, rhs);
  }
  Value bitOr(Value lhs, int64_t rhs) {
    return bitOr(lhs, constantLike(lhs, rhs));
  }
  Value shiftLeft(Value lhs, int64_t amount) {
    Value by = constantLike(lhs, amount);
    return arith::ShLIOp::create(builder, loc, lhs, by);
  }
  Value shiftRight(Value lhs, Value amount) {
    return arith::ShRUIOp::create(builder, loc, lhs, amount);
  }
  Value shiftRight(Value lhs, int64_t amount) {
    return shiftRight(lhs, constantLike(lhs, amount));
  }

  OpBuilder &builder;
  Location loc;

private:
  ShapedType shape;
};

} // namespace mlir::amp

#endif // AMP_CONVERSION_UTILS_LANEBUILDER_H
