//===- DescTest.cpp - Descriptors that are refused ------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each field that breaks the contract gives one error that names it; what is
// legal but not implemented says so and gives a remedy.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <cmath>
#include <functional>

using namespace cts;

namespace {
class DescTest : public Suite {};

using Change = std::function<void(amp_rt_gemm_desc &, amp_rt_gemm_args &)>;

/// Applies one change to a good product, and expects the status and a message
/// with `part` in it; out stays as it was, and prepare agrees unless the
/// arguments are at fault.
void expectRefused(int32_t status, const std::string &part,
                   const Change &change, bool descIsGood = false) {
  SCOPED_TRACE(part);
  Context ctx;
  GemmCase c;
  c.m = 3;
  c.n = 4;
  c.k = 5;
  c.batching = Batching::Strided;
  c.epilogue = AMP_RT_EPILOGUE_BIAS;
  c.bias = AMP_RT_DTYPE_F32;
  GemmRun run(c);
  // What other descriptors would ask for.
  float spare[64];
  run.args.aux = run.args.bias_grad = run.args.out_amax = spare;
  run.args.lhs_scale = run.args.rhs_scale = run.args.out_scale = spare;
  change(run.desc, run.args);
  EXPECT_EQ(run.run(ctx), status) << ctx.error();
  EXPECT_NE(ctx.error().find(part), std::string::npos) << ctx.error();
  // What, then a remedy, then where.
  EXPECT_NE(ctx.error().find("; "), std::string::npos) << ctx.error();
  EXPECT_NE(ctx.error().find(".cpp:"), std::string::npos) << ctx.error();
  EXPECT_EQ(run.out.bytes, run.oldOut.bytes);
  amp_rt_clear_error(ctx);
  EXPECT_EQ(amp_rt_gemm_prepare(ctx, &run.desc),
            descIsGood ? AMP_RT_OK : status);
}
} // namespace

#define REFUSED(part, statement)                                               \
  expectRefused(AMP_RT_INVALID_ARGUMENT, part,                                 \
                [](amp_rt_gemm_desc &d, amp_rt_gemm_args &) { statement; })
#define UNSUPPORTED(part, statement)                                           \
  expectRefused(AMP_RT_UNSUPPORTED, part,                                      \
                [](amp_rt_gemm_desc &d, amp_rt_gemm_args &) { statement; })
#define BAD_ARGS(part, statement)                                              \
  expectRefused(                                                               \
      AMP_RT_INVALID_ARGUMENT, part,                                           \
      [](amp_rt_gemm_desc &, amp_rt_gemm_args &a) { statement; }, true)

TEST_F(DescTest, Invalid) {
  REFUSED("'struct_size' of the descriptor", d.struct_size = 0);
  REFUSED("'struct_size' of the descriptor", d.struct_size = sizeof(d) + 8);
  REFUSED("'lhs_type'", d.lhs_type = 0);
  REFUSED("'lhs_type'", d.lhs_type = AMP_RT_DTYPE_TF32);
  REFUSED("'rhs_type'", d.rhs_type = 99);
  REFUSED("'out_type'", d.out_type = -1);
  REFUSED("'bias_type'", d.bias_type = 0);
  REFUSED("'bias_type'", d.epilogue = AMP_RT_EPILOGUE_RELU);
  REFUSED("'accumulate_type'", d.accumulate_type = 99);
  REFUSED("'lhs_compute'", d.lhs_compute = -4);
  REFUSED("'rhs_compute'", d.rhs_compute = 50);
  REFUSED("'order'", d.order = 3);
  REFUSED("'order_block'", d.order = AMP_RT_ORDER_BLOCKED);
  REFUSED("'order_block'", d.order_block = 4);
  REFUSED("'subnormals'", d.subnormals = 3);
  REFUSED("'excess'", d.excess = 2);
  REFUSED("'transpose_lhs'", d.transpose_lhs = 2);
  REFUSED("'transpose_rhs'", d.transpose_rhs = -1);
  REFUSED("'epilogue'", d.epilogue = 13);
  REFUSED("'lhs_scale_mode'", d.lhs_scale_mode = 4);
  REFUSED("'bias_grad_type'", d.bias_grad_type = AMP_RT_DTYPE_F32);
  REFUSED("'aux_type'", d.aux_type = AMP_RT_DTYPE_F32);
  REFUSED("'aux_type'", (d.epilogue = AMP_RT_EPILOGUE_RELU_AUX,
                         d.aux_type = AMP_RT_DTYPE_F32));
  REFUSED("'aux_ld' expects a multiple of 128",
          (d.epilogue = AMP_RT_EPILOGUE_RELU_AUX, d.aux_ld = 64));
  REFUSED("'aux_ld' expects a multiple of 8",
          (d.epilogue = AMP_RT_EPILOGUE_GELU_AUX, d.aux_ld = 4));
  REFUSED("'aux_batch_stride'",
          (d.epilogue = AMP_RT_EPILOGUE_GELU_AUX, d.aux_batch_stride = 8));
  REFUSED("'batch' expects 1", (d.epilogue = AMP_RT_EPILOGUE_BIAS_GRAD_LHS,
                                d.bias_type = AMP_RT_DTYPE_NONE));
  REFUSED("'batch'", d.batch = -1);
  REFUSED("'m'", d.m = -1);
  REFUSED("'n'", d.n = -5);
  REFUSED("'k'", d.k = INT64_MIN);
  REFUSED("'lhs_ld' expects at least 5", d.lhs_ld = 4);
  REFUSED("'rhs_ld' expects at least 4", d.rhs_ld = 3);
  REFUSED("'out_ld' expects at least 4", d.out_ld = -1);
  REFUSED("'lhs_batch_stride'", d.lhs_batch_stride = -15);
  REFUSED("'out_batch_stride' expects at least 12", d.out_batch_stride = 0);
  REFUSED("'out_batch_stride' expects at least 12", d.out_batch_stride = 11);
  REFUSED("'lhs' of 3", d.lhs_ld = INT64_MAX / 2);
  REFUSED("'rhs' of 5", d.rhs_batch_stride = INT64_MAX / 2);
  REFUSED("'alpha'", d.alpha = NAN);
  REFUSED("'beta'", d.beta = INFINITY);
}

TEST_F(DescTest, InvalidArguments) {
  BAD_ARGS("'struct_size' of the arguments", a.struct_size = 0);
  BAD_ARGS("'struct_size' of the arguments", a.struct_size = 4096);
  BAD_ARGS("'lhs'", a.lhs = nullptr);
  BAD_ARGS("'rhs'", a.rhs = nullptr);
  BAD_ARGS("'bias'", a.bias = nullptr);
  BAD_ARGS("'out'", a.out = nullptr);

  Context ctx;
  EXPECT_EQ(amp_rt_gemm(ctx, nullptr, nullptr), AMP_RT_INVALID_ARGUMENT);
  amp_rt_clear_error(ctx);
  EXPECT_EQ(amp_rt_gemm_prepare(ctx, nullptr), AMP_RT_INVALID_ARGUMENT);
}

/// Legal, but not on this back end: the CPU names the field, a device the rule
/// of its library.
TEST_F(DescTest, Unsupported) {
  bool cpu = backendUnderTest == AMP_RT_BACKEND_CPU;
  UNSUPPORTED(cpu ? "'lhs_type'" : "rule T1", d.lhs_type = AMP_RT_DTYPE_F64);
  UNSUPPORTED(cpu ? "'rhs_type'" : "rule T1", d.rhs_type = AMP_RT_DTYPE_I8);
  UNSUPPORTED(cpu ? "'accumulate_type'" : "rule T4",
              d.accumulate_type = AMP_RT_DTYPE_F16);
  UNSUPPORTED(cpu ? "'lhs_compute'" : "rule N3",
              d.lhs_compute = AMP_RT_DTYPE_F64);
  UNSUPPORTED(cpu ? "'subnormals' = flush" : "rule N2",
              d.subnormals = AMP_RT_SUBNORMALS_FLUSH);
  UNSUPPORTED(cpu ? "scales" : "rule S1",
              d.lhs_scale_mode = AMP_RT_SCALE_TENSOR);
  UNSUPPORTED(cpu ? "amax" : "rule L5", d.out_amax = 1);
}

TEST_F(DescTest, TypeTables) {
  EXPECT_STREQ(amp_rt_dtype_name(AMP_RT_DTYPE_E4M3FN), "e4m3fn");
  EXPECT_STREQ(amp_rt_dtype_name(AMP_RT_DTYPE_I64), "i64");
  EXPECT_STREQ(amp_rt_dtype_name(12), "none");
  EXPECT_EQ(amp_rt_dtype_size(AMP_RT_DTYPE_BF16), 2u);
  EXPECT_EQ(amp_rt_dtype_size(AMP_RT_DTYPE_TF32), 0u);
  EXPECT_EQ(amp_rt_dtype_size(AMP_RT_DTYPE_I64), 8u);
}
