//===- Metrics.h - What a training step reports ----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One record a step, as JSON lines for programs and as a line for people.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TRAININGDATA_METRICS_H
#define AMP_TRAININGDATA_METRICS_H

#include "amp/Support/HostTensor.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::amp {

/// The metrics of one step; the names in the file are those of the members,
/// with underscores.
struct StepMetrics {
  int64_t step = 0, epoch = 0;
  double loss = 0, lr = 0;
  /// After the step's update; 1 without a scaler.
  double scale = 1;
  int64_t growthTracker = 0;
  double gradNorm = 0;
  bool finite = true, skipped = false;
  int64_t growths = 0, backoffs = 0, skips = 0, skipsInRow = 0;
  double zeroGradientShare = 0, samplesPerS = 0;
};

/// The line of the metrics file, without its end.
std::string formatMetrics(const StepMetrics &metrics);

/// Appends one JSON line a step (non-finite numbers as Python writes them).
class MetricsWriter {
public:
  /// Opens a file, or standard output for `-`. With `keepSteps`, lines of steps
  /// up to that one stay and later ones, which a resumed run computes again,
  /// are removed; without it the file starts empty.
  static llvm::Expected<std::unique_ptr<MetricsWriter>>
  open(StringRef path, std::optional<int64_t> keepSteps = std::nullopt);

  /// Writes a line and hands it to the system at once.
  llvm::Error write(const StepMetrics &metrics);

private:
  MetricsWriter(StringRef path, std::unique_ptr<llvm::raw_fd_ostream> stream)
      : path(path), stream(std::move(stream)) {}

  std::string path;
  std::unique_ptr<llvm::raw_fd_ostream> stream;
};

struct ProgressOptions {
  bool quiet = false;
  /// Redraws one line; else prints a line every `interval` seconds.
  bool isTerminal = false;
  double interval = 10;
  int64_t totalSteps = 0;
  /// Where a resumed run starts: the rate counts from here.
  int64_t firstStep = 0;
};

/// Shows step, loss, scale, skips, samples per second and the time left.
class ProgressBar {
public:
  ProgressBar(raw_ostream &os, ProgressOptions options)
      : os(os), options(options) {}

  /// After each step; `seconds` is the time since training began.
  void update(const StepMetrics &metrics, double seconds);
  /// Leaves the last state on the screen.
  void finish();

private:
  std::string format(const StepMetrics &metrics, double seconds) const;

  raw_ostream &os;
  ProgressOptions options;
  std::string pending;
  std::optional<double> lastDrawn;
  size_t drawnWidth = 0;
};

} // namespace mlir::amp

#endif // AMP_TRAININGDATA_METRICS_H
