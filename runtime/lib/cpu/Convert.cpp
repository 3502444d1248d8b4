//===- Convert.cpp - Parallel conversion of matrices ----------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Convert.h. Matrices are cut into pieces of whole or partial rows, so that
// one long row and many short ones both spread over the threads.
//
//===----------------------------------------------------------------------===//

#include "Convert.h"
#include "amp-rt/numerics.h"

#include <algorithm>
#include <cstring>

namespace amp_rt::cpu {

/// Elements below which a second thread does not pay.
static constexpr int64_t kGrain = 16384;
/// Elements of the stack buffer between two conversions.
static constexpr int64_t kBlock = 1024;

static numerics::Format formatOf(int32_t dtype) {
  switch (dtype) {
  case AMP_RT_DTYPE_F16:
    return numerics::Format::F16;
  case AMP_RT_DTYPE_BF16:
    return numerics::Format::BF16;
  case AMP_RT_DTYPE_TF32:
    return numerics::Format::TF32;
  case AMP_RT_DTYPE_E4M3FN:
    return numerics::Format::F8E4M3FN;
  case AMP_RT_DTYPE_E5M2:
    return numerics::Format::F8E5M2;
  default:
    return numerics::Format::F32;
  }
}

bool widensToF32(int32_t dtype) {
  return dtype == AMP_RT_DTYPE_F32 || dtype == AMP_RT_DTYPE_F16 ||
         dtype == AMP_RT_DTYPE_BF16 || dtype == AMP_RT_DTYPE_E4M3FN ||
         dtype == AMP_RT_DTYPE_E5M2;
}

bool isRoundable(int32_t dtype) {
  return widensToF32(dtype) || dtype == AMP_RT_DTYPE_TF32;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// Calls `piece(strided offset, compact offset, count)` on contiguous runs that
/// cover the matrices, in parallel.
template <typename Piece>
static void forPieces(amp_rt_context &ctx, const Layout &layout, Piece piece) {
  struct State {
    const Layout &layout;
    Piece &piece;
  } state{layout, piece};
  auto body = [](void *captures, int64_t begin, int64_t end) {
    auto &state = *static_cast<State *>(captures);
    const Layout &l = state.layout;
    int64_t row = begin / l.cols, col = begin % l.cols;
    bool gapless =
        l.ld == l.cols && (l.batch == 1 || l.stride == l.rows * l.cols);
    for (int64_t at = begin; at < end;) {
      int64_t count = gapless ? end - at : std::min(end - at, l.cols - col);
      int64_t strided =
          gapless ? at
                  : (row / l.rows) * l.stride + (row % l.rows) * l.ld + col;
      state.piece(strided, at, count);
      at += count;
      col = 0;
      ++row;
    }
  };
  amp_rt_parallel_for(&ctx, body, &state, layout.numElements(), kGrain);
}

static const char *at(const void *base, int64_t element, int32_t dtype) {
  return static_cast<const char *>(base) + element * amp_rt_dtype_size(dtype);
}
static char *at(void *base, int64_t element, int32_t dtype) {
  return static_cast<char *>(base) + element * amp_rt_dtype_size(dtype);
}

void widenRun(const void *source, int32_t dtype, float *target, int64_t count) {
  if (dtype == AMP_RT_DTYPE_F32)
    std::memcpy(target, source, count * sizeof(float));
  else
    numerics::toF32(source, target, count, formatOf(dtype));
}

void narrowRun(const float *source, int32_t dtype, void *target,
               int64_t count) {
  if (dtype == AMP_RT_DTYPE_F32)
    std::memcpy(target, source, count * sizeof(float));
  else
    numerics::fromF32(source, target, count, formatOf(dtype));
}

void convertOperand(amp_rt_context &ctx, const OperandPlan &operand,
                    const void *source, void *target) {
  if (operand.compute == operand.storage && operand.core == AMP_RT_DTYPE_F32)
    return widenMatrices(ctx, operand.layout, operand.storage, source,
                         static_cast<float *>(target));
  forPieces(ctx, operand.layout,
            [&](int64_t strided, int64_t compact, int64_t count) {
              float block[kBlock];
              for (int64_t i = 0; i < count; i += kBlock) {
                int64_t length = std::min(kBlock, count - i);
                widenRun(at(source, strided + i, operand.storage),
                         operand.storage, block, length);
                if (operand.compute != AMP_RT_DTYPE_F32)
                  numerics::roundF32(block, block, length,
                                     formatOf(operand.compute));
                narrowRun(block, operand.core,
                          at(target, compact + i, operand.core), length);
              }
            });
}

void widenMatrices(amp_rt_context &ctx, const Layout &layout, int32_t dtype,
                   const void *source, float *target) {
  forPieces(ctx, layout, [&](int64_t strided, int64_t compact, int64_t count) {
    widenRun(at(source, strided, dtype), dtype, target + compact, count);
  });
}

//===----------------------------------------------------------------------===//
// relu and rounding
//===----------------------------------------------------------------------===//

/// On the bits: negative numbers and -0 become +0, NaN stays as it is.
template <typename Bits>
static void reluRun(Bits *data, int64_t count, Bits infinity) {
  constexpr Bits sign = Bits(Bits(1) << (sizeof(Bits) * 8 - 1));
  for (int64_t i = 0; i < count; ++i) {
    Bits bits = data[i];
    bool keep = !(bits & sign) || Bits(bits & Bits(~sign)) > infinity;
    data[i] = keep ? bits : Bits(0);
  }
}

static void reluRun(int32_t dtype, void *data, int64_t count) {
  if (dtype == AMP_RT_DTYPE_F32)
    reluRun<uint32_t>(static_cast<uint32_t *>(data), count, 0x7f800000u);
  else
    reluRun<uint16_t>(static_cast<uint16_t *>(data), count,
                      dtype == AMP_RT_DTYPE_F16 ? 0x7c00 : 0x7f80);
}

void roundMatrices(amp_rt_context &ctx, const Layout &layout, int32_t dtype,
                   bool relu, float *source, void *target) {
  forPieces(ctx, layout, [&](int64_t strided, int64_t compact, int64_t count) {
    if (relu)
      reluRun(AMP_RT_DTYPE_F32, source + compact, count);
    narrowRun(source + compact, dtype, at(target, strided, dtype), count);
  });
}

void reluMatrices(amp_rt_context &ctx, const Layout &layout, int32_t dtype,
                  void *data) {
  forPieces(ctx, layout, [&](int64_t strided, int64_t, int64_t count) {
    reluRun(dtype, at(data, strided, dtype), count);
  });
}

} // namespace amp_rt::cpu
