//===- Gemm.cpp - The GEMM table ------------------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// amp_rt_gemm over shapes and types, in turns with cuBLASLt called directly on
// the same memory: both medians, their ratio, and whether the results agree.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "DirectLt.h"

#include "amp-rt/numerics.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace device;
using amp_rt::numerics::Format;

namespace {
struct Shape {
  const char *name;
  int64_t m, n, k;
  bool transposeLhs, transposeRhs;
};

struct Precision {
  const char *name;
  int32_t type, compute, out;
  Format format, outFormat;
  /// FP8 has kernels only where both operands lie along k.
  bool onlyAlongK;
};

/// One product with its memory.
struct Case {
  amp_rt_gemm_desc desc = {};
  amp_rt_gemm_args args = {};
  std::unique_ptr<Memory> lhs, rhs, out, directOut, scale;
};
} // namespace

// The layers of the 1024-wide MLP in the three directions; one layer of a
// transformer of width 4096 on 8192 tokens; squares from launch-bound to full.
static const Shape kShapes[] = {
    {"mlp fprop", 256, 1024, 1024, false, true},
    {"mlp dgrad", 256, 1024, 1024, false, false},
    {"mlp wgrad", 1024, 1024, 256, true, false},
    {"ffn fprop", 8192, 4096, 4096, false, true},
    {"ffn dgrad", 8192, 4096, 4096, false, false},
    {"ffn wgrad", 4096, 4096, 8192, true, false},
    {"square 1024", 1024, 1024, 1024, false, true},
    {"square 2048", 2048, 2048, 2048, false, true},
    {"square 4096", 4096, 4096, 4096, false, true},
    {"square 8192", 8192, 8192, 8192, false, true},
};
static const Shape kQuickShapes[] = {
    {"fprop", 32, 64, 48, false, true},
    {"dgrad", 32, 48, 64, false, false},
    {"wgrad", 64, 48, 32, true, false},
};

static const Precision kPrecisions[] = {
    {"f32", AMP_RT_DTYPE_F32, 0, AMP_RT_DTYPE_F32, Format::F32, Format::F32,
     false},
    {"tf32", AMP_RT_DTYPE_F32, AMP_RT_DTYPE_TF32, AMP_RT_DTYPE_F32, Format::F32,
     Format::F32, false},
    {"bf16", AMP_RT_DTYPE_BF16, 0, AMP_RT_DTYPE_BF16, Format::BF16,
     Format::BF16, false},
    {"f16", AMP_RT_DTYPE_F16, 0, AMP_RT_DTYPE_F16, Format::F16, Format::F16,
     false},
    {"e4m3", AMP_RT_DTYPE_E4M3FN, 0, AMP_RT_DTYPE_BF16, Format::F8E4M3FN,
     Format::BF16, true},
};

static constexpr size_t kWorkspace = 32 << 20;

/// Values in [-1, 1) that repeat after a prime number of elements.
static void fill(const Session &session, const Memory &memory, Format format,
                 unsigned seed) {
  static constexpr size_t kPeriod = 1000003;
  size_t width = amp_rt::numerics::getFormat(format).storageBytes;
  size_t count = memory.size() / width;
  std::vector<float> values(std::min(count, kPeriod));
  uint32_t state = seed;
  for (float &value : values) {
    state = state * 1664525u + 1013904223u;
    value = float(int32_t(state) >> 8) * 0x1p-23f;
  }
  std::vector<unsigned char> bytes(values.size() * width);
  amp_rt::numerics::fromF32(values.data(), bytes.data(), values.size(), format);
  for (size_t at = 0; at < memory.size(); at += bytes.size())
    session.upload(static_cast<char *>(memory.get()) + at, bytes.data(),
                   std::min(bytes.size(), memory.size() - at));
}

static Case makeCase(const Session &session, const Shape &shape,
                     const Precision &precision) {
  Case c;
  amp_rt_gemm_desc &d = c.desc;
  d.struct_size = sizeof(d);
  d.lhs_type = d.rhs_type = precision.type;
  d.out_type = precision.out;
  d.lhs_compute = d.rhs_compute = precision.compute;
  d.transpose_lhs = shape.transposeLhs;
  d.transpose_rhs = shape.transposeRhs;
  d.batch = 1;
  d.m = shape.m;
  d.n = shape.n;
  d.k = shape.k;
  d.alpha = 1.0f;
  size_t width = amp_rt_dtype_size(precision.type);
  size_t outBytes = size_t(d.m * d.n) * amp_rt_dtype_size(precision.out);
  c.lhs = session.allocate(size_t(d.m * d.k) * width);
  c.rhs = session.allocate(size_t(d.k * d.n) * width);
  c.out = session.allocate(outBytes);
  c.directOut = session.allocate(outBytes);
  fill(session, *c.lhs, precision.format, 1);
  fill(session, *c.rhs, precision.format, 2);
  c.args.struct_size = sizeof(c.args);
  c.args.lhs = c.lhs->get();
  c.args.rhs = c.rhs->get();
  c.args.out = c.out->get();
  return c;
}

/// Largest difference over the first rows, as a share of the largest value.
static double compare(const Session &session, const Case &c, Format format) {
  size_t width = amp_rt::numerics::getFormat(format).storageBytes;
  size_t count = std::min<size_t>(c.out->size() / width, 1 << 20);
  std::vector<unsigned char> bytes(count * width);
  std::vector<float> ours(count), direct(count);
  session.download(bytes.data(), c.out->get(), bytes.size());
  amp_rt::numerics::toF32(bytes.data(), ours.data(), count, format);
  session.download(bytes.data(), c.directOut->get(), bytes.size());
  amp_rt::numerics::toF32(bytes.data(), direct.data(), count, format);
  double largest = 0, difference = 0;
  for (size_t i = 0; i < count; ++i) {
    largest = std::max(largest, double(std::fabs(direct[i])));
    double d = std::fabs(double(ours[i]) - direct[i]);
    // A NaN must not get lost in max.
    if (!(d <= difference))
      difference = d;
  }
  return difference / largest;
}

/// Rounds in turns, so that clocks and neighbours hit both.
static void measureInTurns(const std::function<double()> &ours,
                           const std::function<double()> &direct, int rounds,
                           double &oursMedian, double &directMedian) {
  std::vector<double> first, second;
  for (int round = 0; round < rounds; ++round) {
    if (round % 2)
      second.push_back(direct());
    first.push_back(ours());
    if (round % 2 == 0)
      second.push_back(direct());
  }
  oursMedian = median(first);
  directMedian = median(second);
}

static void runCase(const Options &options, const Session &session,
                    DirectLt *direct, const Memory &workspace,
                    const Shape &shape, const Precision &precision, Json &row) {
  Case c = makeCase(session, shape, precision);
  int32_t status = amp_rt_gemm_prepare(session.get(), &c.desc);
  if (status == AMP_RT_UNSUPPORTED) {
    std::string reason = amp_rt_last_error(session.get());
    amp_rt_clear_error(session.get());
    throw Skip(reason);
  }
  session.check(status);
  row.set("path", amp_rt_gemm_path(session.get(), &c.desc));
  auto issue = [&] {
    session.check(amp_rt_gemm(session.get(), &c.desc, &c.args));
  };
  int rounds = options.quick ? 1 : 9;
  int calls = options.quick ? 1 : chooseCalls(session, issue, 2.0, 200);
  double flops = 2.0 * double(shape.m) * double(shape.n) * double(shape.k);
  amp_rt_gemm_args directArgs = c.args;
  directArgs.out = c.directOut->get();
  std::string reason;
  if (!direct || !direct->prepare(c.desc, directArgs, workspace.get(),
                                  workspace.size(), reason)) {
    std::vector<double> samples;
    for (int i = 0; i < rounds; ++i)
      samples.push_back(session.time(issue, calls));
    row.set("us", median(samples));
    row.set("tflops", flops / median(samples) * 1e-6);
    if (direct)
      row.set("direct", "refuses: " + reason);
    return;
  }
  session.synchronize();
  direct->time(options.quick ? 1 : 2);
  double ours = 0, theirs = 0;
  measureInTurns([&] { return session.time(issue, calls); },
                 [&] { return direct->time(calls); }, rounds, ours, theirs);
  row.set("us", ours);
  row.set("tflops", flops / ours * 1e-6);
  row.set("direct_us", theirs);
  row.set("ratio", theirs / ours);
  double difference = compare(session, c, precision.outFormat);
  row.set("difference", difference);
  if (theirs < 0)
    throw Failure("cublasLtMatmul called directly failed");
  // Two roundings of bf16, the widest gap here: another algorithm may add in
  // another order.
  if (!(difference <= 1.0 / 128))
    throw Failure("the runtime and cuBLASLt called directly differ by " +
                  Json(difference).dump() + " of the largest value");
}

void device::runGemm(const Options &options) {
  Session session(options);
  std::string reason;
  std::unique_ptr<DirectLt> direct;
  if (options.backend == AMP_RT_BACKEND_CUDA)
    direct = DirectLt::create(reason);
  else
    reason = "the back end is not CUDA";
  if (!direct)
    emit("gemm", Json::object({{"status", "skipped"},
                               {"shape", "(cuBLASLt called directly)"},
                               {"reason", reason}}));
  std::unique_ptr<Memory> workspace = session.allocate(kWorkspace);
  std::vector<Shape> shapes(std::begin(kShapes), std::end(kShapes));
  if (options.quick)
    shapes.assign(std::begin(kQuickShapes), std::end(kQuickShapes));
  for (const Precision &precision : kPrecisions)
    for (const Shape &shape : shapes) {
      if (precision.onlyAlongK && (shape.transposeLhs || !shape.transposeRhs))
        continue;
      Json row = Json::object({{"shape", shape.name},
                               {"type", precision.name},
                               {"m", shape.m},
                               {"n", shape.n},
                               {"k", shape.k}});
      try {
        runCase(options, session, direct.get(), *workspace, shape, precision,
                row);
      } catch (const Skip &skip) {
        row.set("status", "skipped");
        row.set("reason", skip.what());
      } catch (const Failure &failure) {
        row.set("status", "failed");
        row.set("reason", failure.what());
        if (amp_rt_last_status(session.get()) == AMP_RT_DEVICE_LOST)
          throw;
        amp_rt_clear_error(session.get());
      }
      emit("gemm", std::move(row));
    }
}
