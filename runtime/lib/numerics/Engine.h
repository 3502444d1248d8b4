//===- Engine.h - The integer routine behind every conversion ---*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One routine to narrow and one to widen, driven by constants that a plan
// derives from format and options. All of it is branch-free integer arithmetic,
// so the same code is the scalar version and, in a loop, the vectorised one.
//
// Included by translation units that are compiled for different instruction
// sets. Everything has internal linkage (the anonymous namespace): a function
// compiled for a wider machine must never be picked for a narrower one.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_NUMERICS_ENGINE_H
#define AMP_RT_LIB_NUMERICS_ENGINE_H

#include "amp-rt/numerics.h"

#include <cstring>

namespace amp_rt::numerics {
namespace {

#define AMP_RT_ALWAYS_INLINE __attribute__((always_inline)) inline

/// The machine types that values come from and widen to.
struct F32Machine {
  using Float = float;
  using Bits = uint32_t;
  using SignedBits = int32_t;
  static constexpr int mantissaBits = 23;
  static constexpr int bias = 127;
  static constexpr int width = 32;
};
struct F64Machine {
  using Float = double;
  using Bits = uint64_t;
  using SignedBits = int64_t;
  static constexpr int mantissaBits = 52;
  static constexpr int bias = 1023;
  static constexpr int width = 64;
};

template <typename Machine> struct MachineMasks {
  using Bits = typename Machine::Bits;
  static constexpr Bits sign = Bits(1) << (Machine::width - 1);
  static constexpr Bits implicitOne = Bits(1) << Machine::mantissaBits;
  static constexpr Bits fraction = implicitOne - 1;
  static constexpr Bits quiet = implicitOne >> 1;
  static constexpr Bits inf = (sign - 1) & ~fraction;
};

template <typename To, typename From>
AMP_RT_ALWAYS_INLINE To bitCast(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof(To));
  return result;
}

//===----------------------------------------------------------------------===//
// Narrowing
//===----------------------------------------------------------------------===//

/// Constants of one narrowing conversion; all loop-invariant.
template <typename Machine> struct NarrowPlan {
  using Bits = typename Machine::Bits;
  using SignedBits = typename Machine::SignedBits;

  /// Mantissa bits lost by a normal result.
  SignedBits shift;
  /// Subtracted from a source exponent field to get the target's.
  SignedBits rebias;
  SignedBits mantissaBits;
  SignedBits signShift;
  /// All ones when rounding to nearest, else zero.
  Bits nearestMask;
  Bits maxFinite;
  /// Encodings that replace a finite overflow and an infinity.
  Bits overflowResult;
  Bits infResult;
  /// OR-ed into a NaN's shifted payload.
  Bits nanBits;
  /// Encodings below this one become zero.
  Bits flushLimit;
  /// Whether an infinity counts as an overflow: all ones or zero.
  Bits infOverflows;

  NarrowPlan(const FloatFormat &f, const ConvertOptions &options) {
    bool saturate = options.overflow == Overflow::Saturate;
    bool nearest = options.rounding == Rounding::NearestEven;
    shift = Machine::mantissaBits - int(f.mantissaBits);
    rebias = Machine::bias - f.bias;
    mantissaBits = f.mantissaBits;
    signShift = Machine::width - int(f.width());
    nearestMask = nearest ? ~Bits(0) : Bits(0);
    maxFinite = f.maxFiniteBits;
    overflowResult = saturate || !nearest ? f.maxFiniteBits : f.infBits;
    infResult = saturate ? f.maxFiniteBits : f.infBits;
    nanBits = f.nanBits;
    flushLimit = options.flushSubnormals ? f.minNormalBits : 0;
    infOverflows = f.hasInf() ? Bits(0) : ~Bits(0);
  }
};

/// Encodes the value with bits `source`; ORs a nonzero value into `overflowed`
/// if it overflows. Steps:
///   1. split into sign, exponent and significand with its implicit one;
///   2. shift the significand right by what the target cannot hold, more where
///      the result is subnormal, rounding on the way;
///   3. add the exponent field; a carry out of the significand runs into it, so
///      rounding up to the next binade or out of the subnormals needs no case;
///   4. select overflow, infinity, NaN and flushed results.
/// `sameRange` promises that the exponent ranges agree. No result is then less
/// precise than another, and the magnitude is rounded as one integer.
template <typename Machine, bool sameRange>
AMP_RT_ALWAYS_INLINE typename Machine::Bits
narrow(typename Machine::Bits source, const NarrowPlan<Machine> &plan,
       typename Machine::Bits &overflowed) {
  using Bits = typename Machine::Bits;
  using SignedBits = typename Machine::SignedBits;
  using Masks = MachineMasks<Machine>;

  Bits magnitude = source & ~Masks::sign;
  Bits sign = (source & Masks::sign) >> plan.signShift;
  Bits significand = magnitude;
  SignedBits amount = plan.shift;
  Bits exponentField = 0;
  if constexpr (!sameRange) {
    SignedBits field = SignedBits(magnitude >> Machine::mantissaBits);
    significand =
        (magnitude & Masks::fraction) | (field != 0 ? Masks::implicitOne : 0);
    // Source subnormals have the exponent of field 1, and so do the target's.
    SignedBits exponent = (field != 0 ? field : 1) - plan.rebias;
    SignedBits deficit = exponent < 1 ? 1 - exponent : 0;
    exponent = exponent < 1 ? 1 : exponent;
    exponentField = Bits(exponent - 1) << plan.mantissaBits;
    // Past mantissaBits + 2 every significand is below half of the last place.
    amount += deficit;
    amount =
        amount > Machine::mantissaBits + 2 ? Machine::mantissaBits + 2 : amount;
  }

  // Nearest-even adds just under half, plus the last kept bit; nothing when no
  // bit is lost.
  Bits lost = (Bits(1) << amount) - 1;
  Bits lastKept = (significand >> amount) & (lost & 1);
  Bits rounded =
      (significand + (((lost >> 1) + lastKept) & plan.nearestMask)) >> amount;
  Bits result = rounded + exponentField;

  // Signed comparisons: all operands are nonnegative, and AVX2 has no others.
  Bits tooLarge =
      SignedBits(result) > SignedBits(plan.maxFinite) ? ~Bits(0) : 0;
  result = tooLarge ? plan.overflowResult : result;
  result = SignedBits(result) < SignedBits(plan.flushLimit) ? 0 : result;

  Bits payload = (magnitude & Masks::fraction) >> plan.shift;
  Bits isInf = magnitude == Masks::inf ? ~Bits(0) : 0;
  Bits isNaN = SignedBits(magnitude) > SignedBits(Masks::inf) ? ~Bits(0) : 0;
  result = isInf ? plan.infResult : result;
  result = isNaN ? (plan.nanBits | payload) : result;
  overflowed |= ((tooLarge & ~isInf) | (isInf & plan.infOverflows)) & ~isNaN;
  return result | sign;
}

//===----------------------------------------------------------------------===//
// Widening
//===----------------------------------------------------------------------===//

/// Constants of one widening conversion; all loop-invariant.
template <typename Machine> struct WidenPlan {
  using Bits = typename Machine::Bits;
  using SignedBits = typename Machine::SignedBits;

  SignedBits shift;
  SignedBits signShift;
  Bits signMask;
  Bits magnitudeMask;
  /// Added to the exponent field, in place.
  Bits rebias;
  /// Encodings below this one have to be normalised. Zero where the exponent
  /// ranges agree: subnormals then widen like normals.
  Bits subnormalLimit;
  /// Subtracted from the bits of a mantissa converted to floating point.
  Bits subnormalScale;
  Bits flushLimit;
  /// The largest finite encoding, and the infinity; without one, no encoding.
  Bits maxFinite;
  Bits inf;
  /// Keeps the payload of a NaN, if there is one to keep.
  Bits payloadMask;

  WidenPlan(const FloatFormat &f, bool flushSubnormals) {
    shift = Machine::mantissaBits - int(f.mantissaBits);
    signShift = Machine::width - int(f.width());
    signMask = f.signMask;
    magnitudeMask = f.signMask - 1;
    rebias = Bits(Machine::bias - f.bias) << Machine::mantissaBits;
    subnormalLimit = f.bias == Machine::bias ? 0 : f.minNormalBits;
    subnormalScale = Bits(int(f.mantissaBits) + f.bias - 1)
                     << Machine::mantissaBits;
    flushLimit = flushSubnormals ? f.minNormalBits : 0;
    maxFinite = f.maxFiniteBits;
    inf = f.hasInf() ? Bits(f.infBits) : ~Bits(0);
    payloadMask = f.hasInf() ? MachineMasks<Machine>::fraction : 0;
  }
};

/// Decodes `encoded`.
template <typename Machine>
AMP_RT_ALWAYS_INLINE typename Machine::Bits
widen(uint32_t encoded, const WidenPlan<Machine> &plan) {
  using Bits = typename Machine::Bits;
  using SignedBits = typename Machine::SignedBits;
  using Float = typename Machine::Float;
  using Masks = MachineMasks<Machine>;

  Bits magnitude = encoded & plan.magnitudeMask;
  Bits sign = (encoded & plan.signMask);
  sign <<= plan.signShift;
  Bits normal = (magnitude << plan.shift) + plan.rebias;
  // A subnormal is its mantissa times a power of two. The conversion from
  // integer is exact and its result normal; the scaling is an integer
  // subtraction on the exponent, so no flushing mode of the CPU is seen.
  Bits asFloat = bitCast<Bits>(Float(int32_t(uint32_t(magnitude))));
  Bits subnormal = magnitude != 0 ? asFloat - plan.subnormalScale : 0;
  Bits result = SignedBits(magnitude) < SignedBits(plan.subnormalLimit)
                    ? subnormal
                    : normal;
  result = SignedBits(magnitude) < SignedBits(plan.flushLimit) ? 0 : result;
  Bits nan = Masks::inf | Masks::quiet |
             ((magnitude << plan.shift) & plan.payloadMask);
  result = SignedBits(magnitude) > SignedBits(plan.maxFinite) ? nan : result;
  result = magnitude == plan.inf ? Masks::inf : result;
  return result | sign;
}

} // namespace
} // namespace amp_rt::numerics

#endif // AMP_RT_LIB_NUMERICS_ENGINE_H
