//===- GemmTest.cpp - Products against f64 --------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every combination of types, transposes, batching, epilogue, alpha and beta on
// small odd shapes, and a sweep over shapes on fewer combinations.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace cts;

namespace {

struct Types {
  int32_t lhs, rhs, out, bias;
};

constexpr int32_t F32 = AMP_RT_DTYPE_F32, F16 = AMP_RT_DTYPE_F16,
                  BF16 = AMP_RT_DTYPE_BF16, E4M3 = AMP_RT_DTYPE_E4M3FN,
                  E5M2 = AMP_RT_DTYPE_E5M2;

/// What training uses, then mixtures that no library has a primitive for.
const Types kTypes[] = {
    {F32, F32, F32, F32},    {BF16, BF16, F32, F32},   {BF16, BF16, BF16, BF16},
    {BF16, BF16, BF16, F32}, {F16, F16, F32, F32},     {F16, F16, F16, F16},
    {F16, F16, F16, F32},    {F32, BF16, F32, BF16},   {F16, F32, F16, F16},
    {BF16, F16, F32, F16},   {BF16, BF16, F16, BF16},  {F32, F32, BF16, F32},
    {E4M3, E4M3, F32, F32},  {E4M3, E5M2, BF16, BF16}, {E5M2, E4M3, F16, F32},
    {E4M3, BF16, BF16, F32},
};

class GemmTypes : public Suite, public testing::WithParamInterface<Types> {};

bool isTrainingType(const Types &t) {
  return t.lhs == t.rhs && t.out == t.lhs && amp_rt_dtype_size(t.lhs) > 1;
}

void expectProduct(amp_rt_context *ctx, const GemmCase &c, unsigned seed) {
  SCOPED_TRACE(toString(c));
  GemmRun run(c, seed);
  int32_t status = run.run(ctx);
  // Mixtures of types are the CPU's alone; what training uses is not.
  bool mixed = c.lhs != c.rhs || (c.out != c.lhs && c.out != F32) ||
               (c.bias && c.bias != c.out) || amp_rt_dtype_size(c.lhs) == 1;
  if (mixed && refusedByRule(ctx, status))
    return;
  ASSERT_EQ(status, AMP_RT_OK) << amp_rt_last_error(ctx);
  EXPECT_TRUE(run.check()) << amp_rt_gemm_path(ctx, &run.desc);
}

} // namespace

/// The whole matrix for the types of training steps, and every seventh point of
/// it for the others. Shapes go round with the combination, so that no shape
/// belongs to one epilogue.
TEST_P(GemmTypes, Combinations) {
  // {m, n, k}: odd everywhere; wider than a vector; one row; one column.
  const int64_t shapes[][3] = {
      {7, 5, 9}, {17, 33, 31}, {1, 19, 40}, {23, 1, 12}, {4, 64, 1}};
  struct {
    int32_t epilogue;
    bool bias;
  } epilogues[] = {
      {AMP_RT_EPILOGUE_NONE, false},      {AMP_RT_EPILOGUE_BIAS, true},
      {AMP_RT_EPILOGUE_RELU, false},      {AMP_RT_EPILOGUE_BIAS_RELU, true},
      {AMP_RT_EPILOGUE_GELU_TANH, false}, {AMP_RT_EPILOGUE_GELU_TANH, true}};
  struct {
    float alpha, beta;
  } factors[] = {{1, 0}, {1, 1}, {0.75f, 0}, {-1.5f, 0.5f}};

  int64_t stride = isTrainingType(GetParam()) ? 1 : 7;
  int64_t point = 0;
  Context ctx;
  unsigned seed = 0;
  for (const auto &epilogue : epilogues) {
    for (const auto &factor : factors) {
      for (int layout = 0; layout < 16; ++layout) {
        if (point++ % stride != 0)
          continue;
        GemmCase c;
        c.lhs = GetParam().lhs;
        c.rhs = GetParam().rhs;
        c.out = GetParam().out;
        c.bias = epilogue.bias ? GetParam().bias : AMP_RT_DTYPE_NONE;
        c.epilogue = epilogue.epilogue;
        c.alpha = factor.alpha;
        c.beta = factor.beta;
        c.transposeLhs = layout & 1;
        c.transposeRhs = layout & 2;
        c.batching = Batching(layout >> 2);
        const int64_t *shape = shapes[seed % 5];
        c.m = shape[0];
        c.n = shape[1];
        c.k = shape[2];
        c.padding = seed % 3 == 0 ? 3 : 0;
        ASSERT_NO_FATAL_FAILURE(expectProduct(ctx, c, ++seed));
      }
    }
  }
}

/// Shapes around the block sizes of implementations, and long sums.
TEST_P(GemmTypes, Shapes) {
  const int64_t sizes[] = {1, 2, 15, 16, 17, 63, 64, 65, 130};
  Context ctx;
  unsigned seed = 0;
  for (int64_t m : sizes) {
    for (int64_t n : sizes) {
      GemmCase c;
      c.lhs = GetParam().lhs;
      c.rhs = GetParam().rhs;
      c.out = GetParam().out;
      c.m = m;
      c.n = n;
      c.k = (m * 7 + n * 3) % 97 + 1;
      c.transposeRhs = seed % 2;
      c.transposeLhs = seed % 3 == 0;
      ASSERT_NO_FATAL_FAILURE(expectProduct(ctx, c, ++seed));
    }
  }
  GemmCase c;
  c.lhs = GetParam().lhs;
  c.rhs = GetParam().rhs;
  c.out = GetParam().out;
  c.m = 6;
  c.n = 34;
  c.k = 4099;
  ASSERT_NO_FATAL_FAILURE(expectProduct(ctx, c, ++seed));
}

INSTANTIATE_TEST_SUITE_P(All, GemmTypes, testing::ValuesIn(kTypes),
                         [](const auto &info) {
                           std::string name;
                           for (int32_t type :
                                {info.param.lhs, info.param.rhs, info.param.out,
                                 info.param.bias})
                             name += (name.empty() ? "" : "_") +
                                     std::string(amp_rt_dtype_name(type));
                           return name;
                         });
