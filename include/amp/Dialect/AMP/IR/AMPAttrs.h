//===- AMPAttrs.h - Attributes of the precision dialect -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerations and attributes of the `amp` dialect. Light on purpose: the `nn`
// dialect and the interfaces depend on this header alone.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_IR_AMPATTRS_H
#define AMP_DIALECT_AMP_IR_AMPATTRS_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/Hashing.h"

#include "amp/Dialect/AMP/IR/AMPEnums.h.inc"

namespace mlir::amp {

/// The precision at which an operand enters a multiplier: `type`, or the sum of
/// `components` values of that type (`bf16x3`). A null type means "the
/// operand's storage type".
struct OperandPrecision {
  Type type;
  unsigned components = 1;

  explicit operator bool() const { return static_cast<bool>(type); }
  bool operator==(const OperandPrecision &other) const {
    return type == other.type && components == other.components;
  }
  bool operator!=(const OperandPrecision &other) const {
    return !(*this == other);
  }
};
llvm::hash_code hash_value(const OperandPrecision &precision);
AsmPrinter &operator<<(AsmPrinter &printer, const OperandPrecision &precision);

/// In which order partial products are added: any, left to right, or left to
/// right inside blocks of `block` terms.
struct AccumulationOrder {
  enum class Kind { any, sequential, blocked };
  Kind kind = Kind::any;
  int64_t block = 0;

  bool operator==(const AccumulationOrder &other) const {
    return kind == other.kind && block == other.block;
  }
  bool operator!=(const AccumulationOrder &other) const {
    return !(*this == other);
  }
};
llvm::hash_code hash_value(const AccumulationOrder &order);
AsmPrinter &operator<<(AsmPrinter &printer, const AccumulationOrder &order);

} // namespace mlir::amp

namespace mlir {
template <> struct FieldParser<amp::OperandPrecision> {
  static FailureOr<amp::OperandPrecision> parse(AsmParser &parser);
};
template <> struct FieldParser<amp::AccumulationOrder> {
  static FailureOr<amp::AccumulationOrder> parse(AsmParser &parser);
};
} // namespace mlir

#define GET_ATTRDEF_CLASSES
#include "amp/Dialect/AMP/IR/AMPAttrs.h.inc"

#endif // AMP_DIALECT_AMP_IR_AMPATTRS_H
