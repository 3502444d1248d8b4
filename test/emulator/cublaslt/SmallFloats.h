//===- SmallFloats.h - Number formats in f64 --------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of the library's element types, as plain f64 arithmetic. Shares no
// code with the runtime, so that an error of either shows.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_CUBLASLT_SMALLFLOATS_H
#define AMP_EMULATOR_CUBLASLT_SMALLFLOATS_H

#include <library_types.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace amp_emulator {

struct Format {
  int exponentBits, mantissaBits;
  /// Whether the largest exponent holds infinities and all NaN.
  bool ieee;
  int bytes;
  /// Whether a value out of range becomes the largest finite one.
  bool saturates;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
};

inline bool formatOf(int type, Format &format) {
  switch (type) {
  case CUDA_R_32F:
    format = {8, 23, true, 4, false};
    return true;
  case CUDA_R_16F:
    format = {5, 10, true, 2, false};
    return true;
  case CUDA_R_16BF:
    format = {8, 7, true, 2, false};
    return true;
  case CUDA_R_8F_E4M3:
    format = {4, 3, false, 1, true};
    return true;
  case CUDA_R_8F_E5M2:
    format = {5, 2, true, 1, true};
    return true;
  }
  return false;
}

inline bool isF8(int type) {
  return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

inline double decode(uint32_t bits, const Format &f) {
  int exponent = int(bits >> f.mantissaBits) & ((1 << f.exponentBits) - 1);
  uint32_t mantissa = bits & ((1u << f.mantissaBits) - 1);
  double sign = bits >> (f.exponentBits + f.mantissaBits) & 1 ? -1.0 : 1.0;
  if (exponent == (1 << f.exponentBits) - 1) {
    if (f.ieee)
      return mantissa ? NAN : sign * INFINITY;
    if (mantissa == (1u << f.mantissaBits) - 1)
      return NAN;
  }
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - f.bias() - f.mantissaBits);
  return sign * std::ldexp(mantissa + (1u << f.mantissaBits),
                           exponent - f.bias() - f.mantissaBits);
}

/// To nearest, ties to even.
inline uint32_t encode(double value, const Format &f) {
  uint32_t sign =
      std::signbit(value) ? 1u << (f.exponentBits + f.mantissaBits) : 0u;
  uint32_t ones = (1u << f.exponentBits) - 1;
  uint32_t infinity = ones << f.mantissaBits;
  if (std::isnan(value))
    return sign | (f.ieee ? infinity | 1u << (f.mantissaBits - 1)
                          : infinity | ((1u << f.mantissaBits) - 1));
  // The encoding after the largest finite one.
  uint32_t past = f.ieee ? infinity : infinity | ((1u << f.mantissaBits) - 1);
  uint32_t bits = past;
  if (std::isfinite(value)) {
    double magnitude = std::fabs(value);
    int exponent = magnitude == 0.0 ? 1 - f.bias() : std::ilogb(magnitude);
    exponent = exponent < 1 - f.bias() ? 1 - f.bias() : exponent;
    double units =
        std::nearbyint(std::ldexp(magnitude, f.mantissaBits - exponent));
    // Rounding up to the next power of two carries into the exponent.
    uint64_t wide =
        uint64_t(units) + (uint64_t(exponent + f.bias() - 1) << f.mantissaBits);
    bits = wide < past ? uint32_t(wide) : past;
  }
  return sign | (bits == past && f.saturates ? past - 1 : bits);
}

/// Every value of a format of at most 16 bits, by its bits.
inline const double *valuesOf(const Format &f) {
  static thread_local std::vector<double> tables[32];
  std::vector<double> &table = tables[f.exponentBits + 16 * (f.bytes - 1)];
  if (table.empty()) {
    for (uint32_t bits = 0; bits < 1u << (8 * f.bytes); ++bits)
      table.push_back(decode(bits, f));
  }
  return table.data();
}

inline double load(const void *base, int64_t element, const Format &f) {
  const char *at = static_cast<const char *>(base) + element * f.bytes;
  if (f.bytes == 4) {
    float value;
    std::memcpy(&value, at, sizeof(value));
    return double(value);
  }
  uint32_t bits = 0;
  std::memcpy(&bits, at, size_t(f.bytes));
  return valuesOf(f)[bits];
}

inline void store(void *base, int64_t element, double value, const Format &f) {
  uint32_t bits = encode(value, f);
  std::memcpy(static_cast<char *>(base) + element * f.bytes, &bits,
              size_t(f.bytes));
}

/// As the multiplier sees an f32 operand in tf32.
inline double roundToTF32(double value) {
  static constexpr Format tf32{8, 10, true, 4, false};
  return decode(encode(value, tf32), tf32);
}

} // namespace amp_emulator

#endif // AMP_EMULATOR_CUBLASLT_SMALLFLOATS_H
