//===- Bulk.cpp - Array conversions -----------------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The array entry points: choice of the instruction set, search for the first
// overflow, and the conversions that pass through a block of f32 or f64.
//
//===----------------------------------------------------------------------===//

#include "BulkKernels.h"

#include <algorithm>

using namespace amp_rt::numerics;

/// Elements per block of the two-stage conversions: source, target and block
/// stay in the first-level cache.
static constexpr size_t kBlock = 1024;

static const BulkKernels &kernels() {
#if defined(__x86_64__)
  static const BulkKernels &chosen =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") &&
              __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl")
          ? kBulkKernelsV4
          : kBulkKernelsV3;
  return chosen;
#else
  return kBulkKernelsGeneric;
#endif
}

const char *amp_rt::numerics::bulkInstructionSet() {
  return kernels().instructionSet;
}

static uint32_t encode(float value, Format format, ConvertOptions options,
                       bool *overflowed) {
  return fromF32(value, format, options, overflowed);
}

static uint32_t encode(double value, Format format, ConvertOptions options,
                       bool *overflowed) {
  return fromF64(value, format, options, overflowed);
}

/// Finds the overflow that a kernel has reported.
template <typename Float>
static size_t firstOverflow(const Float *source, size_t count, Format format,
                            ConvertOptions options) {
  bool overflowed = false;
  for (size_t i = 0; i < count; ++i) {
    encode(source[i], format, options, &overflowed);
    if (overflowed)
      return i;
  }
  return kNoOverflow;
}

size_t amp_rt::numerics::fromF32(const float *source, void *target,
                                 size_t count, Format format,
                                 ConvertOptions options) {
  bool overflowed =
      kernels().narrowF32(source, target, count, getFormat(format), options);
  if (!overflowed || options.overflow != Overflow::Error)
    return kNoOverflow;
  return firstOverflow(source, count, format, options);
}

size_t amp_rt::numerics::fromF64(const double *source, void *target,
                                 size_t count, Format format,
                                 ConvertOptions options) {
  bool overflowed =
      kernels().narrowF64(source, target, count, getFormat(format), options);
  if (!overflowed || options.overflow != Overflow::Error)
    return kNoOverflow;
  return firstOverflow(source, count, format, options);
}

void amp_rt::numerics::toF32(const void *source, float *target, size_t count,
                             Format format, bool flushSubnormals) {
  kernels().widenF32(source, target, count, getFormat(format), flushSubnormals);
}

void amp_rt::numerics::toF64(const void *source, double *target, size_t count,
                             Format format, bool flushSubnormals) {
  kernels().widenF64(source, target, count, getFormat(format), flushSubnormals);
}

/// Calls `convertBlock(begin, size)` for blocks of at most `kBlock` elements
/// and returns the first overflow that one of them reports.
template <typename Function>
static size_t forEachBlock(size_t count, Function convertBlock) {
  size_t first = kNoOverflow;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    size_t found = convertBlock(begin, std::min(kBlock, count - begin));
    if (first == kNoOverflow && found != kNoOverflow)
      first = begin + found;
  }
  return first;
}

size_t amp_rt::numerics::roundF32(const float *source, float *target,
                                  size_t count, Format format,
                                  ConvertOptions options) {
  uint32_t block[kBlock];
  return forEachBlock(count, [&](size_t begin, size_t size) {
    size_t found = fromF32(source + begin, block, size, format, options);
    toF32(block, target + begin, size, format);
    return found;
  });
}

size_t amp_rt::numerics::roundF64(const double *source, double *target,
                                  size_t count, Format format,
                                  ConvertOptions options) {
  uint32_t block[kBlock];
  return forEachBlock(count, [&](size_t begin, size_t size) {
    size_t found = fromF64(source + begin, block, size, format, options);
    toF64(block, target + begin, size, format);
    return found;
  });
}

size_t amp_rt::numerics::convert(const void *source, Format from, void *target,
                                 Format to, size_t count,
                                 ConvertOptions options) {
  const char *in = static_cast<const char *>(source);
  char *out = static_cast<char *>(target);
  // Every format widens to f32 exactly, so this rounds once.
  float block[kBlock];
  return forEachBlock(count, [&](size_t begin, size_t size) {
    toF32(in + begin * getFormat(from).storageBytes, block, size, from);
    return fromF32(block, out + begin * getFormat(to).storageBytes, size, to,
                   options);
  });
}
