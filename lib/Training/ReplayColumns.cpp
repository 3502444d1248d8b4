//===- ReplayColumns.cpp - Comparison with a record -----------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplayColumns.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::training;

/// The distance of two numbers: 0 where both are NaN or the same infinity.
static double distance(double got, double want) {
  if ((std::isnan(got) && std::isnan(want)) || got == want)
    return 0;
  double difference = std::fabs(got - want);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                : difference;
}

void ReplayComparison::compare(const Twine &where, StringRef column, double got,
                               double want, double allowed, double relativeTo) {
  double error = distance(got, want);
  double relative = error == 0       ? 0
                    : relativeTo > 0 ? error / relativeTo
                                     : error;
  double &worst = largest[column.str()];
  worst = std::max(worst, relative);
  if (error <= allowed)
    return;
  std::string text;
  llvm::raw_string_ostream(text)
      << where << ": expects " << column << " " << llvm::format("%.9g", want)
      << ", but got " << llvm::format("%.9g", got) << " (relative error "
      << llvm::format("%.3g", relative) << ", allowed "
      << llvm::format("%.3g", relativeTo > 0 ? allowed / relativeTo : allowed)
      << ")";
  mismatches.push_back(text);
}

void ReplayComparison::compareRow(int64_t step, const ReplayRow &got,
                                  const ReplayRow &want,
                                  float largestParameter) {
  std::string where = "step " + std::to_string(step);
  auto within = [&](double value) {
    return std::isfinite(value) ? rtol * std::fabs(value) : 0.0;
  };
  compare(where, "loss", got.loss, want.loss, within(want.loss),
          std::fabs(want.loss));
  compare(where, "scale", got.scale, want.scale, 0, std::fabs(want.scale));
  compare(where, "grad_norm", got.gradNorm, want.gradNorm,
          within(want.gradNorm), std::fabs(want.gradNorm));
  compare(where, "finite", got.finite, want.finite, 0, 1);
  // Parameters are rounded: their difference is off by units of their last
  // place.
  float above =
      std::nextafter(largestParameter, std::numeric_limits<float>::infinity());
  double ulp = std::isfinite(above) ? double(above) - largestParameter : 0;
  compare(where, "max_update", got.maxUpdate, want.maxUpdate,
          within(want.maxUpdate) + 4 * ulp, std::fabs(want.maxUpdate));
  double &dtypes = largest["out_dtype"];
  if (got.outDType != want.outDType) {
    dtypes = 1;
    mismatches.push_back(where + ": expects out_dtype " + want.outDType +
                         ", but got " + got.outDType);
  }
}

void ReplayComparison::compareFinal(StringRef name, ArrayRef<float> got,
                                    const ReplayArray &want) {
  double size = 0, worst = 0;
  size_t worstIndex = 0;
  for (size_t index = 0; index < want.data.size(); ++index) {
    double wanted = static_cast<float>(want.data[index]);
    if (std::isfinite(wanted))
      size = std::max(size, std::fabs(wanted));
    double error = distance(got[index], wanted);
    if (error <= worst)
      continue;
    worst = error;
    worstIndex = index;
  }
  compare("final '" + name + "'", "final", got.empty() ? 0 : got[worstIndex],
          got.empty() ? 0 : double(static_cast<float>(want.data[worstIndex])),
          rtol * size, size);
}

llvm::json::Object ReplayComparison::getLargestErrors() const {
  llvm::json::Object object;
  for (const auto &[column, error] : largest)
    object[column] = error;
  return object;
}
