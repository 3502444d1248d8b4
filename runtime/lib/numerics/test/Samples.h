//===- Samples.h - Stratified inputs for conversion tests -------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs that reach every case of a conversion: all source exponents with
// telling fractions, and the target's values, the middles between them and
// their closest neighbours in the source type. Deterministic.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_NUMERICS_TEST_SAMPLES_H
#define AMP_RT_LIB_NUMERICS_TEST_SAMPLES_H

#include "amp-rt/numerics.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <vector>

namespace amp_rt::numerics {
/// How GoogleTest prints a format.
inline void PrintTo(const FloatFormat &f, std::ostream *os) { *os << f.name; }
} // namespace amp_rt::numerics

namespace amp_rt::numerics::test {

template <typename Float> struct BitsOf;
template <> struct BitsOf<float> {
  using Type = uint32_t;
  static constexpr int mantissaBits = 23;
};
template <> struct BitsOf<double> {
  using Type = uint64_t;
  static constexpr int mantissaBits = 52;
};

template <typename To, typename From> To bitsTo(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof(To));
  return result;
}

/// SplitMix64: random bits that are the same everywhere.
class RandomBits {
public:
  explicit RandomBits(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

private:
  uint64_t state;
};

/// Appends `value`, the two closest on each side, and all their negatives.
template <typename Float>
void appendAround(std::vector<Float> &samples, Float value) {
  const Float inf = std::numeric_limits<Float>::infinity();
  Float below = std::nextafter(value, -inf), above = std::nextafter(value, inf);
  for (Float v : {value, below, above, std::nextafter(below, -inf),
                  std::nextafter(above, inf)}) {
    samples.push_back(v);
    samples.push_back(-v);
  }
}

/// Every exponent field (those of zero, infinity and NaN too), with fractions
/// at both ends, each single bit, each run of leading ones, and `numRandom`
/// random ones.
template <typename Float>
void appendExponents(std::vector<Float> &samples, unsigned numRandom,
                     uint64_t seed) {
  using Bits = typename BitsOf<Float>::Type;
  constexpr int m = BitsOf<Float>::mantissaBits;
  constexpr int numFields = 1 << (8 * sizeof(Float) - 1 - m);
  const Bits fractionMask = (Bits(1) << m) - 1;
  const Bits sign = Bits(1) << (8 * sizeof(Float) - 1);
  RandomBits random(seed);
  for (int field = 0; field < numFields; ++field) {
    std::vector<Bits> fractions = {0, fractionMask};
    for (int bit = 0; bit < m; ++bit) {
      fractions.push_back(Bits(1) << bit);
      fractions.push_back(fractionMask ^ ((Bits(1) << bit) - 1));
      fractions.push_back((Bits(1) << bit) | 1);
    }
    for (unsigned i = 0; i < numRandom; ++i)
      fractions.push_back(Bits(random.next()) & fractionMask);
    for (Bits fraction : fractions) {
      Bits bits = (Bits(field) << m) | fraction;
      samples.push_back(bitsTo<Float>(bits));
      samples.push_back(bitsTo<Float>(Bits(bits | sign)));
    }
  }
}

/// Each `stride`-th finite encoding of `format`, the middle to the next one
/// (that of an unbounded exponent range after the last), and neighbours.
template <typename Float>
void appendBoundaries(std::vector<Float> &samples, const FloatFormat &f,
                      uint32_t stride) {
  for (uint64_t i = 0; i <= f.maxFiniteBits + uint64_t(stride); i += stride) {
    uint32_t bits = i < f.maxFiniteBits ? uint32_t(i) : f.maxFiniteBits;
    double value = toF64(bits, f.kind);
    double gap = bits < 2 * f.minNormalBits
                     ? f.minSubnormal
                     : std::ldexp(f.epsilon, std::ilogb(value));
    appendAround(samples, Float(value));
    appendAround(samples, Float(value + gap / 2));
  }
  appendAround(samples, Float(f.minNormal));
  appendAround(samples, Float(f.minNormal - f.minSubnormal / 2));
  appendAround(samples, Float(f.maxFinite));
}

/// The stratified sample for conversions of `Float` to `format`.
template <typename Float> std::vector<Float> samplesFor(const FloatFormat &f) {
  std::vector<Float> samples;
  appendExponents(samples, /*numRandom=*/20, /*seed=*/7);
  // All encodings up to 16 bits; an odd stride meets even and odd ones.
  uint32_t stride = f.width() <= 16 ? 1 : f.width() <= 19 ? 5 : 40009;
  appendBoundaries(samples, f, stride);
  if (sizeof(Float) == sizeof(double)) {
    // Doubles that become a middle between two values of the format on the way
    // through f32: what double rounding gets wrong.
    size_t count = samples.size();
    for (size_t i = 0; i < count; i += 7) {
      samples.push_back(samples[i] * Float(1 + 0x1p-30));
      samples.push_back(samples[i] * Float(1 - 0x1p-30));
    }
  }
  return samples;
}

/// Every policy.
inline std::vector<ConvertOptions> allOptions() {
  std::vector<ConvertOptions> result;
  for (Rounding rounding : {Rounding::NearestEven, Rounding::TowardZero})
    for (Overflow overflow :
         {Overflow::IEEE, Overflow::Saturate, Overflow::Error})
      for (bool flush : {false, true})
        result.push_back({rounding, overflow, flush});
  return result;
}

} // namespace amp_rt::numerics::test

#endif // AMP_RT_LIB_NUMERICS_TEST_SAMPLES_H
