//===- Replay.cpp - Training on a recorded run ----------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every step runs as a window: accumulate each micro-batch, write the injected
// value into the gradient buffer, apply. What only a comparison needs (the norm
// in f64, the largest update) is computed here, from the buffers.
//
//===----------------------------------------------------------------------===//

#include "amp/Training/Replay.h"
#include "ReplayColumns.h"
#include "amp/Support/PythonJSON.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::training;

/// Default tolerances: f32 differs by the order of sums alone; a right 16-bit
/// implementation was seen at 4.5e-5 after 20 steps.
static constexpr double defaultTolerance32 = 1e-5, defaultTolerance16 = 2e-4;

namespace {
class ReplayRun {
public:
  ReplayRun(const ReplayCase &recorded, const ReplayOptions &options)
      : recorded(recorded), options(options) {}

  llvm::Expected<bool> run(MLIRContext &context, raw_ostream &os);

private:
  llvm::Error initialize(MLIRContext &context);
  llvm::Error bindData();
  llvm::Error writeParameters();
  llvm::Expected<int64_t> findStart();
  llvm::Error save(int64_t step);
  TrainingConfiguration getConfiguration() const {
    TrainingConfiguration configuration = program->getConfiguration();
    configuration.data["case"] = recorded.identity;
    return configuration;
  }
  llvm::Expected<ReplayRow> runStep(int64_t step);
  void measureGradients(double scale, ReplayRow &row) const;
  std::vector<HostTensor> sliceRows(int64_t begin, int64_t end) const;

  const ReplayCase &recorded;
  const ReplayOptions &options;
  std::unique_ptr<Program> program;
  std::unique_ptr<StateStore> store;
  std::vector<HostTensor> data; // one per model input, all rows
  float largestParameter = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Setting up
//===----------------------------------------------------------------------===//

llvm::Error ReplayRun::initialize(MLIRContext &context) {
  ProgramOptions programOptions;
  programOptions.modelPath = options.modelPath;
  programOptions.parity = options.parity;
  programOptions.execution = options.execution;
  programOptions.compile = options.compile;
  programOptions.compile.policy = recorded.policy;
  programOptions.compile.trainStep =
      "window=accumulate weighting=rows" + recorded.trainOptions;
  llvm::Expected<std::unique_ptr<Program>> created =
      Program::create(context, programOptions);
  if (!created)
    return created.takeError();
  program = std::move(*created);
  llvm::Expected<std::unique_ptr<StateStore>> state = program->createState();
  if (!state)
    return state.takeError();
  store = std::move(*state);
  if (llvm::Error error = bindData())
    return error;
  return writeParameters();
}

llvm::Error ReplayRun::bindData() {
  for (const ModelInput &input : program->getInputs()) {
    bool isTarget = input.role == Role::target;
    const ReplayArray &array = isTarget ? recorded.y : recorded.x;
    StringRef field = isTarget ? "y" : "x";
    ArrayRef<int64_t> shape = input.type.getShape();
    bool fits = shape.size() == array.shape.size();
    for (size_t dim = 0; fits && dim < shape.size(); ++dim)
      fits =
          ShapedType::isDynamic(shape[dim]) || shape[dim] == array.shape[dim];
    if (!fits) {
      std::string type;
      llvm::raw_string_ostream(type) << input.type;
      return makeError("'" + field + "' has shape [" +
                       llvm::join(llvm::map_range(array.shape,
                                                  [](int64_t size) {
                                                    return std::to_string(size);
                                                  }),
                                  ", ") +
                       "], but the model's " + stringifyRole(input.role) +
                       " '" + input.name + "' is " + type);
    }
    std::optional<DType> dtype = getDType(input.type.getElementType());
    if (!dtype)
      return makeError("the model's '" + input.name +
                       "' has an element type without data");
    llvm::Expected<HostTensor> tensor = array.convert(*dtype);
    if (!tensor)
      return makeError("'" + field +
                       "': " + llvm::toString(tensor.takeError()));
    data.push_back(std::move(*tensor));
  }
  unsigned numTargets =
      llvm::count_if(program->getInputs(), [](const ModelInput &input) {
        return input.role == Role::target;
      });
  if (data.size() != 2 || numTargets != 1)
    return makeError(
        "a replay needs a model with one input and one target, but got " +
        Twine(data.size() - numTargets) + " and " + Twine(numTargets));
  return llvm::Error::success();
}

llvm::Error ReplayRun::writeParameters() {
  SmallVector<StateAttr> parameters = store->getByRole(Role::parameter);
  for (const std::map<std::string, ReplayArray> *tensors :
       {&recorded.init, &recorded.final}) {
    StringRef field = tensors == &recorded.init ? "init" : "final";
    for (StateAttr parameter : parameters) {
      auto entry = tensors->find(parameter.getName().str());
      if (entry == tensors->end())
        return makeError("'" + field + "' has no parameter '" +
                         parameter.getName().getValue() + "' of the model");
      if (ArrayRef<int64_t>(entry->second.shape) !=
          parameter.getType().getShape()) {
        std::string type;
        llvm::raw_string_ostream(type) << parameter.getType();
        return makeError("'" + field + "." + parameter.getName().getValue() +
                         "' has another shape than the model's " + type);
      }
    }
    for (const auto &entry : *tensors)
      if (llvm::none_of(parameters, [&](StateAttr state) {
            return state.getName() == entry.first;
          }))
        return makeError("'" + field + "' has '" + entry.first +
                         "', which is no parameter of the model");
  }
  for (StateAttr parameter : parameters) {
    llvm::Expected<HostTensor> tensor =
        recorded.init.find(parameter.getName().str())
            ->second.convert(DType::F32);
    if (!tensor)
      return tensor.takeError();
    if (llvm::Error error = store->write(parameter, *tensor))
      return error;
  }
  return llvm::Error::success();
}

/// The first step to run: 0, or where the checkpoint stopped.
llvm::Expected<int64_t> ReplayRun::findStart() {
  if (!options.resume)
    return 0;
  llvm::Expected<Checkpoint> checkpoint = readCheckpoint(options.checkpoint);
  if (!checkpoint)
    return checkpoint.takeError();
  if (llvm::Error error = checkConfiguration(
          getConfiguration(), checkpoint->configuration, options.checkpoint))
    return std::move(error);
  if (llvm::Error error = checkStates(collectStates(*store), checkpoint->states,
                                      options.checkpoint))
    return std::move(error);
  if (llvm::Error error = restoreStates(*store, *checkpoint))
    return std::move(error);
  return checkpoint->step;
}

llvm::Error ReplayRun::save(int64_t step) {
  if (llvm::Error error = store->updateHost())
    return error;
  Checkpoint checkpoint;
  checkpoint.step = step;
  checkpoint.configuration = getConfiguration();
  checkpoint.environment = program->getEnvironment();
  checkpoint.states = collectStates(*store);
  return writeCheckpoint(options.checkpoint, checkpoint).takeError();
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

std::vector<HostTensor> ReplayRun::sliceRows(int64_t begin, int64_t end) const {
  std::vector<HostTensor> slices;
  for (const HostTensor &tensor : data) {
    HostTensor slice;
    slice.dtype = tensor.dtype;
    slice.shape = tensor.shape;
    slice.shape.front() = end - begin;
    int64_t rowBytes = tensor.data.size() / tensor.shape.front();
    slice.data.assign(tensor.data.begin() + begin * rowBytes,
                      tensor.data.begin() + end * rowBytes);
    slices.push_back(std::move(slice));
  }
  return slices;
}

static std::string getTorchName(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return "torch.float16";
  case DType::BF16:
    return "torch.bfloat16";
  case DType::F64:
    return "torch.float64";
  default:
    return "torch.float32";
  }
}

/// `finite` and `grad_norm` of the gradient buffer, unscaled in f32.
void ReplayRun::measureGradients(double scale, ReplayRow &row) const {
  float inverse = static_cast<float>(1.0 / scale);
  double sum = 0;
  row.finite = true;
  for (StateAttr gradient : store->getByRole(Role::gradient)) {
    for (float element : store->getF32(gradient)) {
      float unscaled = element * inverse;
      row.finite &= std::isfinite(unscaled);
      sum += double(unscaled) * unscaled;
    }
  }
  row.gradNorm =
      row.finite ? std::sqrt(sum) : std::numeric_limits<double>::infinity();
}

llvm::Expected<ReplayRow> ReplayRun::runStep(int64_t step) {
  ReplayRow row;
  int64_t rows = recorded.x.shape.front();
  HostTensor denominator = HostTensor::zeros(DType::I64, {});
  std::memcpy(denominator.data.data(), &rows, sizeof(rows));
  std::vector<std::pair<int64_t, int64_t>> micro = recorded.micro;
  if (micro.empty())
    micro.push_back({0, rows});
  StepKind kind = StepKind::accumulate_first;
  for (auto [begin, end] : micro) {
    std::vector<HostTensor> inputs = sliceRows(begin, end);
    inputs.push_back(denominator);
    llvm::Expected<std::vector<StepOutput>> outputs =
        program->run(kind, *store, end - begin, inputs);
    if (!outputs)
      return outputs.takeError();
    for (const StepOutput &output : *outputs) {
      if (output.role == Role::loss)
        row.loss += output.getNumber();
      else if (output.role == Role::logits)
        row.outDType = getTorchName(output.tensor.dtype);
    }
    kind = StepKind::accumulate_next;
  }
  if (llvm::Error error = store->updateHost())
    return std::move(error);
  SmallVector<StateAttr> parameters = store->getByRole(Role::parameter);
  auto injected = recorded.inject.find(step);
  if (injected != recorded.inject.end())
    store->editF32(store->getByRole(Role::gradient).front()).front() =
        static_cast<float>(injected->second);

  measureGradients(store->getScalar("scaler.scale", 1.0), row);
  std::vector<HostTensor> before;
  for (StateAttr parameter : parameters)
    before.push_back(store->read(parameter));
  llvm::Expected<std::vector<StepOutput>> outputs = program->run(
      StepKind::apply, *store, micro.front().second - micro.front().first, {});
  if (!outputs)
    return outputs.takeError();
  if (llvm::Error error = store->updateHost())
    return std::move(error);
  for (const StepOutput &output : *outputs)
    if (output.name == "finite" && (output.getNumber() != 0) != row.finite)
      return makeError("step " + Twine(step) +
                       ": the program's 'finite' is not that of its gradients");
  row.scale = store->getScalar("scaler.scale", 1.0);
  float largestUpdate = 0;
  for (auto [parameter, old] : llvm::zip_equal(parameters, before)) {
    const float *previous = reinterpret_cast<const float *>(old.data.data());
    for (float element : store->getF32(parameter)) {
      float update = std::fabs(element - *previous);
      // NaN is the largest, and stays.
      if (!(update <= largestUpdate))
        largestUpdate = std::isnan(largestUpdate) ? largestUpdate : update;
      for (float magnitude : {std::fabs(element), std::fabs(*previous)})
        if (std::isfinite(magnitude))
          largestParameter = std::max(largestParameter, magnitude);
      ++previous;
    }
  }
  row.maxUpdate = largestUpdate;
  return row;
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

static void printRow(raw_ostream &os, int64_t step, const ReplayRow &row) {
  os << "{\"step\": " << step;
  auto field = [&](StringRef name, const llvm::json::Value &value) {
    os << ", \"" << name << "\": ";
    printPythonJSON(os, value);
  };
  field("loss", row.loss);
  field("scale", row.scale);
  field("grad_norm", row.gradNorm);
  field("finite", row.finite);
  field("max_update", row.maxUpdate);
  field("out_dtype", row.outDType);
  os << "}\n";
  os.flush();
}

llvm::Expected<bool> ReplayRun::run(MLIRContext &context, raw_ostream &os) {
  if (llvm::Error error = initialize(context))
    return std::move(error);
  llvm::Expected<int64_t> start = findStart();
  if (!start)
    return start.takeError();
  int64_t end = recorded.steps;
  if (options.stopAfter)
    end = std::min(end, *options.stopAfter);
  double rtol = options.rtol.value_or(
      recorded.isLowPrecision ? defaultTolerance16 : defaultTolerance32);
  ReplayComparison comparison(rtol);
  for (int64_t step = *start; step < end; ++step) {
    largestParameter = 0;
    llvm::Expected<ReplayRow> row = runStep(step);
    if (!row)
      return row.takeError();
    printRow(os, step, *row);
    // A model without logits has no type to compare.
    if (row->outDType.empty())
      row->outDType = recorded.rows[step].outDType;
    comparison.compareRow(step, *row, recorded.rows[step], largestParameter);
  }
  if (!options.checkpoint.empty())
    if (llvm::Error error = save(std::max(end, *start)))
      return std::move(error);
  if (end == recorded.steps)
    for (StateAttr parameter : store->getByRole(Role::parameter))
      comparison.compareFinal(
          parameter.getName().getValue(), store->getF32(parameter),
          recorded.final.find(parameter.getName().str())->second);
  printPythonJSON(
      os, llvm::json::Object{{"agrees", comparison.agrees()},
                             {"rtol", rtol},
                             {"largest_error", comparison.getLargestErrors()}});
  os << "\n";
  for (const std::string &mismatch : comparison.getMismatches())
    llvm::errs() << "amp-train: " << mismatch << "\n";
  return comparison.agrees();
}

llvm::Expected<bool> amp::replay(MLIRContext &context,
                                 const ReplayCase &recorded,
                                 const ReplayOptions &options,
                                 raw_ostream &os) {
  return ReplayRun(recorded, options).run(context, os);
}
