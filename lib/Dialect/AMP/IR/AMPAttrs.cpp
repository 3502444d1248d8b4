//===- AMPAttrs.cpp - Attributes of the precision dialect -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerations, attribute definitions and the text form of the parameters of
// #amp.numerics.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMP/IR/AMPDialect.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::amp;

#include "amp/Dialect/AMP/IR/AMPEnums.cpp.inc"

//===----------------------------------------------------------------------===//
// OperandPrecision and AccumulationOrder
//===----------------------------------------------------------------------===//

llvm::hash_code amp::hash_value(const OperandPrecision &precision) {
  return llvm::hash_combine(precision.type, precision.components);
}

llvm::hash_code amp::hash_value(const AccumulationOrder &order) {
  return llvm::hash_combine(static_cast<int>(order.kind), order.block);
}

AsmPrinter &amp::operator<<(AsmPrinter &printer,
                            const OperandPrecision &precision) {
  printer << precision.type;
  if (precision.components > 1)
    printer << 'x' << precision.components;
  return printer;
}

AsmPrinter &amp::operator<<(AsmPrinter &printer,
                            const AccumulationOrder &order) {
  switch (order.kind) {
  case AccumulationOrder::Kind::any:
    return printer << "any";
  case AccumulationOrder::Kind::sequential:
    return printer << "sequential";
  case AccumulationOrder::Kind::blocked:
    return printer << "blocked<" << order.block << '>';
  }
  llvm_unreachable("unknown accumulation order");
}

/// The float type that a keyword of an operand precision names.
static Type parseFloatKeyword(MLIRContext *context, StringRef keyword) {
  return llvm::StringSwitch<Type>(keyword)
      .Case("f64", Float64Type::get(context))
      .Case("f32", Float32Type::get(context))
      .Case("tf32", FloatTF32Type::get(context))
      .Case("f16", Float16Type::get(context))
      .Case("bf16", BFloat16Type::get(context))
      .Case("f8E4M3FN", Float8E4M3FNType::get(context))
      .Case("f8E5M2", Float8E5M2Type::get(context))
      .Default({});
}

FailureOr<OperandPrecision>
FieldParser<OperandPrecision>::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  OperandPrecision precision;
  auto [name, count] = keyword.rsplit('x');
  if (!count.empty() && !count.getAsInteger(10, precision.components))
    keyword = name;
  precision.type = parseFloatKeyword(parser.getContext(), keyword);
  if (!precision.type || precision.components == 0) {
    parser.emitError(loc, "expects a float format or a split of one such as "
                          "'bf16x3', but got '")
        << keyword << "'";
    return failure();
  }
  return precision;
}

FailureOr<AccumulationOrder>
FieldParser<AccumulationOrder>::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  AccumulationOrder order;
  if (keyword == "any")
    return order;
  if (keyword == "sequential") {
    order.kind = AccumulationOrder::Kind::sequential;
    return order;
  }
  if (keyword != "blocked") {
    parser.emitError(loc,
                     "expects 'any', 'sequential' or 'blocked<k>', but got '")
        << keyword << "'";
    return failure();
  }
  order.kind = AccumulationOrder::Kind::blocked;
  if (parser.parseLess() || parser.parseInteger(order.block) ||
      parser.parseGreater())
    return failure();
  return order;
}

//===----------------------------------------------------------------------===//
// NumericsAttr
//===----------------------------------------------------------------------===//

NumericsAttr NumericsAttr::getF32(MLIRContext *context) {
  return NumericsAttr::get(context, Float32Type::get(context));
}

Type NumericsAttr::getAccumulateOrF32() const {
  if (Type type = getAccumulate())
    return type;
  return Float32Type::get(getContext());
}

LogicalResult NumericsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   OperandPrecision lhs, OperandPrecision rhs,
                                   Type accumulate, AccumulationOrder order,
                                   Subnormals subnormals, Excess excess) {
  if (accumulate && !isa<FloatType>(accumulate))
    return emitError() << "expects a float accumulator, but got " << accumulate;
  if (order.kind == AccumulationOrder::Kind::blocked && order.block < 1)
    return emitError() << "expects a positive block of accumulation, but got "
                       << order.block;
  return success();
}

#define GET_ATTRDEF_CLASSES
#include "amp/Dialect/AMP/IR/AMPAttrs.cpp.inc"

// Registered here, beside the generated storage classes they need.
void AMPDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "amp/Dialect/AMP/IR/AMPAttrs.cpp.inc"
      >();
}
