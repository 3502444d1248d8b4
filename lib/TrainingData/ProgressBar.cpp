//===- ProgressBar.cpp - Progress of training ------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line that is redrawn on a terminal, and printed now and then elsewhere.
//
//===----------------------------------------------------------------------===//

#include "amp/TrainingData/Metrics.h"
#include "llvm/Support/Format.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::amp;

/// Redraws a second on a terminal: enough for the eye, nothing for the step.
static constexpr double redrawInterval = 0.1;
static constexpr int barWidth = 20;

static std::string formatDuration(double seconds) {
  int64_t total = static_cast<int64_t>(seconds + 0.5);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (total >= 3600)
    stream << llvm::format("%d:%02d:%02d", static_cast<int>(total / 3600),
                           static_cast<int>(total / 60 % 60),
                           static_cast<int>(total % 60));
  else
    stream << llvm::format("%d:%02d", static_cast<int>(total / 60),
                           static_cast<int>(total % 60));
  return text;
}

std::string ProgressBar::format(const StepMetrics &metrics,
                                double seconds) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  int64_t total = std::max(options.totalSteps, metrics.step);
  if (options.isTerminal && total > 0) {
    int filled = static_cast<int>(barWidth * metrics.step / total);
    stream << '[' << std::string(filled, '#')
           << std::string(barWidth - filled, '.') << "] ";
  }
  stream << "step " << metrics.step << '/' << total
         << llvm::format("  loss %.4f  scale %g  skips %lld  %.0f samples/s",
                         metrics.loss, metrics.scale,
                         static_cast<long long>(metrics.skips),
                         metrics.samplesPerS);
  int64_t done = metrics.step - options.firstStep;
  if (done > 0 && total > metrics.step)
    stream << "  " << formatDuration(seconds / done * (total - metrics.step))
           << " left";
  return text;
}

void ProgressBar::update(const StepMetrics &metrics, double seconds) {
  if (options.quiet)
    return;
  double interval = options.isTerminal ? redrawInterval : options.interval;
  // Elsewhere than on a terminal a short run prints nothing.
  bool due = lastDrawn ? seconds - *lastDrawn >= interval
                       : options.isTerminal || seconds >= interval;
  pending = format(metrics, seconds);
  if (!due)
    return;
  lastDrawn = seconds;
  if (!options.isTerminal) {
    os << pending << "\n";
    os.flush();
    pending.clear();
    return;
  }
  // Spaces wipe what a longer line left.
  size_t width = pending.size();
  os << '\r' << pending
     << std::string(drawnWidth > width ? drawnWidth - width : 0, ' ');
  os.flush();
  drawnWidth = width;
}

void ProgressBar::finish() {
  if (options.quiet || !options.isTerminal || pending.empty())
    return;
  size_t width = pending.size();
  os << '\r' << pending
     << std::string(drawnWidth > width ? drawnWidth - width : 0, ' ') << "\n";
  os.flush();
  pending.clear();
}
