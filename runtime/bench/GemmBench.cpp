//===- GemmBench.cpp - amp_rt_gemm against oneDNN called directly ---------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measures what the runtime adds to the library: both run the same product in
// turns within one process, so that clock changes and neighbours hit both, and
// the medians are compared. Where oneDNN has no primitive for the type (f16 on
// CPUs without the instructions), the peer is its f32 matmul on operands that
// were widened beforehand: what the best possible widening would cost.
//
//   amp-rt-gemm-bench [--json FILE] [--rounds N]
//
//===----------------------------------------------------------------------===//

#include "DirectMatmul.h"
#include "amp-rt/amp_rt.h"
#include "amp-rt/numerics.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

using namespace amp_rt;
using numerics::Format;

/// One linear layer of a model: x of rows x in, weight of out x in.
struct Layer {
  const char *model;
  int64_t rows, in, out;
  bool needsInputGradient;
};

/// The digits MLP at batch 64 and the 1024-wide MLP at batch 256.
static const Layer kLayers[] = {{"digits", 64, 64, 128, false},
                                {"digits", 64, 128, 128, true},
                                {"digits", 64, 128, 10, true},
                                {"mlp1024", 256, 1024, 1024, true}};

struct Case {
  const char *model;
  const char *phase;
  Format format;
  amp_rt_gemm_desc desc;
};

/// Milliseconds per call.
struct Timing {
  double median = 0, best = 0;
};

struct Result {
  Timing runtime, direct;
  double gflops = 0;
  std::string path, peerPath, peerType;
};

static int32_t getDtype(Format format) {
  switch (format) {
  case Format::F16:
    return AMP_RT_DTYPE_F16;
  case Format::BF16:
    return AMP_RT_DTYPE_BF16;
  default:
    return AMP_RT_DTYPE_F32;
  }
}

/// The three products of a layer, as the compiler emits them: the forward one
/// with its bias, the gradient of the weight in f32 from the accumulator.
static void appendCases(const Layer &layer, Format format,
                        std::vector<Case> &cases) {
  int32_t type = getDtype(format);
  amp_rt_gemm_desc desc = {};
  desc.struct_size = sizeof(desc);
  desc.lhs_type = desc.rhs_type = desc.out_type = type;
  desc.batch = 1;
  desc.alpha = 1.0f;

  amp_rt_gemm_desc fprop = desc;
  fprop.m = layer.rows;
  fprop.n = layer.out;
  fprop.k = layer.in;
  fprop.transpose_rhs = 1;
  fprop.bias_type = type;
  fprop.epilogue = AMP_RT_EPILOGUE_BIAS;
  cases.push_back({layer.model, "fprop", format, fprop});

  if (layer.needsInputGradient) {
    amp_rt_gemm_desc dgrad = desc;
    dgrad.m = layer.rows;
    dgrad.n = layer.in;
    dgrad.k = layer.out;
    cases.push_back({layer.model, "dgrad", format, dgrad});
  }

  amp_rt_gemm_desc wgrad = desc;
  wgrad.m = layer.out;
  wgrad.n = layer.in;
  wgrad.k = layer.rows;
  wgrad.transpose_lhs = 1;
  wgrad.out_type = AMP_RT_DTYPE_F32;
  cases.push_back({layer.model, "wgrad", format, wgrad});
}

/// A 64-byte aligned array of one element type.
struct Buffer {
  Buffer(int64_t count, Format format) : count(count), format(format) {
    size_t bytes = size_t(count) * numerics::getFormat(format).storageBytes;
    data.reset(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
  }

  void fill(const std::vector<float> &values) {
    numerics::fromF32(values.data(), data.get(), size_t(count), format);
  }
  std::vector<float> read() const {
    std::vector<float> values(static_cast<size_t>(count));
    numerics::toF32(data.get(), values.data(), size_t(count), format);
    return values;
  }

  struct Free {
    void operator()(void *ptr) const { std::free(ptr); }
  };
  int64_t count;
  Format format;
  std::unique_ptr<void, Free> data;
};

static double secondsOf(const std::function<void()> &run, int calls) {
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i)
    run();
  auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(end - start).count() / calls;
}

static Timing summarise(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2] * 1e3, seconds.front() * 1e3};
}

/// Times of both. Each round takes one sample of each, the
/// order alternating; a sample repeats the call until it is long enough (half a
/// millisecond) for the clock.
static std::pair<Timing, Timing>
measureInTurns(const std::function<void()> &first,
               const std::function<void()> &second, int rounds) {
  // Warm up: pages, caches, the thread pool.
  secondsOf(first, 3);
  secondsOf(second, 3);
  double once = std::min(secondsOf(first, 5), secondsOf(second, 5));
  int calls = std::clamp(int(0.5e-3 / std::max(once, 1e-7)), 1, 500);
  std::vector<double> firstSamples, secondSamples;
  for (int round = 0; round < rounds; ++round) {
    bool swapped = round % 2 == 1;
    if (swapped)
      secondSamples.push_back(secondsOf(second, calls));
    firstSamples.push_back(secondsOf(first, calls));
    if (!swapped)
      secondSamples.push_back(secondsOf(second, calls));
  }
  return {summarise(firstSamples), summarise(secondSamples)};
}

/// Whether both computed the same product. Outputs of one magnitude (k products
/// of values in [-1, 1]): two roundings of the narrowest type, 2^-7 for bf16,
/// cover different orders of accumulation with room to spare.
static bool agree(const std::vector<float> &a, const std::vector<float> &b) {
  float largest = 0, difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::fabs(b[i]));
    difference = std::max(difference, std::fabs(a[i] - b[i]));
  }
  return std::isfinite(difference) && difference <= largest / 128;
}

static bool fail(const Case &c, const char *what) {
  std::fprintf(stderr, "error: %s %s %s: %s\n", c.model, c.phase,
               numerics::getFormat(c.format).name.data(), what);
  return false;
}

static bool runCase(amp_rt_context *ctx, const Case &c, int rounds,
                    Result &result) {
  const amp_rt_gemm_desc &d = c.desc;
  Format outFormat = d.out_type == AMP_RT_DTYPE_F32 ? Format::F32 : c.format;
  int64_t counts[] = {d.m * d.k, d.k * d.n, d.n};
  std::vector<Buffer> inputs, wideInputs;
  std::mt19937 random(17);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  for (int64_t count : counts) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float &value : values)
      value = uniform(random);
    inputs.emplace_back(count, c.format).fill(values);
    wideInputs.emplace_back(count, Format::F32).fill(inputs.back().read());
  }

  Buffer out(d.m * d.n, outFormat);
  amp_rt_gemm_args args = {};
  args.struct_size = sizeof(args);
  args.lhs = inputs[0].data.get();
  args.rhs = inputs[1].data.get();
  args.bias = d.bias_type ? inputs[2].data.get() : nullptr;
  args.out = out.data.get();
  if (amp_rt_gemm_prepare(ctx, &d) != AMP_RT_OK ||
      amp_rt_gemm(ctx, &d, &args) != AMP_RT_OK)
    return fail(c, amp_rt_last_error(ctx));
  result.path = amp_rt_gemm_path(ctx, &d);

  // The peer at the same types; with the bias widened; in f32 on widened
  // operands: the first that oneDNN has.
  amp_rt_gemm_desc wideBias = d, wide = d;
  wideBias.bias_type = d.bias_type ? AMP_RT_DTYPE_F32 : AMP_RT_DTYPE_NONE;
  wide = wideBias;
  wide.lhs_type = wide.rhs_type = wide.out_type = AMP_RT_DTYPE_F32;
  Buffer directOut(d.m * d.n, outFormat), wideOut(d.m * d.n, Format::F32);
  struct {
    const char *type;
    const amp_rt_gemm_desc &desc;
    std::vector<Buffer> &operands;
    std::vector<Buffer> &biases;
    Buffer &out;
  } peers[] = {
      {numerics::getFormat(c.format).name.data(), d, inputs, inputs, directOut},
      {numerics::getFormat(c.format).name.data(), wideBias, inputs, wideInputs,
       directOut},
      {"f32", wide, wideInputs, wideInputs, wideOut}};
  std::unique_ptr<bench::DirectMatmul> direct;
  Buffer *peerOut = nullptr;
  for (const auto &peer : peers) {
    direct = std::make_unique<bench::DirectMatmul>();
    if (!direct->create(peer.desc, peer.operands[0].data.get(),
                        peer.operands[1].data.get(), peer.biases[2].data.get(),
                        peer.out.data.get()))
      continue;
    result.peerType = peer.type;
    peerOut = &peer.out;
    break;
  }
  if (!peerOut)
    return fail(c, "oneDNN has no optimised matmul for this product");
  result.peerPath = direct->getPath();

  std::tie(result.runtime, result.direct) = measureInTurns(
      [&] { amp_rt_gemm(ctx, &d, &args); }, [&] { direct->run(); }, rounds);
  if (amp_rt_last_status(ctx) != AMP_RT_OK)
    return fail(c, amp_rt_last_error(ctx));
  if (!agree(out.read(), peerOut->read()))
    return fail(c, "the runtime and oneDNN disagree on the result");
  result.gflops = 2.0 * d.m * d.n * d.k / (result.runtime.median * 1e6);
  return true;
}

static void printRow(const Case &c, const Result &r) {
  std::printf("%-8s %-6s %-5s %5lld %5lld %5lld %9.4f %9.4f %8.1f %6.2f  %s "
              "(oneDNN %s: %s)\n",
              c.model, c.phase, numerics::getFormat(c.format).name.data(),
              (long long)c.desc.m, (long long)c.desc.n, (long long)c.desc.k,
              r.runtime.median, r.direct.median, r.gflops,
              r.direct.median / r.runtime.median, r.path.c_str(),
              r.peerType.c_str(), r.peerPath.c_str());
}

static void writeJson(std::FILE *file, const char *info,
                      const std::vector<Case> &cases,
                      const std::vector<Result> &results) {
  std::fprintf(file, "{\"runtime\": \"%s\", \"gemm\": [", info);
  for (size_t i = 0; i < results.size(); ++i) {
    const Case &c = cases[i];
    const Result &r = results[i];
    std::fprintf(
        file,
        "%s\n  {\"model\": \"%s\", \"phase\": \"%s\", \"type\": \"%s\", "
        "\"m\": %lld, \"n\": %lld, \"k\": %lld, \"runtime_ms\": %.6f, "
        "\"direct_ms\": %.6f, \"runtime_best_ms\": %.6f, "
        "\"direct_best_ms\": %.6f, \"gflops\": %.2f, \"ratio\": %.4f, "
        "\"path\": \"%s\", \"direct_type\": \"%s\", \"direct_path\": \"%s\"}",
        i ? "," : "", c.model, c.phase,
        numerics::getFormat(c.format).name.data(), (long long)c.desc.m,
        (long long)c.desc.n, (long long)c.desc.k, r.runtime.median,
        r.direct.median, r.runtime.best, r.direct.best, r.gflops,
        r.direct.median / r.runtime.median, r.path.c_str(), r.peerType.c_str(),
        r.peerPath.c_str());
  }
  std::fprintf(file, "\n]}\n");
}

int main(int argc, char **argv) {
  const char *jsonPath = nullptr;
  int rounds = 31;
  for (int i = 1; i < argc; ++i) {
    bool hasValue = i + 1 < argc;
    if (!std::strcmp(argv[i], "--json") && hasValue) {
      jsonPath = argv[++i];
    } else if (!std::strcmp(argv[i], "--rounds") && hasValue) {
      rounds = std::max(1, std::atoi(argv[++i]));
    } else {
      std::fprintf(stderr, "usage: %s [--json FILE] [--rounds N]\n", argv[0]);
      return 2;
    }
  }

  amp_rt_context *ctx = nullptr;
  if (amp_rt_context_create(nullptr, &ctx) != AMP_RT_OK)
    return 1;
  char info[512];
  amp_rt_runtime_info(ctx, info, sizeof(info));

  std::vector<Case> cases;
  for (const Layer &layer : kLayers)
    for (Format format : {Format::F32, Format::BF16, Format::F16})
      appendCases(layer, format, cases);

  std::printf(
      "%s\nratio: time of oneDNN called directly / time of amp_rt_gemm; "
      "medians of %d rounds\n"
      "%-8s %-6s %-5s %5s %5s %5s %9s %9s %8s %6s  path\n",
      info, rounds, "model", "phase", "type", "m", "n", "k", "ms", "oneDNN ms",
      "GFLOP/s", "ratio");
  std::vector<Result> results;
  bool ok = true;
  for (const Case &c : cases) {
    Result result;
    ok = runCase(ctx, c, rounds, result);
    if (!ok)
      break;
    printRow(c, result);
    results.push_back(result);
  }
  amp_rt_context_destroy(ctx);
  if (!ok)
    return 1;

  if (jsonPath) {
    std::FILE *file = std::fopen(jsonPath, "w");
    if (!file) {
      std::fprintf(stderr, "error: cannot write '%s': %s\n", jsonPath,
                   std::strerror(errno));
      return 1;
    }
    writeJson(file, info, cases, results);
    std::fclose(file);
  }
  return 0;
}
