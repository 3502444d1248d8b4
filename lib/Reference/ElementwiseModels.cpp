//===- ElementwiseModels.cpp - Reference semantics of elementwise nn ops --===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic, activations, comparison and conversion, and their derivatives:
// one formula an op, in f64.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"
#include "amp/Dialect/NN/IR/NNDialect.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::reference;

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

/// 1 / (1 + e^-x), without cancellation on either side.
static double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// The normal distribution function; erfc keeps the left tail.
static double normalCDF(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }

static constexpr double cubicWeight = 0.044715;
/// The argument of the tanh approximation of gelu, and its derivative.
static double geluArgument(double x) {
  return std::sqrt(2.0 / M_PI) * (x + cubicWeight * x * x * x);
}
static double geluArgumentSlope(double x) {
  return std::sqrt(2.0 / M_PI) * (1.0 + 3.0 * cubicWeight * x * x);
}

static double gelu(double x, nn::GeluKind kind) {
  if (kind == nn::GeluKind::erf)
    return x * normalCDF(x);
  // (1 + tanh(u)) / 2 = sigmoid(2u)
  return x * sigmoid(2.0 * geluArgument(x));
}

static double geluSlope(double x, nn::GeluKind kind) {
  if (kind == nn::GeluKind::erf)
    return normalCDF(x) + x * std::exp(-0.5 * x * x) / std::sqrt(2.0 * M_PI);
  double u = geluArgument(x);
  // The derivative of sigmoid(2u) is 2 sigmoid(2u) sigmoid(-2u) u'.
  return sigmoid(2.0 * u) +
         2.0 * x * sigmoid(2.0 * u) * sigmoid(-2.0 * u) * geluArgumentSlope(x);
}

/// The larger operand; NaN if either is NaN.
static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  return std::max(a, b);
}

template <typename T> static bool compareBy(nn::Predicate predicate, T a, T b) {
  switch (predicate) {
  case nn::Predicate::eq:
    return a == b;
  case nn::Predicate::ne:
    return a != b;
  case nn::Predicate::lt:
    return a < b;
  case nn::Predicate::le:
    return a <= b;
  case nn::Predicate::gt:
    return a > b;
  case nn::Predicate::ge:
    return a >= b;
  }
  llvm_unreachable("all predicates are handled");
}

namespace {
using Elements = ArrayRef<Element>;

struct Forward {
  static Element compute(nn::AddOp, Elements x) {
    return real(x[0].f + x[1].f);
  }
  static Element compute(nn::SubOp, Elements x) {
    return real(x[0].f - x[1].f);
  }
  static Element compute(nn::MulOp, Elements x) {
    return real(x[0].f * x[1].f);
  }
  static Element compute(nn::DivOp, Elements x) {
    return real(x[0].f / x[1].f);
  }
  static Element compute(nn::MaximumOp, Elements x) {
    return real(maximum(x[0].f, x[1].f));
  }
  static Element compute(nn::NegOp, Elements x) { return real(-x[0].f); }
  static Element compute(nn::AbsOp, Elements x) {
    return real(std::fabs(x[0].f));
  }
  static Element compute(nn::ExpOp, Elements x) {
    return real(std::exp(x[0].f));
  }
  static Element compute(nn::LogOp, Elements x) {
    return real(std::log(x[0].f));
  }
  static Element compute(nn::SqrtOp, Elements x) {
    return real(std::sqrt(x[0].f));
  }
  static Element compute(nn::RsqrtOp, Elements x) {
    return real(1.0 / std::sqrt(x[0].f));
  }
  static Element compute(nn::TanhOp, Elements x) {
    return real(std::tanh(x[0].f));
  }
  static Element compute(nn::SigmoidOp, Elements x) {
    return real(sigmoid(x[0].f));
  }
  static Element compute(nn::ReluOp, Elements x) {
    return real(x[0].f < 0 ? 0.0 : x[0].f);
  }
  static Element compute(nn::SiluOp, Elements x) {
    return real(x[0].f * sigmoid(x[0].f));
  }
  static Element compute(nn::GeluOp op, Elements x) {
    return real(gelu(x[0].f, op.getApproximate()));
  }
  static Element compute(nn::CompareOp op, Elements x) {
    bool isFloat = isa<FloatType>(op.getLhs().getType().getElementType());
    return integer(isFloat ? compareBy(op.getPredicate(), x[0].f, x[1].f)
                           : compareBy(op.getPredicate(), x[0].i, x[1].i));
  }
  static Element compute(nn::SelectOp, Elements x) {
    return x[0].i ? x[1] : x[2];
  }
  static Element compute(nn::ConvertOp op, Elements x) {
    Type from = op.getInput().getType().getElementType();
    Type to = op.getType().getElementType();
    if (isa<FloatType>(from))
      // A boolean is "not zero"; integers are truncated.
      return integer(to.isInteger(1) ? x[0].f != 0
                                     : truncateToInteger(x[0].f, to));
    if (FloatType type = dyn_cast<FloatType>(to))
      return real(roundInteger(x[0].i, /*isSigned=*/true, type));
    return integer(to.isInteger(1) ? x[0].i != 0 : x[0].i);
  }
};

/// x[0] is the cotangent, then come the saved values.
struct Backward {
  static Element compute(nn::DivRhsGradOp, Elements x) {
    return real(-x[0].f * ((x[1].f / x[2].f) / x[2].f));
  }
  static Element compute(nn::AbsGradOp, Elements x) {
    return real(x[0].f * double((x[1].f > 0) - (x[1].f < 0)));
  }
  static Element compute(nn::SqrtGradOp, Elements x) {
    return real(x[0].f / (2.0 * x[1].f));
  }
  static Element compute(nn::RsqrtGradOp, Elements x) {
    return real(-0.5 * x[0].f * (x[1].f * x[1].f * x[1].f));
  }
  static Element compute(nn::TanhGradOp, Elements x) {
    return real(x[0].f * (1.0 - x[1].f * x[1].f));
  }
  static Element compute(nn::SigmoidGradOp, Elements x) {
    return real(x[0].f * x[1].f * (1.0 - x[1].f));
  }
  static Element compute(nn::ReluGradOp, Elements x) {
    return real(x[1].f > 0 ? x[0].f : 0.0);
  }
  static Element compute(nn::SiluGradOp, Elements x) {
    // 1 - sigmoid(x) = sigmoid(-x)
    return real(x[0].f * sigmoid(x[1].f) * (1.0 + x[1].f * sigmoid(-x[1].f)));
  }
  static Element compute(nn::GeluGradOp op, Elements x) {
    return real(x[0].f * geluSlope(x[1].f, op.getApproximate()));
  }
};

struct MaximumGradModel
    : ReferenceOpInterface::ExternalModel<MaximumGradModel, nn::MaximumGradOp> {
  LogicalResult evaluate(Operation *op, ArrayRef<ReferenceTensor> operands,
                         SmallVectorImpl<ReferenceTensor> &results) const {
    // A NaN compares neither equal nor less: both sides get the cotangent.
    for (unsigned own : {1u, 2u}) {
      FailureOr<ReferenceTensor> result = mapElements(
          op, resultElementType(op, own - 1), operands, [&](Elements x) {
            double a = x[own].f, b = x[3 - own].f;
            return real(a == b ? 0.5 * x[0].f : a < b ? 0.0 : x[0].f);
          });
      if (failed(result))
        return failure();
      results.push_back(std::move(*result));
    }
    return success();
  }
};
} // namespace

void reference::registerElementwiseModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, nn::NNDialect *) {
    attachElementwise<Forward, nn::AddOp, nn::SubOp, nn::MulOp, nn::DivOp,
                      nn::MaximumOp, nn::NegOp, nn::AbsOp, nn::ExpOp, nn::LogOp,
                      nn::SqrtOp, nn::RsqrtOp, nn::TanhOp, nn::SigmoidOp,
                      nn::ReluOp, nn::SiluOp, nn::GeluOp, nn::CompareOp,
                      nn::SelectOp, nn::ConvertOp>(context);
    attachElementwise<Backward, nn::DivRhsGradOp, nn::AbsGradOp, nn::SqrtGradOp,
                      nn::RsqrtGradOp, nn::TanhGradOp, nn::SigmoidGradOp,
                      nn::ReluGradOp, nn::SiluGradOp, nn::GeluGradOp>(context);
    nn::MaximumGradOp::attachInterface<MaximumGradModel>(*context);
  });
}
