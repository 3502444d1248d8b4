//===- MetricsTest.cpp - Metrics lines and progress ------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What programs read, what a resumed run keeps, and what people see.
//
//===----------------------------------------------------------------------===//

#include "amp/TrainingData/Metrics.h"
#include "TestSupport.h"
#include "amp/Support/PythonJSON.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::amp;

static StepMetrics makeMetrics(int64_t step) {
  StepMetrics metrics;
  metrics.step = step;
  metrics.loss = 0.25;
  metrics.scale = 65536;
  metrics.skips = 2;
  metrics.samplesPerS = 1234;
  return metrics;
}

static void writeSteps(const std::string &path, std::optional<int64_t> keep,
                       int64_t from, int64_t to) {
  llvm::Expected<std::unique_ptr<MetricsWriter>> writer =
      MetricsWriter::open(path, keep);
  ASSERT_TRUE(static_cast<bool>(writer)) << llvm::toString(writer.takeError());
  for (int64_t step = from; step <= to; ++step)
    ASSERT_EQ(message((*writer)->write(makeMetrics(step))), "");
}

static std::vector<int64_t> readSteps(const std::string &path) {
  std::vector<int64_t> steps;
  std::string text = readText(path);
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    llvm::Expected<llvm::json::Value> value = parsePythonJSON(line);
    if (!value) {
      ADD_FAILURE() << llvm::toString(value.takeError());
      continue;
    }
    steps.push_back(value->getAsObject()->getInteger("step").value_or(-1));
  }
  return steps;
}

TEST(MetricsTest, NonFiniteNumbersAsPythonWritesThem) {
  StepMetrics metrics = makeMetrics(3);
  metrics.loss = std::numeric_limits<double>::quiet_NaN();
  metrics.gradNorm = std::numeric_limits<double>::infinity();
  metrics.finite = false;
  std::string line = formatMetrics(metrics);
  EXPECT_NE(line.find("\"grad_norm\":Infinity"), std::string::npos) << line;
  EXPECT_NE(line.find("\"loss\":NaN"), std::string::npos) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(MetricsTest, AResumedRunKeepsTheStepsBefore) {
  TemporaryDirectory directory;
  std::string path = directory / "m.jsonl";
  writeSteps(path, std::nullopt, 1, 5);
  // The line that a killed run did not finish.
  writeText(path, readText(path) + "{\"step\": 6, \"lo");
  writeSteps(path, 3, 4, 6);
  EXPECT_EQ(readSteps(path), (std::vector<int64_t>{1, 2, 3, 4, 5, 6}));
  writeSteps(path, std::nullopt, 1, 2);
  EXPECT_EQ(readSteps(path), (std::vector<int64_t>{1, 2}));
  writeSteps(directory / "new.jsonl", 7, 8, 8);
  EXPECT_EQ(readSteps(directory / "new.jsonl"), (std::vector<int64_t>{8}));
}

TEST(MetricsTest, AFullDiskIsAnError) {
  llvm::Expected<std::unique_ptr<MetricsWriter>> writer =
      MetricsWriter::open("/dev/full");
  ASSERT_TRUE(static_cast<bool>(writer)) << llvm::toString(writer.takeError());
  EXPECT_EQ(message((*writer)->write(makeMetrics(1))),
            "cannot write metrics to '/dev/full': No space left on device");
}

TEST(MetricsTest, RefusesToCutAForeignFile) {
  TemporaryDirectory directory;
  writeText(directory / "m.jsonl", "{\"mine\": 1}\n");
  EXPECT_EQ(message(MetricsWriter::open(directory / "m.jsonl", 3)),
            "expects metrics in '" + (directory / "m.jsonl") +
                "', but a line has no 'step': choose another file");
  EXPECT_EQ(message(MetricsWriter::open(directory / "no/m.jsonl")),
            "cannot write metrics to '" + (directory / "no/m.jsonl") +
                "': No such file or directory");
}

static std::string runBar(ProgressOptions options, ArrayRef<double> times) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  options.totalSteps = 100;
  ProgressBar bar(stream, options);
  int64_t step = options.firstStep;
  for (double time : times)
    bar.update(makeMetrics(++step), time);
  bar.finish();
  return text;
}

TEST(ProgressBarTest, PrintsNowAndThenElsewhere) {
  ProgressOptions options;
  options.interval = 10;
  EXPECT_EQ(runBar(options, {1, 9}), "");
  EXPECT_EQ(runBar(options, {1, 10, 19, 20}),
            "step 2/100  loss 0.2500  scale 65536  skips 2  1234 samples/s  "
            "8:10 left\n"
            "step 4/100  loss 0.2500  scale 65536  skips 2  1234 samples/s  "
            "8:00 left\n");
}

TEST(ProgressBarTest, RedrawsOnATerminal) {
  ProgressOptions options;
  options.isTerminal = true;
  options.firstStep = 48;
  std::string text = runBar(options, {0.01, 0.02, 1});
  EXPECT_EQ(StringRef(text).count('\r'), 3u);
  EXPECT_EQ(StringRef(text).count('\n'), 1u);
  EXPECT_TRUE(StringRef(text).starts_with(
      "\r[#########...........] step 49/100  loss"));
  // The rate counts the steps of this process: 51 - 48 = 3 in 1 s.
  EXPECT_NE(text.find("step 51/100"), std::string::npos);
  EXPECT_NE(text.find("0:16 left"), std::string::npos) << text;
}

TEST(ProgressBarTest, QuietPrintsNothing) {
  ProgressOptions options;
  options.isTerminal = options.quiet = true;
  EXPECT_EQ(runBar(options, {1, 20}), "");
}
