//===- MemoryTest.cpp - Counted memory and steps --------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Alignment, counters, allocator hooks, no allocation in the steady state.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <cstdlib>
#include <memory>

using namespace cts;

namespace {
class MemoryTest : public Suite {};
} // namespace

TEST_F(MemoryTest, BlocksAreAlignedAndUsable) {
  Context ctx;
  uint64_t before = ctx.memory().live_bytes;
  for (size_t bytes : {size_t(0), size_t(1), size_t(63), size_t(64), size_t(65),
                       size_t(1) << 20}) {
    void *block = amp_rt_alloc(ctx, bytes);
    ASSERT_NE(block, nullptr);
    uintptr_t alignment = backendUnderTest == AMP_RT_BACKEND_CPU ? 64 : 256;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignment, 0u);
    EXPECT_EQ(amp_rt_fill(ctx, block, 0xab, bytes), AMP_RT_OK);
    amp_rt_free(ctx, block);
  }
  amp_rt_free(ctx, nullptr);
  EXPECT_EQ(ctx.memory().live_bytes, before);
}

TEST_F(MemoryTest, Counters) {
  Context ctx;
  amp_rt_memory start = ctx.memory();
  // Multiples of 256, so that no back end rounds them.
  void *a = amp_rt_alloc(ctx, 512);
  amp_rt_step_begin(ctx, "one");
  void *b = amp_rt_alloc(ctx, 256);
  amp_rt_memory m = ctx.memory();
  EXPECT_EQ(m.live_bytes, start.live_bytes + 768);
  EXPECT_GE(m.peak_bytes, m.live_bytes);
  uint64_t peak = m.peak_bytes;
  EXPECT_EQ(m.step_bytes, 256u);
  EXPECT_EQ(m.step_count, 1u);
  EXPECT_EQ(m.total_bytes, start.total_bytes + 768);
  EXPECT_EQ(m.total_count, start.total_count + 2);
  if (backendUnderTest == AMP_RT_BACKEND_CPU) {
    EXPECT_EQ(m.reserved_bytes, 0u);
  } else {
    EXPECT_GE(m.reserved_bytes, m.live_bytes);
  }
  EXPECT_GE(m.peak_reserved_bytes, m.reserved_bytes);
  amp_rt_free(ctx, a);
  amp_rt_step_end(ctx);
  amp_rt_step_begin(ctx, "two");
  m = ctx.memory();
  EXPECT_EQ(m.live_bytes, start.live_bytes + 256);
  EXPECT_EQ(m.peak_bytes, peak);
  EXPECT_EQ(m.step_bytes, 0u);
  amp_rt_step_end(ctx);
  amp_rt_free(ctx, b);

  // A caller of an older, shorter struct gets what it knows.
  amp_rt_memory part = {};
  part.struct_size = offsetof(amp_rt_memory, step_bytes);
  part.step_bytes = 77;
  EXPECT_EQ(amp_rt_memory_stats(ctx, &part), AMP_RT_OK);
  EXPECT_EQ(part.peak_bytes, peak);
  EXPECT_EQ(part.step_bytes, 77u);
  part.struct_size = 1000;
  EXPECT_EQ(amp_rt_memory_stats(ctx, &part), AMP_RT_INVALID_ARGUMENT);
}

TEST_F(MemoryTest, ExhaustedMemoryIsAnError) {
  Context ctx;
  EXPECT_EQ(amp_rt_alloc(ctx, SIZE_MAX / 4), nullptr);
  EXPECT_EQ(ctx.status(), AMP_RT_OUT_OF_MEMORY);
  EXPECT_NE(ctx.error().find("bytes"), std::string::npos);
  amp_rt_clear_error(ctx);
  EXPECT_EQ(amp_rt_alloc(ctx, SIZE_MAX), nullptr);
  EXPECT_EQ(ctx.status(), AMP_RT_OUT_OF_MEMORY);
}

/// All memory comes from the hooks and goes back to them. A device's does not.
TEST_F(MemoryTest, AllocatorHooks) {
  if (backendUnderTest != AMP_RT_BACKEND_CPU)
    GTEST_SKIP() << "device memory comes from the device's pool";
  struct Pool {
    int64_t bytes = 0;
    int64_t calls = 0;
    bool empty = false;
  } pool;
  amp_rt_context_options options = {};
  options.struct_size = sizeof(options);
  options.backend = backendUnderTest;
  options.user = &pool;
  options.alloc = [](void *user, size_t bytes, size_t alignment) -> void * {
    auto &pool = *static_cast<Pool *>(user);
    if (pool.empty)
      return nullptr;
    ++pool.calls;
    pool.bytes += int64_t(bytes);
    return std::aligned_alloc(alignment,
                              (bytes + alignment - 1) / alignment * alignment);
  };
  options.free = [](void *user, void *ptr, size_t bytes) {
    static_cast<Pool *>(user)->bytes -= int64_t(bytes);
    std::free(ptr);
  };
  amp_rt_context *ctx = nullptr;
  ASSERT_EQ(amp_rt_context_create(&options, &ctx), AMP_RT_OK);
  void *block = amp_rt_alloc(ctx, 1000);
  EXPECT_GE(pool.bytes, 1000);
  pool.empty = true;
  EXPECT_EQ(amp_rt_alloc(ctx, 1), nullptr);
  EXPECT_EQ(amp_rt_last_status(ctx), AMP_RT_OUT_OF_MEMORY);
  amp_rt_clear_error(ctx);
  pool.empty = false;
  // A product whose operands are widened needs scratch memory.
  GemmCase c;
  c.lhs = AMP_RT_DTYPE_BF16;
  c.m = c.n = c.k = 16;
  GemmRun run(c);
  int64_t before = pool.calls;
  EXPECT_EQ(run.run(ctx), AMP_RT_OK) << amp_rt_last_error(ctx);
  EXPECT_GT(pool.calls, before);
  amp_rt_free(ctx, block);
  amp_rt_context_destroy(ctx);
  EXPECT_EQ(pool.bytes, 0);
}

/// No memory for scratch is an error before anything is written.
TEST_F(MemoryTest, ScratchFailureIsAnError) {
  if (backendUnderTest != AMP_RT_BACKEND_CPU)
    GTEST_SKIP() << "device memory comes from the device's pool";
  bool empty = false;
  amp_rt_context_options options = {};
  options.struct_size = sizeof(options);
  options.backend = backendUnderTest;
  options.user = &empty;
  options.alloc = [](void *user, size_t bytes, size_t alignment) -> void * {
    return *static_cast<bool *>(user) ? nullptr
                                      : std::aligned_alloc(alignment, bytes);
  };
  options.free = [](void *, void *ptr, size_t) { std::free(ptr); };
  amp_rt_context *ctx = nullptr;
  ASSERT_EQ(amp_rt_context_create(&options, &ctx), AMP_RT_OK);
  GemmCase c;
  c.lhs = AMP_RT_DTYPE_BF16;
  c.m = c.n = c.k = 16;
  GemmRun run(c);
  empty = true;
  EXPECT_EQ(run.run(ctx), AMP_RT_OUT_OF_MEMORY);
  EXPECT_EQ(run.out.bytes, run.oldOut.bytes);
  empty = false;
  amp_rt_clear_error(ctx);
  EXPECT_EQ(run.run(ctx), AMP_RT_OK) << amp_rt_last_error(ctx);
  EXPECT_TRUE(run.check());
  amp_rt_context_destroy(ctx);
}

/// Prepared at load, a product allocates nothing, whichever path it takes.
TEST_F(MemoryTest, PreparedProductsAllocateNothing) {
  Context ctx;
  std::vector<GemmRun> runs;
  runs.reserve(16);
  for (int32_t in : {AMP_RT_DTYPE_F32, AMP_RT_DTYPE_BF16, AMP_RT_DTYPE_F16,
                     AMP_RT_DTYPE_E4M3FN}) {
    for (int32_t out : {AMP_RT_DTYPE_F32, AMP_RT_DTYPE_F16}) {
      for (int32_t epilogue :
           {AMP_RT_EPILOGUE_BIAS_RELU, AMP_RT_EPILOGUE_GELU_TANH}) {
        GemmCase c;
        c.lhs = c.rhs = in;
        c.out = out;
        c.epilogue = epilogue;
        c.bias = in;
        c.m = 17;
        c.n = 60;
        c.k = 100;
        c.beta = 0.5f;
        runs.emplace_back(c);
      }
    }
  }
  std::vector<std::unique_ptr<Mirror>> mirrors;
  std::vector<GemmRun *> legal;
  for (GemmRun &run : runs) {
    int32_t status = amp_rt_gemm_prepare(ctx, &run.desc);
    // A device has no path for every mixture of types.
    if (status == AMP_RT_UNSUPPORTED &&
        backendUnderTest != AMP_RT_BACKEND_CPU) {
      amp_rt_clear_error(ctx);
      continue;
    }
    ASSERT_EQ(status, AMP_RT_OK) << ctx.error();
    mirrors.push_back(std::make_unique<Mirror>(ctx, run));
    legal.push_back(&run);
  }
  EXPECT_GE(legal.size(), 4u);
  for (int i = 0; i < 3; ++i) {
    amp_rt_step_begin(ctx, "steady");
    for (GemmRun *run : legal)
      ASSERT_EQ(run->run(ctx), AMP_RT_OK) << ctx.error();
    amp_rt_step_end(ctx);
    EXPECT_EQ(ctx.memory().step_bytes, 0u);
    EXPECT_EQ(ctx.memory().step_count, 0u);
  }
}

/// The line of AMP_RT_STATS.
TEST_F(MemoryTest, StatsLine) {
  setenv("AMP_RT_STATS", "1", 1);
  testing::internal::CaptureStderr();
  {
    Context ctx;
    amp_rt_step_begin(ctx, "main.train");
    void *block = amp_rt_alloc(ctx, 768);
    amp_rt_step_end(ctx);
    amp_rt_free(ctx, block);
    amp_rt_step_begin(ctx, "main.train");
    amp_rt_step_end(ctx);
  }
  unsetenv("AMP_RT_STATS");
  std::string text = testing::internal::GetCapturedStderr();
  if (backendUnderTest != AMP_RT_BACKEND_CPU) {
    // The peak includes what the back end itself holds.
    EXPECT_NE(text.find("step 1 main.train: 768 bytes allocated in the step"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("step 2 main.train: 0 bytes allocated in the step"),
              std::string::npos)
        << text;
    return;
  }
  EXPECT_EQ(text, "amp-rt stats: step 1 main.train: 768 bytes allocated in the "
                  "step, peak 768 bytes, live 768 bytes\n"
                  "amp-rt stats: step 2 main.train: 0 bytes allocated in the "
                  "step, peak 768 bytes, live 0 bytes\n");
}
