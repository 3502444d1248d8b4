//===- Trainer.cpp - Training on data -------------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step is a window: one batch, whole or in micro-batches. All functions are
// compiled before the clock starts. A resumed run continues with the same bits,
// because state, data cursor and options are the checkpoint's.
//
//===----------------------------------------------------------------------===//

#include "amp/Training/Trainer.h"
#include "Evaluation.h"
#include "Window.h"
#include "amp/Support/Safetensors.h"
#include "amp/TrainingData/Dataset.h"
#include "amp/TrainingData/InitializeParameters.h"
#include "amp/TrainingData/Metrics.h"
#include "llvm/Support/Process.h"
#include <chrono>
#include <cmath>
#include <sys/resource.h>

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::training;

namespace {
/// What the summary reports beside the counters of the state.
struct Totals {
  int64_t samples = 0, windows = 0;
  double scaleMin = 0, scaleMax = 0, zeroShareSum = 0;
  std::vector<double> losses;

  void add(const StepMetrics &metrics, int64_t rows) {
    bool isFirst = windows++ == 0;
    scaleMin = isFirst ? metrics.scale : std::min(scaleMin, metrics.scale);
    scaleMax = isFirst ? metrics.scale : std::max(scaleMax, metrics.scale);
    samples += rows;
    zeroShareSum += metrics.zeroGradientShare;
    losses.push_back(metrics.loss);
  }
};

class TrainRun {
public:
  explicit TrainRun(const TrainOptions &options) : options(options) {}
  llvm::Expected<llvm::json::Object> run(MLIRContext &context);

private:
  llvm::Error initialize(MLIRContext &context);
  llvm::Error initializeState();
  llvm::Error resumeFrom(SamplerCursor &cursor);
  llvm::Error openOutputs();
  llvm::Error loop();
  llvm::Error startWindow();
  llvm::Error recordWindow();
  llvm::Error recordWindows(size_t remaining);
  llvm::Error save();
  llvm::Error evaluateAtEnd();
  bool isDeviceLost() const {
    return program && program->getDevice() && program->getDevice()->isLost();
  }
  llvm::json::Object summarize() const;

  int64_t getMicroRows() const {
    return options.microBatch ? options.microBatch : options.batch;
  }
  TrainingConfiguration getConfiguration() const;

  const TrainOptions &options;
  std::unique_ptr<Program> program;
  std::unique_ptr<StateStore> store;
  Dataset trainingData, testData;
  std::optional<EpochSampler> sampler;
  int64_t step = 0, totalSteps = 0;
  std::optional<WindowRunner> windows;
  std::unique_ptr<MetricsWriter> writer;
  std::optional<ProgressBar> bar;
  std::chrono::steady_clock::time_point start;
  double seconds = 0;
  Totals totals;
  std::optional<Evaluation> evaluation;
  std::string lastCheckpoint; // saved or resumed from
};
} // namespace

//===----------------------------------------------------------------------===//
// Setting up
//===----------------------------------------------------------------------===//

llvm::Error TrainRun::initialize(MLIRContext &context) {
  if (options.batch < 1 || options.microBatch < 0)
    return makeError(
        "expects --batch of at least 1 and --micro-batch of at least 0");
  if (options.microBatch > options.batch)
    return makeError("expects --micro-batch of at most --batch, " +
                     llvm::Twine(options.batch) + ", but got " +
                     llvm::Twine(options.microBatch));
  ProgramOptions programOptions = options.program;
  bool accumulates = options.microBatch && options.microBatch < options.batch;
  programOptions.compile.trainStep +=
      accumulates ? " window=accumulate" : " window=single";
  llvm::Expected<std::unique_ptr<Program>> created =
      Program::create(context, programOptions);
  if (!created)
    return created.takeError();
  program = std::move(*created);
  llvm::Expected<std::unique_ptr<StateStore>> state = program->createState();
  if (!state)
    return state.takeError();
  store = std::move(*state);

  std::vector<DataField> fields;
  for (const ModelInput &input : program->getInputs())
    fields.push_back({input.name, input.type});
  llvm::Expected<DataSource> source = DataSource::read(options.data);
  if (!source)
    return source.takeError();
  for (auto [split, dataset] :
       {std::pair("train", &trainingData), {"test", &testData}}) {
    if (dataset == &testData && !source->hasSplit(split))
      continue;
    llvm::Expected<Dataset> selected = source->select(split, fields);
    if (!selected)
      return selected.takeError();
    *dataset = std::move(*selected);
    if (std::optional<ClassInfo> classes = program->getClasses())
      for (const NamedTensor &field : dataset->fields)
        if (field.name == classes->target)
          if (llvm::Error error = checkClassTargets(field, classes->number,
                                                    classes->ignoreIndex))
            return error;
  }
  return initializeState();
}

llvm::Error TrainRun::initializeState() {
  SamplerCursor cursor;
  cursor.seed = options.seed;
  if (options.resume) {
    if (llvm::Error error = resumeFrom(cursor))
      return error;
  } else {
    std::vector<NamedTensor> parameters;
    for (StateAttr parameter : store->getByRole(Role::parameter))
      parameters.push_back({parameter.getName().str(), store->read(parameter)});
    if (options.init.empty()) {
      if (llvm::Error error = initializeParameters(parameters, options.seed))
        return error;
    } else {
      llvm::Expected<SafetensorsFile> file = readSafetensors(options.init);
      if (!file)
        return file.takeError();
      for (NamedTensor &parameter : parameters) {
        const HostTensor *tensor = file->find(parameter.name);
        if (!tensor)
          return makeError("'" + options.init + "' has no parameter '" +
                           parameter.name + "'");
        parameter.tensor = *tensor;
      }
    }
    for (const NamedTensor &parameter : parameters)
      if (llvm::Error error =
              store->write(store->find(parameter.name), parameter.tensor))
        return error;
  }
  SamplerOptions samplerOptions;
  samplerOptions.batch = options.batch;
  llvm::Expected<EpochSampler> created =
      EpochSampler::create(trainingData.rows, samplerOptions, cursor);
  if (!created)
    return created.takeError();
  sampler = std::move(*created);
  totalSteps =
      options.steps.value_or(options.epochs * sampler->getBatchesPerEpoch());
  return llvm::Error::success();
}

TrainingConfiguration TrainRun::getConfiguration() const {
  TrainingConfiguration configuration = program->getConfiguration();
  configuration.dataHash = hashDataset(trainingData);
  configuration.data = {{"batch", double(options.batch)},
                        {"micro_batch", double(getMicroRows())},
                        {"rows", double(trainingData.rows)}};
  return configuration;
}

llvm::Error TrainRun::resumeFrom(SamplerCursor &cursor) {
  llvm::Expected<Checkpoint> checkpoint = readCheckpoint(options.checkpoint);
  if (!checkpoint)
    return checkpoint.takeError();
  if (llvm::Error error = checkConfiguration(
          getConfiguration(), checkpoint->configuration, options.checkpoint))
    return error;
  // The order of the data is the seed's.
  if (checkpoint->cursor.seed != options.seed)
    return makeError(
        "cannot resume from '" + options.checkpoint +
        "': data: checkpoint has seed " + Twine(checkpoint->cursor.seed) +
        ", this run has " + Twine(options.seed) +
        ": resume with the checkpoint's seed, or start anew in another "
        "directory");
  if (llvm::Error error = checkStates(collectStates(*store), checkpoint->states,
                                      options.checkpoint))
    return error;
  for (const std::string &line :
       compareEnvironment(program->getEnvironment(), checkpoint->environment))
    llvm::errs() << "amp-train: warning: " << line << "\n";
  if (llvm::Error error = restoreStates(*store, *checkpoint))
    return error;
  cursor = checkpoint->cursor;
  step = checkpoint->step;
  lastCheckpoint = options.checkpoint;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

llvm::Error TrainRun::save() {
  Checkpoint checkpoint;
  checkpoint.step = step;
  checkpoint.cursor = sampler->getCursor();
  checkpoint.configuration = getConfiguration();
  checkpoint.environment = program->getEnvironment();
  if (llvm::Error error = store->updateHost())
    return error;
  checkpoint.states = collectStates(*store);
  llvm::Expected<std::string> path =
      writeCheckpoint(options.checkpoint, checkpoint);
  if (!path)
    return path.takeError();
  lastCheckpoint = *path;
  return llvm::Error::success();
}

/// Records the oldest window that was started.
llvm::Error TrainRun::recordWindow() {
  int64_t rows = windows->getNextRows();
  llvm::Expected<StepMetrics> metrics = windows->collect();
  if (!metrics)
    return metrics.takeError();
  seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  totals.add(*metrics, rows);
  metrics->samplesPerS = seconds > 0 ? totals.samples / seconds : 0;
  if (writer)
    if (llvm::Error error = writer->write(*metrics))
      return error;
  bar->update(*metrics, seconds);
  if (!options.maxSkips || metrics->skipsInRow < options.maxSkips)
    return llvm::Error::success();
  bar->finish();
  return makeError("step " + Twine(metrics->step) + ": " +
                   Twine(metrics->skipsInRow) +
                   " updates in a row were skipped, the loss scale is " +
                   Twine(std::to_string(metrics->scale)) +
                   ": gradients stay non-finite whatever the scale, so "
                   "look for an overflow in the forward pass");
}

/// Records windows until at most `remaining` are under way.
llvm::Error TrainRun::recordWindows(size_t remaining) {
  while (windows->getNumPending() > remaining)
    if (llvm::Error error = recordWindow())
      return error;
  return llvm::Error::success();
}

llvm::Error TrainRun::startWindow() {
  ArrayRef<int64_t> rows = sampler->next();
  StepMetrics metrics;
  metrics.step = step;
  metrics.epoch = sampler->getCursor().epoch;
  llvm::Error error = windows->submit(rows, metrics);
  if (!error)
    return error;
  // The window before it is done and is recorded, unless its metrics are on a
  // device: they do not arrive after a failure.
  std::shared_ptr<Device> device = program->getDevice();
  if (device && device->sharesHostMemory()) {
    device->clearError();
    llvm::consumeError(recordWindows(0));
  }
  return error;
}

llvm::Error TrainRun::openOutputs() {
  if (!options.metrics.empty()) {
    std::optional<int64_t> keep;
    if (options.resume)
      keep = step - 1;
    llvm::Expected<std::unique_ptr<MetricsWriter>> opened =
        MetricsWriter::open(options.metrics, keep);
    if (!opened)
      return opened.takeError();
    writer = std::move(*opened);
  }
  bool isTerminal = llvm::sys::Process::StandardErrIsDisplayed();
  ProgressOptions progressOptions;
  progressOptions.quiet = options.quiet || !(isTerminal || options.progress);
  progressOptions.isTerminal = isTerminal;
  progressOptions.totalSteps = totalSteps;
  progressOptions.firstStep = step;
  bar.emplace(llvm::errs(), progressOptions);
  return llvm::Error::success();
}

llvm::Error TrainRun::loop() {
  if (llvm::Error error = openOutputs())
    return error;
  int64_t end = std::min(totalSteps, options.stopAfter.value_or(totalSteps));
  start = std::chrono::steady_clock::now();
  while (step < end) {
    if (llvm::Error error = startWindow())
      return error;
    ++step;
    bool isSaved = !options.checkpoint.empty() && options.checkpointEvery &&
                   step % options.checkpointEvery == 0 && step < end;
    // One window runs ahead, but a checkpoint is of what is recorded.
    if (llvm::Error error = recordWindows(isSaved ? 0 : 1))
      return error;
    if (isSaved)
      if (llvm::Error error = save())
        return error;
  }
  if (llvm::Error error = recordWindows(0))
    return error;
  bar->finish();
  if (llvm::Error error = store->updateHost())
    return error;
  if (options.checkpoint.empty())
    return llvm::Error::success();
  return save();
}

llvm::json::Object TrainRun::summarize() const {
  auto counter = [&](StringRef name) {
    return static_cast<int64_t>(store->getScalar(name, 0));
  };
  // The mean over the last epoch's windows.
  size_t window =
      std::min<size_t>(totals.losses.size(), sampler->getBatchesPerEpoch());
  double lossSum = 0;
  for (double loss : ArrayRef(totals.losses).take_back(window))
    lossSum += loss;
  struct rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  llvm::json::Object summary{
      {"policy", program->getConfiguration().policy},
      {"seed", options.seed},
      {"steps", step},
      // JSON has no NaN; a run that was finished before it began has no loss.
      {"final_loss", window ? llvm::json::Value(lossSum / window)
                            : llvm::json::Value(nullptr)},
      {"skipped", counter("metrics.skips")},
      {"growths", counter("metrics.growths")},
      {"backoffs", counter("metrics.backoffs")},
      {"empty_windows", counter("metrics.empty_windows")},
      {"scale", store->getScalar("scaler.scale", 1)},
      {"scale_min", totals.scaleMin},
      {"scale_max", totals.scaleMax},
      {"zero_gradient_share",
       totals.windows ? totals.zeroShareSum / totals.windows : 0.0},
      {"samples_per_s", seconds > 0 ? totals.samples / seconds : 0.0},
      {"peak_mb", usage.ru_maxrss / 1024.0}};
  if (evaluation) {
    summary["test_loss"] = evaluation->loss;
    if (evaluation->accuracy)
      summary["accuracy"] = *evaluation->accuracy;
  }
  return summary;
}

llvm::Error TrainRun::evaluateAtEnd() {
  if (!testData.rows || step < totalSteps)
    return llvm::Error::success();
  llvm::Expected<Evaluation> evaluated =
      evaluate(*program, *store, testData, options.batch);
  if (!evaluated)
    return evaluated.takeError();
  evaluation = *evaluated;
  return llvm::Error::success();
}

llvm::Expected<llvm::json::Object> TrainRun::run(MLIRContext &context) {
  llvm::Error error = initialize(context);
  if (!error) {
    windows.emplace(*program, *store, trainingData, getMicroRows());
    error = windows->compile(options.batch);
  }
  if (!error)
    error = loop();
  if (!error)
    error = evaluateAtEnd();
  if (!error)
    return summarize();
  if (!isDeviceLost())
    return std::move(error);
  // The state is lost with it.
  return makeError(llvm::toString(std::move(error)) + "; " +
                   (lastCheckpoint.empty()
                        ? "there is no checkpoint to resume from"
                        : "the last checkpoint is '" + lastCheckpoint + "'"));
}

llvm::Expected<llvm::json::Object> amp::train(MLIRContext &context,
                                              const TrainOptions &options) {
  return TrainRun(options).run(context);
}
