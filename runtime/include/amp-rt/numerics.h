//===- numerics.h - Floating-point formats and conversions ------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number formats of the project as data, and exact conversions between
// them: scalar, and in bulk with the same bits. Nothing here depends on the
// floating-point environment (rounding mode, DAZ, FTZ), on MLIR or on LLVM.
//
// An encoded value is an unsigned integer holding the format's bits at the low
// end: sign, exponent, fraction. In memory a value takes `storageBytes` bytes.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_NUMERICS_H
#define AMP_RT_NUMERICS_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace amp_rt::numerics {

enum class Format : uint8_t { F32, TF32, F16, BF16, F8E4M3FN, F8E5M2 };

/// Number of enumerators of `Format`.
inline constexpr unsigned kNumFormats = 6;

/// What the largest exponent field of a format encodes.
enum class Specials : uint8_t {
  /// Infinities and NaNs, as in IEEE 754.
  InfAndNaN,
  /// Finite values, except for one NaN per sign with all bits set.
  NaNOnly,
};

/// Everything there is to know about a format. A format is defined by its field
/// widths and its special values; the other members follow from these (see
/// `makeFloatFormat`). Conversion policy (overflow, rounding, subnormals) is no
/// part of it: see `ConvertOptions`.
struct FloatFormat {
  Format kind;
  /// Name of the MLIR type: "f32", "tf32", "f16", "bf16", "f8E4M3FN", "f8E5M2".
  std::string_view name;
  unsigned exponentBits;
  /// Stored fraction bits, without the implicit one.
  unsigned mantissaBits;
  Specials specials;
  int bias;
  unsigned storageBytes;
  /// Encoding of the largest finite value (positive).
  uint32_t maxFiniteBits;
  /// Encoding of the smallest normal value (positive).
  uint32_t minNormalBits;
  /// Encoding of +inf; equal to `nanBits` where the format has no infinity.
  uint32_t infBits;
  /// Encoding of the default (quiet, positive) NaN.
  uint32_t nanBits;
  uint32_t signMask;
  double maxFinite;
  double minNormal;
  double minSubnormal;
  /// Gap between 1 and the next larger value; the unit roundoff is half of it.
  double epsilon;

  constexpr bool hasInf() const { return specials == Specials::InfAndNaN; }
  constexpr unsigned width() const { return 1 + exponentBits + mantissaBits; }
};

/// Two to the power of `exponent`, which must lie in the range of a double.
constexpr double powerOfTwo(int exponent) {
  double result = 1.0;
  for (; exponent > 0; --exponent)
    result *= 2.0;
  for (; exponent < 0; ++exponent)
    result *= 0.5;
  return result;
}

/// Derives a format from its field widths and special values. `exponentBits`
/// is at most 8, `mantissaBits` between 1 and 23.
constexpr FloatFormat makeFloatFormat(Format kind, std::string_view name,
                                      unsigned exponentBits,
                                      unsigned mantissaBits,
                                      Specials specials) {
  FloatFormat f{};
  f.kind = kind;
  f.name = name;
  f.exponentBits = exponentBits;
  f.mantissaBits = mantissaBits;
  f.specials = specials;
  f.bias = (1 << (exponentBits - 1)) - 1;
  unsigned width = 1 + exponentBits + mantissaBits;
  f.storageBytes = width <= 8 ? 1 : width <= 16 ? 2 : 4;
  f.signMask = uint32_t(1) << (width - 1);
  uint32_t exponentMask = ((uint32_t(1) << exponentBits) - 1) << mantissaBits;
  if (specials == Specials::InfAndNaN) {
    f.infBits = exponentMask;
    f.nanBits = exponentMask | (uint32_t(1) << (mantissaBits - 1));
    f.maxFiniteBits = exponentMask - 1;
  } else {
    f.nanBits = f.signMask - 1;
    f.infBits = f.nanBits;
    f.maxFiniteBits = f.nanBits - 1;
  }
  f.minNormalBits = uint32_t(1) << mantissaBits;
  int m = int(mantissaBits);
  uint32_t fraction = f.maxFiniteBits & (f.minNormalBits - 1);
  int maxExponent = int(f.maxFiniteBits >> mantissaBits) - f.bias;
  f.maxFinite =
      double(fraction + f.minNormalBits) * powerOfTwo(maxExponent - m);
  f.minNormal = powerOfTwo(1 - f.bias);
  f.minSubnormal = powerOfTwo(1 - f.bias - m);
  f.epsilon = powerOfTwo(-m);
  return f;
}

inline constexpr FloatFormat kFormats[kNumFormats] = {
    makeFloatFormat(Format::F32, "f32", 8, 23, Specials::InfAndNaN),
    makeFloatFormat(Format::TF32, "tf32", 8, 10, Specials::InfAndNaN),
    makeFloatFormat(Format::F16, "f16", 5, 10, Specials::InfAndNaN),
    makeFloatFormat(Format::BF16, "bf16", 8, 7, Specials::InfAndNaN),
    makeFloatFormat(Format::F8E4M3FN, "f8E4M3FN", 4, 3, Specials::NaNOnly),
    makeFloatFormat(Format::F8E5M2, "f8E5M2", 5, 2, Specials::InfAndNaN),
};

constexpr const FloatFormat &getFormat(Format format) {
  return kFormats[unsigned(format)];
}

/// The format of the MLIR type called `name`, or null.
constexpr const FloatFormat *lookupFormat(std::string_view name) {
  for (const FloatFormat &format : kFormats)
    if (format.name == name)
      return &format;
  return nullptr;
}

enum class Rounding : uint8_t { NearestEven, TowardZero };

/// What becomes of a finite value whose rounding (with the exponent range
/// thought unbounded) exceeds the largest finite value of the target.
enum class Overflow : uint8_t {
  /// As IEEE 754: infinity when rounding to nearest (NaN where the format has
  /// none), the largest finite value when rounding toward zero. Infinities stay
  /// infinities, or become NaN where the format has none.
  IEEE,
  /// The largest finite value, for infinities too. NaN stays NaN.
  Saturate,
  /// The value of `IEEE`, reported to the caller. An infinity is reported only
  /// where the format has none.
  Error,
};

/// A conversion's policy. NaN becomes a quiet NaN of the same sign under all
/// of them, with the leading payload bits where the target has room for them.
struct ConvertOptions {
  Rounding rounding = Rounding::NearestEven;
  Overflow overflow = Overflow::IEEE;
  /// Replaces results that are subnormal in the target by zeros of their sign.
  bool flushSubnormals = false;
};

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// Encodes `value` in `format` with one rounding. Sets `*overflowed` if it is
/// given and the options' overflow policy is `Error` and applies (never clears
/// it, so that a loop can share one flag).
uint32_t fromF32(float value, Format format, ConvertOptions options = {},
                 bool *overflowed = nullptr);

/// As `fromF32`, from a double directly: never by way of f32.
uint32_t fromF64(double value, Format format, ConvertOptions options = {},
                 bool *overflowed = nullptr);

/// The value of an encoding; exact. With `flushSubnormals`, subnormals of
/// `format` are read as zeros of their sign. Bits above the format's width are
/// ignored.
float toF32(uint32_t bits, Format format, bool flushSubnormals = false);
double toF64(uint32_t bits, Format format, bool flushSubnormals = false);

/// `value` rounded to `format`, as a float or double again.
float roundF32(float value, Format format, ConvertOptions options = {},
               bool *overflowed = nullptr);
double roundF64(double value, Format format, ConvertOptions options = {},
                bool *overflowed = nullptr);

//===----------------------------------------------------------------------===//
// Bulk
//===----------------------------------------------------------------------===//
//
// Arrays of `count` values, stored without padding; `storageBytes` per value
// of a format. No alignment is required beyond one byte on encoded arrays and
// the natural one on float and double. Source and target must not overlap,
// except where stated. Results are bit for bit those of the scalar functions.

/// What the narrowing functions return when no element overflowed, and under
/// every policy other than `Overflow::Error`.
inline constexpr size_t kNoOverflow = ~size_t(0);

/// Encode an array. Under `Overflow::Error` the result is the index of the
/// first element that overflowed; the whole target is written all the same.
size_t fromF32(const float *source, void *target, size_t count, Format format,
               ConvertOptions options = {});
size_t fromF64(const double *source, void *target, size_t count, Format format,
               ConvertOptions options = {});

/// Decode an array.
void toF32(const void *source, float *target, size_t count, Format format,
           bool flushSubnormals = false);
void toF64(const void *source, double *target, size_t count, Format format,
           bool flushSubnormals = false);

/// Round an array to `format`, kept as float or double. `source` and `target`
/// may be equal.
size_t roundF32(const float *source, float *target, size_t count, Format format,
                ConvertOptions options = {});
size_t roundF64(const double *source, double *target, size_t count,
                Format format, ConvertOptions options = {});

/// Convert between two encoded arrays with one rounding. `from` and `to` may be
/// equal, which still applies the options.
size_t convert(const void *source, Format from, void *target, Format to,
               size_t count, ConvertOptions options = {});

/// Instruction set the bulk functions use in this process: "x86-64-v3",
/// "x86-64-v4" or "generic".
const char *bulkInstructionSet();

} // namespace amp_rt::numerics

#endif // AMP_RT_NUMERICS_H
