//===- StepBench.cpp - Times of a training step -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps:
//   1. lower to kernels and count the arithmetic of the matrix products there;
//   2. lower the rest, compile, and give every pointer of the entry point a
//      buffer: states from the manifest, random inputs;
//   3. run: warm up, then time each step by itself, with the runtime's counters
//      around it.
//
//===----------------------------------------------------------------------===//

#include "amp/Bench/StepBench.h"

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h"
#include "amp/Execution/Device.h"
#include "amp/Pipelines/Compile.h"
#include "amp/Support/HostTensor.h"
#include "amp/Target/CPU/CompiledModule.h"

#include "amp-rt/amp_rt.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace mlir;
using namespace mlir::amp;

/// Compiled code asks for this alignment of everything it is given.
static constexpr size_t kAlignment = 64;

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static llvm::Error lower(ModuleOp module, const CompileOptions &options,
                         StringRef after) {
  PassManager manager(module.getContext());
  std::string message;
  auto onError = [&](const Twine &text) {
    message = text.str();
    return failure();
  };
  if (failed(buildCompilePipeline(manager, options, onError, after)))
    return makeError(message);
  if (failed(manager.run(module)))
    return makeError(""); // After a diagnostic.
  return llvm::Error::success();
}

/// 2*m*n*k of one product.
static int64_t countFlops(amprt::GemmOp gemm) {
  auto lhs = cast<ShapedType>(gemm.getLhs().getType());
  auto out = cast<ShapedType>(gemm.getOut().getType());
  int64_t k = lhs.getDimSize(lhs.getRank() - (gemm.getTransposeLhs() ? 2 : 1));
  return 2 * out.getNumElements() * k;
}

/// The function that runs a whole step.
static func::FuncOp findTrainFunction(ModuleOp module) {
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (auto kind = function->getAttrOfType<StepKindAttr>("amp.step_kind"))
      if (kind.getValue() == StepKind::train)
        return function;
  return {};
}

namespace {
/// What the lowering forgets: read before the last stages.
struct StepFacts {
  std::string name;
  int64_t flops = 0;
  /// Number of classes that integer targets may take.
  int64_t numClasses = 2;
  SmallVector<StateAttr> states;
};

/// Memory for one pointer of the entry point: what it starts as, on the host.
struct Buffer {
  explicit Buffer(int64_t bytes)
      : bytes(bytes), data(static_cast<char *>(std::aligned_alloc(
                          kAlignment, (bytes / kAlignment + 1) * kAlignment))) {
    std::fill_n(data.get(), bytes, 0);
  }
  struct Free {
    void operator()(char *pointer) const { std::free(pointer); }
  };
  int64_t bytes;
  std::unique_ptr<char, Free> data;
  /// What compiled code is given.
  DeviceBuffer device;
};
} // namespace

static llvm::Expected<StepFacts> readFacts(ModuleOp module) {
  StepFacts facts;
  func::FuncOp train = findTrainFunction(module);
  if (!train)
    return makeError("the model has no 'train' function after "
                     "-amp-build-train-step");
  facts.name = train.getName().str();
  train.walk([&](amprt::GemmOp gemm) { facts.flops += countFlops(gemm); });
  for (Type type : train.getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (tensor.getRank() == 2)
        facts.numClasses = tensor.getDimSize(1);
  auto states = module->getAttrOfType<ArrayAttr>("amp.state");
  if (!states)
    return makeError("the module has no state manifest ('amp.state')");
  for (Attribute state : states)
    facts.states.push_back(cast<StateAttr>(state));
  return facts;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

/// Writes one element of a scalar attribute's type.
static void writeElement(char *to, Attribute init) {
  if (auto value = dyn_cast<FloatAttr>(init)) {
    APInt bits = value.getValue().bitcastToAPInt();
    std::memcpy(to, bits.getRawData(), bits.getBitWidth() / 8);
  } else if (auto value = dyn_cast<IntegerAttr>(init)) {
    int64_t bits = value.getValue().getSExtValue();
    std::memcpy(to, &bits, std::max(1u, value.getValue().getBitWidth() / 8));
  }
}

/// Initial values: constants from the manifest; parameters uniform within
/// 1/sqrt(fan-in), as PyTorch's linear layers start.
static void initialiseState(const StateAttr &state, Buffer &buffer,
                            std::mt19937_64 &random) {
  RankedTensorType type = state.getType();
  int64_t width =
      std::max<int64_t>(1, type.getElementType().getIntOrFloatBitWidth() / 8);
  char *data = buffer.data.get() + state.getOffset() * width;
  if (!isa<UnitAttr>(state.getInit())) {
    for (int64_t i = 0, end = type.getNumElements(); i < end; ++i)
      writeElement(data + i * width, state.getInit());
    return;
  }
  int64_t fanIn = type.getRank() == 0 ? 1 : type.getShape().back();
  float bound = 1.0f / std::sqrt(float(fanIn));
  std::uniform_real_distribution<float> uniform(-bound, bound);
  for (int64_t i = 0, end = type.getNumElements(); i < end; ++i) {
    float value = uniform(random);
    std::memcpy(data + i * width, &value, sizeof(value));
  }
}

/// Normally distributed floats, classes for integers.
static llvm::Error fillInput(RankedTensorType type, int64_t numClasses,
                             Buffer &buffer, std::mt19937_64 &random) {
  std::normal_distribution<float> normal;
  int64_t count = type.getNumElements();
  if (type.getElementType().isF32()) {
    auto *data = reinterpret_cast<float *>(buffer.data.get());
    std::generate_n(data, count, [&] { return normal(random); });
    return llvm::Error::success();
  }
  if (type.getElementType().isInteger(64)) {
    auto *data = reinterpret_cast<int64_t *>(buffer.data.get());
    std::generate_n(data, count,
                    [&] { return int64_t(random() % numClasses); });
    return llvm::Error::success();
  }
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return makeError("expects inputs of f32 or i64, but got '" + text + "'");
}

//===----------------------------------------------------------------------===//
// Measurement
//===----------------------------------------------------------------------===//

static void summarise(std::vector<double> samples, StepBenchResult &result) {
  llvm::sort(samples);
  result.medianMs = samples[samples.size() / 2];
  result.bestMs = samples.front();
}

namespace {
/// A compiled step with its memory.
class StepRunner {
public:
  StepRunner(const StepFacts &facts, std::shared_ptr<Device> device)
      : facts(facts), device(std::move(device)) {}

  llvm::Error initialize(ModuleOp lowered, const JITOptions &options,
                         StepBenchResult &result);
  /// Runs one step; gives its milliseconds.
  llvm::Expected<double> step(StepBenchResult &result);
  llvm::Expected<double> readLoss() const;

private:
  llvm::Error fill();
  llvm::Error upload();

  const StepFacts &facts;
  std::unique_ptr<CompiledModule> compiled;
  const EntryPoint *entry = nullptr;
  std::shared_ptr<Device> device;
  std::vector<Buffer> buffers;
  SmallVector<void *> pointers;
};
} // namespace

llvm::Error StepRunner::initialize(ModuleOp lowered, const JITOptions &options,
                                   StepBenchResult &result) {
  llvm::Expected<std::unique_ptr<CompiledModule>> module =
      CompiledModule::create(lowered, options);
  if (!module)
    return module.takeError();
  compiled = std::move(*module);
  entry = compiled->getEntryPoint(facts.name);
  if (!entry)
    return makeError("compiled code has no entry point '" + facts.name + "'");
  result.runtime = device->getDescription();
  for (const EntryArgument &argument : entry->arguments) {
    int64_t bytes = argument.getByteSize();
    buffers.emplace_back(bytes);
    if (argument.kind == EntryArgument::Kind::State)
      result.stateBytes += bytes;
  }
  result.arenaBytes = entry->getArenaBytes();
  if (llvm::Error error = fill())
    return error;
  if (llvm::Error error = upload())
    return error;
  return compiled->prepare(facts.name, device->getContext());
}

llvm::Error StepRunner::upload() {
  for (Buffer &buffer : buffers) {
    llvm::Expected<DeviceBuffer> created =
        DeviceBuffer::create(device, buffer.bytes);
    if (!created)
      return created.takeError();
    buffer.device = std::move(*created);
    pointers.push_back(buffer.device.get());
    if (llvm::Error error =
            device->upload(pointers.back(), buffer.data.get(), buffer.bytes))
      return error;
  }
  return device->synchronize();
}

llvm::Error StepRunner::fill() {
  std::mt19937_64 random(1);
  // Buffer i of the manifest is state argument i.
  for (StateAttr state : facts.states)
    initialiseState(state, buffers[state.getBuffer()], random);
  for (auto [argument, buffer] : llvm::zip_equal(entry->arguments, buffers))
    if (argument.kind == EntryArgument::Kind::Input)
      if (llvm::Error error =
              fillInput(argument.type, facts.numClasses, buffer, random))
        return error;
  return llvm::Error::success();
}

llvm::Expected<double> StepRunner::step(StepBenchResult &result) {
  auto start = std::chrono::steady_clock::now();
  if (llvm::Error error =
          compiled->run(facts.name, device->getContext(), pointers))
    return std::move(error);
  if (llvm::Error error = device->synchronize())
    return std::move(error);
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - start;
  amp_rt_memory memory = {};
  memory.struct_size = sizeof(memory);
  amp_rt_memory_stats(device->getContext(), &memory);
  result.bytesPerStep =
      std::max(result.bytesPerStep, int64_t(memory.step_bytes));
  return time.count();
}

llvm::Expected<double> StepRunner::readLoss() const {
  for (auto [argument, buffer] : llvm::zip_equal(entry->arguments, buffers))
    if (argument.kind == EntryArgument::Kind::Result &&
        argument.role == Role::loss) {
      float loss;
      if (llvm::Error error =
              device->download(&loss, buffer.device.get(), sizeof(loss)))
        return std::move(error);
      if (llvm::Error error = device->synchronize())
        return std::move(error);
      return loss;
    }
  return std::nan("");
}

llvm::Expected<StepBenchResult>
amp::runStepBench(ModuleOp model, const StepBenchOptions &options) {
  StepBenchResult result;
  auto start = std::chrono::steady_clock::now();
  llvm::Expected<std::shared_ptr<Device>> device =
      Device::create(options.target);
  if (!device)
    return device.takeError();
  CompileOptions compile;
  compile.target = options.target;
  compile.arch = options.arch.empty() ? (*device)->getArch() : options.arch;
  compile.policy = options.policy;
  compile.batch = options.batch;
  compile.trainStep = options.trainStep + " window=single";
  // The products are still there, with static shapes.
  compile.stopAfter = "kernels";
  if (llvm::Error error = lower(model, compile, {}))
    return std::move(error);
  llvm::Expected<StepFacts> facts = readFacts(model);
  if (!facts)
    return facts.takeError();
  result.flopsPerStep = facts->flops;
  compile.stopAfter.clear();
  if (llvm::Error error = lower(model, compile, "kernels"))
    return std::move(error);
  StepRunner runner(*facts, *device);
  JITOptions jit;
  jit.dumpIR = options.dumpIR;
  jit.dumpAssembly = options.dumpAssembly;
  if (llvm::Error error = runner.initialize(model, jit, result))
    return std::move(error);
  result.compileSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();

  std::vector<double> samples;
  for (int64_t i = 0; i < options.warmup + options.steps; ++i) {
    if (i == options.warmup)
      result.bytesPerStep = 0;
    llvm::Expected<double> time = runner.step(result);
    if (!time)
      return time.takeError();
    if (i >= options.warmup)
      samples.push_back(*time);
    if (i != 0 && i != options.warmup + options.steps - 1)
      continue;
    llvm::Expected<double> loss = runner.readLoss();
    if (!loss)
      return loss.takeError();
    if (i == 0)
      result.firstLoss = *loss;
    result.lastLoss = *loss;
  }
  summarise(std::move(samples), result);
  return result;
}

llvm::json::Object amp::toJSON(const StepBenchResult &result,
                               const StepBenchOptions &options,
                               StringRef model) {
  return llvm::json::Object{
      {"model", model},
      {"policy", options.policy},
      {"target", options.target},
      {"options", options.trainStep},
      {"batch", options.batch},
      {"steps", options.steps},
      {"median_ms", result.medianMs},
      {"best_ms", result.bestMs},
      {"samples_per_s", result.getSamplesPerSecond(options.batch)},
      {"gflops", result.getGflops()},
      {"flops_per_step", result.flopsPerStep},
      {"state_bytes", result.stateBytes},
      {"arena_bytes", result.arenaBytes},
      {"bytes_per_step", result.bytesPerStep},
      {"first_loss", result.firstLoss},
      {"last_loss", result.lastLoss},
      {"compile_s", result.compileSeconds},
      {"runtime", result.runtime}};
}
