//===- ReplayCase.h - Recorded training runs -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recorded run as data: everything but the model.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TRAINING_REPLAYCASE_H
#define AMP_TRAINING_REPLAYCASE_H

#include "amp/Support/HostTensor.h"
#include <map>
#include <utility>

namespace mlir::amp {

/// A tensor of a case: numbers as f64, rounded when their type is known.
struct ReplayArray {
  SmallVector<int64_t> shape;
  std::vector<double> data;

  /// Rounded to `dtype` (a float or integer type that files know).
  llvm::Expected<HostTensor> convert(DType dtype) const;
};

/// What was recorded of one step.
struct ReplayRow {
  double loss = 0, scale = 0, gradNorm = 0, maxUpdate = 0;
  bool finite = true;
  std::string outDType;
};

/// A recorded run.
struct ReplayCase {
  std::string name;
  /// A number that tells cases apart.
  double identity = 0;
  /// Policy that `dtype` names.
  std::string policy;
  /// Options of -amp-build-train-step: optimizer, scaler, clip, guard.
  std::string trainOptions;
  /// Whether the run is in 16 bits: the default tolerance depends on it.
  bool isLowPrecision = false;
  int64_t steps = 0;
  ReplayArray x, y;
  /// Row ranges of the micro-batches; empty: all rows at once.
  std::vector<std::pair<int64_t, int64_t>> micro;
  /// Per step, the value written into the first parameter's gradient.
  std::map<int64_t, double> inject;
  std::map<std::string, ReplayArray> init, final;
  std::vector<ReplayRow> rows;
};

/// Reads a case; the error names the file and the field.
llvm::Expected<ReplayCase> parseReplayCase(StringRef text, StringRef path);
llvm::Expected<ReplayCase> readReplayCase(StringRef path);

} // namespace mlir::amp

#endif // AMP_TRAINING_REPLAYCASE_H
