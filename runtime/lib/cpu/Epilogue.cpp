//===- Epilogue.cpp - Epilogues with more than one operand ----------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Epilogue.h. Rows are independent of each other, and so are the columns of
// a bias gradient: nothing depends on the number of threads.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "Convert.h"

#include <algorithm>
#include <cmath>

namespace amp_rt::cpu {

bool needsFinish(const amp_rt_gemm_desc &d) {
  return hasReluMask(d) || hasGeluAux(d) || hasBiasGrad(d);
}

/// Elements that are converted at once, on the stack.
static constexpr int64_t kBlock = 256;

static constexpr float kSqrtTwoOverPi = 0.7978845608f;
static constexpr float kCubic = 0.044715f;

float geluTanh(float x) {
  float inner = kSqrtTwoOverPi * (x + kCubic * x * x * x);
  return 0.5f * x * (1.0f + std::tanh(inner));
}

static float geluTanhSlope(float x) {
  float t = std::tanh(kSqrtTwoOverPi * (x + kCubic * x * x * x));
  float slope = kSqrtTwoOverPi * (1.0f + 3.0f * kCubic * x * x);
  return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * slope;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {
struct FinishArgs {
  const GemmPlan &plan;
  const amp_rt_gemm_args &args;
  float *wide;
};
} // namespace

/// relu, with its mask: bits in whole bytes, those past the row 0.
static void reluRow(float *row, int64_t n, unsigned char *mask) {
  for (int64_t j = 0; j < n; j += 8) {
    unsigned bits = 0;
    for (int64_t b = 0; b < std::min<int64_t>(8, n - j); ++b) {
      float x = row[j + b];
      bits |= unsigned(x > 0.0f) << b;
      row[j + b] = x > 0.0f || std::isnan(x) ? x : 0.0f;
    }
    mask[j / 8] = static_cast<unsigned char>(bits);
  }
}

static void dreluRow(float *row, int64_t n, const unsigned char *mask) {
  for (int64_t j = 0; j < n; ++j)
    if (!(mask[j / 8] >> (j % 8) & 1))
      row[j] = 0.0f;
}

static void finishRow(const FinishArgs &f, int64_t at) {
  const amp_rt_gemm_desc &d = f.plan.desc;
  int64_t n = f.plan.out.cols, rows = f.plan.out.rows;
  float *row = f.wide + at * n;
  const Layout &aux = f.plan.aux;
  int64_t element = at / rows * aux.stride + at % rows * aux.ld;
  auto *bytes = static_cast<unsigned char *>(f.args.aux);
  switch (d.epilogue) {
  case AMP_RT_EPILOGUE_RELU_AUX:
    return reluRow(row, n, bytes + element / 8);
  case AMP_RT_EPILOGUE_DRELU:
  case AMP_RT_EPILOGUE_DRELU_BGRAD:
    return dreluRow(row, n, bytes + element / 8);
  case AMP_RT_EPILOGUE_GELU_AUX:
    narrowRun(row, d.aux_type, bytes + element * int64_t(typeSize(d.aux_type)),
              n);
    for (int64_t j = 0; j < n; ++j)
      row[j] = geluTanh(row[j]);
    return;
  case AMP_RT_EPILOGUE_DGELU:
  case AMP_RT_EPILOGUE_DGELU_BGRAD:
    for (int64_t j = 0; j < n; j += kBlock) {
      float inputs[kBlock];
      int64_t count = std::min(kBlock, n - j);
      widenRun(bytes + (element + j) * int64_t(typeSize(d.aux_type)),
               d.aux_type, inputs, count);
      for (int64_t i = 0; i < count; ++i)
        row[j + i] *= geluTanhSlope(inputs[i]);
    }
    return;
  }
}

static void finishRows(void *captures, int64_t begin, int64_t end) {
  const auto &f = *static_cast<const FinishArgs *>(captures);
  for (int64_t at = begin; at < end; ++at)
    finishRow(f, at);
}

//===----------------------------------------------------------------------===//
// Bias gradients
//===----------------------------------------------------------------------===//

namespace {
/// Sums over a stored matrix: one per row, or one per column.
struct SumArgs {
  const void *data;
  int32_t dtype;
  int64_t rows, cols, ld;
  bool perRow;
  void *result;
  int32_t resultType;
};
} // namespace

/// At most kBlock sums from `begin` on, in f64.
static void sumBlock(const SumArgs &s, int64_t begin, int64_t count,
                     double *sums) {
  float values[kBlock];
  auto load = [&](int64_t row, int64_t col, int64_t length) {
    widenRun(static_cast<const char *>(s.data) +
                 size_t(row * s.ld + col) * typeSize(s.dtype),
             s.dtype, values, length);
  };
  std::fill(sums, sums + count, 0.0);
  for (int64_t i = 0; s.perRow && i < count; ++i)
    for (int64_t col = 0; col < s.cols; col += kBlock) {
      int64_t length = std::min(kBlock, s.cols - col);
      load(begin + i, col, length);
      for (int64_t j = 0; j < length; ++j)
        sums[i] += double(values[j]);
    }
  for (int64_t row = 0; !s.perRow && row < s.rows; ++row) {
    load(row, begin, count);
    for (int64_t i = 0; i < count; ++i)
      sums[i] += double(values[i]);
  }
}

/// Sums [begin, end).
static void sumRange(void *captures, int64_t begin, int64_t end) {
  const auto &s = *static_cast<const SumArgs *>(captures);
  for (int64_t at = begin; at < end; at += kBlock) {
    double sums[kBlock];
    float narrow[kBlock];
    int64_t count = std::min(kBlock, end - at);
    sumBlock(s, at, count, sums);
    std::copy(sums, sums + count, narrow);
    narrowRun(narrow, s.resultType,
              static_cast<char *>(s.result) +
                  size_t(at) * typeSize(s.resultType),
              count);
  }
}

static void writeBiasGrad(amp_rt_context &ctx, const GemmPlan &plan,
                          const amp_rt_gemm_args &args, const float *wide) {
  const amp_rt_gemm_desc &d = plan.desc;
  SumArgs sum = {};
  sum.result = args.bias_grad;
  sum.resultType = d.bias_grad_type;
  auto read = [&](const void *data, int32_t dtype, const Layout &layout) {
    sum.data = data;
    sum.dtype = dtype;
    sum.rows = layout.rows;
    sum.cols = layout.cols;
    sum.ld = layout.ld;
  };
  if (d.epilogue == AMP_RT_EPILOGUE_BIAS_GRAD_LHS) {
    read(args.lhs, d.lhs_type, plan.lhs.layout);
    sum.perRow = !d.transpose_lhs;
  } else if (d.epilogue == AMP_RT_EPILOGUE_BIAS_GRAD_RHS) {
    read(args.rhs, d.rhs_type, plan.rhs.layout);
    sum.perRow = d.transpose_rhs;
  } else {
    read(wide, AMP_RT_DTYPE_F32, plan.out.compact());
  }
  amp_rt_parallel_for(&ctx, sumRange, &sum, biasGradSize(d), 64);
}

void finishEpilogue(amp_rt_context &ctx, const GemmPlan &plan,
                    const amp_rt_gemm_args &args, float *wide) {
  FinishArgs finish{plan, args, wide};
  if (hasReluMask(plan.desc) || hasGeluAux(plan.desc))
    amp_rt_parallel_for(&ctx, finishRows, &finish,
                        plan.out.batch * plan.out.rows, 16);
  if (hasBiasGrad(plan.desc))
    writeBiasGrad(ctx, plan, args, wide);
}

} // namespace amp_rt::cpu
