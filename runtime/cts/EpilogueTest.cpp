//===- EpilogueTest.cpp - Epilogues with aux and bias gradients -----------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What training fuses into its products, each with each type, against f64: the
// result, what is kept for the backward pass, and the bias gradient.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <cmath>
#include <limits>

using namespace cts;

namespace {

constexpr int32_t F32 = AMP_RT_DTYPE_F32, F16 = AMP_RT_DTYPE_F16,
                  BF16 = AMP_RT_DTYPE_BF16;

struct Types {
  int32_t operands, out;
};
const Types kTypes[] = {
    {F32, F32}, {F16, F16}, {F16, F32}, {BF16, BF16}, {BF16, F32}};

const int32_t kEpilogues[] = {
    AMP_RT_EPILOGUE_RELU_AUX,      AMP_RT_EPILOGUE_GELU_AUX,
    AMP_RT_EPILOGUE_BIAS_GRAD_LHS, AMP_RT_EPILOGUE_BIAS_GRAD_RHS,
    AMP_RT_EPILOGUE_DRELU,         AMP_RT_EPILOGUE_DRELU_BGRAD,
    AMP_RT_EPILOGUE_DGELU,         AMP_RT_EPILOGUE_DGELU_BGRAD};

class Epilogues : public Suite, public testing::WithParamInterface<Types> {};

GemmCase makeCase(const Types &types, int32_t epilogue, bool bias) {
  GemmCase c;
  c.lhs = c.rhs = types.operands;
  c.out = types.out;
  c.epilogue = epilogue;
  if (bias && (epilogue == AMP_RT_EPILOGUE_RELU_AUX ||
               epilogue == AMP_RT_EPILOGUE_GELU_AUX))
    c.bias = types.out;
  return c;
}

void expectProduct(amp_rt_context *ctx, const GemmCase &c, unsigned seed) {
  SCOPED_TRACE(toString(c));
  GemmRun run(c, seed);
  ASSERT_EQ(run.run(ctx), AMP_RT_OK) << amp_rt_last_error(ctx);
  EXPECT_TRUE(run.check()) << amp_rt_gemm_path(ctx, &run.desc);
}

} // namespace

TEST_P(Epilogues, Combinations) {
  // {m, n, k}: wider than a row of the mask, one row, one column, no product.
  const int64_t shapes[][3] = {{7, 13, 9},   {33, 130, 17}, {1, 24, 40},
                               {23, 1, 12},  {4, 64, 1},    {300, 9, 5},
                               {16, 48, 32}, {5, 24, 0}};
  Context ctx;
  unsigned seed = 0;
  for (int32_t epilogue : kEpilogues) {
    for (int variant = 0; variant < 32; ++variant) {
      GemmCase c = makeCase(GetParam(), epilogue, variant & 1);
      bool grad = GemmRun(c).hasBiasGrad();
      c.transposeLhs = variant & 2;
      c.transposeRhs = variant & 4;
      c.batching = grad ? Batching::Single : Batching(variant >> 3);
      c.alpha = variant % 3 ? 1.0f : -0.5f;
      c.beta = variant % 5 == 4 ? 1.0f : 0.0f;
      c.padding = variant % 4 == 3 ? 5 : 0;
      const int64_t *shape = shapes[seed % 8];
      c.m = shape[0];
      c.n = shape[1];
      c.k = shape[2];
      ASSERT_NO_FATAL_FAILURE(expectProduct(ctx, c, ++seed));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Epilogues, testing::ValuesIn(kTypes),
                         [](const auto &info) {
                           return std::string(
                                      amp_rt_dtype_name(info.param.operands)) +
                                  "_" + amp_rt_dtype_name(info.param.out);
                         });

namespace {
class EpilogueEdges : public Suite {};
} // namespace

/// The mask of what is not above 0: zeros of both signs, and NaN, which relu
/// itself keeps.
TEST_F(EpilogueEdges, MaskOfZerosAndNaN) {
  if (backendUnderTest != AMP_RT_BACKEND_CPU)
    GTEST_SKIP() << "assumed of the device's library (rules E2 and E3)";
  Context ctx;
  GemmCase c;
  c.epilogue = AMP_RT_EPILOGUE_RELU_AUX;
  c.m = 1;
  c.n = 5;
  c.k = 1;
  GemmRun run(c);
  const double values[] = {0.0, -0.0, NAN, 1e-30, -1.0};
  run.lhs.set(0, 1.0);
  for (int64_t n = 0; n < 5; ++n)
    run.rhs.set(run.rhsIndex(0, 0, n), values[n]);
  ASSERT_EQ(run.run(ctx), AMP_RT_OK) << ctx.error();
  EXPECT_EQ(run.aux.bytes[0] & 0x1f, 0x08);
  EXPECT_TRUE(std::isnan(run.out.get(2)));
  EXPECT_EQ(run.out.get(4), 0.0);
}

/// A stated order changes nothing about the epilogue.
TEST_F(EpilogueEdges, StatedOrder) {
  if (backendUnderTest != AMP_RT_BACKEND_CPU)
    GTEST_SKIP() << "the device's library has no stated order (rule N1)";
  Context ctx;
  unsigned seed = 100;
  for (int32_t epilogue : kEpilogues) {
    GemmCase c = makeCase({BF16, F32}, epilogue, true);
    c.m = 6;
    c.n = 20;
    c.k = 9;
    SCOPED_TRACE(toString(c));
    GemmRun run(c, ++seed);
    run.desc.order = AMP_RT_ORDER_SEQUENTIAL;
    ASSERT_EQ(run.run(ctx), AMP_RT_OK) << ctx.error();
    EXPECT_TRUE(run.check());
  }
}

/// relu and its derivative through one mask: the forward pass' aux is what the
/// backward pass reads.
TEST_F(EpilogueEdges, MaskGoesRound) {
  Context ctx;
  GemmCase forward = makeCase({F16, F16}, AMP_RT_EPILOGUE_RELU_AUX, true);
  forward.m = 9;
  forward.n = 70;
  forward.k = 12;
  GemmRun first(forward, 7);
  ASSERT_EQ(first.run(ctx), AMP_RT_OK) << ctx.error();
  GemmCase backward = makeCase({F16, F16}, AMP_RT_EPILOGUE_DRELU, false);
  backward.m = 9;
  backward.n = 70;
  backward.k = 3;
  GemmRun second(backward, 8);
  ASSERT_EQ(second.aux.bytes.size(), first.aux.bytes.size());
  second.aux.bytes = first.aux.bytes;
  ASSERT_EQ(second.run(ctx), AMP_RT_OK) << ctx.error();
  EXPECT_TRUE(second.check());
  for (int64_t m = 0; m < 9; ++m)
    for (int64_t n = 0; n < 70; ++n)
      if (first.out.get(size_t(first.outIndex(0, m, n))) == 0.0) {
        EXPECT_EQ(second.out.get(size_t(second.outIndex(0, m, n))), 0.0);
      }
}
