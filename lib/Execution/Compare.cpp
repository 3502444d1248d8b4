//===- Compare.cpp - Comparison of tensors --------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/Compare.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::amp;

std::string Tolerance::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto add = [&](StringRef name, std::optional<double> value) {
    if (value)
      os << (text.empty() ? "" : " ") << name << "="
         << llvm::format("%g", *value);
  };
  add("ulp", ulp);
  add("rtol", relative);
  add("atol", absolute);
  return text.empty() ? "exact" : text;
}

/// The position of a finite value in the order of all values of `type`; both
/// zeros are 0.
static int64_t ordinal(double value, FloatType type) {
  llvm::APFloat encoded(value);
  bool losesInfo = false;
  encoded.convert(type.getFloatSemantics(),
                  llvm::RoundingMode::NearestTiesToEven, &losesInfo);
  llvm::APInt bits = encoded.bitcastToAPInt();
  bool isNegative = bits.isNegative();
  bits.clearSignBit();
  int64_t magnitude = bits.getZExtValue();
  return isNegative ? -magnitude : magnitude;
}

double amp::ulpDistance(double a, double b, FloatType type) {
  int64_t x = ordinal(a, type), y = ordinal(b, type);
  // The difference of f64 ordinals of different signs overflows an integer.
  if ((x < 0) != (y < 0))
    return std::fabs(double(x) - double(y));
  return std::fabs(double(x - y));
}

namespace {
/// The differences of one element.
struct Difference {
  double ulp = 0, absolute = 0, relative = 0;
  bool isComparable = true;
};
} // namespace

static Difference getDifference(double got, double want, FloatType type) {
  Difference difference;
  if (got == want || (std::isnan(got) && std::isnan(want)))
    return difference;
  if (!std::isfinite(got) || !std::isfinite(want)) {
    difference.isComparable = false;
    return difference;
  }
  difference.ulp = ulpDistance(got, want, type);
  difference.absolute = std::fabs(got - want);
  difference.relative = want == 0 ? std::numeric_limits<double>::infinity()
                                  : difference.absolute / std::fabs(want);
  return difference;
}

static bool passes(const Difference &difference, double want,
                   const Tolerance &tolerance) {
  if (!difference.isComparable)
    return false;
  if (difference.absolute == 0)
    return true;
  if (tolerance.ulp && difference.ulp <= *tolerance.ulp)
    return true;
  double bound = tolerance.absolute.value_or(0) +
                 tolerance.relative.value_or(0) * std::fabs(want);
  return difference.absolute <= bound;
}

Comparison amp::compareTensors(const ReferenceTensor &got,
                               const ReferenceTensor &want,
                               const Tolerance &tolerance) {
  Comparison result;
  double worstUlp = -1;
  auto fail = [&](int64_t index, double ulp) {
    ++result.failures;
    if (ulp <= worstUlp)
      return;
    worstUlp = ulp;
    result.worst = index;
  };
  for (int64_t i = 0, end = got.size(); i < end; ++i) {
    if (!got.isFloat()) {
      if (got.integers[i] != want.integers[i])
        fail(i, std::fabs(double(got.integers[i]) - double(want.integers[i])));
      continue;
    }
    Difference difference =
        getDifference(got.floats[i], want.floats[i],
                      cast<FloatType>(got.type.getElementType()));
    if (!passes(difference, want.floats[i], tolerance))
      fail(i, difference.isComparable ? difference.ulp
                                      : std::numeric_limits<double>::max());
    result.ulp = std::max(result.ulp, difference.ulp);
    result.absolute = std::max(result.absolute, difference.absolute);
    if (want.floats[i] != 0)
      result.relative = std::max(result.relative, difference.relative);
  }
  return result;
}
