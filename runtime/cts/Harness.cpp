//===- Harness.cpp - Conformance suite support ----------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Harness.h. The error model of a product of length k with f32 accumulation
// and one rounding: |error| <= half ulp of the result type + (k + c) * 2^-24 *
// (sum |a||b| + |beta old| + |bias|), c for the few operations after the sum.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <cmath>
#include <cstring>
#include <sstream>

namespace cts {

int32_t backendUnderTest = AMP_RT_BACKEND_CPU;

static amp_rt_context_options makeOptions(int32_t numThreads) {
  amp_rt_context_options options = {};
  options.struct_size = sizeof(options);
  options.backend = backendUnderTest;
  options.num_threads = numThreads;
  return options;
}

Context::Context(int32_t numThreads) {
  amp_rt_context_options options = makeOptions(numThreads);
  options.user = this;
  options.on_error = [](void *user, int32_t, const char *message) {
    static_cast<Context *>(user)->reported.push_back(message);
  };
  EXPECT_EQ(amp_rt_context_create(&options, &ctx), AMP_RT_OK);
}

amp_rt_memory Context::memory() const {
  amp_rt_memory stats = {};
  stats.struct_size = sizeof(stats);
  EXPECT_EQ(amp_rt_memory_stats(ctx, &stats), AMP_RT_OK);
  return stats;
}

void Suite::SetUp() {
  std::string reason;
  amp_rt_context_options options = makeOptions(0);
  options.user = &reason;
  options.on_error = [](void *user, int32_t, const char *message) {
    *static_cast<std::string *>(user) = message;
  };
  amp_rt_context *ctx = nullptr;
  int32_t status = amp_rt_context_create(&options, &ctx);
  amp_rt_context_destroy(ctx);
  if (status == AMP_RT_UNSUPPORTED)
    GTEST_SKIP() << reason;
  ASSERT_EQ(status, AMP_RT_OK) << reason;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

struct Fields {
  int exponentBits, mantissaBits;
  bool hasInf;
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  int minExponent() const { return 1 - bias(); }
};

static Fields fieldsOf(int32_t dtype) {
  switch (dtype) {
  case AMP_RT_DTYPE_F16:
    return {5, 10, true};
  case AMP_RT_DTYPE_BF16:
    return {8, 7, true};
  case AMP_RT_DTYPE_E4M3FN:
    return {4, 3, false};
  case AMP_RT_DTYPE_E5M2:
    return {5, 2, true};
  case AMP_RT_DTYPE_TF32:
    return {8, 10, true};
  default:
    return {8, 23, true};
  }
}

double decode(uint32_t bits, int32_t dtype) {
  Fields f = fieldsOf(dtype);
  int exponent = (bits >> f.mantissaBits) & ((1 << f.exponentBits) - 1);
  uint32_t mantissa = bits & ((1u << f.mantissaBits) - 1);
  double sign = (bits >> (f.exponentBits + f.mantissaBits)) & 1 ? -1.0 : 1.0;
  bool top = exponent == (1 << f.exponentBits) - 1;
  if (top && f.hasInf)
    return mantissa ? NAN : sign * INFINITY;
  if (top && mantissa == (1u << f.mantissaBits) - 1)
    return NAN;
  if (exponent == 0)
    return sign *
           std::ldexp(double(mantissa), f.minExponent() - f.mantissaBits);
  return sign * std::ldexp(double(mantissa + (1u << f.mantissaBits)),
                           exponent - f.bias() - f.mantissaBits);
}

double halfUlp(double value, int32_t dtype) {
  Fields f = fieldsOf(dtype);
  int exponent = f.minExponent();
  if (value != 0.0)
    exponent = std::max(exponent, std::ilogb(value));
  return std::ldexp(0.5, exponent - f.mantissaBits);
}

uint32_t encode(double value, int32_t dtype) {
  Fields f = fieldsOf(dtype);
  uint32_t sign =
      std::signbit(value) ? 1u << (f.exponentBits + f.mantissaBits) : 0u;
  uint32_t quiet = ((1u << (f.exponentBits + 1)) - 1) << (f.mantissaBits - 1);
  uint32_t nan =
      f.hasInf ? quiet : (1u << (f.exponentBits + f.mantissaBits)) - 1;
  uint32_t inf = f.hasInf ? quiet & ~(1u << (f.mantissaBits - 1)) : nan;
  if (std::isnan(value))
    return sign | nan;
  if (std::isinf(value))
    return sign | inf;
  // Units of the last place at this exponent; nearbyint rounds ties to even.
  double unit = 2 * halfUlp(value, dtype);
  double units = std::nearbyint(std::fabs(value) / unit);
  double rounded = units * unit;
  if (rounded == 0.0)
    return sign;
  int exponent = std::max(f.minExponent(), std::ilogb(rounded));
  auto mantissa = uint32_t(std::ldexp(rounded, f.mantissaBits - exponent));
  uint32_t field = mantissa >> f.mantissaBits ? exponent + f.bias() : 0;
  uint32_t bits =
      (field << f.mantissaBits) | (mantissa & ((1u << f.mantissaBits) - 1));
  return sign | (field >= 1u << f.exponentBits || bits > inf ? inf : bits);
}

uint32_t Array::bits(size_t i) const {
  uint32_t value = 0;
  size_t size = amp_rt_dtype_size(dtype);
  std::memcpy(&value, bytes.data() + i * size, size);
  return value;
}

void Array::setBits(size_t i, uint32_t value) {
  size_t size = amp_rt_dtype_size(dtype);
  std::memcpy(bytes.data() + i * size, &value, size);
}

//===----------------------------------------------------------------------===//
// GEMM
//===----------------------------------------------------------------------===//

static constexpr int64_t kBatch = 3;

static uint32_t nanBits(int32_t dtype) { return encode(NAN, dtype); }

int64_t GemmRun::lhsIndex(int64_t b, int64_t m, int64_t k) const {
  return b * desc.lhs_batch_stride +
         (c.transposeLhs ? k * desc.lhs_ld + m : m * desc.lhs_ld + k);
}
int64_t GemmRun::rhsIndex(int64_t b, int64_t k, int64_t n) const {
  return b * desc.rhs_batch_stride +
         (c.transposeRhs ? n * desc.rhs_ld + k : k * desc.rhs_ld + n);
}
int64_t GemmRun::outIndex(int64_t b, int64_t m, int64_t n) const {
  return b * desc.out_batch_stride + m * desc.out_ld + n;
}

int64_t GemmRun::auxIndex(int64_t b, int64_t m, int64_t n) const {
  return b * desc.aux_batch_stride + m * desc.aux_ld + n;
}
bool GemmRun::maskBit(int64_t b, int64_t m, int64_t n) const {
  int64_t at = auxIndex(b, m, n);
  return aux.bytes[size_t(at / 8)] >> (at % 8) & 1;
}
bool GemmRun::hasMask() const {
  return c.epilogue == AMP_RT_EPILOGUE_RELU_AUX ||
         c.epilogue == AMP_RT_EPILOGUE_DRELU ||
         c.epilogue == AMP_RT_EPILOGUE_DRELU_BGRAD;
}
bool GemmRun::hasGeluValues() const {
  return c.epilogue == AMP_RT_EPILOGUE_GELU_AUX ||
         c.epilogue == AMP_RT_EPILOGUE_DGELU ||
         c.epilogue == AMP_RT_EPILOGUE_DGELU_BGRAD;
}
bool GemmRun::hasBiasGrad() const {
  return c.epilogue == AMP_RT_EPILOGUE_BIAS_GRAD_LHS ||
         c.epilogue == AMP_RT_EPILOGUE_BIAS_GRAD_RHS ||
         c.epilogue == AMP_RT_EPILOGUE_DRELU_BGRAD ||
         c.epilogue == AMP_RT_EPILOGUE_DGELU_BGRAD;
}

static void describe(const GemmCase &c, amp_rt_gemm_desc &d) {
  d.struct_size = sizeof(d);
  d.lhs_type = c.lhs;
  d.rhs_type = c.rhs;
  d.out_type = c.out;
  d.bias_type = c.bias;
  d.accumulate_type = AMP_RT_DTYPE_F32;
  d.transpose_lhs = c.transposeLhs;
  d.transpose_rhs = c.transposeRhs;
  d.epilogue = c.epilogue;
  d.aux_type = c.aux;
  d.bias_grad_type = c.biasGrad;
  d.batch = c.batching == Batching::Single ? 1 : kBatch;
  d.m = c.m;
  d.n = c.n;
  d.k = c.k;
  d.alpha = c.alpha;
  d.beta = c.beta;
  d.lhs_ld = (c.transposeLhs ? c.m : c.k) + c.padding;
  d.rhs_ld = (c.transposeRhs ? c.k : c.n) + c.padding;
  d.out_ld = c.n + c.padding;
  d.lhs_batch_stride = (c.transposeLhs ? c.k : c.m) * d.lhs_ld + c.padding;
  d.rhs_batch_stride = (c.transposeRhs ? c.n : c.k) * d.rhs_ld + c.padding;
  d.out_batch_stride = c.m * d.out_ld + c.padding;
  if (c.batching == Batching::SharedLhs)
    d.lhs_batch_stride = 0;
  if (c.batching == Batching::SharedRhs) {
    d.rhs_batch_stride = 0;
    // Gapless, which lets a back end see one large matrix.
    d.lhs_batch_stride -= c.padding;
    d.out_batch_stride -= c.padding;
  }
}

GemmRun::GemmRun(const GemmCase &c, unsigned seed) : c(c) {
  describe(c, desc);
  auto count = [&](int64_t rows, int64_t ld, int64_t stride) {
    return size_t(desc.batch * stride + rows * ld + 1);
  };
  lhs = Array(c.lhs, count(c.transposeLhs ? c.k : c.m, desc.lhs_ld,
                           desc.lhs_batch_stride));
  rhs = Array(c.rhs, count(c.transposeRhs ? c.n : c.k, desc.rhs_ld,
                           desc.rhs_batch_stride));
  out = Array(c.out, count(c.m, desc.out_ld, desc.out_batch_stride));
  // What must not be read is NaN, so that reading it shows.
  for (Array *array : {&lhs, &rhs, &out})
    for (size_t i = 0;
         i < array->bytes.size() / amp_rt_dtype_size(array->dtype); ++i)
      array->setBits(i, nanBits(array->dtype));

  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int64_t b = 0; b < desc.batch; ++b) {
    for (int64_t m = 0; m < c.m; ++m)
      for (int64_t k = 0; k < c.k; ++k)
        lhs.set(lhsIndex(b, m, k), uniform(random));
    for (int64_t k = 0; k < c.k; ++k)
      for (int64_t n = 0; n < c.n; ++n)
        rhs.set(rhsIndex(b, k, n), uniform(random));
    if (c.beta != 0.0f)
      for (int64_t m = 0; m < c.m; ++m)
        for (int64_t n = 0; n < c.n; ++n)
          out.set(outIndex(b, m, n), uniform(random));
  }
  if (c.bias != AMP_RT_DTYPE_NONE) {
    bias = Array(c.bias, size_t(c.n));
    for (int64_t n = 0; n < c.n; ++n)
      bias.set(n, uniform(random));
  }
  oldOut = out;
  makeExtras(random);
  args.struct_size = sizeof(args);
  args.lhs = lhs.data();
  args.rhs = rhs.data();
  args.bias = bias.data();
  args.out = out.data();
  args.aux = aux.data();
  args.bias_grad = biasGrad.data();
}

/// aux with random content where it is read, and room for what is written. The
/// padding of a case makes the rows of aux longer than they need to be.
void GemmRun::makeExtras(std::mt19937 &random) {
  if (hasMask() || hasGeluValues()) {
    int64_t unit = hasMask() ? 128 : 8;
    desc.aux_ld = (c.n + unit - 1) / unit * unit + (c.padding ? unit : 0);
    desc.aux_batch_stride =
        desc.batch > 1 ? c.m * desc.aux_ld + (c.padding ? unit : 0) : 0;
    int64_t count = desc.batch * desc.aux_batch_stride + c.m * desc.aux_ld;
    if (hasMask()) {
      aux = Array(AMP_RT_DTYPE_I8, size_t(count / 8));
      for (unsigned char &byte : aux.bytes)
        byte = static_cast<unsigned char>(random());
    } else {
      aux = Array(c.aux ? c.aux : c.out, size_t(count));
      std::uniform_real_distribution<double> uniform(-3.0, 3.0);
      for (int64_t i = 0; i < count; ++i)
        aux.set(size_t(i), uniform(random));
    }
  }
  if (hasBiasGrad())
    biasGrad =
        Array(c.biasGrad ? c.biasGrad : c.out,
              size_t(c.epilogue == AMP_RT_EPILOGUE_BIAS_GRAD_LHS ? c.m : c.n));
}

//===----------------------------------------------------------------------===//
// Device memory
//===----------------------------------------------------------------------===//

void *uploadBytes(amp_rt_context *ctx, const void *data, size_t bytes) {
  void *block = amp_rt_alloc(ctx, bytes);
  EXPECT_NE(block, nullptr) << amp_rt_last_error(ctx);
  EXPECT_EQ(amp_rt_upload(ctx, block, data, bytes), AMP_RT_OK)
      << amp_rt_last_error(ctx);
  return block;
}

std::vector<unsigned char> downloadBytes(amp_rt_context *ctx, const void *block,
                                         size_t bytes) {
  std::vector<unsigned char> data(bytes, 0xee);
  EXPECT_EQ(amp_rt_download(ctx, data.data(), block, bytes), AMP_RT_OK)
      << amp_rt_last_error(ctx);
  EXPECT_EQ(amp_rt_synchronize(ctx), AMP_RT_OK) << amp_rt_last_error(ctx);
  return data;
}

Mirror::Mirror(amp_rt_context *ctx, GemmRun &run) : ctx(ctx), run(run) {
  if (backendUnderTest == AMP_RT_BACKEND_CPU)
    return;
  for (Array *array :
       {&run.lhs, &run.rhs, &run.bias, &run.out, &run.aux, &run.biasGrad})
    if (!array->bytes.empty())
      blocks.push_back({array, amp_rt_alloc(ctx, array->bytes.size())});
  run.mirror = this;
}

Mirror::~Mirror() {
  for (const auto &block : blocks)
    amp_rt_free(ctx, block.second);
  run.mirror = nullptr;
}

void Mirror::upload() {
  for (const auto &[array, block] : blocks)
    amp_rt_upload(ctx, block, array->data(), array->bytes.size());
}

void Mirror::download() {
  for (const auto &[array, block] : blocks)
    if (array == &run.out || array == &run.aux || array == &run.biasGrad)
      amp_rt_download(ctx, array->data(), block, array->bytes.size());
  amp_rt_synchronize(ctx);
}

amp_rt_gemm_args Mirror::args() const {
  amp_rt_gemm_args result = run.args;
  auto translate = [&](auto *&pointer) {
    for (const auto &[array, block] : blocks)
      if (pointer && pointer == array->data())
        pointer = block;
  };
  translate(result.lhs);
  translate(result.rhs);
  translate(result.bias);
  translate(result.out);
  translate(result.aux);
  translate(result.bias_grad);
  return result;
}

int32_t GemmRun::run(amp_rt_context *ctx, const amp_rt_gemm_desc &other) {
  // In the error state nothing may be touched, wherever the pointers lead.
  if (backendUnderTest == AMP_RT_BACKEND_CPU || amp_rt_last_status(ctx))
    return amp_rt_gemm(ctx, &other, &args);
  if (!mirror) {
    Mirror temporary(ctx, *this);
    return run(ctx, other);
  }
  mirror->upload();
  amp_rt_gemm_args deviceArgs = mirror->args();
  int32_t status = amp_rt_gemm(ctx, &other, &deviceArgs);
  mirror->download();
  return status ? status : amp_rt_last_status(ctx);
}

//===----------------------------------------------------------------------===//
// Reference
//===----------------------------------------------------------------------===//

/// Value and bound of one number before its rounding.
struct Expected {
  double value;
  double bound;
};

static testing::AssertionResult matches(const Expected &e, double got,
                                        int32_t dtype) {
  double bound = e.bound + halfUlp(std::fabs(e.value) + e.bound, dtype);
  if (std::fabs(got - e.value) <= bound)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "expects " << e.value << " within " << bound << ", but got " << got;
}

/// The error of gelu or its slope, evaluated in f32 on |x|. 1 + tanh cancels
/// for negative values, so the error is that of tanh times |x| / 2, tanh and
/// its argument within a few units of 2^-24. A device's library says nothing
/// about its tanh; the hardware's has a relative error of 2^-11.
static double geluError(double x) {
  bool exact = backendUnderTest == AMP_RT_BACKEND_CPU;
  return std::ldexp(exact ? 8 : 1, exact ? -24 : -10) * std::fabs(x);
}

/// x = alpha * product + beta * out + bias.
static Expected accumulated(const GemmRun &r, int64_t b, int64_t m, int64_t n) {
  const GemmCase &c = r.c;
  double sum = 0.0, magnitude = 0.0;
  for (int64_t k = 0; k < c.k; ++k) {
    double product =
        r.lhs.get(r.lhsIndex(b, m, k)) * r.rhs.get(r.rhsIndex(b, k, n));
    sum += product;
    magnitude += std::fabs(product);
  }
  double value = double(c.alpha) * sum;
  magnitude *= std::fabs(double(c.alpha));
  if (c.beta != 0.0f) {
    double old = double(c.beta) * r.oldOut.get(r.outIndex(b, m, n));
    value += old;
    magnitude += std::fabs(old);
  }
  if (c.bias != AMP_RT_DTYPE_NONE) {
    value += r.bias.get(n);
    magnitude += std::fabs(r.bias.get(n));
  }
  return {value, std::ldexp(double(c.k + 3), -24) * magnitude};
}

static Expected applyEpilogue(const GemmRun &r, Expected x, int64_t b,
                              int64_t m, int64_t n) {
  auto inner = [](double v) {
    return std::sqrt(2.0 / M_PI) * (v + 0.044715 * v * v * v);
  };
  switch (r.c.epilogue) {
  case AMP_RT_EPILOGUE_RELU:
  case AMP_RT_EPILOGUE_BIAS_RELU:
  case AMP_RT_EPILOGUE_RELU_AUX:
    return {std::isnan(x.value) ? x.value : std::fmax(x.value, 0.0), x.bound};
  case AMP_RT_EPILOGUE_GELU_TANH:
  case AMP_RT_EPILOGUE_GELU_AUX:
    // The slope of gelu is below 1.13.
    return {0.5 * x.value * (1.0 + std::tanh(inner(x.value))),
            1.13 * x.bound + geluError(x.value)};
  case AMP_RT_EPILOGUE_DRELU:
  case AMP_RT_EPILOGUE_DRELU_BGRAD:
    return r.maskBit(b, m, n) ? x : Expected{0.0, 0.0};
  case AMP_RT_EPILOGUE_DGELU:
  case AMP_RT_EPILOGUE_DGELU_BGRAD: {
    double v = r.aux.get(size_t(r.auxIndex(b, m, n)));
    double t = std::tanh(inner(v));
    double slope = 0.5 * (1.0 + t) + 0.5 * v * (1.0 - t * t) *
                                         std::sqrt(2.0 / M_PI) *
                                         (1.0 + 3 * 0.044715 * v * v);
    // The slope's own error grows with the terms in |v|^3 that make it.
    return {x.value * slope,
            1.13 * x.bound + std::fabs(x.value) * geluError(4.0 + 2 * v * v)};
  }
  }
  return x;
}

/// What the epilogue keeps of x, before it is applied.
static testing::AssertionResult checkKept(const GemmRun &r, const Expected &x,
                                          int64_t b, int64_t m, int64_t n) {
  if (r.c.epilogue == AMP_RT_EPILOGUE_GELU_AUX) {
    int32_t type = r.c.aux ? r.c.aux : r.c.out;
    return matches(x, r.aux.get(size_t(r.auxIndex(b, m, n))), type)
           << " in aux";
  }
  // Within the bound of 0 either bit is right.
  if (r.c.epilogue == AMP_RT_EPILOGUE_RELU_AUX &&
      std::fabs(x.value) > x.bound && r.maskBit(b, m, n) != (x.value > 0.0))
    return testing::AssertionFailure()
           << "the mask expects " << (x.value > 0.0) << " for " << x.value;
  return testing::AssertionSuccess();
}

/// The bias gradient: a sum of `count` numbers, in any order.
static testing::AssertionResult checkBiasGrad(const GemmRun &r) {
  const GemmCase &c = r.c;
  int64_t count =
      int64_t(r.biasGrad.bytes.size() / amp_rt_dtype_size(r.biasGrad.dtype));
  for (int64_t i = 0; i < count; ++i) {
    double sum = 0.0, magnitude = 0.0, bound = 0.0;
    auto add = [&](const Expected &e) {
      sum += e.value;
      magnitude += std::fabs(e.value);
      bound += e.bound;
    };
    int64_t terms = c.k;
    if (c.epilogue == AMP_RT_EPILOGUE_BIAS_GRAD_LHS) {
      for (int64_t k = 0; k < c.k; ++k)
        add({r.lhs.get(r.lhsIndex(0, i, k)), 0.0});
    } else if (c.epilogue == AMP_RT_EPILOGUE_BIAS_GRAD_RHS) {
      for (int64_t k = 0; k < c.k; ++k)
        add({r.rhs.get(r.rhsIndex(0, k, i)), 0.0});
    } else {
      terms = c.m;
      for (int64_t m = 0; m < c.m; ++m) {
        Expected e = applyEpilogue(r, accumulated(r, 0, m, i), 0, m, i);
        // Of the result before or after its rounding.
        e.bound += halfUlp(std::fabs(e.value) + e.bound, c.out);
        add(e);
      }
    }
    bound += std::ldexp(double(terms), -24) * magnitude;
    auto result =
        matches({sum, bound}, r.biasGrad.get(size_t(i)), r.biasGrad.dtype);
    if (!result)
      return result << " in bias_grad[" << i << "]";
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult GemmRun::check() const {
  std::vector<bool> written(out.bytes.size() / amp_rt_dtype_size(c.out));
  for (int64_t b = 0; b < desc.batch; ++b) {
    for (int64_t m = 0; m < c.m; ++m) {
      for (int64_t n = 0; n < c.n; ++n) {
        int64_t at = outIndex(b, m, n);
        written[at] = true;
        Expected x = accumulated(*this, b, m, n);
        auto result = matches(applyEpilogue(*this, x, b, m, n),
                              out.get(size_t(at)), c.out);
        if (result)
          result = checkKept(*this, x, b, m, n);
        if (!result)
          return result << " for out[" << b << "][" << m << "][" << n << "]";
      }
    }
  }
  for (size_t i = 0; i < written.size(); ++i)
    if (!written[i] && out.bits(i) != oldOut.bits(i))
      return testing::AssertionFailure()
             << "padding of out was written at element " << i;
  return hasBiasGrad() ? checkBiasGrad(*this) : testing::AssertionSuccess();
}

bool refusedByRule(amp_rt_context *ctx, int32_t status) {
  if (backendUnderTest == AMP_RT_BACKEND_CPU || status != AMP_RT_UNSUPPORTED ||
      std::string(amp_rt_last_error(ctx)).find(": rule ") == std::string::npos)
    return false;
  amp_rt_clear_error(ctx);
  return true;
}

std::string toString(const GemmCase &c) {
  std::ostringstream text;
  text << amp_rt_dtype_name(c.lhs) << (c.transposeLhs ? "^T" : "") << " x "
       << amp_rt_dtype_name(c.rhs) << (c.transposeRhs ? "^T" : "") << " -> "
       << amp_rt_dtype_name(c.out) << ", " << c.m << "x" << c.n << "x" << c.k
       << ", batching " << int(c.batching) << ", bias "
       << amp_rt_dtype_name(c.bias) << ", epilogue " << c.epilogue << ", alpha "
       << c.alpha << ", beta " << c.beta << ", padding " << c.padding;
  return text.str();
}

} // namespace cts
