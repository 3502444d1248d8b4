//===- ParallelTest.cpp - Parallel loops ----------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Coverage, grain, nesting and the error state of amp_rt_parallel_for.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

using namespace cts;

namespace {
class ParallelTest : public Suite {};

struct Loop {
  explicit Loop(int64_t n, int64_t grain) : grain(grain), counts(n) {}
  static void body(void *captures, int64_t begin, int64_t end) {
    auto &loop = *static_cast<Loop *>(captures);
    if (begin % std::max<int64_t>(loop.grain, 1) != 0 || begin >= end)
      loop.misaligned = true;
    for (int64_t i = begin; i < end; ++i)
      ++loop.counts[i];
    std::lock_guard<std::mutex> lock(loop.mutex);
    ++loop.calls;
    loop.threads.insert(std::this_thread::get_id());
  }
  int64_t grain;
  std::vector<std::atomic<int>> counts;
  std::atomic<bool> misaligned{false};
  std::mutex mutex;
  int calls = 0;
  std::set<std::thread::id> threads;
};
} // namespace

TEST_F(ParallelTest, CoversTheRangeOnce) {
  for (int32_t threads : {1, 2, 5}) {
    Context ctx(threads);
    for (int64_t n : {0, 1, 2, 3, 7, 16, 17, 1000, 4097}) {
      for (int64_t grain : {0, 1, 2, 16, 100, 5000}) {
        SCOPED_TRACE(std::to_string(n) + " by " + std::to_string(grain));
        Loop loop(n, grain);
        amp_rt_parallel_for(ctx, Loop::body, &loop, n, grain);
        for (int64_t i = 0; i < n; ++i)
          ASSERT_EQ(loop.counts[i], 1) << i;
        EXPECT_FALSE(loop.misaligned);
        EXPECT_LE(loop.calls, threads);
        if (n > 0 && n <= grain) {
          EXPECT_EQ(loop.calls, 1);
        }
      }
    }
  }
}

/// It is parallel: a clang without OpenMP code generation would be silent.
TEST_F(ParallelTest, UsesTheThreads) {
  if (backendUnderTest != AMP_RT_BACKEND_CPU)
    GTEST_SKIP() << "loops on the host belong to the CPU back end";
  Context ctx(3);
  Loop loop(3000, 1);
  amp_rt_parallel_for(ctx, Loop::body, &loop, 3000, 1);
  EXPECT_EQ(loop.threads.size(), 3u);
}

/// A loop inside a loop runs on the thread it is in.
TEST_F(ParallelTest, NestedLoopsAreSerial) {
  Context ctx(2);
  struct Nest {
    amp_rt_context *ctx;
    std::atomic<int64_t> total{0};
    std::atomic<int> inner{0};
  } nest{ctx, {}, {}};
  auto inner = [](void *captures, int64_t begin, int64_t end) {
    auto &nest = *static_cast<Nest *>(captures);
    nest.total += end - begin;
    ++nest.inner;
  };
  struct Pair {
    Nest *nest;
    void (*inner)(void *, int64_t, int64_t);
  } pair{&nest, inner};
  auto outer = [](void *captures, int64_t begin, int64_t end) {
    auto &pair = *static_cast<Pair *>(captures);
    for (int64_t i = begin; i < end; ++i)
      amp_rt_parallel_for(pair.nest->ctx, pair.inner, pair.nest, 50, 1);
  };
  amp_rt_parallel_for(ctx, outer, &pair, 10, 1);
  EXPECT_EQ(nest.total, 500);
  EXPECT_EQ(nest.inner, 10);
}

/// It never fails, and runs in the error state too.
TEST_F(ParallelTest, RunsInTheErrorState) {
  Context ctx;
  amp_rt_inject_fault(ctx, "nowhere", 1);
  ASSERT_NE(ctx.status(), AMP_RT_OK);
  Loop loop(100, 1);
  amp_rt_parallel_for(ctx, Loop::body, &loop, 100, 1);
  EXPECT_EQ(loop.counts[99], 1);
}
