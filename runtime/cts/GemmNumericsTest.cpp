//===- GemmNumericsTest.cpp - The numerics contract of products -----------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f32 accumulation whatever the operands are, f32 that is f32, exact widening,
// stated orders, compute types and subnormals.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <cmath>

using namespace cts;

namespace {
class GemmNumerics : public Suite {};

constexpr int32_t F32 = AMP_RT_DTYPE_F32, F16 = AMP_RT_DTYPE_F16,
                  BF16 = AMP_RT_DTYPE_BF16;

/// m x n x k with lhs[., k] = a(k) and rhs[k, .] = b(k).
template <typename A, typename B>
GemmRun makeColumns(int32_t in, int32_t out, int64_t m, int64_t n, int64_t k,
                    A a, B b) {
  GemmCase c;
  c.lhs = c.rhs = in;
  c.out = out;
  c.m = m;
  c.n = n;
  c.k = k;
  GemmRun run(c);
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t row = 0; row < m; ++row)
      run.lhs.set(run.lhsIndex(0, row, i), a(i));
    for (int64_t col = 0; col < n; ++col)
      run.rhs.set(run.rhsIndex(0, i, col), b(i));
  }
  return run;
}

void expectAll(Context &ctx, GemmRun &run, double value) {
  // A run may have been moved; its pointers must be its own.
  run.args.lhs = run.lhs.data();
  run.args.rhs = run.rhs.data();
  run.args.out = run.out.data();
  ASSERT_EQ(run.run(ctx), AMP_RT_OK) << ctx.error();
  for (int64_t m = 0; m < run.c.m; ++m)
    for (int64_t n = 0; n < run.c.n; ++n)
      ASSERT_EQ(run.out.get(run.outIndex(0, m, n)), value)
          << amp_rt_gemm_path(ctx, &run.desc);
}

double one(int64_t) { return 1.0; }

bool onDevice() { return backendUnderTest != AMP_RT_BACKEND_CPU; }

/// A device's library does not promise this, and so the rule refuses it.
void expectRule(Context &ctx, GemmRun &run, const char *rule) {
  EXPECT_EQ(run.run(ctx), AMP_RT_UNSUPPORTED);
  EXPECT_NE(ctx.error().find("rule " + std::string(rule) + " "),
            std::string::npos)
      << ctx.error();
  amp_rt_clear_error(ctx);
}
} // namespace

/// 4096 ones: an f16 accumulator stops at 2048, a bf16 one at 256.
TEST_F(GemmNumerics, OnesAddUp) {
  Context ctx;
  for (int32_t in : {F32, F16, BF16}) {
    for (int32_t out : {in, F32}) {
      for (int64_t m : {1, 3, 64}) {
        GemmRun run = makeColumns(in, out, m, 48, 4096, one, one);
        expectAll(ctx, run, 4096.0);
      }
    }
  }
}

/// 2048 followed by 2047 ones (and, at the end, -2048): each 1 is lost by an
/// f16 accumulator, and every partial sum is exact in f32.
TEST_F(GemmNumerics, CancellationInF32) {
  Context ctx;
  for (int32_t in : {F16, BF16}) {
    for (int32_t out : {in, F32}) {
      int64_t k = 2048;
      GemmRun run = makeColumns(
          in, out, 16, 48, k,
          [&](int64_t i) {
            return i == 0 ? 2048.0 : i == k - 1 ? -2048.0 : 1.0;
          },
          one);
      // 2046 in bf16 is a tie between 2040 and 2048, to even.
      expectAll(ctx, run, out == BF16 ? 2048.0 : 2046.0);
    }
  }
}

/// Partial sums beyond f16's range are no overflow: 60000 + 60000 - 60000.
TEST_F(GemmNumerics, PartialSumsMayExceedTheType) {
  Context ctx;
  const double values[] = {60000, 60000, -60000};
  GemmRun run = makeColumns(
      F16, F16, 8, 40, 3, [&](int64_t i) { return values[i]; }, one);
  expectAll(ctx, run, 60000.0);
}

/// f32 is not tf32 or bf16: 1 + 2^-20 survives the product.
TEST_F(GemmNumerics, F32IsStrict) {
  Context ctx;
  double value = 1.0 + std::ldexp(1.0, -20);
  for (int64_t m : {1, 5, 64}) {
    GemmRun run =
        makeColumns(F32, F32, m, 64, 1, [&](int64_t) { return value; }, one);
    expectAll(ctx, run, value);
  }
}

/// One rounding from the accumulator: 1 + 2^-8 + 2^-20 is above the tie of
/// bf16, and rounding to f16 first would land on it.
TEST_F(GemmNumerics, RoundsOnce) {
  Context ctx;
  const double values[] = {1.0, std::ldexp(1.0, -8), std::ldexp(1.0, -20)};
  // A device has no product from f32 to bf16; the values are bf16 all the same.
  GemmRun run = makeColumns(
      onDevice() ? BF16 : F32, BF16, 4, 36, 3,
      [&](int64_t i) { return values[i]; }, one);
  expectAll(ctx, run, 1.0 + std::ldexp(1.0, -7));
}

/// The stated order: in sequence 2^24 + 1 - 2^24 loses the 1 in f32, and blocks
/// of two give (2^24 + 1) + (1 - 2^24) = 1.
TEST_F(GemmNumerics, StatedOrder) {
  Context ctx;
  double big = std::ldexp(1.0, 24);
  const double values[] = {big, 1.0, 1.0, -big};
  for (bool transpose : {false, true}) {
    GemmCase c;
    c.m = 3;
    c.n = 300;
    c.k = 4;
    c.transposeLhs = c.transposeRhs = transpose;
    GemmRun run(c);
    for (int64_t k = 0; k < 4; ++k) {
      for (int64_t m = 0; m < c.m; ++m)
        run.lhs.set(run.lhsIndex(0, m, k), values[k]);
      for (int64_t n = 0; n < c.n; ++n)
        run.rhs.set(run.rhsIndex(0, k, n), 1.0);
    }
    run.desc.order = AMP_RT_ORDER_SEQUENTIAL;
    if (onDevice()) {
      expectRule(ctx, run, "N1");
      continue;
    }
    expectAll(ctx, run, 0.0);
    run.desc.order = AMP_RT_ORDER_BLOCKED;
    run.desc.order_block = 2;
    // 1 - 2^24 is exact, 2^24 + 1 rounds to 2^24.
    expectAll(ctx, run, 1.0);
  }
}

/// Orders keep the rest of the contract.
TEST_F(GemmNumerics, StatedOrderWithEverything) {
  Context ctx;
  unsigned seed = 0;
  for (int32_t type : {F32, F16, BF16}) {
    for (int layout = 0; layout < 16; ++layout) {
      GemmCase c;
      c.lhs = c.rhs = c.out = c.bias = type;
      c.epilogue =
          layout & 1 ? AMP_RT_EPILOGUE_BIAS_RELU : AMP_RT_EPILOGUE_GELU_TANH;
      c.transposeLhs = layout & 1;
      c.transposeRhs = layout & 2;
      c.batching = Batching(layout >> 2);
      c.m = 5;
      c.n = 270;
      c.k = 33;
      c.alpha = 0.5f;
      c.beta = 2.0f;
      c.padding = 1;
      SCOPED_TRACE(toString(c));
      GemmRun run(c, ++seed);
      run.desc.order = AMP_RT_ORDER_BLOCKED;
      run.desc.order_block = 8;
      if (onDevice()) {
        expectRule(ctx, run, "N1");
        continue;
      }
      ASSERT_EQ(run.run(ctx), AMP_RT_OK) << ctx.error();
      EXPECT_TRUE(run.check());
    }
  }
}

/// An operand enters the multiplier at its compute type: 1 + 2^-9 is 1 in bf16
/// (to even), 1 + 2^-11 is 1 in tf32 and f16, and a wider type changes nothing.
TEST_F(GemmNumerics, ComputeTypes) {
  Context ctx;
  struct {
    int32_t storage, compute;
    double value, expected;
  } cases[] = {
      {F32, BF16, 1 + std::ldexp(1, -9), 1},
      {F32, BF16, 1 + std::ldexp(1, -7), 1 + std::ldexp(1, -7)},
      {F32, AMP_RT_DTYPE_TF32, 1 + std::ldexp(1, -11), 1},
      {F32, AMP_RT_DTYPE_TF32, 1 + std::ldexp(1, -10), 1 + std::ldexp(1, -10)},
      {F32, F16, 1 + std::ldexp(1, -11), 1},
      {F32, F16, 1e5, INFINITY},
      {F16, F32, 1 + std::ldexp(1, -10), 1 + std::ldexp(1, -10)},
      {BF16, F32, 1 + std::ldexp(1, -7), 1 + std::ldexp(1, -7)},
      {F16, BF16, 1 + std::ldexp(1, -10), 1},
      {F32, AMP_RT_DTYPE_E4M3FN, 1.0625, 1},
      {F32, AMP_RT_DTYPE_E5M2, 1.25, 1.25},
  };
  for (const auto &c : cases) {
    SCOPED_TRACE(std::string(amp_rt_dtype_name(c.storage)) + " at " +
                 amp_rt_dtype_name(c.compute));
    GemmRun run = makeColumns(
        c.storage, F32, 3, 20, 1, [&](int64_t) { return c.value; }, one);
    run.desc.lhs_compute = run.desc.rhs_compute = c.compute;
    // A device's multiplier has the storage type, f32 and tf32.
    if (onDevice() && c.compute != F32 && c.compute != AMP_RT_DTYPE_TF32) {
      expectRule(ctx, run, "N3");
      continue;
    }
    expectAll(ctx, run, c.expected);
  }
}

/// subnormals = preserve: subnormal operands and results of every type count.
TEST_F(GemmNumerics, SubnormalsPreserved) {
  Context ctx;
  struct {
    int32_t type;
    int exponent;
  } cases[] = {{BF16, -130}, {F16, -20}, {F32, -140}};
  for (const auto &c : cases) {
    double tiny = std::ldexp(1.0, c.exponent);
    GemmRun run = makeColumns(
        c.type, c.type, 4, 36, 3, [&](int64_t) { return tiny; }, one);
    run.desc.subnormals = AMP_RT_SUBNORMALS_PRESERVE;
    if (onDevice()) {
      expectRule(ctx, run, "N2");
      continue;
    }
    expectAll(ctx, run, 3 * tiny);
  }
}
