//===- BulkKernels.cpp - Array kernels, compiled per instruction set -*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over the engine that the compiler vectorises, the plan's constants in
// registers. Between f32 and f16 the default policy uses the F16C conversions:
// these round, keep subnormals (whatever DAZ and FTZ say) and treat NaN exactly
// as the engine does. The bf16 instructions do not (they flush subnormals), so
// bf16 has no such path.
//
// CMake defines AMP_RT_BULK_TABLE (the name of the table) and
// AMP_RT_BULK_ISA (its printed name). Only functions of internal linkage may
// be used here; see Engine.h.
//
//===----------------------------------------------------------------------===//

#include "BulkKernels.h"
#include "Engine.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

using namespace amp_rt::numerics;

namespace {

template <typename T> AMP_RT_ALWAYS_INLINE T load(const void *base, size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char *>(base) + i * sizeof(T),
              sizeof(T));
  return value;
}

template <typename T>
AMP_RT_ALWAYS_INLINE void store(void *base, size_t i, T value) {
  std::memcpy(static_cast<char *>(base) + i * sizeof(T), &value, sizeof(T));
}

bool isDefault(const ConvertOptions &options) {
  return options.rounding == Rounding::NearestEven &&
         options.overflow == Overflow::IEEE && !options.flushSubnormals;
}

template <typename Machine, typename Storage, bool sameRange>
AMP_RT_ALWAYS_INLINE bool narrowLoop(const void *source,
                                     void *__restrict target, size_t count,
                                     const NarrowPlan<Machine> plan) {
  using Bits = typename Machine::Bits;
  Bits overflowed = 0;
  for (size_t i = 0; i < count; ++i)
    store(target, i,
          Storage(narrow<Machine, sameRange>(load<Bits>(source, i), plan,
                                             overflowed)));
  return overflowed != 0;
}

template <typename Machine, typename Storage>
AMP_RT_ALWAYS_INLINE void widenLoop(const void *source, void *__restrict target,
                                    size_t count,
                                    const WidenPlan<Machine> plan) {
  for (size_t i = 0; i < count; ++i)
    store(target, i, widen<Machine>(load<Storage>(source, i), plan));
}

template <typename Machine, bool sameRange>
bool narrowStored(const void *source, void *target, size_t count,
                  unsigned storageBytes, const NarrowPlan<Machine> plan) {
  switch (storageBytes) {
  case 1:
    return narrowLoop<Machine, uint8_t, sameRange>(source, target, count, plan);
  case 2:
    return narrowLoop<Machine, uint16_t, sameRange>(source, target, count,
                                                    plan);
  default:
    return narrowLoop<Machine, uint32_t, sameRange>(source, target, count,
                                                    plan);
  }
}

/// The loop with the constants of `format` folded in.
template <typename Machine, typename Storage, Format format>
void widenDefault(const void *source, void *target, size_t count) {
  WidenPlan<Machine> plan(getFormat(format), /*flushSubnormals=*/false);
  widenLoop<Machine, Storage>(source, target, count, plan);
}

#if defined(__F16C__)

/// f32 to f16, to nearest, IEEE overflow. The last elements go through a
/// zero-padded vector.
void narrowF16C(const float *source, void *target, size_t count) {
  char *to = static_cast<char *>(target);
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to + 2 * i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(source + i),
                                     _MM_FROUND_TO_NEAREST_INT));
  if (i == count)
    return;
  float tail[8] = {};
  std::memcpy(tail, source + i, (count - i) * sizeof(float));
  __m128i encoded =
      _mm256_cvtps_ph(_mm256_loadu_ps(tail), _MM_FROUND_TO_NEAREST_INT);
  std::memcpy(to + 2 * i, &encoded, 2 * (count - i));
}

void widenF16C(const void *source, float *target, size_t count) {
  const char *from = static_cast<const char *>(source);
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(target + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(
                         reinterpret_cast<const __m128i *>(from + 2 * i))));
  if (i == count)
    return;
  __m128i tail = _mm_setzero_si128();
  std::memcpy(&tail, from + 2 * i, 2 * (count - i));
  __m256 decoded = _mm256_cvtph_ps(tail);
  std::memcpy(target + i, &decoded, (count - i) * sizeof(float));
}

#endif // __F16C__

template <typename Machine>
bool narrowArray(const typename Machine::Float *source, void *target,
                 size_t count, const FloatFormat &format,
                 const ConvertOptions &options) {
#if defined(__F16C__)
  if constexpr (sizeof(typename Machine::Float) == sizeof(float))
    if (format.kind == Format::F16 && isDefault(options)) {
      narrowF16C(source, target, count);
      return false;
    }
#endif
  NarrowPlan<Machine> plan(format, options);
  return format.bias == Machine::bias
             ? narrowStored<Machine, true>(source, target, count,
                                           format.storageBytes, plan)
             : narrowStored<Machine, false>(source, target, count,
                                            format.storageBytes, plan);
}

template <typename Machine>
void widenArray(const void *source, typename Machine::Float *target,
                size_t count, const FloatFormat &format, bool flushSubnormals) {
  if (!flushSubnormals && format.kind == Format::BF16)
    return widenDefault<Machine, uint16_t, Format::BF16>(source, target, count);
#if defined(__F16C__)
  if constexpr (sizeof(typename Machine::Float) == sizeof(float))
    if (!flushSubnormals && format.kind == Format::F16)
      return widenF16C(source, target, count);
#endif
  if (!flushSubnormals && format.kind == Format::F16)
    return widenDefault<Machine, uint16_t, Format::F16>(source, target, count);

  WidenPlan<Machine> plan(format, flushSubnormals);
  switch (format.storageBytes) {
  case 1:
    return widenLoop<Machine, uint8_t>(source, target, count, plan);
  case 2:
    return widenLoop<Machine, uint16_t>(source, target, count, plan);
  default:
    return widenLoop<Machine, uint32_t>(source, target, count, plan);
  }
}

} // namespace

const BulkKernels amp_rt::numerics::AMP_RT_BULK_TABLE = {
    AMP_RT_BULK_ISA, narrowArray<F32Machine>, narrowArray<F64Machine>,
    widenArray<F32Machine>, widenArray<F64Machine>};
