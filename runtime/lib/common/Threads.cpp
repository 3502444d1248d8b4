//===- Threads.cpp - Parallel loops ---------------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// amp_rt_parallel_for on the GNU OpenMP pool; a plain call in a build without
// the CPU back end, whose programs have no parallel loops on the host.
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "Context.h"

#include <algorithm>

#ifdef AMP_RT_HAVE_CPU

int amp_rt::defaultThreads() { return omp_get_max_threads(); }

/// What the threads of one region share.
struct ParallelLoop {
  void (*fn)(void *captures, int64_t begin, int64_t end);
  void *captures;
  int64_t n;
  int64_t grain;
  int64_t numBlocks;
};

/// One thread's share: a contiguous run of whole blocks, so that neighbours in
/// memory stay with one thread from loop to loop.
static void runShare(void *data) {
  const auto &loop = *static_cast<const ParallelLoop *>(data);
  int64_t threads = omp_get_num_threads();
  int64_t thread = omp_get_thread_num();
  int64_t each = loop.numBlocks / threads;
  int64_t extra = loop.numBlocks % threads;
  int64_t first = thread * each + std::min(thread, extra);
  int64_t count = each + (thread < extra ? 1 : 0);
  if (count == 0)
    return;
  int64_t begin = first * loop.grain;
  int64_t end = std::min(loop.n, (first + count) * loop.grain);
  loop.fn(loop.captures, begin, end);
}

void amp_rt_parallel_for(amp_rt_context *ctx,
                         void (*fn)(void *captures, int64_t begin, int64_t end),
                         void *captures, int64_t n, int64_t grain) noexcept {
  if (n <= 0)
    return;
  grain = std::max<int64_t>(grain, 1);
  if (n <= grain || ctx->numThreads <= 1 || omp_in_parallel())
    return fn(captures, 0, n);
  int64_t numBlocks = n / grain + (n % grain != 0);
  ParallelLoop loop{fn, captures, n, grain, numBlocks};
  unsigned threads = unsigned(std::min<int64_t>(ctx->numThreads, numBlocks));
  GOMP_parallel(runShare, &loop, threads, /*flags=*/0);
}

#else

int amp_rt::defaultThreads() { return 1; }

void amp_rt_parallel_for(amp_rt_context *,
                         void (*fn)(void *captures, int64_t begin, int64_t end),
                         void *captures, int64_t n, int64_t) noexcept {
  if (n > 0)
    fn(captures, 0, n);
}

#endif // AMP_RT_HAVE_CPU

int32_t amp_rt_num_threads(const amp_rt_context *ctx) noexcept {
  return ctx->numThreads;
}
