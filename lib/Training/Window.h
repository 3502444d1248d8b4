//===- Window.h - One update, started and collected -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of a window (a whole batch, or micro-batches) and the metrics that
// it leaves. A window is started without waiting for the one before it, so that
// a device has work while the host reads metrics.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_TRAINING_WINDOW_H
#define AMP_LIB_TRAINING_WINDOW_H

#include "amp/Training/Program.h"
#include "amp/TrainingData/Dataset.h"
#include "amp/TrainingData/EpochSampler.h"
#include "amp/TrainingData/Metrics.h"
#include <deque>

namespace mlir::amp::training {

/// Runs windows of one training run.
class WindowRunner {
public:
  /// `microRows` rows are computed at once.
  WindowRunner(Program &program, StateStore &store, const Dataset &data,
               int64_t microRows)
      : program(program), store(store), data(data), microRows(microRows) {}

  /// Compiles what windows of `batch` rows need.
  llvm::Error compile(int64_t batch);

  /// Starts the window of these rows of the data. `metrics` says which one it
  /// is.
  llvm::Error submit(ArrayRef<int64_t> rows, const StepMetrics &metrics);
  /// Windows that were started and not collected.
  size_t getNumPending() const { return pending.size(); }
  /// Rows of the window that is collected next.
  int64_t getNextRows() const { return pending.front().rows; }
  /// Waits for the oldest window and completes its metrics.
  llvm::Expected<StepMetrics> collect();

private:
  struct Pending {
    StepMetrics metrics;
    int64_t rows = 0;
    std::vector<StepRun> runs;
    ScalarSnapshot scalars;
    DeviceEvent reached;
  };
  llvm::Error start(StepKind kind, int64_t size, ArrayRef<HostTensor> inputs,
                    Pending &window);
  llvm::Error startParts(ArrayRef<int64_t> rows, Pending &window);
  llvm::Expected<int64_t> count(ArrayRef<std::vector<HostTensor>> parts);

  Program &program;
  StateStore &store;
  const Dataset &data;
  int64_t microRows;
  std::deque<Pending> pending;
  std::vector<DeviceEvent> freeEvents;
};

} // namespace mlir::amp::training

#endif // AMP_LIB_TRAINING_WINDOW_H
