//===- GemmEdgeTest.cpp - Edge cases of products --------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Empty dimensions, non-finite values, descriptors by content, threads.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <cmath>

using namespace cts;

namespace {
class GemmEdge : public Suite {};

constexpr int32_t kTrainingTypes[] = {AMP_RT_DTYPE_F32, AMP_RT_DTYPE_BF16,
                                      AMP_RT_DTYPE_F16};

GemmCase sameTypes(int32_t type, int64_t m, int64_t n, int64_t k) {
  GemmCase c;
  c.lhs = c.rhs = c.out = type;
  c.m = m;
  c.n = n;
  c.k = k;
  return c;
}
} // namespace

/// m, n or batch = 0: nothing is read or written, null pointers are fine.
TEST_F(GemmEdge, EmptyResultIsNoOp) {
  Context ctx;
  for (int32_t type : kTrainingTypes) {
    for (int which = 0; which < 3; ++which) {
      GemmRun run(sameTypes(type, which == 0 ? 0 : 4, which == 1 ? 0 : 5, 6));
      if (which == 2)
        run.desc.batch = 0;
      run.args.lhs = run.args.rhs = nullptr;
      run.args.out = nullptr;
      EXPECT_EQ(run.run(ctx), AMP_RT_OK) << ctx.error();
    }
  }
}

/// k = 0 leaves beta * out, then bias and activation; beta = 0 reads nothing.
TEST_F(GemmEdge, EmptySum) {
  Context ctx;
  for (int32_t type : kTrainingTypes) {
    for (float beta : {0.0f, 0.5f}) {
      for (int32_t epilogue :
           {AMP_RT_EPILOGUE_NONE, AMP_RT_EPILOGUE_BIAS, AMP_RT_EPILOGUE_RELU,
            AMP_RT_EPILOGUE_BIAS_RELU, AMP_RT_EPILOGUE_GELU_TANH}) {
        GemmCase c = sameTypes(type, 5, 9, 0);
        c.beta = beta;
        c.epilogue = epilogue;
        c.padding = 2;
        if (epilogue == AMP_RT_EPILOGUE_BIAS ||
            epilogue == AMP_RT_EPILOGUE_BIAS_RELU)
          c.bias = type;
        SCOPED_TRACE(toString(c));
        GemmRun run(c);
        run.args.lhs = run.args.rhs = nullptr;
        ASSERT_EQ(run.run(ctx), AMP_RT_OK) << ctx.error();
        EXPECT_TRUE(run.check());
      }
    }
  }
}

/// relu of NaN is NaN: an overflow in the forward pass must reach the
/// found-inf check. Infinities and zeros as in max(x, 0).
TEST_F(GemmEdge, ReluPropagatesNaN) {
  Context ctx;
  for (int32_t type : kTrainingTypes) {
    GemmCase c = sameTypes(type, 4, 40, 3);
    c.epilogue = AMP_RT_EPILOGUE_RELU;
    GemmRun run(c);
    const double values[] = {NAN, INFINITY, -INFINITY, -2.0};
    for (int64_t m = 0; m < 4; ++m)
      for (int64_t k = 0; k < 3; ++k)
        run.lhs.set(run.lhsIndex(0, m, k), k == 0 ? values[m] : 0.0);
    for (int64_t n = 0; n < 40; ++n)
      run.rhs.set(run.rhsIndex(0, 0, n), 1.0);
    ASSERT_EQ(run.run(ctx), AMP_RT_OK) << ctx.error();
    for (int64_t n = 0; n < 40; ++n) {
      EXPECT_TRUE(std::isnan(run.out.get(run.outIndex(0, 0, n))));
      EXPECT_EQ(run.out.get(run.outIndex(0, 1, n)), INFINITY);
      EXPECT_EQ(run.out.get(run.outIndex(0, 2, n)), 0.0);
      EXPECT_EQ(run.out.get(run.outIndex(0, 3, n)), 0.0);
    }
  }
}

/// Overflow of the one rounding is IEEE's: 300 * 300 is inf in f16.
TEST_F(GemmEdge, OverflowIsInfinity) {
  Context ctx;
  GemmRun run(sameTypes(AMP_RT_DTYPE_F16, 2, 3, 1));
  for (int64_t m = 0; m < 2; ++m)
    run.lhs.set(run.lhsIndex(0, m, 0), m == 0 ? 300.0 : -300.0);
  for (int64_t n = 0; n < 3; ++n)
    run.rhs.set(run.rhsIndex(0, 0, n), n == 0 ? 218.39 : 300.0);
  ASSERT_EQ(run.run(ctx), AMP_RT_OK) << ctx.error();
  // 300 * 218.375, the nearest f16: 65512.5, below the boundary 65520.
  EXPECT_EQ(run.out.get(run.outIndex(0, 0, 0)), 65504.0);
  EXPECT_EQ(run.out.get(run.outIndex(0, 0, 1)), INFINITY);
  EXPECT_EQ(run.out.get(run.outIndex(0, 1, 2)), -INFINITY);
}

/// A descriptor is known by its content: another address finds the same plan,
/// and a changed one is not mistaken for what it was.
TEST_F(GemmEdge, DescriptorByContent) {
  Context ctx;
  GemmRun run(sameTypes(AMP_RT_DTYPE_F32, 3, 4, 5));
  Mirror mirror(ctx, run);
  ASSERT_EQ(amp_rt_gemm_prepare(ctx, &run.desc), AMP_RT_OK);
  uint64_t before = ctx.memory().total_count;
  amp_rt_gemm_desc copy = run.desc;
  ASSERT_EQ(run.run(ctx, copy), AMP_RT_OK);
  EXPECT_TRUE(run.check());
  EXPECT_EQ(ctx.memory().total_count, before);
  copy.alpha = 2.0f;
  ASSERT_EQ(run.run(ctx, copy), AMP_RT_OK);
  EXPECT_FALSE(run.check());
  run.c.alpha = 2.0f;
  EXPECT_TRUE(run.check());
}

/// Leading dimensions of 0 are the compact ones; a descriptor of an older,
/// shorter struct reads the rest as 0.
TEST_F(GemmEdge, Defaults) {
  Context ctx;
  GemmRun run(sameTypes(AMP_RT_DTYPE_BF16, 3, 4, 5));
  run.desc.lhs_ld = run.desc.rhs_ld = run.desc.out_ld = 0;
  run.desc.accumulate_type = 0;
  ASSERT_EQ(run.run(ctx), AMP_RT_OK) << ctx.error();
  EXPECT_EQ(run.desc.lhs_ld, 0);
  run.desc.lhs_ld = 5;
  run.desc.rhs_ld = run.desc.out_ld = 4;
  EXPECT_TRUE(run.check());

  run.args.struct_size = offsetof(amp_rt_gemm_args, aux);
  ASSERT_EQ(run.run(ctx), AMP_RT_OK) << ctx.error();
}

/// The number of threads may change the order of a sum, never its bound.
TEST_F(GemmEdge, AnyNumberOfThreads) {
  for (int32_t threads : {1, 2, 3}) {
    Context ctx(threads);
    EXPECT_EQ(amp_rt_num_threads(ctx), threads);
    for (int32_t type : kTrainingTypes) {
      GemmRun run(sameTypes(type, 65, 47, 130));
      ASSERT_EQ(run.run(ctx), AMP_RT_OK) << ctx.error();
      EXPECT_TRUE(run.check());
    }
  }
}

/// The same call twice gives the same bits.
TEST_F(GemmEdge, Repeatable) {
  Context ctx;
  for (int32_t type : kTrainingTypes) {
    GemmRun run(sameTypes(type, 64, 128, 300));
    ASSERT_EQ(run.run(ctx), AMP_RT_OK) << ctx.error();
    std::vector<unsigned char> first = run.out.bytes;
    for (int i = 0; i < 5; ++i) {
      ASSERT_EQ(run.run(ctx), AMP_RT_OK) << ctx.error();
      EXPECT_EQ(run.out.bytes, first);
    }
  }
}
