//===- Scalar.cpp - Scalar conversions --------------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scalar entry points: one value through the engine.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"

using namespace amp_rt::numerics;

template <typename Machine>
static uint32_t encode(typename Machine::Float value, Format format,
                       const ConvertOptions &options, bool *overflowed) {
  using Bits = typename Machine::Bits;
  NarrowPlan<Machine> plan(getFormat(format), options);
  Bits overflow = 0;
  Bits result = narrow<Machine, false>(bitCast<Bits>(value), plan, overflow);
  if (overflowed && overflow && options.overflow == Overflow::Error)
    *overflowed = true;
  return uint32_t(result);
}

template <typename Machine>
static typename Machine::Float decode(uint32_t bits, Format format,
                                      bool flushSubnormals) {
  WidenPlan<Machine> plan(getFormat(format), flushSubnormals);
  return bitCast<typename Machine::Float>(widen<Machine>(bits, plan));
}

uint32_t amp_rt::numerics::fromF32(float value, Format format,
                                   ConvertOptions options, bool *overflowed) {
  return encode<F32Machine>(value, format, options, overflowed);
}

uint32_t amp_rt::numerics::fromF64(double value, Format format,
                                   ConvertOptions options, bool *overflowed) {
  return encode<F64Machine>(value, format, options, overflowed);
}

float amp_rt::numerics::toF32(uint32_t bits, Format format,
                              bool flushSubnormals) {
  return decode<F32Machine>(bits, format, flushSubnormals);
}

double amp_rt::numerics::toF64(uint32_t bits, Format format,
                               bool flushSubnormals) {
  return decode<F64Machine>(bits, format, flushSubnormals);
}

float amp_rt::numerics::roundF32(float value, Format format,
                                 ConvertOptions options, bool *overflowed) {
  return toF32(fromF32(value, format, options, overflowed), format);
}

double amp_rt::numerics::roundF64(double value, Format format,
                                  ConvertOptions options, bool *overflowed) {
  return toF64(fromF64(value, format, options, overflowed), format);
}
