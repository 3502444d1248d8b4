//===- SmallFloat.cpp - Rounding to narrow floating formats ---------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One routine for every format with a sign, exponent and mantissa.
//
//===----------------------------------------------------------------------===//

#include "SmallFloat.h"

#include <cmath>
#include <cstring>

using namespace amp::emulator;

static uint32_t bitsOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

static float floatOf(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

/// Rounds |value| to a format of `mantissa` bits whose exponent bias is `bias`;
/// returns exponent and mantissa as one integer, which may be past the format's
/// largest: the caller decides about overflow.
static uint32_t roundMagnitude(float value, int mantissa, int bias) {
  uint32_t bits = bitsOf(value) & 0x7fffffff;
  int exponent = int(bits >> 23) - 127;
  uint64_t significand = bits & 0x7fffff;
  if (bits >> 23)
    significand |= 0x800000;
  else
    exponent = -126;
  // Bits to drop; more of them for a subnormal result.
  int drop = 23 - mantissa;
  int smallest = 1 - bias;
  uint32_t field = 0;
  if (exponent < smallest)
    drop += smallest - exponent;
  else
    field = exponent - smallest; // the leading one adds 1
  if (drop > 40)
    return 0;
  uint64_t half = uint64_t(1) << (drop - 1);
  uint64_t kept = significand >> drop;
  uint64_t rest = significand & ((uint64_t(1) << drop) - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  return (field << mantissa) + static_cast<uint32_t>(kept);
}

uint16_t amp::emulator::encodeBF16(float value) {
  uint32_t bits = bitsOf(value);
  if (std::isnan(value))
    return 0x7fff;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

uint16_t amp::emulator::encodeF16(float value) {
  if (std::isnan(value))
    return 0x7fff;
  uint32_t magnitude =
      std::isinf(value) ? 0x7c00 : roundMagnitude(value, 10, 15);
  if (magnitude > 0x7c00)
    magnitude = 0x7c00;
  return (bitsOf(value) >> 16 & 0x8000) | magnitude;
}

static float decode(uint32_t magnitude, int mantissa, int bias) {
  uint32_t field = magnitude >> mantissa;
  uint32_t low = magnitude & ((1u << mantissa) - 1);
  if (field == 0)
    return std::ldexp(float(low), 1 - bias - mantissa);
  return std::ldexp(float(low | 1u << mantissa), int(field) - bias - mantissa);
}

float amp::emulator::decodeF16(uint16_t bits) {
  uint32_t magnitude = bits & 0x7fff;
  float value = magnitude > 0x7c00    ? NAN
                : magnitude == 0x7c00 ? INFINITY
                                      : decode(magnitude, 10, 15);
  return bits & 0x8000 ? -value : value;
}

static uint8_t encodeSaturating(float value, int mantissa, int bias,
                                uint32_t largest, uint8_t nan) {
  if (std::isnan(value))
    return nan;
  uint32_t magnitude =
      std::isinf(value) ? largest : roundMagnitude(value, mantissa, bias);
  if (magnitude > largest)
    magnitude = largest;
  return (bitsOf(value) >> 24 & 0x80) | magnitude;
}

uint8_t amp::emulator::encodeE4M3(float value) {
  return encodeSaturating(value, 3, 7, 0x7e, 0x7f);
}

uint8_t amp::emulator::encodeE5M2(float value) {
  return encodeSaturating(value, 2, 15, 0x7b, 0x7f);
}

float amp::emulator::decodeE4M3(uint8_t bits) {
  uint32_t magnitude = bits & 0x7f;
  float value = magnitude == 0x7f ? NAN : decode(magnitude, 3, 7);
  return bits & 0x80 ? -value : value;
}

float amp::emulator::decodeE5M2(uint8_t bits) {
  uint32_t magnitude = bits & 0x7f;
  float value = magnitude > 0x7c    ? NAN
                : magnitude == 0x7c ? INFINITY
                                    : decode(magnitude, 2, 15);
  return bits & 0x80 ? -value : value;
}

uint32_t amp::emulator::encodeTf32(float value) {
  uint32_t bits = bitsOf(value);
  if (std::isnan(value) || std::isinf(value))
    return bits;
  return (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
}

float amp::emulator::roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(nearest) == value)
    return nearest;
  // Towards zero, then the last bit set: it says "inexact" to the next
  // rounding.
  uint32_t bits = bitsOf(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    --bits;
  return floatOf(bits | 1);
}
