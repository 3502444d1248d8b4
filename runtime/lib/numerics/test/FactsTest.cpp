//===- FactsTest.cpp - Single facts about conversions -----------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that a mixed-precision compiler must get right, each with the reason
// that makes it easy to get wrong.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/numerics.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <vector>

using namespace amp_rt::numerics;

static double f16(double value) { return roundF64(value, Format::F16); }
static double bf16(double value) { return roundF64(value, Format::BF16); }

TEST(NumericsFacts, ConversionTable) {
  EXPECT_EQ(f16(1.0001), 1.0);
  EXPECT_EQ(bf16(1.0001), 1.0);
  // 168 * 2^-24 in both formats: bf16 lands on the same value.
  EXPECT_EQ(f16(1e-5), 168 * 0x1p-24);
  EXPECT_EQ(bf16(1e-5), 168 * 0x1p-24);
  EXPECT_NEAR(f16(1e-5), 1.00136e-05, 5e-11);
  EXPECT_EQ(f16(100000), INFINITY);
  EXPECT_EQ(bf16(100000), 99840.0);
  // Half the smallest subnormal is a tie, to even; just above it is not.
  EXPECT_EQ(f16(0x1p-25), 0.0);
  EXPECT_EQ(bf16(0x1p-25), 0x1p-25);
  double above = std::nextafter(0x1p-25, 1.0);
  EXPECT_EQ(f16(above), 0x1p-24);
  EXPECT_EQ(bf16(above), 0x1p-25);
  // The rounding boundary is 65520; 65504 is the safe bound.
  EXPECT_EQ(f16(65519), 65504.0);
  EXPECT_EQ(f16(65520), INFINITY);
  EXPECT_EQ(f16(std::nextafter(65520.0, 0.0)), 65504.0);
}

TEST(NumericsFacts, NoDoubleRounding) {
  double value = 1 + 0x1p-8 + 0x1p-26;
  // f32 lands on the tie of bf16, which then goes to even.
  EXPECT_EQ(roundF32(float(value), Format::BF16), 1.0f);
  EXPECT_EQ(roundF64(value, Format::BF16), 1.0078125);
  // The same trap below the normal range of f16, and at its overflow boundary.
  double tiny = 0x1p-25 + 0x1p-60;
  EXPECT_EQ(roundF32(float(tiny), Format::F16), 0.0f);
  EXPECT_EQ(roundF64(tiny, Format::F16), 0x1p-24);
  double large = 65520 - 0x1p-20;
  EXPECT_EQ(roundF32(float(large), Format::F16), INFINITY);
  EXPECT_EQ(roundF64(large, Format::F16), 65504.0);
}

TEST(NumericsFacts, NaNStaysQuietNaN) {
  // A payload in the low bits only: truncation would give infinity.
  uint32_t signalling = 0x7f800001;
  float nan;
  std::memcpy(&nan, &signalling, sizeof nan);
  EXPECT_EQ(fromF32(nan, Format::BF16), 0x7fc0u);
  EXPECT_EQ(fromF32(-nan, Format::BF16), 0xffc0u);
  EXPECT_EQ(fromF32(nan, Format::F16), 0x7e00u);
  EXPECT_EQ(fromF32(nan, Format::TF32), 0x3fe00u);
  EXPECT_EQ(fromF32(nan, Format::F8E5M2), 0x7eu);
  EXPECT_EQ(fromF32(nan, Format::F8E4M3FN), 0x7fu);
  EXPECT_EQ(fromF32(nan, Format::F32), 0x7fc00001u);
  for (Overflow overflow : {Overflow::Saturate, Overflow::Error}) {
    bool overflowed = false;
    ConvertOptions options{Rounding::NearestEven, overflow, true};
    EXPECT_EQ(fromF32(nan, Format::F8E4M3FN, options, &overflowed), 0x7fu);
    EXPECT_EQ(fromF64(NAN, Format::F16, options, &overflowed), 0x7e00u);
    EXPECT_FALSE(overflowed);
  }
}

TEST(NumericsFacts, OverflowIsThePolicysAffair) {
  ConvertOptions ieee, saturate, error, zero;
  saturate.overflow = Overflow::Saturate;
  error.overflow = Overflow::Error;
  zero.rounding = Rounding::TowardZero;
  auto e4m3 = [](double value, ConvertOptions options) {
    return roundF64(value, Format::F8E4M3FN, options);
  };
  // 464 is the middle between 448 and the 480 that the NaN took; 448 is even.
  EXPECT_EQ(e4m3(464, ieee), 448.0);
  EXPECT_TRUE(std::isnan(e4m3(std::nextafter(464.0, 500.0), ieee)));
  EXPECT_TRUE(std::isnan(e4m3(INFINITY, ieee)));
  EXPECT_EQ(e4m3(1e6, saturate), 448.0);
  EXPECT_EQ(e4m3(-1e6, saturate), -448.0);
  EXPECT_EQ(e4m3(INFINITY, saturate), 448.0);
  EXPECT_EQ(e4m3(1e6, zero), 448.0);
  EXPECT_EQ(roundF64(1e6, Format::F16, saturate), 65504.0);
  EXPECT_EQ(roundF64(1e6, Format::F8E5M2, saturate), 57344.0);
  EXPECT_EQ(roundF64(1e6, Format::F16, zero), 65504.0);

  bool overflowed = false;
  EXPECT_EQ(roundF64(65519, Format::F16, error, &overflowed), 65504.0);
  EXPECT_EQ(roundF64(INFINITY, Format::F16, error, &overflowed), INFINITY);
  EXPECT_FALSE(overflowed);
  EXPECT_EQ(roundF64(65520, Format::F16, error, &overflowed), INFINITY);
  EXPECT_TRUE(overflowed);
  overflowed = false;
  EXPECT_TRUE(
      std::isnan(roundF64(INFINITY, Format::F8E4M3FN, error, &overflowed)));
  EXPECT_TRUE(overflowed);
  overflowed = false;
  roundF64(1e6, Format::F16, ieee, &overflowed);
  roundF64(1e6, Format::F16, saturate, &overflowed);
  EXPECT_FALSE(overflowed);
}

// |fl(x) - x| <= u |x| in the normal range; half the subnormal gap below it,
// where the relative bound fails.
TEST(NumericsFacts, ErrorBounds) {
  for (const FloatFormat &f : kFormats) {
    SCOPED_TRACE(std::string(f.name));
    double u = f.epsilon / 2;
    for (double m : {1.0, 1.1, 1.3, 1.4999, 1.77, 1.99}) {
      double x = m * f.minNormal * 4;
      EXPECT_LE(std::fabs(roundF64(x, f.kind) - x), u * x);
      double tiny = m * f.minSubnormal * 0.7;
      EXPECT_LE(std::fabs(roundF64(tiny, f.kind) - tiny), f.minSubnormal / 2);
    }
    double tiny = 0.75 * f.minSubnormal;
    EXPECT_GT(std::fabs(roundF64(tiny, f.kind) - tiny), u * tiny);
  }
}

// An amax of 44800 scaled to E4M3: dequantised = scale * quantised.
TEST(NumericsFacts, E4M3AmaxScaling) {
  double scale = 44800.0 / getFormat(Format::F8E4M3FN).maxFinite;
  EXPECT_EQ(scale, 100.0);
  double quantised = roundF64(1.0 / scale, Format::F8E4M3FN);
  EXPECT_EQ(quantised, 0.009765625);
  EXPECT_EQ(scale * quantised, 0.9765625);
  EXPECT_EQ(scale * roundF64(44800.0 / scale, Format::F8E4M3FN), 44800.0);
}

/// Adds in sequence, rounding to `format` after each addition.
static double sumIn(Format format, const std::vector<double> &values) {
  double sum = 0;
  for (double value : values)
    sum = roundF64(sum + roundF64(value, format), format);
  return sum;
}

TEST(NumericsFacts, Accumulation) {
  std::vector<double> ones(257, 1.0);
  ones[0] = 256;
  // The gap of bf16 at 256 is 2: each +1 is a tie to even.
  EXPECT_EQ(sumIn(Format::BF16, ones), 256.0);
  EXPECT_EQ(sumIn(Format::F16, ones), 512.0);
  EXPECT_EQ(sumIn(Format::F32, ones), 512.0);
  EXPECT_EQ(bf16(512.0), 512.0);
  EXPECT_EQ(sumIn(Format::F16, {1e4, 1e-3, -1e4}), 0.0);
  EXPECT_EQ(sumIn(Format::BF16, {1e4, 1e-3, -1e4}), 0.0);
  EXPECT_NE(sumIn(Format::F32, {1e4, 1e-3, -1e4}), 0.0);
}

TEST(NumericsFacts, Variance) {
  double a = 9999, b = 10001;
  auto f32 = [](double value) { return roundF64(value, Format::F32); };
  // E[x^2] - E[x]^2 in f32 loses the 1 altogether.
  double squares = f32(f32(f32(a * a) + f32(b * b)) / 2);
  double mean = f32(f32(a + b) / 2);
  EXPECT_EQ(f32(squares - f32(mean * mean)), 0.0);
  // Centred, it is exact.
  EXPECT_EQ(f32(f32((a - mean) * (a - mean) + (b - mean) * (b - mean)) / 2),
            1.0);
  // bf16 inputs are equal already: no formula brings the variance back.
  EXPECT_EQ(bf16(a), 9984.0);
  EXPECT_EQ(bf16(b), 9984.0);
}

TEST(NumericsFacts, Softmax) {
  EXPECT_NEAR(std::exp(12.0), 162754.79, 0.01);
  EXPECT_EQ(f16(std::exp(12.0)), INFINITY);
  EXPECT_TRUE(std::isfinite(bf16(std::exp(12.0))));
  // Shifted by the maximum, [1000, 1001] is harmless.
  double e = std::exp(-1.0), sum = 1 + e;
  EXPECT_NEAR(e / sum, 0.26894142, 5e-9);
  EXPECT_NEAR(1 / sum, 0.73105858, 5e-9);
  EXPECT_TRUE(std::isnan(std::exp(1000.0) / std::exp(1001.0)));
  // A row of -inf only: -inf - -inf is NaN.
  EXPECT_TRUE(std::isnan(std::exp(-INFINITY - -INFINITY)));
}

// 1e-8 is lost in f16, and survives a scale of 1024.
TEST(NumericsFacts, LossScalingWindow) {
  EXPECT_EQ(f16(1e-8), 0.0);
  double kept = double(float(f16(1e-8 * 1024)) / 1024.0f);
  EXPECT_NEAR(kept, 1.0011717677e-08, 1e-17);
  EXPECT_EQ(f16(100.0 * 1024), INFINITY);
  EXPECT_EQ(f16(65536.0 * 2), INFINITY);
}

TEST(NumericsFacts, BF16WeightWithoutMaster) {
  EXPECT_EQ(bf16(1.0 - 1e-5), 1.0);
}
