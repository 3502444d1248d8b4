//===- Memory.cpp - Counted memory and steps ------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every block whose size depends on tensors goes through here, so that a step
// can prove that it allocates nothing.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

using namespace amp_rt;

/// Stands right before each block; a whole line, so that the block keeps the
/// alignment.
struct alignas(64) BlockHeader {
  size_t bytes;
};

void *amp_rt_context::allocate(size_t bytes) {
  if (bytes > SIZE_MAX / 2)
    return nullptr;
  // Whole lines: vector loops may then read to the end of the last one.
  size_t rounded = (bytes + 63) / 64 * 64;
  size_t whole = rounded + sizeof(BlockHeader);
  void *base = options.alloc
                   ? options.alloc(options.user, whole, alignof(BlockHeader))
                   : std::aligned_alloc(alignof(BlockHeader), whole);
  if (!base)
    return nullptr;
  auto *header = static_cast<BlockHeader *>(base);
  header->bytes = rounded;
  countAllocation(rounded);
  return header + 1;
}

void amp_rt_context::countAllocation(size_t bytes) {
  memory.live_bytes += bytes;
  if (memory.live_bytes > memory.peak_bytes)
    memory.peak_bytes = memory.live_bytes;
  memory.step_bytes += bytes;
  memory.total_bytes += bytes;
  ++memory.step_count;
  ++memory.total_count;
}

void amp_rt_context::deallocate(void *ptr) {
  if (!ptr)
    return;
  BlockHeader *header = static_cast<BlockHeader *>(ptr) - 1;
  size_t bytes = header->bytes;
  countFree(bytes);
  if (options.free)
    options.free(options.user, header, bytes + sizeof(BlockHeader));
  else
    std::free(header);
}

void *amp_rt_alloc(amp_rt_context *ctx, size_t bytes) noexcept {
  if (ctx->status)
    return nullptr;
  if (ctx->strikes(FaultSite::Alloc)) {
    AMP_RT_FAIL(*ctx, AMP_RT_INJECTED_FAULT,
                "injected fault at 'alloc' (%zu bytes); it was asked for by "
                "amp_rt_inject_fault or AMP_RT_INJECT",
                bytes);
    return nullptr;
  }
  if (ctx->stepMode != StepMode::None) {
    AMP_RT_FAIL(*ctx, AMP_RT_INVALID_ARGUMENT,
                "a step may not allocate, but asks for %zu bytes; allocate "
                "before amp_rt_step and pass the pointer",
                bytes);
    return nullptr;
  }
  void *ptr = nullptr;
  try {
    ptr = ctx->backend->allocate(bytes);
  } catch (const std::bad_alloc &) {
    // Reported below.
  }
  if (!ptr)
    AMP_RT_FAIL(*ctx, AMP_RT_OUT_OF_MEMORY,
                "no memory for %zu bytes with %llu bytes live; use a smaller "
                "batch or a machine with more memory",
                bytes, (unsigned long long)ctx->memory.live_bytes);
  return ptr;
}

void amp_rt_free(amp_rt_context *ctx, void *ptr) noexcept {
  if (!ptr)
    return;
  if (ctx->stepMode != StepMode::None) {
    AMP_RT_FAIL(*ctx, AMP_RT_INVALID_ARGUMENT,
                "a step may not free memory; free it after amp_rt_step");
    return;
  }
  ctx->backend->deallocate(ptr);
}

int32_t amp_rt_memory_stats(const amp_rt_context *ctx,
                            amp_rt_memory *stats) noexcept {
  if (!stats || stats->struct_size < sizeof(size_t) ||
      stats->struct_size > sizeof(amp_rt_memory))
    return AMP_RT_INVALID_ARGUMENT;
  size_t size = stats->struct_size;
  amp_rt_memory full = ctx->memory;
  ctx->backend->poolBytes(full.reserved_bytes, full.peak_reserved_bytes);
  std::memcpy(stats, &full, size);
  stats->struct_size = size;
  return AMP_RT_OK;
}

void amp_rt_step_begin(amp_rt_context *ctx, const char *name) noexcept {
  ctx->stepName = name ? name : "";
  ++ctx->stepNumber;
  ctx->memory.step_bytes = 0;
  ctx->memory.step_count = 0;
  ctx->stepStart = nowMicroseconds();
  ctx->calls.note("begin", ctx->stepName);
}

void amp_rt_step_end(amp_rt_context *ctx) noexcept {
  if (!ctx->stepName)
    return;
  ctx->calls.note("end", ctx->stepName);
  if (ctx->verbose)
    std::fprintf(stderr, "amp-rt step: %lld %s: %.1f us\n",
                 (long long)ctx->stepNumber, ctx->stepName,
                 nowMicroseconds() - ctx->stepStart);
  if (ctx->printStats) {
    uint64_t reserved = 0, peakReserved = 0;
    ctx->backend->poolBytes(reserved, peakReserved);
    char pool[96] = {0};
    if (peakReserved)
      std::snprintf(
          pool, sizeof(pool), ", reserved %llu bytes, peak %llu bytes",
          (unsigned long long)reserved, (unsigned long long)peakReserved);
    std::fprintf(stderr,
                 "amp-rt stats: step %lld %s: %llu bytes allocated in the "
                 "step, peak %llu bytes, live %llu bytes%s\n",
                 (long long)ctx->stepNumber, ctx->stepName,
                 (unsigned long long)ctx->memory.step_bytes,
                 (unsigned long long)ctx->memory.peak_bytes,
                 (unsigned long long)ctx->memory.live_bytes, pool);
  }
  ctx->stepName = nullptr;
}
