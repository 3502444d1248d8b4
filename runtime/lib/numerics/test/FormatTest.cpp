//===- FormatTest.cpp - Formats, and every encoding of the small ones -*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format table as data, and all encodings of each 8- and 16-bit format
// both ways, against an independent reading of the definition in doubles.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/numerics.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <set>

using namespace amp_rt::numerics;

namespace {

struct TableRow {
  const char *name;
  unsigned exponentBits, mantissaBits;
  int bias;
  double maxFinite, minNormal, minSubnormal, epsilon;
  bool hasInf;
};

const TableRow kTable[] = {
    {"f32", 8, 23, 127, 0x1.fffffep127, 0x1p-126, 0x1p-149, 0x1p-23, true},
    {"tf32", 8, 10, 127, 0x1.ffcp127, 0x1p-126, 0x1p-136, 0x1p-10, true},
    {"f16", 5, 10, 15, 65504, 0x1p-14, 0x1p-24, 0x1p-10, true},
    {"bf16", 8, 7, 127, 0x1.fep127, 0x1p-126, 0x1p-133, 0x1p-7, true},
    {"f8E4M3FN", 4, 3, 7, 448, 0x1p-6, 0x1p-9, 0x1p-3, false},
    {"f8E5M2", 5, 2, 15, 57344, 0x1p-14, 0x1p-16, 0x1p-2, true},
};

/// The value of an encoding, from the definition.
double valueOf(const FloatFormat &f, uint32_t bits) {
  double sign = bits & f.signMask ? -1.0 : 1.0;
  uint32_t exponent = (bits >> f.mantissaBits) & ((1u << f.exponentBits) - 1);
  uint32_t fraction = bits & ((1u << f.mantissaBits) - 1);
  bool top = exponent == (1u << f.exponentBits) - 1;
  if (f.hasInf() && top)
    return fraction ? NAN : sign * INFINITY;
  if (!f.hasInf() && top && fraction == (1u << f.mantissaBits) - 1)
    return NAN;
  int scale = int(f.mantissaBits);
  if (exponent == 0)
    return sign * std::ldexp(fraction, 1 - f.bias - scale);
  return sign * std::ldexp(fraction + (1u << f.mantissaBits),
                           int(exponent) - f.bias - scale);
}

const Format kSmallFormats[] = {Format::F16, Format::BF16, Format::F8E4M3FN,
                                Format::F8E5M2};

} // namespace

TEST(NumericsFormat, Table) {
  ASSERT_EQ(std::size(kTable), kNumFormats);
  for (const TableRow &row : kTable) {
    SCOPED_TRACE(row.name);
    const FloatFormat *f = lookupFormat(row.name);
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(&getFormat(f->kind), f);
    EXPECT_EQ(f->exponentBits, row.exponentBits);
    EXPECT_EQ(f->mantissaBits, row.mantissaBits);
    EXPECT_EQ(f->bias, row.bias);
    EXPECT_EQ(f->maxFinite, row.maxFinite);
    EXPECT_EQ(f->minNormal, row.minNormal);
    EXPECT_EQ(f->minSubnormal, row.minSubnormal);
    EXPECT_EQ(f->epsilon, row.epsilon);
    EXPECT_EQ(f->hasInf(), row.hasInf);
    EXPECT_EQ(toF64(f->maxFiniteBits, f->kind), row.maxFinite);
    EXPECT_EQ(toF64(f->minNormalBits, f->kind), row.minNormal);
    EXPECT_EQ(toF64(1, f->kind), row.minSubnormal);
    EXPECT_TRUE(std::isnan(toF64(f->nanBits, f->kind)));
    if (f->hasInf()) {
      EXPECT_EQ(toF64(f->infBits, f->kind), INFINITY);
    }
    // The gap at 1 is what its name says.
    uint32_t one = fromF64(1.0, f->kind);
    EXPECT_EQ(toF64(one + 1, f->kind) - 1.0, row.epsilon);
  }
  EXPECT_EQ(lookupFormat("f24"), nullptr);
  EXPECT_EQ(getFormat(Format::F8E4M3FN).nanBits, 0x7fu);
}

TEST(NumericsFormat, EveryEncodingBothWays) {
  for (Format format : kSmallFormats) {
    const FloatFormat &f = getFormat(format);
    SCOPED_TRACE(std::string(f.name));
    unsigned nans = 0;
    for (uint32_t bits = 0; bits < (1u << f.width()); ++bits) {
      double want = valueOf(f, bits);
      double wide = toF64(bits, format);
      float narrow = toF32(bits, format);
      if (std::isnan(want)) {
        ++nans;
        ASSERT_TRUE(std::isnan(wide) && std::isnan(narrow)) << bits;
        ASSERT_EQ(std::signbit(wide), (bits & f.signMask) != 0) << bits;
        ASSERT_TRUE(std::isnan(toF64(fromF64(wide, format), format)));
        ASSERT_TRUE(std::isnan(toF32(fromF32(narrow, format), format)));
        continue;
      }
      ASSERT_EQ(wide, want) << bits;
      ASSERT_EQ(double(narrow), want) << bits;
      ASSERT_EQ(std::signbit(wide), std::signbit(want)) << bits;
      // Every policy keeps a value of the format, but for flushed subnormals
      // and saturated infinities.
      for (Rounding rounding : {Rounding::NearestEven, Rounding::TowardZero})
        for (Overflow overflow : {Overflow::IEEE, Overflow::Error}) {
          ConvertOptions options{rounding, overflow, false};
          bool overflowed = false;
          ASSERT_EQ(fromF64(wide, format, options, &overflowed), bits);
          ASSERT_EQ(fromF32(narrow, format, options, &overflowed), bits);
          ASSERT_FALSE(overflowed) << bits;
        }
      ConvertOptions saturate{Rounding::NearestEven, Overflow::Saturate, false};
      uint32_t sign = bits & f.signMask;
      uint32_t saturated = std::isinf(want) ? sign | f.maxFiniteBits : bits;
      ASSERT_EQ(fromF64(wide, format, saturate), saturated);
      ASSERT_EQ(fromF32(narrow, format, saturate), saturated);
      ConvertOptions flush{Rounding::NearestEven, Overflow::IEEE, true};
      uint32_t flushed = std::fabs(want) < f.minNormal ? sign : bits;
      ASSERT_EQ(fromF64(wide, format, flush), flushed);
      ASSERT_EQ(fromF32(narrow, format, flush), flushed);
      ASSERT_EQ(fromF64(toF64(bits, format, true), format), flushed);
      ASSERT_EQ(fromF32(toF32(bits, format, true), format), flushed);
    }
    // All but one fraction of the top exponent field, or one per sign.
    EXPECT_EQ(nans, f.hasInf() ? 2 * ((1u << f.mantissaBits) - 1) : 2);
  }
}

// Rounding between two neighbours, everywhere: below, at and above the middle,
// for every adjacent pair of each small format, the overflow boundary included.
TEST(NumericsFormat, EveryTie) {
  for (Format format : kSmallFormats) {
    const FloatFormat &f = getFormat(format);
    SCOPED_TRACE(std::string(f.name));
    for (uint32_t low = 0; low <= f.maxFiniteBits; ++low) {
      double a = valueOf(f, low);
      // One past the largest value: the next of an unbounded exponent range.
      bool last = low == f.maxFiniteBits;
      double gap = low >> f.mantissaBits ? std::ldexp(f.epsilon, std::ilogb(a))
                                         : f.minSubnormal;
      double b = a + gap, middle = a + gap / 2;
      if (!last) {
        ASSERT_EQ(b, valueOf(f, low + 1));
      }
      uint32_t high = last ? f.infBits : low + 1;
      uint32_t even = low & 1 ? high : low;
      ASSERT_EQ(fromF64(middle, format), even) << low;
      ASSERT_EQ(fromF64(std::nextafter(middle, 0.0), format), low) << low;
      ASSERT_EQ(fromF64(std::nextafter(middle, INFINITY), format), high) << low;
      ASSERT_EQ(fromF64(-middle, format), f.signMask | even) << low;
      ConvertOptions zero{Rounding::TowardZero, Overflow::Error, false};
      bool overflowed = false;
      ASSERT_EQ(fromF64(std::nextafter(b, 0.0), format, zero, &overflowed),
                low);
      ASSERT_FALSE(overflowed) << low;
      ASSERT_EQ(fromF64(b, format, zero, &overflowed),
                last ? f.maxFiniteBits : high);
      ASSERT_EQ(overflowed, last) << low;
      // The same through f32, where it holds the middle and its neighbours.
      float middle32 = float(middle);
      if (double(middle32) != middle || std::isinf(middle32))
        continue;
      ASSERT_EQ(fromF32(middle32, format), even) << low;
      ASSERT_EQ(fromF32(std::nextafterf(middle32, 0.0f), format), low) << low;
      ASSERT_EQ(fromF32(std::nextafterf(middle32, INFINITY), format), high)
          << low;
    }
  }
}
