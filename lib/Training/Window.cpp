//===- Window.cpp - One update, started and collected ---------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Window.h"
#include "Evaluation.h"
#include <cstring>

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::training;

llvm::Error WindowRunner::compile(int64_t batch) {
  if (program.hasStep(StepKind::train))
    return program.prepare(StepKind::train, batch);
  for (RowRange part : splitRows(batch, microRows))
    for (StepKind kind : {StepKind::count, StepKind::accumulate_first,
                          StepKind::accumulate_next})
      if (llvm::Error error = program.prepare(kind, part.size()))
        return error;
  return program.prepare(StepKind::apply, 1);
}

//===----------------------------------------------------------------------===//
// Starting
//===----------------------------------------------------------------------===//

llvm::Error WindowRunner::start(StepKind kind, int64_t size,
                                ArrayRef<HostTensor> inputs, Pending &window) {
  llvm::Expected<StepRun> started =
      program.submit(kind, store, size, inputs, OutputSet::scalars);
  if (!started)
    return started.takeError();
  window.runs.push_back(std::move(*started));
  return llvm::Error::success();
}

/// The denominator of a window: what its micro-batches count, together.
llvm::Expected<int64_t>
WindowRunner::count(ArrayRef<std::vector<HostTensor>> parts) {
  int64_t denominator = 0;
  for (const std::vector<HostTensor> &inputs : parts) {
    llvm::Expected<std::vector<StepOutput>> counted = program.run(
        StepKind::count, store, inputs.front().shape.front(), inputs);
    if (!counted)
      return counted.takeError();
    denominator += static_cast<int64_t>(counted->front().getNumber());
  }
  return denominator;
}

llvm::Error WindowRunner::startParts(ArrayRef<int64_t> rows, Pending &window) {
  std::vector<std::vector<HostTensor>> parts;
  for (RowRange range : splitRows(rows.size(), microRows))
    parts.push_back(gatherBatch(data, rows.slice(range.begin, range.size())));
  llvm::Expected<int64_t> counted = count(parts);
  if (!counted)
    return counted.takeError();
  HostTensor denominator = HostTensor::zeros(DType::I64, {});
  std::memcpy(denominator.data.data(), &*counted, sizeof(*counted));
  StepKind kind = StepKind::accumulate_first;
  for (std::vector<HostTensor> &inputs : parts) {
    int64_t size = inputs.front().shape.front();
    inputs.push_back(denominator);
    if (llvm::Error error = start(kind, size, inputs, window))
      return error;
    kind = StepKind::accumulate_next;
  }
  return start(StepKind::apply, 1, {}, window);
}

llvm::Error WindowRunner::submit(ArrayRef<int64_t> rows,
                                 const StepMetrics &metrics) {
  Pending window;
  window.metrics = metrics;
  window.rows = rows.size();
  if (llvm::Error error = program.hasStep(StepKind::train)
                              ? start(StepKind::train, rows.size(),
                                      gatherBatch(data, rows), window)
                              : startParts(rows, window))
    return error;
  llvm::Expected<ScalarSnapshot> scalars = store.takeScalars();
  if (!scalars)
    return scalars.takeError();
  window.scalars = std::move(*scalars);
  if (!freeEvents.empty()) {
    window.reached = std::move(freeEvents.back());
    freeEvents.pop_back();
  }
  if (llvm::Error error = window.reached.record(program.getDevice()))
    return error;
  pending.push_back(std::move(window));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

static void collectOutputs(ArrayRef<StepOutput> outputs, StepMetrics &metrics) {
  for (const StepOutput &output : outputs) {
    if (output.role == Role::loss)
      metrics.loss += output.getNumber();
    else if (output.name == "grad_norm")
      metrics.gradNorm = output.getNumber();
    else if (output.name == "finite")
      metrics.finite = output.getNumber() != 0;
    else if (output.name == "skipped")
      metrics.skipped = output.getNumber() != 0;
    else if (output.name == "zero_gradient_share")
      metrics.zeroGradientShare = output.getNumber();
  }
}

llvm::Expected<StepMetrics> WindowRunner::collect() {
  Pending &window = pending.front();
  if (llvm::Error error = window.reached.wait())
    return std::move(error);
  StepMetrics metrics = window.metrics;
  for (StepRun &run : window.runs)
    collectOutputs(run.takeOutputs(), metrics);
  auto counter = [&](StringRef name) {
    return static_cast<int64_t>(window.scalars.get(name, 0));
  };
  metrics.lr = window.scalars.get("lr", 0);
  metrics.scale = window.scalars.get("scaler.scale", 1);
  metrics.growthTracker = counter("scaler.growth_tracker");
  metrics.growths = counter("metrics.growths");
  metrics.backoffs = counter("metrics.backoffs");
  metrics.skips = counter("metrics.skips");
  metrics.skipsInRow = counter("metrics.skips_in_row");
  freeEvents.push_back(std::move(window.reached));
  pending.pop_front();
  return metrics;
}
