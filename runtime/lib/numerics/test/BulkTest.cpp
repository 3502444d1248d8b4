//===- BulkTest.cpp - Array conversions equal the scalar ones ---*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bit for bit, NaN payloads included: on stratified and random inputs, for
// every format and policy, every instruction set that this CPU has, short and
// odd lengths, and unaligned arrays.
//
//===----------------------------------------------------------------------===//

#include "../BulkKernels.h"
#include "Samples.h"

#include "gtest/gtest.h"

#include <string>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace amp_rt::numerics;
using namespace amp_rt::numerics::test;

namespace {

std::vector<const BulkKernels *> availableKernels() {
#if defined(__x86_64__)
  std::vector<const BulkKernels *> result = {&kBulkKernelsV3};
  if (std::string(bulkInstructionSet()) == kBulkKernelsV4.instructionSet)
    result.push_back(&kBulkKernelsV4);
  return result;
#else
  return {&kBulkKernelsGeneric};
#endif
}

bool narrowWith(const BulkKernels &k, const float *source, void *target,
                size_t count, const FloatFormat &f, const ConvertOptions &o) {
  return k.narrowF32(source, target, count, f, o);
}
bool narrowWith(const BulkKernels &k, const double *source, void *target,
                size_t count, const FloatFormat &f, const ConvertOptions &o) {
  return k.narrowF64(source, target, count, f, o);
}
void widenWith(const BulkKernels &k, const void *source, float *target,
               size_t count, const FloatFormat &f, bool flush) {
  k.widenF32(source, target, count, f, flush);
}
void widenWith(const BulkKernels &k, const void *source, double *target,
               size_t count, const FloatFormat &f, bool flush) {
  k.widenF64(source, target, count, f, flush);
}

uint32_t encode(float value, Format format, ConvertOptions options = {},
                bool *overflowed = nullptr) {
  return fromF32(value, format, options, overflowed);
}
uint32_t encode(double value, Format format, ConvertOptions options = {},
                bool *overflowed = nullptr) {
  return fromF64(value, format, options, overflowed);
}
template <typename Float> Float decode(uint32_t bits, Format f, bool flush) {
  if constexpr (sizeof(Float) == 4)
    return toF32(bits, f, flush);
  else
    return toF64(bits, f, flush);
}

uint32_t loadBits(const unsigned char *base, size_t i, unsigned bytes) {
  uint32_t bits = 0;
  std::memcpy(&bits, base + i * bytes, bytes);
  return bits;
}
void storeBits(unsigned char *base, size_t i, unsigned bytes, uint32_t bits) {
  std::memcpy(base + i * bytes, &bits, bytes);
}

/// The sample of `f` and random bit patterns; for f32 a thinner one.
template <typename Float> std::vector<Float> inputsFor(const FloatFormat &f) {
  std::vector<Float> all = samplesFor<Float>(f), inputs;
  for (size_t i = 0; i < all.size(); i += all.size() > 200000 ? 3 : 1)
    inputs.push_back(all[i]);
  RandomBits random(11);
  for (int i = 0; i < 20001; ++i)
    inputs.push_back(
        bitsTo<Float>(typename BitsOf<Float>::Type(random.next())));
  return inputs;
}

template <typename Float>
void expectNarrowEqual(const FloatFormat &f, const ConvertOptions &options,
                       const std::vector<Float> &inputs) {
  size_t count = inputs.size();
  std::vector<uint32_t> want(count);
  bool overflowed = false;
  for (size_t i = 0; i < count; ++i)
    want[i] = encode(inputs[i], f.kind, options, &overflowed);
  std::vector<unsigned char> got(count * f.storageBytes);
  for (const BulkKernels *k : availableKernels()) {
    bool any = narrowWith(*k, inputs.data(), got.data(), count, f, options);
    if (options.overflow == Overflow::Error) {
      ASSERT_EQ(any, overflowed);
    }
    for (size_t i = 0; i < count; ++i)
      ASSERT_EQ(loadBits(got.data(), i, f.storageBytes), want[i])
          << k->instructionSet << " " << inputs[i];
  }
}

template <typename Float>
void expectWidenEqual(const FloatFormat &f, bool flush,
                      const std::vector<uint32_t> &inputs) {
  using Bits = typename BitsOf<Float>::Type;
  size_t count = inputs.size();
  std::vector<unsigned char> source(count * f.storageBytes);
  for (size_t i = 0; i < count; ++i)
    storeBits(source.data(), i, f.storageBytes, inputs[i]);
  std::vector<Float> got(count);
  for (const BulkKernels *k : availableKernels()) {
    widenWith(*k, source.data(), got.data(), count, f, flush);
    for (size_t i = 0; i < count; ++i)
      ASSERT_EQ(bitsTo<Bits>(got[i]),
                bitsTo<Bits>(decode<Float>(inputs[i], f.kind, flush)))
          << k->instructionSet << " " << inputs[i];
  }
}

/// All lengths up to a few vectors, at every byte offset of the encoded array.
template <typename Float> void checkShapes(const FloatFormat &f) {
  using Bits = typename BitsOf<Float>::Type;
  RandomBits random(13);
  constexpr size_t kMax = 150;
  unsigned bytes = f.storageBytes;
  std::vector<Float> inputs(kMax + 8);
  for (Float &v : inputs)
    v = std::ldexp(Float(int64_t(random.next()) >> 40),
                   int(random.next() % 40) - 40);
  for (const BulkKernels *k : availableKernels())
    for (size_t count = 0; count <= kMax; ++count) {
      size_t offset = count % 8, skip = count % 5;
      const Float *source = inputs.data() + skip;
      std::vector<unsigned char> buffer(kMax * bytes + 16, 0xa5);
      unsigned char *encoded = buffer.data() + offset;
      narrowWith(*k, source, encoded, count, f, {});
      std::vector<Float> decoded(kMax + 8, Float(-77));
      widenWith(*k, encoded, decoded.data() + skip, count, f, false);
      for (size_t i = 0; i < count; ++i) {
        uint32_t want = encode(source[i], f.kind);
        ASSERT_EQ(loadBits(encoded, i, bytes), want) << count;
        ASSERT_EQ(bitsTo<Bits>(decoded[skip + i]),
                  bitsTo<Bits>(decode<Float>(want, f.kind, false)));
      }
      // Nothing beside the arrays is written.
      for (size_t i = 0; i < buffer.size(); ++i) {
        bool inside = i >= offset && i < offset + count * bytes;
        ASSERT_TRUE(inside || buffer[i] == 0xa5) << count;
      }
      for (size_t i = 0; i < decoded.size(); ++i) {
        bool inside = i >= skip && i < skip + count;
        ASSERT_TRUE(inside || decoded[i] == Float(-77)) << count;
      }
    }
}

class NumericsBulk : public testing::TestWithParam<FloatFormat> {};

} // namespace

TEST_P(NumericsBulk, NarrowEqualsScalar) {
  std::vector<float> singles = inputsFor<float>(GetParam());
  std::vector<double> doubles = inputsFor<double>(GetParam());
  for (const ConvertOptions &options : allOptions()) {
    SCOPED_TRACE(testing::Message()
                 << int(options.rounding) << int(options.overflow)
                 << options.flushSubnormals);
    expectNarrowEqual(GetParam(), options, singles);
    expectNarrowEqual(GetParam(), options, doubles);
    if (HasFatalFailure())
      return;
  }
}

TEST_P(NumericsBulk, WidenEqualsScalar) {
  const FloatFormat &f = GetParam();
  std::vector<uint32_t> inputs;
  if (f.width() <= 19) {
    for (uint32_t bits = 0; bits < (1u << f.width()); ++bits)
      inputs.push_back(bits);
  } else {
    for (float v : inputsFor<float>(f))
      inputs.push_back(bitsTo<uint32_t>(v));
  }
  for (bool flush : {false, true}) {
    expectWidenEqual<float>(f, flush, inputs);
    expectWidenEqual<double>(f, flush, inputs);
  }
}

TEST_P(NumericsBulk, LengthsAndOffsets) {
  checkShapes<float>(GetParam());
  checkShapes<double>(GetParam());
}

TEST_P(NumericsBulk, FirstOverflow) {
  const FloatFormat &f = GetParam();
  ConvertOptions error;
  error.overflow = Overflow::Error;
  std::vector<double> values(3001, 1.0);
  std::vector<unsigned char> target(values.size() * f.storageBytes);
  EXPECT_EQ(fromF64(values.data(), target.data(), values.size(), f.kind, error),
            kNoOverflow);
  values[2999] = values[2050] = -1e300;
  values[17] = NAN;
  EXPECT_EQ(fromF64(values.data(), target.data(), values.size(), f.kind, error),
            2050u);
  EXPECT_EQ(loadBits(target.data(), 3000, f.storageBytes),
            fromF64(1.0, f.kind));
  std::vector<double> rounded = values;
  EXPECT_EQ(
      roundF64(rounded.data(), rounded.data(), rounded.size(), f.kind, error),
      2050u);
  EXPECT_EQ(std::isinf(rounded[2050]), f.hasInf());
  EXPECT_EQ(std::isnan(rounded[2050]), !f.hasInf());
  EXPECT_EQ(fromF64(values.data(), target.data(), values.size(), f.kind),
            kNoOverflow);
}

// Between two formats a value is rounded once, from what it is in the first.
TEST_P(NumericsBulk, ConvertBetweenFormats) {
  const FloatFormat &from = GetParam();
  size_t count = 5003;
  std::vector<unsigned char> source(count * from.storageBytes);
  RandomBits random(17);
  for (size_t i = 0; i < count; ++i)
    storeBits(source.data(), i, from.storageBytes,
              uint32_t(random.next()) & (2 * from.signMask - 1));
  for (const FloatFormat &to : kFormats) {
    std::vector<unsigned char> target(count * to.storageBytes);
    convert(source.data(), from.kind, target.data(), to.kind, count);
    for (size_t i = 0; i < count; ++i) {
      uint32_t bits = loadBits(source.data(), i, from.storageBytes);
      ASSERT_EQ(loadBits(target.data(), i, to.storageBytes),
                fromF32(toF32(bits, from.kind), to.kind));
    }
  }
}

TEST_P(NumericsBulk, RoundEqualsEncodeAndDecode) {
  Format format = GetParam().kind;
  std::vector<float> values = inputsFor<float>(GetParam());
  values.resize(4099);
  std::vector<float> rounded(values.size());
  roundF32(values.data(), rounded.data(), values.size(), format);
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(bitsTo<uint32_t>(rounded[i]),
              bitsTo<uint32_t>(roundF32(values[i], format)));
}

#if defined(__x86_64__)
// With the CPU told to flush subnormals and round upward, the bits stay.
TEST_P(NumericsBulk, FloatingPointEnvironmentHasNoInfluence) {
  const FloatFormat &f = GetParam();
  std::vector<float> values = inputsFor<float>(f);
  size_t count = values.size();
  unsigned saved = _mm_getcsr();
  auto run = [&](std::vector<unsigned char> &encoded,
                 std::vector<float> &single, std::vector<double> &wide,
                 const BulkKernels &k, unsigned csr) {
    _mm_setcsr(csr);
    k.narrowF32(values.data(), encoded.data(), count, f, {});
    k.widenF32(encoded.data(), single.data(), count, f, false);
    k.widenF64(encoded.data(), wide.data(), count, f, false);
    _mm_setcsr(saved);
  };
  for (const BulkKernels *k : availableKernels()) {
    std::vector<unsigned char> a(count * f.storageBytes), b(a);
    std::vector<float> c(count), d(count);
    std::vector<double> e(count), g(count);
    run(a, c, e, *k, saved);
    run(b, d, g, *k, saved | 0x8040 | _MM_ROUND_UP); // FTZ, DAZ
    EXPECT_EQ(a, b);
    EXPECT_EQ(std::memcmp(c.data(), d.data(), count * sizeof(float)), 0);
    EXPECT_EQ(std::memcmp(e.data(), g.data(), count * sizeof(double)), 0);
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(Formats, NumericsBulk, testing::ValuesIn(kFormats),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });
