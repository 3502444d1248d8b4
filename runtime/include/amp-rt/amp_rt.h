//===- amp_rt.h - The runtime's C ABI ---------------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compiled programs and the tools call: the context with its sticky
// error, the commit rule, memory, parallel loops, step bracketing and fault
// injection. Includes gemm.h. No exception crosses it, and a context is used by
// one thread at a time.
//
// A compiled function has the signature of amp_rt_function.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_AMP_RT_H
#define AMP_RT_AMP_RT_H

#include "amp-rt/device.h"
#include "amp-rt/gemm.h"
#include "amp-rt/status.h"

/// Raised when a struct or an entry point changes incompatibly.
#define AMP_RT_ABI_VERSION 1

AMP_RT_BEGIN_DECLS

typedef struct amp_rt_context amp_rt_context;

/// A compiled entry point: `args` holds one pointer per argument and out
/// parameter. Returns 0 or the context's status.
typedef int32_t (*amp_rt_function)(amp_rt_context *ctx, void **args);

enum amp_rt_backend { AMP_RT_BACKEND_CPU = 0, AMP_RT_BACKEND_CUDA = 1 };

/// Options of a context; zero-fill it, then set struct_size.
typedef struct amp_rt_context_options {
  size_t struct_size;
  /// enum amp_rt_backend.
  int32_t backend;
  /// Threads of a parallel region; 0 takes what OpenMP would (OMP_NUM_THREADS
  /// or all processors).
  int32_t num_threads;
  /// Called once when the context enters the error state. May be null.
  void (*on_error)(void *user, int32_t status, const char *message);
  /// Passed to the three callbacks.
  void *user;
  /// Memory for everything on the host whose size depends on tensors. Both or
  /// neither; null takes the C library's. alloc returns null when there is none
  /// left. Device memory comes from the device's pool.
  void *(*alloc)(void *user, size_t bytes, size_t alignment);
  void (*free)(void *user, void *ptr, size_t bytes);
  /// The CUDA device's ordinal; ignored by the CPU.
  int32_t device;
  /// 0.
  int32_t reserved;
} amp_rt_context_options;

/// Creates a context. `options` may be null (all defaults). On failure
/// *ctx is null, and the reason goes to on_error, or to stderr without one.
AMP_RT_EXPORT int32_t
amp_rt_context_create(const amp_rt_context_options *options,
                      amp_rt_context **ctx) AMP_RT_NOEXCEPT;

/// Destroys a context; null is a no-op. Memory that amp_rt_alloc gave out and
/// that was not freed may not be freed any more; it stays valid on the CPU, and
/// is gone on a device. Events are destroyed before.
AMP_RT_EXPORT void amp_rt_context_destroy(amp_rt_context *ctx) AMP_RT_NOEXCEPT;

AMP_RT_EXPORT int32_t amp_rt_abi_version(void) AMP_RT_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// The sticky status. After a failure every fallible call returns this status
/// and does nothing, until amp_rt_clear_error.
AMP_RT_EXPORT int32_t amp_rt_last_status(const amp_rt_context *ctx)
    AMP_RT_NOEXCEPT;

/// The message of the sticky error: what, where in the runtime, remedy. Empty
/// when there is none. Valid until the next error.
AMP_RT_EXPORT const char *
amp_rt_last_error(const amp_rt_context *ctx) AMP_RT_NOEXCEPT;

/// Leaves the error state; a lost device cannot be cleared. Downloads that were
/// not completed before the error never will be.
AMP_RT_EXPORT void amp_rt_clear_error(amp_rt_context *ctx) AMP_RT_NOEXCEPT;

/// The commit rule: compiled code calls this once, after its last fallible call
/// and before its first in-place write of state. Not 0 when the context is in
/// error; the caller then returns it and leaves the state as it was.
AMP_RT_EXPORT int32_t amp_rt_commit(amp_rt_context *ctx) AMP_RT_NOEXCEPT;

/// Makes a call at `site` ("alloc", "gemm", "gemm_prepare", "commit") fail with
/// AMP_RT_INJECTED_FAULT: the next one for countdown = 1, the one after it for
/// 2, and so on; 0 disarms the site. AMP_RT_INJECT=site:countdown in the
/// environment arms a new context. On CUDA every driver and library entry that
/// the runtime calls is a site as well ("cuLaunchKernel"): it then gives a
/// status, "cuLaunchKernel:700" (in the environment cuLaunchKernel:1:700) or a
/// plain failure of that entry, and the call fails as if that came from below.
/// Of a replayed step the sites "commit" and the entries count, not "gemm".
AMP_RT_EXPORT int32_t amp_rt_inject_fault(amp_rt_context *ctx, const char *site,
                                          int64_t countdown) AMP_RT_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// 64-byte aligned memory (256 on a device), not zeroed; on CUDA it is device
/// memory, taken and given back in stream order. Null on failure (the context
/// is then in error). 0 bytes give a pointer that may be freed.
AMP_RT_EXPORT void *amp_rt_alloc(amp_rt_context *ctx,
                                 size_t bytes) AMP_RT_NOEXCEPT;

/// Frees what amp_rt_alloc of the same context gave; null is a no-op. Works in
/// the error state.
AMP_RT_EXPORT void amp_rt_free(amp_rt_context *ctx, void *ptr) AMP_RT_NOEXCEPT;

/// Bytes that this context holds, the runtime's own scratch memory included.
typedef struct amp_rt_memory {
  size_t struct_size;
  uint64_t live_bytes;
  uint64_t peak_bytes;
  /// Since the last amp_rt_step_begin.
  uint64_t step_bytes;
  uint64_t step_count;
  /// Since the context was created.
  uint64_t total_bytes;
  uint64_t total_count;
  /// What the device's pool holds from the driver, used or not; 0 on the CPU.
  uint64_t reserved_bytes;
  uint64_t peak_reserved_bytes;
} amp_rt_memory;

/// Fills the first struct_size bytes of *stats. Works in the error state.
AMP_RT_EXPORT int32_t amp_rt_memory_stats(const amp_rt_context *ctx,
                                          amp_rt_memory *stats) AMP_RT_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// Calls fn(captures, begin, end) on disjoint ranges that cover [0, n), on the
/// context's threads, and returns when all are done. Every begin is a multiple
/// of `grain` (at least 1). Serial, as one range, when n <= grain or when the
/// caller is inside a parallel region. Never fails; in the error state it runs
/// all the same, since what it computes is discarded by the commit rule.
AMP_RT_EXPORT void
amp_rt_parallel_for(amp_rt_context *ctx,
                    void (*fn)(void *captures, int64_t begin, int64_t end),
                    void *captures, int64_t n, int64_t grain) AMP_RT_NOEXCEPT;

/// Threads of a parallel region of this context.
AMP_RT_EXPORT int32_t amp_rt_num_threads(const amp_rt_context *ctx)
    AMP_RT_NOEXCEPT;

/// Brackets a step: what is allocated between the two is reported by
/// AMP_RT_STATS=1 and amp_rt_memory_stats. `name` must outlive the step.
AMP_RT_EXPORT void amp_rt_step_begin(amp_rt_context *ctx,
                                     const char *name) AMP_RT_NOEXCEPT;
AMP_RT_EXPORT void amp_rt_step_end(amp_rt_context *ctx) AMP_RT_NOEXCEPT;

/// One line of text: back end, instruction set, library versions, threads. What
/// decides the bits of a result beside the program, so checkpoints record it.
/// Writes at most `size` bytes with the terminator, and returns the length that
/// the whole text has.
AMP_RT_EXPORT size_t amp_rt_runtime_info(const amp_rt_context *ctx,
                                         char *buffer,
                                         size_t size) AMP_RT_NOEXCEPT;

AMP_RT_END_DECLS

#endif // AMP_RT_AMP_RT_H
