//===- SmallFloatTest.cpp - Conversions against APFloat -------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulator's roundings to narrow formats, on every tie between neighbours
// of each format, on the numbers beside the ties, and on random bits.
//
//===----------------------------------------------------------------------===//

#include "../lib/SmallFloat.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace amp::emulator;

/// Bits of `value` in a format, by LLVM's soft floats.
static uint64_t referenceBits(float value, const llvm::fltSemantics &format) {
  llvm::APFloat number(value);
  bool loses = false;
  number.convert(format, llvm::APFloat::rmNearestTiesToEven, &loses);
  return number.bitcastToAPInt().getZExtValue();
}

static float referenceValue(uint64_t bits, unsigned width,
                            const llvm::fltSemantics &format) {
  llvm::APFloat number(format, llvm::APInt(width, bits));
  bool loses = false;
  number.convert(llvm::APFloat::IEEEsingle(),
                 llvm::APFloat::rmNearestTiesToEven, &loses);
  return number.convertToFloat();
}

/// Every finite number of a format, the ties between neighbours and what is
/// beside them, and random numbers; all within the format's range.
static std::vector<float> samples(unsigned width,
                                  const llvm::fltSemantics &format) {
  std::vector<float> finite, result;
  for (uint64_t bits = 0; bits < uint64_t(1) << width; ++bits) {
    float value = referenceValue(bits, width, format);
    if (std::isfinite(value))
      finite.push_back(value);
  }
  std::sort(finite.begin(), finite.end());
  for (size_t i = 0; i + 1 < finite.size(); ++i) {
    float tie = static_cast<float>((double(finite[i]) + finite[i + 1]) / 2);
    result.insert(result.end(), {finite[i], tie, std::nextafter(tie, INFINITY),
                                 std::nextafter(tie, -INFINITY)});
  }
  std::mt19937 random(7);
  std::uniform_real_distribution<float> exponent(-40, 40);
  for (int i = 0; i != 20000; ++i) {
    float value = std::exp2(exponent(random)) * (i % 2 ? 1 : -1);
    if (value > finite.front() && value < finite.back())
      result.push_back(value);
  }
  return result;
}

template <typename Encode>
static void compare(unsigned width, const llvm::fltSemantics &format,
                    Encode encode) {
  unsigned wrong = 0;
  for (float value : samples(width, format)) {
    uint64_t got = encode(value), expected = referenceBits(value, format);
    if (got != expected && ++wrong < 10)
      ADD_FAILURE() << value << " gives " << got << ", expects " << expected;
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(SmallFloatTest, F16) {
  compare(16, llvm::APFloat::IEEEhalf(), encodeF16);
  EXPECT_EQ(encodeF16(65519.996f), 0x7bff);
  EXPECT_EQ(encodeF16(65520.0f), 0x7c00);
  EXPECT_EQ(encodeF16(-INFINITY), 0xfc00);
  EXPECT_EQ(encodeF16(NAN), 0x7fff);
  for (uint32_t bits = 0; bits != 0x10000; ++bits) {
    float expected = referenceValue(bits, 16, llvm::APFloat::IEEEhalf());
    float got = decodeF16(bits);
    ASSERT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected)));
  }
}

TEST(SmallFloatTest, BF16) {
  compare(16, llvm::APFloat::BFloat(), encodeBF16);
  EXPECT_EQ(encodeBF16(3.4028235e38f), 0x7f80);
  EXPECT_EQ(encodeBF16(-NAN), 0x7fff);
}

TEST(SmallFloatTest, E4M3) {
  compare(8, llvm::APFloat::Float8E4M3FN(), encodeE4M3);
  EXPECT_EQ(encodeE4M3(1e9f), 0x7e);
  EXPECT_EQ(encodeE4M3(-INFINITY), 0xfe);
  EXPECT_EQ(encodeE4M3(NAN), 0x7f);
  for (uint32_t bits = 0; bits != 0x100; ++bits) {
    float expected = referenceValue(bits, 8, llvm::APFloat::Float8E4M3FN());
    float got = decodeE4M3(bits);
    EXPECT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected)));
  }
}

TEST(SmallFloatTest, E5M2) {
  compare(8, llvm::APFloat::Float8E5M2(), encodeE5M2);
  EXPECT_EQ(encodeE5M2(1e9f), 0x7b);
  EXPECT_EQ(encodeE5M2(-INFINITY), 0xfb);
  for (uint32_t bits = 0; bits != 0x100; ++bits) {
    float expected = referenceValue(bits, 8, llvm::APFloat::Float8E5M2());
    float got = decodeE5M2(bits);
    EXPECT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected)));
  }
}

/// A double next to a tie is not rounded twice.
TEST(SmallFloatTest, RoundToOdd) {
  double tie = 1.0 + 0x1p-8; // between two bf16 numbers
  EXPECT_EQ(encodeBF16(roundToOdd(tie)), 0x3f80);
  EXPECT_EQ(encodeBF16(roundToOdd(tie + 0x1p-40)), 0x3f81);
  EXPECT_EQ(encodeBF16(roundToOdd(tie - 0x1p-40)), 0x3f80);
  EXPECT_EQ(roundToOdd(0.5), 0.5f);
}
