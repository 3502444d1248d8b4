//===- ArithModels.cpp - Reference semantics of arith and math ops --------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scalar arithmetic of update regions and of metrics. Each op rounds to its
// result's type: f32 sums, products, quotients and roots computed in f64 round
// to what f32 arithmetic gives (53 >= 2 * 24 + 2 bits).
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::reference;

static constexpr double quietNaN = std::numeric_limits<double>::quiet_NaN();

/// maximumf and minimumf: NaN wins, and +0 is larger than -0.
static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return quietNaN;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
static double minimum(double a, double b) { return -maximum(-a, -b); }

static bool compareFloats(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::UGT:
    return !(a <= b);
  case arith::CmpFPredicate::UGE:
    return !(a < b);
  case arith::CmpFPredicate::ULT:
    return !(a >= b);
  case arith::CmpFPredicate::ULE:
    return !(a > b);
  case arith::CmpFPredicate::UNE:
    return a != b;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  llvm_unreachable("all predicates are handled");
}

/// The bits of an integer of `type`, zero-extended.
static uint64_t zeroExtend(int64_t value, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  return width >= 64 ? uint64_t(value)
                     : uint64_t(value) & ((uint64_t(1) << width) - 1);
}
/// The value of an integer of `type` read as signed (i1 is held as 0 or 1).
static int64_t signExtend(int64_t value, Type type) {
  return type.isInteger(1) ? -value : value;
}

static bool compareIntegers(arith::CmpIPredicate predicate, int64_t a,
                            int64_t b, Type type) {
  int64_t sa = signExtend(a, type), sb = signExtend(b, type);
  uint64_t ua = zeroExtend(a, type), ub = zeroExtend(b, type);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return ua == ub;
  case arith::CmpIPredicate::ne:
    return ua != ub;
  case arith::CmpIPredicate::slt:
    return sa < sb;
  case arith::CmpIPredicate::sle:
    return sa <= sb;
  case arith::CmpIPredicate::sgt:
    return sa > sb;
  case arith::CmpIPredicate::sge:
    return sa >= sb;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  llvm_unreachable("all predicates are handled");
}

static Type operandType(Operation *op, unsigned index = 0) {
  return getElementTypeOrSelf(op->getOperand(index).getType());
}

/// One rounding where the type allows it exactly (a * b is exact in f64 for
/// f32).
static double fusedMultiplyAdd(Operation *op, double a, double b, double c) {
  if (resultElementType(op).isF32())
    return std::fma(float(a), float(b), float(c));
  return std::fma(a, b, c);
}

namespace {
using Elements = ArrayRef<Element>;

struct Arith {
  static Element compute(arith::AddFOp, Elements x) {
    return real(x[0].f + x[1].f);
  }
  static Element compute(arith::SubFOp, Elements x) {
    return real(x[0].f - x[1].f);
  }
  static Element compute(arith::MulFOp, Elements x) {
    return real(x[0].f * x[1].f);
  }
  static Element compute(arith::DivFOp, Elements x) {
    return real(x[0].f / x[1].f);
  }
  static Element compute(arith::RemFOp, Elements x) {
    return real(std::fmod(x[0].f, x[1].f));
  }
  static Element compute(arith::NegFOp, Elements x) { return real(-x[0].f); }
  static Element compute(arith::MaximumFOp, Elements x) {
    return real(maximum(x[0].f, x[1].f));
  }
  static Element compute(arith::MinimumFOp, Elements x) {
    return real(minimum(x[0].f, x[1].f));
  }
  static Element compute(arith::MaxNumFOp, Elements x) {
    return real(std::fmax(x[0].f, x[1].f));
  }
  static Element compute(arith::MinNumFOp, Elements x) {
    return real(std::fmin(x[0].f, x[1].f));
  }
  static Element compute(arith::CmpFOp op, Elements x) {
    return integer(compareFloats(op.getPredicate(), x[0].f, x[1].f));
  }
  static Element compute(arith::SelectOp, Elements x) {
    return x[0].i ? x[1] : x[2];
  }
  static Element compute(arith::ExtFOp, Elements x) { return x[0]; }
  static Element compute(arith::TruncFOp op, Elements x) {
    return real(roundTo(x[0].f, cast<FloatType>(resultElementType(op)),
                        convertRounding(op.getRoundingmode())));
  }

  // Integers wrap: computed unsigned, cut to the type's width afterwards.
  static Element compute(arith::AddIOp, Elements x) {
    return integer(uint64_t(x[0].i) + uint64_t(x[1].i));
  }
  static Element compute(arith::SubIOp, Elements x) {
    return integer(uint64_t(x[0].i) - uint64_t(x[1].i));
  }
  static Element compute(arith::MulIOp, Elements x) {
    return integer(uint64_t(x[0].i) * uint64_t(x[1].i));
  }
  static Element compute(arith::AndIOp, Elements x) {
    return integer(x[0].i & x[1].i);
  }
  static Element compute(arith::OrIOp, Elements x) {
    return integer(x[0].i | x[1].i);
  }
  static Element compute(arith::XOrIOp, Elements x) {
    return integer(x[0].i ^ x[1].i);
  }
  static Element compute(arith::MaxSIOp op, Elements x) {
    return integer(std::max(signExtend(x[0].i, operandType(op)),
                            signExtend(x[1].i, operandType(op))));
  }
  static Element compute(arith::MinSIOp op, Elements x) {
    return integer(std::min(signExtend(x[0].i, operandType(op)),
                            signExtend(x[1].i, operandType(op))));
  }
  static Element compute(arith::MaxUIOp op, Elements x) {
    return integer(std::max(zeroExtend(x[0].i, operandType(op)),
                            zeroExtend(x[1].i, operandType(op))));
  }
  static Element compute(arith::MinUIOp op, Elements x) {
    return integer(std::min(zeroExtend(x[0].i, operandType(op)),
                            zeroExtend(x[1].i, operandType(op))));
  }
  static Element compute(arith::CmpIOp op, Elements x) {
    return integer(
        compareIntegers(op.getPredicate(), x[0].i, x[1].i, operandType(op)));
  }
  static Element compute(arith::ExtUIOp op, Elements x) {
    return integer(zeroExtend(x[0].i, operandType(op)));
  }
  static Element compute(arith::ExtSIOp op, Elements x) {
    return integer(signExtend(x[0].i, operandType(op)));
  }
  static Element compute(arith::TruncIOp, Elements x) { return x[0]; }
  static Element compute(arith::UIToFPOp op, Elements x) {
    return real(roundInteger(zeroExtend(x[0].i, operandType(op)),
                             /*isSigned=*/false,
                             cast<FloatType>(resultElementType(op))));
  }
  static Element compute(arith::SIToFPOp op, Elements x) {
    return real(roundInteger(signExtend(x[0].i, operandType(op)),
                             /*isSigned=*/true,
                             cast<FloatType>(resultElementType(op))));
  }
  static Element compute(arith::FPToSIOp op, Elements x) {
    return integer(truncateToInteger(x[0].f, resultElementType(op)));
  }
  static Element compute(arith::FPToUIOp op, Elements x) {
    return integer(
        x[0].f <= 0 ? 0 : truncateToInteger(x[0].f, resultElementType(op)));
  }
};

struct Math {
  static Element compute(math::AbsFOp, Elements x) {
    return real(std::fabs(x[0].f));
  }
  static Element compute(math::CeilOp, Elements x) {
    return real(std::ceil(x[0].f));
  }
  static Element compute(math::FloorOp, Elements x) {
    return real(std::floor(x[0].f));
  }
  static Element compute(math::CopySignOp, Elements x) {
    return real(std::copysign(x[0].f, x[1].f));
  }
  static Element compute(math::SqrtOp, Elements x) {
    return real(std::sqrt(x[0].f));
  }
  static Element compute(math::RsqrtOp, Elements x) {
    return real(1.0 / std::sqrt(x[0].f));
  }
  static Element compute(math::ExpOp, Elements x) {
    return real(std::exp(x[0].f));
  }
  static Element compute(math::Exp2Op, Elements x) {
    return real(std::exp2(x[0].f));
  }
  static Element compute(math::ExpM1Op, Elements x) {
    return real(std::expm1(x[0].f));
  }
  static Element compute(math::LogOp, Elements x) {
    return real(std::log(x[0].f));
  }
  static Element compute(math::Log2Op, Elements x) {
    return real(std::log2(x[0].f));
  }
  static Element compute(math::Log1pOp, Elements x) {
    return real(std::log1p(x[0].f));
  }
  static Element compute(math::TanhOp, Elements x) {
    return real(std::tanh(x[0].f));
  }
  static Element compute(math::ErfOp, Elements x) {
    return real(std::erf(x[0].f));
  }
  static Element compute(math::ErfcOp, Elements x) {
    return real(std::erfc(x[0].f));
  }
  static Element compute(math::PowFOp, Elements x) {
    return real(std::pow(x[0].f, x[1].f));
  }
  static Element compute(math::FPowIOp, Elements x) {
    return real(std::pow(x[0].f, double(x[1].i)));
  }
  static Element compute(math::FmaOp op, Elements x) {
    return real(fusedMultiplyAdd(op, x[0].f, x[1].f, x[2].f));
  }
};

struct ConstantModel
    : ReferenceOpInterface::ExternalModel<ConstantModel, arith::ConstantOp> {
  LogicalResult evaluate(Operation *op, ArrayRef<ReferenceTensor>,
                         SmallVectorImpl<ReferenceTensor> &results) const {
    TypedAttr value = cast<arith::ConstantOp>(op).getValue();
    if (auto elements = dyn_cast<ElementsAttr>(value))
      results.push_back(fromElements(elements));
    else if (auto number = dyn_cast<FloatAttr>(value))
      results.push_back(makeScalar(number.getValueAsDouble(),
                                   cast<FloatType>(number.getType())));
    else if (auto number = dyn_cast<IntegerAttr>(value);
             number && isa<IntegerType>(number.getType()))
      results.push_back(makeScalar(number.getValue().getSExtValue(),
                                   cast<IntegerType>(number.getType())));
    else
      return op->emitOpError("has no reference semantics for ")
             << value.getType();
    return success();
  }
};
} // namespace

void reference::registerArithModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attachElementwise<Arith, arith::AddFOp, arith::SubFOp, arith::MulFOp,
                      arith::DivFOp, arith::RemFOp, arith::NegFOp,
                      arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                      arith::MinNumFOp, arith::CmpFOp, arith::SelectOp,
                      arith::ExtFOp, arith::TruncFOp>(context);
    attachElementwise<Arith, arith::AddIOp, arith::SubIOp, arith::MulIOp,
                      arith::AndIOp, arith::OrIOp, arith::XOrIOp,
                      arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
                      arith::MinUIOp, arith::CmpIOp, arith::ExtUIOp,
                      arith::ExtSIOp, arith::TruncIOp, arith::UIToFPOp,
                      arith::SIToFPOp, arith::FPToSIOp, arith::FPToUIOp>(
        context);
    arith::ConstantOp::attachInterface<ConstantModel>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachElementwise<Math, math::AbsFOp, math::CeilOp, math::FloorOp,
                      math::CopySignOp, math::SqrtOp, math::RsqrtOp,
                      math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp,
                      math::Log2Op, math::Log1pOp, math::TanhOp, math::ErfOp,
                      math::ErfcOp, math::PowFOp, math::FPowIOp, math::FmaOp>(
        context);
  });
}
