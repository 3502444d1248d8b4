//===- SmallFloat.h - Rounding to narrow floating formats -------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Round to nearest even, written out in integers: the device's conversions,
// independent of what the host offers.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_SMALLFLOAT_H
#define AMP_EMULATOR_SMALLFLOAT_H

#include <cstdint>

namespace amp::emulator {

/// NaN becomes 0x7fff, as cvt has it.
uint16_t encodeBF16(float value);
uint16_t encodeF16(float value);
float decodeF16(uint16_t bits);

/// Saturating to the largest finite number, NaN stays NaN (cvt ... satfinite).
uint8_t encodeE4M3(float value);
uint8_t encodeE5M2(float value);
float decodeE4M3(uint8_t bits);
float decodeE5M2(uint8_t bits);

/// f32 with a mantissa of 10 bits.
uint32_t encodeTf32(float value);

/// An f32 from which a format of at most 22 bits of mantissa is rounded as from
/// the f64 itself.
float roundToOdd(double value);

} // namespace amp::emulator

#endif // AMP_EMULATOR_SMALLFLOAT_H
