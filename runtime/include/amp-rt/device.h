//===- device.h - Copies, kernels and recorded steps ------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program needs when a context's memory is not the host's: copies in
// stream order, events, kernels of a compiled image, and steps that are
// recorded once and replayed. Every entry point works on both back ends: on the
// CPU a copy is done when the call returns, and a step is a plain call.
//
// Work on a context is ordered: each call below takes effect after all earlier
// ones. Calls return before the device is done unless they say otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_DEVICE_H
#define AMP_RT_DEVICE_H

#include "amp-rt/status.h"

AMP_RT_BEGIN_DECLS

struct amp_rt_context;

//===----------------------------------------------------------------------===//
// Copies and events
//===----------------------------------------------------------------------===//

/// Copies host memory into memory of amp_rt_alloc. `source` may be reused when
/// the call returns (it is staged in pinned memory).
AMP_RT_EXPORT int32_t amp_rt_upload(struct amp_rt_context *ctx,
                                    void *destination, const void *source,
                                    size_t bytes) AMP_RT_NOEXCEPT;

/// Copies memory of amp_rt_alloc to the host, asynchronously: `destination` is
/// valid, and written, only inside the next amp_rt_synchronize, or
/// amp_rt_event_wait of an event recorded after this call.
AMP_RT_EXPORT int32_t amp_rt_download(struct amp_rt_context *ctx,
                                      void *destination, const void *source,
                                      size_t bytes) AMP_RT_NOEXCEPT;

/// Copies between two blocks of the context's memory, or sets every byte.
AMP_RT_EXPORT int32_t amp_rt_copy(struct amp_rt_context *ctx, void *destination,
                                  const void *source,
                                  size_t bytes) AMP_RT_NOEXCEPT;
AMP_RT_EXPORT int32_t amp_rt_fill(struct amp_rt_context *ctx, void *destination,
                                  uint8_t value, size_t bytes) AMP_RT_NOEXCEPT;

/// Waits for all work of the context and completes its downloads. Returns the
/// status of that work: what failed on the device shows here.
AMP_RT_EXPORT int32_t amp_rt_synchronize(struct amp_rt_context *ctx)
    AMP_RT_NOEXCEPT;

/// A point in the order of a context's work.
typedef struct amp_rt_event amp_rt_event;

AMP_RT_EXPORT int32_t amp_rt_event_create(struct amp_rt_context *ctx,
                                          amp_rt_event **event) AMP_RT_NOEXCEPT;
AMP_RT_EXPORT void amp_rt_event_destroy(struct amp_rt_context *ctx,
                                        amp_rt_event *event) AMP_RT_NOEXCEPT;
/// Marks the present point. An event may be recorded again.
AMP_RT_EXPORT int32_t amp_rt_event_record(struct amp_rt_context *ctx,
                                          amp_rt_event *event) AMP_RT_NOEXCEPT;
/// Blocks the host until the recorded point is reached, and completes the
/// downloads that were asked for before it.
AMP_RT_EXPORT int32_t amp_rt_event_wait(struct amp_rt_context *ctx,
                                        amp_rt_event *event) AMP_RT_NOEXCEPT;
/// Microseconds of device time between two recorded events, after waiting for
/// the second.
AMP_RT_EXPORT int32_t
amp_rt_event_elapsed(struct amp_rt_context *ctx, amp_rt_event *begin,
                     amp_rt_event *end, double *microseconds) AMP_RT_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The compiled kernels of a module: a fatbin or PTX. Constant data of the
/// generated code.
typedef struct amp_rt_image {
  uint64_t struct_size;
  const void *data;
  uint64_t bytes;
  /// For messages: what it holds, such as "sm_90 cubin, sm_90 ptx". Never null.
  const char *description;
} amp_rt_image;

/// One launch: what is constant about it.
typedef struct amp_rt_launch_desc {
  uint64_t struct_size;
  const amp_rt_image *image;
  /// Name of the entry in the image.
  const char *kernel;
  uint32_t blocks;
  uint32_t threads;
  /// Kernel parameters, each a pointer to the context's memory.
  uint32_t num_pointers;
  /// 0.
  uint32_t reserved;
} amp_rt_launch_desc;

/// Loads an image, at load time. Images are told apart by their content:
/// loading an equal one again costs a hash, and an address whose content has
/// changed is a new image. UNSUPPORTED on a back end without kernels.
AMP_RT_EXPORT int32_t amp_rt_image_load(
    struct amp_rt_context *ctx, const amp_rt_image *image) AMP_RT_NOEXCEPT;

/// Launches a kernel of an image that was loaded.
AMP_RT_EXPORT int32_t amp_rt_launch(struct amp_rt_context *ctx,
                                    const amp_rt_launch_desc *desc,
                                    void *const *pointers) AMP_RT_NOEXCEPT;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// A compiled step whose calls depend on nothing but the pointers: `record`
/// issues GEMMs and launches and reads no device memory.
typedef struct amp_rt_step_desc {
  uint64_t struct_size;
  const char *name;
  int32_t (*record)(struct amp_rt_context *ctx, void **args);
  /// Pointers in `args`.
  uint64_t num_args;
} amp_rt_step_desc;

/// Runs a step. On a device it is recorded once for each distinct set of
/// pointers as a graph, and replayed after that: one launch, no allocation, no
/// synchronisation. `record` may be called twice for that, first to load
/// kernels and prepare GEMMs only. It may call amp_rt_gemm, amp_rt_launch,
/// amp_rt_copy, amp_rt_fill and amp_rt_commit; whatever else of this header,
/// and memory, is an error inside it. When recording fails nothing has run and
/// the state is as it was. It counts as a step of amp_rt_step_begin and
/// amp_rt_step_end unless the caller has begun one. amp_rt_image_load forgets
/// the graphs, since the code of a step may have been replaced. AMP_RT_GRAPHS=0
/// in the environment calls `record` every time.
AMP_RT_EXPORT int32_t amp_rt_step(struct amp_rt_context *ctx,
                                  const amp_rt_step_desc *desc,
                                  void **args) AMP_RT_NOEXCEPT;

AMP_RT_END_DECLS

#endif // AMP_RT_DEVICE_H
