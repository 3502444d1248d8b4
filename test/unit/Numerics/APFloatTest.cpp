//===- APFloatTest.cpp - The numerics library against APFloat ---*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Encodings, statuses and values of the runtime's conversions compared with
// LLVM's software floating point, on stratified inputs of f32 and f64. NaN is
// compared as NaN: its payload is each library's own.
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "llvm/ADT/APFloat.h"

#include "gtest/gtest.h"

#include <string>

using namespace amp_rt::numerics;
using namespace amp_rt::numerics::test;
using llvm::APFloat;
using llvm::APInt;

namespace {

const llvm::fltSemantics &semanticsOf(Format format) {
  switch (format) {
  case Format::F32:
    return APFloat::IEEEsingle();
  case Format::TF32:
    return APFloat::FloatTF32();
  case Format::F16:
    return APFloat::IEEEhalf();
  case Format::BF16:
    return APFloat::BFloat();
  case Format::F8E4M3FN:
    return APFloat::Float8E4M3FN();
  case Format::F8E5M2:
    return APFloat::Float8E5M2();
  }
  return APFloat::Bogus();
}

uint32_t encode(float value, Format format, ConvertOptions options,
                bool *overflowed) {
  return fromF32(value, format, options, overflowed);
}
uint32_t encode(double value, Format format, ConvertOptions options,
                bool *overflowed) {
  return fromF64(value, format, options, overflowed);
}

template <typename Float> void compareNarrowing(const FloatFormat &f) {
  std::vector<Float> samples = samplesFor<Float>(f);
  // What would follow the largest finite value.
  double next = f.maxFinite + std::ldexp(f.epsilon, std::ilogb(f.maxFinite));
  for (Rounding rounding : {Rounding::NearestEven, Rounding::TowardZero}) {
    llvm::RoundingMode mode = rounding == Rounding::NearestEven
                                  ? llvm::RoundingMode::NearestTiesToEven
                                  : llvm::RoundingMode::TowardZero;
    for (Float value : samples) {
      APFloat expected(value);
      bool losesInfo;
      APFloat::opStatus status =
          expected.convert(semanticsOf(f.kind), mode, &losesInfo);
      // APFloat raises no overflow where it delivers the largest value.
      bool overflows = rounding == Rounding::NearestEven
                           ? (status & APFloat::opOverflow) != 0
                           : !std::isinf(value) && std::fabs(value) >= next;

      bool overflowed = false;
      ConvertOptions options{rounding, Overflow::Error, false};
      uint32_t bits = encode(value, f.kind, options, &overflowed);
      uint32_t magnitude = bits & ~f.signMask;
      if (std::isnan(value) || expected.isNaN()) {
        ASSERT_TRUE(expected.isNaN()) << value;
        ASSERT_GT(magnitude, f.hasInf() ? f.infBits : f.maxFiniteBits) << value;
        ASSERT_EQ(overflowed, !std::isnan(value)) << value;
      } else {
        ASSERT_EQ(bits, expected.bitcastToAPInt().getZExtValue()) << value;
        ASSERT_EQ(overflowed, overflows) << value;
      }

      // The other policies differ in what an overflow becomes, and nowhere
      // else.
      options.overflow = Overflow::IEEE;
      ASSERT_EQ(encode(value, f.kind, options, nullptr), bits) << value;
      options.overflow = Overflow::Saturate;
      bool tooLarge = overflowed || std::isinf(value);
      ASSERT_EQ(encode(value, f.kind, options, nullptr),
                tooLarge ? (bits & f.signMask) | f.maxFiniteBits : bits)
          << value;
      options = {rounding, Overflow::IEEE, true};
      ASSERT_EQ(encode(value, f.kind, options, nullptr),
                magnitude < f.minNormalBits ? bits & f.signMask : bits)
          << value;
    }
  }
}

void compareWidening(const FloatFormat &f, uint32_t bits) {
  APFloat value(semanticsOf(f.kind), APInt(f.width(), bits));
  double wide = toF64(bits, f.kind);
  float single = toF32(bits, f.kind);
  if (value.isNaN()) {
    ASSERT_TRUE(std::isnan(wide) && std::isnan(single)) << bits;
    return;
  }
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), llvm::RoundingMode::NearestTiesToEven,
                &losesInfo);
  ASSERT_EQ(bitsTo<uint64_t>(wide), value.bitcastToAPInt().getZExtValue())
      << bits;
  ASSERT_EQ(bitsTo<uint64_t>(double(single)), bitsTo<uint64_t>(wide)) << bits;
}

class NumericsAPFloat : public testing::TestWithParam<FloatFormat> {};

} // namespace

TEST_P(NumericsAPFloat, FromF32) { compareNarrowing<float>(GetParam()); }

TEST_P(NumericsAPFloat, FromF64) { compareNarrowing<double>(GetParam()); }

// All encodings up to 19 bits; of f32 the stratified sample.
TEST_P(NumericsAPFloat, Widening) {
  const FloatFormat &f = GetParam();
  if (f.kind == Format::F32) {
    for (float value : samplesFor<float>(f))
      compareWidening(f, bitsTo<uint32_t>(value));
    return;
  }
  for (uint32_t bits = 0; bits < (1u << f.width()); ++bits)
    compareWidening(f, bits);
}

TEST_P(NumericsAPFloat, Description) {
  const FloatFormat &f = GetParam();
  const llvm::fltSemantics &semantics = semanticsOf(f.kind);
  auto bitsOf = [](const APFloat &value) {
    return value.bitcastToAPInt().getZExtValue();
  };
  EXPECT_EQ(APFloat::getSizeInBits(semantics), f.width());
  EXPECT_EQ(bitsOf(APFloat::getLargest(semantics)), f.maxFiniteBits);
  EXPECT_EQ(bitsOf(APFloat::getSmallestNormalized(semantics)), f.minNormalBits);
  EXPECT_EQ(bitsOf(APFloat::getSmallest(semantics)), 1u);
  EXPECT_EQ(bitsOf(APFloat::getQNaN(semantics)), f.nanBits);
  EXPECT_EQ(APFloat::semanticsHasInf(semantics), f.hasInf());
}

INSTANTIATE_TEST_SUITE_P(Formats, NumericsAPFloat, testing::ValuesIn(kFormats),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });
