//===- Metrics.cpp - The metrics file --------------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A resumed run cuts the file back to the steps that it continues from.
//
//===----------------------------------------------------------------------===//

#include "amp/TrainingData/Metrics.h"
#include "amp/Support/PythonJSON.h"
#include "amp/TrainingData/DurableFiles.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::amp;

std::string amp::formatMetrics(const StepMetrics &metrics) {
  llvm::json::Object object{{"step", metrics.step},
                            {"epoch", metrics.epoch},
                            {"loss", metrics.loss},
                            {"lr", metrics.lr},
                            {"scale", metrics.scale},
                            {"growth_tracker", metrics.growthTracker},
                            {"grad_norm", metrics.gradNorm},
                            {"finite", metrics.finite},
                            {"skipped", metrics.skipped},
                            {"growths", metrics.growths},
                            {"backoffs", metrics.backoffs},
                            {"skips", metrics.skips},
                            {"skips_in_row", metrics.skipsInRow},
                            {"zero_gradient_share", metrics.zeroGradientShare},
                            {"samples_per_s", metrics.samplesPerS}};
  std::string line;
  llvm::raw_string_ostream stream(line);
  printPythonJSON(stream, std::move(object));
  return line;
}

/// Rewrites the file to its lines of steps up to `keepSteps`. A line that a
/// killed run did not finish is no JSON and ends the history.
static llvm::Error cutHistory(StringRef path, int64_t keepSteps) {
  if (!llvm::sys::fs::exists(path))
    return llvm::Error::success();
  llvm::Expected<std::string> text = readFileBytes(path);
  if (!text)
    return text.takeError();
  std::string kept;
  SmallVector<StringRef> lines;
  StringRef(*text).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    llvm::Expected<llvm::json::Value> value = parsePythonJSON(line);
    if (!value) {
      llvm::consumeError(value.takeError());
      break;
    }
    const llvm::json::Object *object = value->getAsObject();
    std::optional<int64_t> step =
        object ? object->getInteger("step") : std::nullopt;
    if (!step)
      return makeError("expects metrics in '" + path +
                       "', but a line has no 'step': choose another file");
    if (*step <= keepSteps)
      kept += (line + "\n").str();
  }
  return kept.size() == text->size() ? llvm::Error::success()
                                     : writeFileAtomically(path, kept);
}

llvm::Expected<std::unique_ptr<MetricsWriter>>
MetricsWriter::open(StringRef path, std::optional<int64_t> keepSteps) {
  if (keepSteps && path != "-")
    if (llvm::Error error = cutHistory(path, *keepSteps))
      return std::move(error);
  std::error_code code;
  auto stream = std::make_unique<llvm::raw_fd_ostream>(
      path, code,
      keepSteps ? llvm::sys::fs::OF_Append : llvm::sys::fs::OF_None);
  if (code)
    return makeError("cannot write metrics to '" + path +
                     "': " + code.message());
  return std::unique_ptr<MetricsWriter>(
      new MetricsWriter(path, std::move(stream)));
}

llvm::Error MetricsWriter::write(const StepMetrics &metrics) {
  *stream << formatMetrics(metrics) << "\n";
  stream->flush();
  if (!stream->has_error())
    return llvm::Error::success();
  std::error_code code = stream->error();
  // An error left in the stream would abort the process when it is destroyed.
  stream->clear_error();
  return makeError("cannot write metrics to '" + path + "': " + code.message());
}
