//===- Trainer.h - Training on data -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The training loop: batches of shuffled data into windows of micro-batches,
// metrics, evaluation, checkpoints.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TRAINING_TRAINER_H
#define AMP_TRAINING_TRAINER_H

#include "amp/Training/Program.h"
#include "llvm/Support/JSON.h"

namespace mlir::amp {

struct TrainOptions {
  ProgramOptions program;
  /// Data files, as DataSource reads them.
  std::string data;
  /// Rows of a window, and of a micro-batch (0: the whole window at once).
  int64_t batch = 64, microBatch = 0;
  /// How long: `steps` windows where given, else `epochs`.
  int64_t epochs = 1;
  std::optional<int64_t> steps;
  /// Of the initial parameters and of the order of the data.
  uint64_t seed = 0;
  /// A safetensors file of initial parameters; empty draws them from the seed.
  std::string init;
  /// Where checkpoints go; every so many windows (0: only at the end).
  std::string checkpoint;
  int64_t checkpointEvery = 0;
  bool resume = false;
  /// Windows after which this process stops, as if interrupted.
  std::optional<int64_t> stopAfter;
  /// A file of JSON lines; empty for none.
  std::string metrics;
  bool progress = false, quiet = false;
  /// Skipped updates in a row that end the run with an error; 0 never does.
  int64_t maxSkips = 200;
};

/// Trains; returns the summary of the run.
llvm::Expected<llvm::json::Object> train(MLIRContext &context,
                                         const TrainOptions &options);

} // namespace mlir::amp

#endif // AMP_TRAINING_TRAINER_H
