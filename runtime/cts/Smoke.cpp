//===- Smoke.cpp - The shortest use of the runtime ------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One context, one product.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/amp_rt.h"
#include <gtest/gtest.h>
#include <vector>
TEST(Gemm, F32) {
  amp_rt_context *ctx = nullptr;
  ASSERT_EQ(amp_rt_context_create(nullptr, &ctx), 0);
  amp_rt_gemm_desc d = {};
  d.struct_size = sizeof(d);
  d.lhs_type = d.rhs_type = d.out_type = AMP_RT_DTYPE_F32;
  d.batch = 1;
  d.m = 5;
  d.n = 7;
  d.k = 9;
  d.alpha = 1;
  std::vector<float> a(45, 2), b(63, 3), c(35);
  amp_rt_gemm_args args = {};
  args.struct_size = sizeof(args);
  args.lhs = a.data();
  args.rhs = b.data();
  args.out = c.data();
  ASSERT_EQ(amp_rt_gemm(ctx, &d, &args), 0) << amp_rt_last_error(ctx);
  for (float x : c)
    EXPECT_EQ(x, 54);
  amp_rt_context_destroy(ctx);
}
