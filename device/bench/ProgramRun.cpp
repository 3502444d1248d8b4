//===- ProgramRun.cpp - A compiled training step with its data ------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State from the manifest, inputs from files or a counter-based generator.
//
//===----------------------------------------------------------------------===//

#include "ProgramRun.h"

#include <cmath>
#include <cstring>

using namespace device;

/// Synthetic batches repeat after this many, so that a loss can go down.
static constexpr int64_t kSyntheticBatches = 4;

std::string device::getModel(const amp_rt_program_info &program) {
  std::string name = program.name;
  return name.substr(0, name.rfind('_'));
}

std::string device::getPrecision(const amp_rt_program_info &program) {
  std::string name = program.name;
  return name.substr(name.rfind('_') + 1);
}

double StepResult::get(const std::string &metric) const {
  for (const auto &[name, value] : metrics)
    if (name == metric)
      return value;
  return std::nan("");
}

//===----------------------------------------------------------------------===//
// Numbers without a library: the same bits everywhere
//===----------------------------------------------------------------------===//

/// One step of splitmix64.
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// FNV-1a.
static uint64_t hashBytes(const void *data, size_t size,
                          uint64_t hash = 0xcbf29ce484222325u) {
  const auto *bytes = static_cast<const unsigned char *>(data);
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

/// In [-1, 1), a multiple of 2^-23: exact.
static float uniformAt(uint64_t seed, uint64_t i) {
  return float(int64_t(mix(seed + i) >> 40) - (1 << 23)) * 0x1p-23f;
}

/// About a standard normal: the sum of four 16-bit numbers is exact, and the
/// one product rounds as IEEE says.
static float normalAt(uint64_t seed, uint64_t i) {
  uint64_t bits = mix(seed + i);
  int64_t sum = 0;
  for (int part = 0; part < 4; ++part)
    sum += int64_t((bits >> (16 * part)) & 0xffff);
  // Four uniforms on [-1/2, 1/2) have variance 1/3.
  return float(sum - 2 * 65536) * (1.7320508f / 65536);
}

static void writeFloat(unsigned char *to, float value) {
  std::memcpy(to, &value, sizeof(value));
}

static int64_t countElements(const int64_t *shape, int64_t rank) {
  int64_t count = 1;
  for (int64_t d = 0; d < rank; ++d)
    count *= shape[d];
  return count;
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

/// Writes one state to where it lies in its buffer: its constant, or, for a
/// parameter, what PyTorch's linear layers start with: uniform within
/// 1/sqrt(fan-in).
static void fillState(const amp_rt_state_info &state,
                      std::vector<unsigned char> &buffer) {
  size_t width = amp_rt_dtype_size(state.dtype);
  unsigned char *to = buffer.data() + size_t(state.offset) * width;
  int64_t count = countElements(state.shape, state.rank);
  if (state.supplied) {
    if (state.dtype != AMP_RT_DTYPE_F32)
      throw Failure(std::string("expects f32 parameters, but '") + state.name +
                    "' has " + amp_rt_dtype_name(state.dtype));
    uint64_t seed = hashBytes(state.name, std::strlen(state.name));
    int64_t fanIn = state.rank ? state.shape[state.rank - 1] : 1;
    float bound = 1.0f / std::sqrt(float(fanIn));
    for (int64_t i = 0; i < count; ++i)
      writeFloat(to + i * 4, uniformAt(seed, uint64_t(i)) * bound);
    return;
  }
  for (int64_t i = 0; i < count; ++i, to += width) {
    if (state.dtype == AMP_RT_DTYPE_F32)
      writeFloat(to, float(state.init));
    else if (state.dtype == AMP_RT_DTYPE_F64)
      std::memcpy(to, &state.init, sizeof(state.init));
    else // Little-endian: the low bytes.
      std::memcpy(to, &state.init_integer, width);
  }
}

ProgramRun::ProgramRun(const Session &session, const Options &options,
                       const amp_rt_program_info &program)
    : session(session), program(program), folder(options.data) {
  for (uint64_t i = 0; i < program.num_functions; ++i)
    if (std::string(program.functions[i].kind) == "train")
      train = &program.functions[i];
  if (!train)
    throw Failure(std::string("'") + program.name + "' has no train function");
  for (uint64_t i = 0; i < train->num_arguments; ++i) {
    const amp_rt_argument_info &argument = train->arguments[i];
    buffers.push_back(session.allocate(argument.bytes));
    pointers.push_back(buffers.back()->get());
    session.check(
        amp_rt_fill(session.get(), pointers.back(), 0, argument.bytes));
    if (argument.kind == AMP_RT_ARGUMENT_STATE)
      initial.emplace_back(argument.bytes);
  }
  for (uint64_t i = 0; i < program.num_states; ++i)
    fillState(program.states[i], initial[size_t(program.states[i].buffer)]);
  session.check(train->prepare(session.get()));
}

void ProgramRun::reset() {
  // State arguments come first, buffer by buffer.
  for (size_t i = 0; i < initial.size(); ++i)
    session.upload(pointers[i], initial[i].data(), initial[i].size());
}

uint64_t ProgramRun::hashState() {
  uint64_t hash = hashBytes(nullptr, 0);
  for (size_t i = 0; i < initial.size(); ++i) {
    std::vector<unsigned char> bytes(initial[i].size());
    session.download(bytes.data(), pointers[i], bytes.size());
    hash = hashBytes(bytes.data(), bytes.size(), hash);
  }
  return hash;
}

uint64_t ProgramRun::getStateBytes() const {
  uint64_t bytes = 0;
  for (const auto &content : initial)
    bytes += content.size();
  return bytes;
}

uint64_t ProgramRun::getArenaBytes() const { return buffers.back()->size(); }

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Classes of integer targets: the width of the logits, if there are any.
static int64_t countClasses(const amp_rt_function_info &function) {
  for (uint64_t i = 0; i < function.num_arguments; ++i)
    if (std::string(function.arguments[i].role) == "logits")
      return function.arguments[i].shape[function.arguments[i].rank - 1];
  return 2;
}

/// From `<model>.<input>.bin`, which holds batch after batch, or else
/// synthetic.
std::vector<unsigned char>
ProgramRun::makeInput(const amp_rt_argument_info &argument,
                      int64_t batch) const {
  std::string path =
      folder + "/" + getModel(program) + "." + argument.name + ".bin";
  std::vector<unsigned char> bytes(argument.bytes);
  if (fileExists(path)) {
    std::string content = readFile(path);
    size_t batches = content.size() / bytes.size();
    if (!batches)
      throw Failure("'" + path + "' holds no whole batch");
    std::memcpy(bytes.data(),
                content.data() + size_t(batch) % batches * bytes.size(),
                bytes.size());
    return bytes;
  }
  uint64_t seed = hashBytes(argument.name, std::strlen(argument.name)) +
                  (uint64_t(batch % kSyntheticBatches) << 40);
  int64_t count = countElements(argument.shape, argument.rank);
  for (int64_t i = 0; i < count; ++i) {
    if (argument.dtype == AMP_RT_DTYPE_F32) {
      writeFloat(bytes.data() + i * 4, normalAt(seed, uint64_t(i)));
    } else if (argument.dtype == AMP_RT_DTYPE_I64) {
      int64_t value =
          int64_t(mix(seed + uint64_t(i)) % uint64_t(countClasses(*train)));
      std::memcpy(bytes.data() + i * 8, &value, sizeof(value));
    } else {
      throw Failure(std::string("expects inputs of f32 or i64, but '") +
                    argument.name + "' has " +
                    amp_rt_dtype_name(argument.dtype));
    }
  }
  return bytes;
}

void ProgramRun::setBatch(int64_t i) {
  for (uint64_t a = 0; a < train->num_arguments; ++a)
    if (train->arguments[a].kind == AMP_RT_ARGUMENT_INPUT) {
      std::vector<unsigned char> bytes = makeInput(train->arguments[a], i);
      session.upload(pointers[a], bytes.data(), bytes.size());
    }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void ProgramRun::step() {
  amp_rt_step_begin(session.get(), program.name);
  int32_t status = train->function(session.get(), pointers.data());
  amp_rt_step_end(session.get());
  session.check(status);
}

/// The value of a rank-0 result.
static double readScalar(const unsigned char *from, int32_t dtype) {
  switch (dtype) {
  case AMP_RT_DTYPE_F32: {
    float value;
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
  case AMP_RT_DTYPE_F64: {
    double value;
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
  case AMP_RT_DTYPE_I64: {
    int64_t value;
    std::memcpy(&value, from, sizeof(value));
    return double(value);
  }
  case AMP_RT_DTYPE_I1:
    return *from & 1;
  default:
    return std::nan("");
  }
}

StepResult ProgramRun::read() {
  std::vector<std::vector<unsigned char>> bytes(train->num_arguments);
  for (uint64_t i = 0; i < train->num_arguments; ++i) {
    const amp_rt_argument_info &argument = train->arguments[i];
    if (argument.kind != AMP_RT_ARGUMENT_RESULT || argument.rank != 0)
      continue;
    bytes[i].resize(argument.bytes);
    session.check(amp_rt_download(session.get(), bytes[i].data(), pointers[i],
                                  argument.bytes));
  }
  session.synchronize();
  StepResult result;
  for (uint64_t i = 0; i < train->num_arguments; ++i) {
    if (bytes[i].empty())
      continue;
    const amp_rt_argument_info &argument = train->arguments[i];
    double value = readScalar(bytes[i].data(), argument.dtype);
    if (std::string(argument.role) == "loss")
      result.loss = value;
    else
      result.metrics.emplace_back(argument.name, value);
  }
  return result;
}
