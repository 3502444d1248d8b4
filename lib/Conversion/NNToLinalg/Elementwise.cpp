//===- Elementwise.cpp - Elementwise ops to linalg -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One `emit` overload per op: the scalar formula, in the compute type. Formulas
// are chosen so that no intermediate overflows into inf / inf and none cancels.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "amp/Dialect/NN/IR/NNDialect.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::nntolinalg;

static Value emit(nn::AddOp, ScalarBuilder &s, ValueRange v) {
  return s.add(v[0], v[1]);
}
static Value emit(nn::SubOp, ScalarBuilder &s, ValueRange v) {
  return s.sub(v[0], v[1]);
}
static Value emit(nn::MulOp, ScalarBuilder &s, ValueRange v) {
  return s.mul(v[0], v[1]);
}
static Value emit(nn::DivOp, ScalarBuilder &s, ValueRange v) {
  return s.div(v[0], v[1]);
}
static Value emit(nn::MaximumOp, ScalarBuilder &s, ValueRange v) {
  return s.maximum(v[0], v[1]);
}
static Value emit(nn::NegOp, ScalarBuilder &s, ValueRange v) {
  return s.neg(v[0]);
}
static Value emit(nn::AbsOp, ScalarBuilder &s, ValueRange v) {
  return s.abs(v[0]);
}
static Value emit(nn::ExpOp, ScalarBuilder &s, ValueRange v) {
  return s.exp(v[0]);
}
static Value emit(nn::LogOp, ScalarBuilder &s, ValueRange v) {
  return s.log(v[0]);
}
static Value emit(nn::SqrtOp, ScalarBuilder &s, ValueRange v) {
  return s.sqrt(v[0]);
}
/// A division and a root, half an ulp each; the approximation of math.rsqrt has
/// three times that.
static Value emit(nn::RsqrtOp, ScalarBuilder &s, ValueRange v) {
  return s.div(1.0, s.sqrt(v[0]));
}
static Value emit(nn::TanhOp, ScalarBuilder &s, ValueRange v) {
  return s.tanh(v[0]);
}
static Value emit(nn::SigmoidOp, ScalarBuilder &s, ValueRange v) {
  return s.sigmoid(v[0]);
}
/// Unordered compare: NaN stays NaN.
static Value emit(nn::ReluOp, ScalarBuilder &s, ValueRange v) {
  Value zero = s.constant(0.0);
  Value keep = s.compare(arith::CmpFPredicate::UGT, v[0], zero);
  return s.select(keep, v[0], zero);
}
/// x / (1 + e^-x).
static Value emit(nn::SiluOp, ScalarBuilder &s, ValueRange v) {
  Value power = s.exp(s.neg(v[0]));
  return s.div(v[0], s.add(1.0, power));
}
/// erf: x/2 * erfc(-x/sqrt(2)), which does not cancel for x << 0. tanh:
/// x * sigmoid(2u), the same value as x/2 * (1 + tanh(u)) without the
/// cancellation.
static Value emit(nn::GeluOp op, ScalarBuilder &s, ValueRange v) {
  Value x = v[0];
  if (op.getApproximate() == nn::GeluKind::erf) {
    Value argument = s.mul(-0.70710678118654752440, x);
    Value half = s.mul(0.5, x);
    Value tail = s.erfc(argument);
    return s.mul(half, tail);
  }
  Value square = s.mul(x, x);
  Value cubic = s.mul(0.044715, s.mul(square, x));
  Value inner = s.mul(2 * 0.79788456080286535588, s.add(x, cubic));
  Value power = s.exp(s.neg(inner));
  Value sum = s.add(1.0, power);
  return s.div(x, sum);
}

LogicalResult nntolinalg::requireLowerable(PatternRewriter &rewriter,
                                           Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  if (!llvm::all_of(op->getOperandTypes(), isStatic) ||
      !llvm::all_of(op->getResultTypes(), isStatic))
    return rewriter.notifyMatchFailure(op, "expects static shapes");
  auto numerics = cast<NumericOpInterface>(op).getNumericsOrNull();
  if (numerics && numerics.getOrder().kind == AccumulationOrder::Kind::blocked)
    return rewriter.notifyMatchFailure(op, "blocked order has no lowering");
  return success();
}

void nntolinalg::replaceElementwise(
    PatternRewriter &rewriter, Operation *op,
    function_ref<Value(ScalarBuilder &, ValueRange)> emit) {
  FloatType compute =
      getComputeType(rewriter.getContext(), op->getOperandTypes());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<LinalgInput> inputs;
  for (Value operand : op->getOperands())
    inputs.emplace_back(operand);
  rewriter.replaceOp(
      op,
      buildElementwise(rewriter, op->getLoc(), result, inputs,
                       [&](OpBuilder &builder, Location loc,
                           ValueRange elements) -> SmallVector<Value> {
                         ScalarBuilder scalar(builder, loc, compute);
                         Value value = emit(scalar, widenAll(scalar, elements));
                         return {scalar.round(value, result.getElementType())};
                       }));
}

SmallVector<Value> nntolinalg::widenAll(ScalarBuilder &scalar,
                                        ValueRange elements) {
  SmallVector<Value> wide;
  for (Value element : elements)
    wide.push_back(scalar.widen(element));
  return wide;
}

namespace {

/// Floats in, one float out, all of one shape, through `emit`.
template <typename OpTy> struct LowerElementwise : LoweringPattern<OpTy> {
  using LoweringPattern<OpTy>::LoweringPattern;
  void lower(OpTy op, PatternRewriter &rewriter) const override {
    replaceElementwise(rewriter, op,
                       [&](ScalarBuilder &scalar, ValueRange wide) {
                         return emit(op, scalar, wide);
                       });
  }
};

static arith::CmpFPredicate getFloatPredicate(nn::Predicate predicate) {
  switch (predicate) {
  case nn::Predicate::eq:
    return arith::CmpFPredicate::OEQ;
  case nn::Predicate::ne:
    return arith::CmpFPredicate::UNE;
  case nn::Predicate::lt:
    return arith::CmpFPredicate::OLT;
  case nn::Predicate::le:
    return arith::CmpFPredicate::OLE;
  case nn::Predicate::gt:
    return arith::CmpFPredicate::OGT;
  case nn::Predicate::ge:
    return arith::CmpFPredicate::OGE;
  }
  llvm_unreachable("all predicates are covered");
}

/// Integers are signed, booleans are 0 and 1.
static arith::CmpIPredicate getIntPredicate(nn::Predicate predicate,
                                            bool isBool) {
  switch (predicate) {
  case nn::Predicate::eq:
    return arith::CmpIPredicate::eq;
  case nn::Predicate::ne:
    return arith::CmpIPredicate::ne;
  case nn::Predicate::lt:
    return isBool ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  case nn::Predicate::le:
    return isBool ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle;
  case nn::Predicate::gt:
    return isBool ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
  case nn::Predicate::ge:
    return isBool ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge;
  }
  llvm_unreachable("all predicates are covered");
}

struct LowerCompare : LoweringPattern<nn::CompareOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::CompareOp op, PatternRewriter &rewriter) const override {
    auto emitCompare = [&](OpBuilder &builder, Location loc,
                           ValueRange elements) -> SmallVector<Value> {
      if (isa<FloatType>(elements[0].getType())) {
        ScalarBuilder scalar(
            builder, loc,
            getComputeType(builder.getContext(), elements[0].getType()));
        Value lhs = scalar.widen(elements[0]);
        Value rhs = scalar.widen(elements[1]);
        return {scalar.compare(getFloatPredicate(op.getPredicate()), lhs, rhs)};
      }
      auto predicate = getIntPredicate(op.getPredicate(),
                                       elements[0].getType().isInteger(1));
      return {arith::CmpIOp::create(builder, loc, predicate, elements[0],
                                    elements[1])};
    };
    rewriter.replaceOp(op, buildElementwise(rewriter, op.getLoc(), op.getType(),
                                            {op.getLhs(), op.getRhs()},
                                            emitCompare));
  }
};

/// Moves values only: no conversion.
struct LowerSelect : LoweringPattern<nn::SelectOp> {
  using LoweringPattern::LoweringPattern;
  void lower(nn::SelectOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op, buildElementwise(rewriter, op.getLoc(), op.getType(),
                             {op.getCondition(), op.getLhs(), op.getRhs()},
                             [](OpBuilder &builder, Location loc,
                                ValueRange elements) -> SmallVector<Value> {
                               return {arith::SelectOp::create(
                                   builder, loc, elements[0], elements[1],
                                   elements[2])};
                             }));
  }
};

} // namespace

void nntolinalg::populateElementwisePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerElementwise<nn::AddOp>, LowerElementwise<nn::SubOp>,
               LowerElementwise<nn::MulOp>, LowerElementwise<nn::DivOp>,
               LowerElementwise<nn::MaximumOp>, LowerElementwise<nn::NegOp>,
               LowerElementwise<nn::AbsOp>, LowerElementwise<nn::ExpOp>,
               LowerElementwise<nn::LogOp>, LowerElementwise<nn::SqrtOp>,
               LowerElementwise<nn::RsqrtOp>, LowerElementwise<nn::TanhOp>,
               LowerElementwise<nn::SigmoidOp>, LowerElementwise<nn::ReluOp>,
               LowerElementwise<nn::SiluOp>, LowerElementwise<nn::GeluOp>,
               LowerCompare, LowerSelect>(patterns.getContext());
}
