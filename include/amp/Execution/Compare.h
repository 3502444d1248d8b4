//===- Compare.h - Comparison of tensors -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How far a result is from what is expected, in ulps of its own format and
// relative to its size.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_COMPARE_H
#define AMP_EXECUTION_COMPARE_H

#include "amp/Interfaces/ReferenceOpInterface.h"
#include <optional>

namespace mlir::amp {

/// What may differ: an element passes if any of the stated bounds holds.
/// Without one, values must be equal. NaN equals NaN, an infinity equals one of
/// its sign, and neither is near anything else; integers are exact.
struct Tolerance {
  std::optional<double> ulp, relative, absolute;

  /// `ulp=2 rtol=1e-06`, or `exact`.
  std::string describe() const;
};

/// The largest differences of finite elements, and what failed.
struct Comparison {
  double ulp = 0, absolute = 0, relative = 0;
  int64_t failures = 0;
  /// Offset of the failing element that is furthest off, -1 if none fails.
  int64_t worst = -1;
};

/// Number of values of `type` between two finite values of it.
double ulpDistance(double a, double b, FloatType type);

/// Compares two tensors of one type.
Comparison compareTensors(const ReferenceTensor &got,
                          const ReferenceTensor &want,
                          const Tolerance &tolerance);

} // namespace mlir::amp

#endif // AMP_EXECUTION_COMPARE_H
