//===- Replay.h - Training on a recorded run -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Trains as a recorded run says and compares each step with the record.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TRAINING_REPLAY_H
#define AMP_TRAINING_REPLAY_H

#include "amp/Training/Program.h"
#include "amp/Training/ReplayCase.h"

namespace mlir::amp {

struct ReplayOptions {
  std::string modelPath;
  Parity parity = Parity::none;
  ExecutionKind execution = ExecutionKind::compiled;
  /// Target and its architectures; the policy and the step are the record's.
  CompileOptions compile;
  /// Relative tolerance; the default depends on the precision of the run.
  std::optional<double> rtol;
  /// Where `stopAfter` saves and `resume` loads; empty for nowhere.
  std::string checkpoint;
  /// Steps after which the run stops.
  std::optional<int64_t> stopAfter;
  bool resume = false;
};

/// Replays `recorded`: prints one JSON line a step and the largest errors to
/// `os`. Returns whether the run agrees with the record; an error where it
/// could not run.
llvm::Expected<bool> replay(MLIRContext &context, const ReplayCase &recorded,
                            const ReplayOptions &options, raw_ostream &os);

} // namespace mlir::amp

#endif // AMP_TRAINING_REPLAY_H
