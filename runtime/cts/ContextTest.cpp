//===- ContextTest.cpp - Contexts, sticky errors, commit rule, faults -----===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything about errors that generated code and the tools rely on.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <cstdlib>

using namespace cts;

namespace {
class ContextTest : public Suite {};

/// A product that works, and its out afterwards.
struct SmallProduct {
  SmallProduct() : run(makeCase()) {}
  static GemmCase makeCase() {
    GemmCase c;
    c.m = 3;
    c.n = 4;
    c.k = 5;
    return c;
  }
  bool outIsUntouched() const { return run.out.bytes == run.oldOut.bytes; }
  GemmRun run;
};

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
} // namespace

TEST_F(ContextTest, StartsWithoutError) {
  Context ctx;
  EXPECT_EQ(ctx.status(), AMP_RT_OK);
  EXPECT_EQ(ctx.error(), "");
  EXPECT_EQ(amp_rt_commit(ctx), AMP_RT_OK);
  EXPECT_EQ(amp_rt_abi_version(), AMP_RT_ABI_VERSION);
}

/// After a failure every fallible call returns the first status and does
/// nothing; what frees still works; clearing starts afresh.
TEST_F(ContextTest, ErrorsAreSticky) {
  Context ctx;
  SmallProduct good;
  void *block = amp_rt_alloc(ctx, 100);
  ASSERT_NE(block, nullptr);

  amp_rt_gemm_desc bad = good.run.desc;
  bad.m = -1;
  EXPECT_EQ(amp_rt_gemm(ctx, &bad, &good.run.args), AMP_RT_INVALID_ARGUMENT);
  std::string first = ctx.error();
  EXPECT_TRUE(contains(first, "'m'")) << first;
  EXPECT_TRUE(contains(first, "AMP_RT_INVALID_ARGUMENT at ")) << first;

  EXPECT_EQ(good.run.run(ctx), AMP_RT_INVALID_ARGUMENT);
  EXPECT_TRUE(good.outIsUntouched());
  EXPECT_EQ(amp_rt_gemm_prepare(ctx, &good.run.desc), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(amp_rt_gemm_path(ctx, &good.run.desc), nullptr);
  EXPECT_EQ(amp_rt_alloc(ctx, 8), nullptr);
  EXPECT_EQ(amp_rt_inject_fault(ctx, "gemm", 1), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(amp_rt_commit(ctx), AMP_RT_INVALID_ARGUMENT);
  bad.m = 1;
  bad.lhs_type = AMP_RT_DTYPE_F64;
  EXPECT_EQ(amp_rt_gemm(ctx, &bad, &good.run.args), AMP_RT_INVALID_ARGUMENT);
  EXPECT_EQ(ctx.error(), first);
  ASSERT_EQ(ctx.reported.size(), 1u);
  EXPECT_EQ(ctx.reported[0], first);
  amp_rt_free(ctx, block);

  amp_rt_clear_error(ctx);
  EXPECT_EQ(ctx.status(), AMP_RT_OK);
  EXPECT_EQ(ctx.error(), "");
  EXPECT_EQ(amp_rt_commit(ctx), AMP_RT_OK);
  EXPECT_EQ(good.run.run(ctx), AMP_RT_OK);
  EXPECT_TRUE(good.run.check());
}

/// A step in the shape of generated code: any fault before the commit leaves
/// the state as it was.
static int32_t step(amp_rt_context *ctx, SmallProduct &product, float *state) {
  amp_rt_step_begin(ctx, "step");
  void *block = amp_rt_alloc(ctx, 256);
  product.run.run(ctx);
  int32_t status = amp_rt_commit(ctx);
  if (status == AMP_RT_OK)
    *state += 1.0f;
  amp_rt_free(ctx, block);
  amp_rt_step_end(ctx);
  return status;
}

TEST_F(ContextTest, CommitGuardsState) {
  for (const char *site : {"alloc", "gemm", "commit"}) {
    SCOPED_TRACE(site);
    Context ctx;
    SmallProduct product;
    Mirror mirror(ctx, product.run);
    float state = 1.0f;
    ASSERT_EQ(amp_rt_inject_fault(ctx, site, 3), AMP_RT_OK);
    EXPECT_EQ(step(ctx, product, &state), AMP_RT_OK);
    EXPECT_EQ(step(ctx, product, &state), AMP_RT_OK);
    EXPECT_EQ(state, 3.0f);
    EXPECT_EQ(step(ctx, product, &state), AMP_RT_INJECTED_FAULT);
    EXPECT_EQ(state, 3.0f);
    EXPECT_TRUE(contains(ctx.error(), site)) << ctx.error();
    EXPECT_EQ(step(ctx, product, &state), AMP_RT_INJECTED_FAULT);
    EXPECT_EQ(state, 3.0f);
    amp_rt_clear_error(ctx);
    EXPECT_EQ(step(ctx, product, &state), AMP_RT_OK);
    EXPECT_EQ(state, 4.0f);
    // The injected fault is over: it struck once.
    EXPECT_EQ(step(ctx, product, &state), AMP_RT_OK);
  }
}

TEST_F(ContextTest, FaultSites) {
  Context ctx;
  SmallProduct product;
  ASSERT_EQ(amp_rt_inject_fault(ctx, "gemm_prepare", 1), AMP_RT_OK);
  EXPECT_EQ(amp_rt_gemm_prepare(ctx, &product.run.desc), AMP_RT_INJECTED_FAULT);
  amp_rt_clear_error(ctx);
  // Disarmed by 0.
  ASSERT_EQ(amp_rt_inject_fault(ctx, "alloc", 1), AMP_RT_OK);
  ASSERT_EQ(amp_rt_inject_fault(ctx, "alloc", 0), AMP_RT_OK);
  void *block = amp_rt_alloc(ctx, 1);
  EXPECT_NE(block, nullptr);
  amp_rt_free(ctx, block);

  EXPECT_EQ(amp_rt_inject_fault(ctx, "nowhere", 1), AMP_RT_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(ctx.error(), "'nowhere'")) << ctx.error();
  amp_rt_clear_error(ctx);
  EXPECT_EQ(amp_rt_inject_fault(ctx, "gemm", -1), AMP_RT_INVALID_ARGUMENT);
}

TEST_F(ContextTest, FaultFromEnvironment) {
  setenv("AMP_RT_INJECT", "gemm:2", 1);
  {
    Context ctx;
    SmallProduct product;
    Mirror mirror(ctx, product.run);
    EXPECT_EQ(product.run.run(ctx), AMP_RT_OK);
    EXPECT_EQ(product.run.run(ctx), AMP_RT_INJECTED_FAULT);
  }
  for (const char *malformed : {"gemm", "gemm:", "gemm:x", "nowhere:1", ":1"}) {
    setenv("AMP_RT_INJECT", malformed, 1);
    amp_rt_context *ctx = nullptr;
    testing::internal::CaptureStderr();
    amp_rt_context_options options = {};
    options.struct_size = sizeof(options);
    options.backend = backendUnderTest;
    EXPECT_EQ(amp_rt_context_create(&options, &ctx), AMP_RT_INVALID_ARGUMENT);
    EXPECT_EQ(ctx, nullptr);
    EXPECT_TRUE(
        contains(testing::internal::GetCapturedStderr(), "amp-rt error: "))
        << malformed;
  }
  unsetenv("AMP_RT_INJECT");
}

TEST_F(ContextTest, BadOptions) {
  auto create = [](amp_rt_context_options options) {
    amp_rt_context *ctx = nullptr;
    testing::internal::CaptureStderr();
    int32_t status = amp_rt_context_create(&options, &ctx);
    std::string text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(ctx, nullptr);
    EXPECT_NE(status, AMP_RT_OK);
    return text;
  };
  amp_rt_context_options options = {};
  EXPECT_TRUE(contains(create(options), "'struct_size'"));
  options.struct_size = sizeof(options) + 8;
  EXPECT_TRUE(contains(create(options), "'struct_size'"));
  options.struct_size = sizeof(options);
  options.num_threads = -2;
  EXPECT_TRUE(contains(create(options), "'num_threads'"));
  options.num_threads = 0;
  options.backend = 77;
  EXPECT_TRUE(contains(create(options), "'backend' 77"));
  options.backend = backendUnderTest;
  options.device = -1;
  EXPECT_TRUE(contains(create(options), "'device'"));
  options.device = 0;
  options.free = [](void *, void *, size_t) {};
  EXPECT_TRUE(contains(create(options), "'alloc' and 'free'"));
  EXPECT_EQ(amp_rt_context_create(nullptr, nullptr), AMP_RT_INVALID_ARGUMENT);
}

/// A file of the trace that cannot be written is said, not ignored.
TEST_F(ContextTest, TraceFile) {
  setenv("AMP_RT_TRACE", "/nowhere/at/all", 1);
  amp_rt_context *ctx = nullptr;
  testing::internal::CaptureStderr();
  amp_rt_context_options options = {};
  options.struct_size = sizeof(options);
  options.backend = backendUnderTest;
  EXPECT_EQ(amp_rt_context_create(&options, &ctx), AMP_RT_INVALID_ARGUMENT);
  unsetenv("AMP_RT_TRACE");
  EXPECT_TRUE(contains(testing::internal::GetCapturedStderr(),
                       "AMP_RT_TRACE expects a file"));
}

/// The whole text, its length, and a cut that stays terminated.
TEST_F(ContextTest, RuntimeInfo) {
  Context ctx(2);
  char text[256], cut[8];
  size_t length = amp_rt_runtime_info(ctx, text, sizeof(text));
  EXPECT_EQ(length, std::string(text).size());
  if (backendUnderTest == AMP_RT_BACKEND_CPU) {
    EXPECT_TRUE(contains(text, "isa ")) << text;
    EXPECT_TRUE(contains(text, "2 threads")) << text;
  } else {
    for (const char *part : {"cuda, driver ", "device '", "sm_", "cuBLASLt "})
      EXPECT_TRUE(contains(text, part)) << text;
  }
  EXPECT_EQ(amp_rt_runtime_info(ctx, cut, sizeof(cut)), length);
  EXPECT_EQ(std::string(cut), std::string(text).substr(0, 7));
}

TEST_F(ContextTest, StatusNames) {
  EXPECT_STREQ(amp_rt_status_name(AMP_RT_OK), "AMP_RT_OK");
  EXPECT_STREQ(amp_rt_status_name(AMP_RT_DEVICE_LOST), "AMP_RT_DEVICE_LOST");
  EXPECT_STREQ(amp_rt_status_name(-3), "unknown status");
}

/// AMP_RT_VERBOSE names types, shape, path and time.
TEST_F(ContextTest, Verbose) {
  setenv("AMP_RT_VERBOSE", "1", 1);
  testing::internal::CaptureStderr();
  {
    Context ctx;
    SmallProduct product;
    EXPECT_EQ(product.run.run(ctx), AMP_RT_OK);
  }
  unsetenv("AMP_RT_VERBOSE");
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(contains(text, "f32 x f32 -> f32")) << text;
  EXPECT_TRUE(contains(text, "1x3x4x5")) << text;
  if (backendUnderTest == AMP_RT_BACKEND_CPU) {
    EXPECT_TRUE(contains(text, " us\n")) << text;
  }
}
