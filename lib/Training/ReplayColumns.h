//===- ReplayColumns.h - Comparison with a record -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_TRAINING_REPLAYCOLUMNS_H
#define AMP_LIB_TRAINING_REPLAYCOLUMNS_H

#include "amp/Training/ReplayCase.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

namespace mlir::amp::training {

/// Collects the largest error of each column, and whether all are within
/// bounds.
class ReplayComparison {
public:
  explicit ReplayComparison(double rtol) : rtol(rtol) {}

  /// Compares a step. `largestParameter` bounds the rounding of the updates.
  void compareRow(int64_t step, const ReplayRow &got, const ReplayRow &want,
                  float largestParameter);
  void compareFinal(StringRef name, ArrayRef<float> got,
                    const ReplayArray &want);

  bool agrees() const { return mismatches.empty(); }
  /// What did not agree, in order.
  ArrayRef<std::string> getMismatches() const { return mismatches; }
  /// Column to largest error.
  llvm::json::Object getLargestErrors() const;

private:
  void compare(const Twine &where, StringRef column, double got, double want,
               double allowed, double relativeTo);

  double rtol;
  std::map<std::string, double> largest;
  std::vector<std::string> mismatches;
};

} // namespace mlir::amp::training

#endif // AMP_LIB_TRAINING_REPLAYCOLUMNS_H
