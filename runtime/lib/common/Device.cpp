//===- Device.cpp - Copies, events, kernels and steps ---------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points of amp-rt/device.h: checks that every back end shares, then
// the back end.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <cstring>
#include <new>

using namespace amp_rt;

/// Runs `body`, turning exhausted host memory into a status.
template <typename Body>
static int32_t guarded(amp_rt_context &ctx, const char *what, Body body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return AMP_RT_FAIL(ctx, AMP_RT_OUT_OF_MEMORY,
                       "no host memory for %s; free some", what);
  }
}

/// What waits for the host, or needs it, cannot be part of a recorded step.
static int32_t checkOutsideStep(amp_rt_context &ctx, const char *what) {
  if (ctx.stepMode == StepMode::None)
    return AMP_RT_OK;
  return AMP_RT_FAIL(ctx, AMP_RT_INVALID_ARGUMENT,
                     "%s is called inside a step, which records device work "
                     "only; call it before or after amp_rt_step",
                     what);
}

static int32_t checkPointer(amp_rt_context &ctx, const char *what,
                            const char *name, const void *pointer) {
  if (pointer)
    return AMP_RT_OK;
  return AMP_RT_FAIL(ctx, AMP_RT_INVALID_ARGUMENT,
                     "'%s' of %s expects a pointer, but got null; pass one",
                     name, what);
}

static int32_t checkStructSize(amp_rt_context &ctx, const char *type,
                               uint64_t got, uint64_t expected) {
  if (got == expected)
    return AMP_RT_OK;
  return AMP_RT_FAIL(
      ctx, AMP_RT_INVALID_ARGUMENT,
      "'struct_size' of %s expects %llu, but got %llu; set it to "
      "sizeof(%s)",
      type, (unsigned long long)expected, (unsigned long long)got, type);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Checks the pointers of a copy. `done` is set when there is nothing to copy.
static int32_t checkCopy(amp_rt_context &ctx, const char *what,
                         const void *destination, const void *source,
                         size_t bytes, bool &done) {
  done = bytes == 0;
  if (done)
    return AMP_RT_OK;
  if (int32_t status = checkPointer(ctx, what, "destination", destination))
    return status;
  return checkPointer(ctx, what, "source", source);
}

int32_t amp_rt_upload(amp_rt_context *ctx, void *destination,
                      const void *source, size_t bytes) noexcept {
  if (ctx->status)
    return ctx->status;
  if (int32_t status = checkOutsideStep(*ctx, "amp_rt_upload"))
    return status;
  bool done = false;
  int32_t status =
      checkCopy(*ctx, "amp_rt_upload", destination, source, bytes, done);
  if (status || done)
    return status;
  return guarded(*ctx, "an upload", [&] {
    return ctx->backend->upload(destination, source, bytes);
  });
}

int32_t amp_rt_download(amp_rt_context *ctx, void *destination,
                        const void *source, size_t bytes) noexcept {
  if (ctx->status)
    return ctx->status;
  if (int32_t status = checkOutsideStep(*ctx, "amp_rt_download"))
    return status;
  bool done = false;
  int32_t status =
      checkCopy(*ctx, "amp_rt_download", destination, source, bytes, done);
  if (status || done)
    return status;
  return guarded(*ctx, "a download", [&] {
    return ctx->backend->download(destination, source, bytes);
  });
}

int32_t amp_rt_copy(amp_rt_context *ctx, void *destination, const void *source,
                    size_t bytes) noexcept {
  if (ctx->status)
    return ctx->status;
  bool done = false;
  int32_t status =
      checkCopy(*ctx, "amp_rt_copy", destination, source, bytes, done);
  if (status || done || ctx->stepMode == StepMode::Resolve)
    return status;
  return ctx->backend->copy(destination, source, bytes);
}

int32_t amp_rt_fill(amp_rt_context *ctx, void *destination, uint8_t value,
                    size_t bytes) noexcept {
  if (ctx->status)
    return ctx->status;
  bool done = false;
  int32_t status =
      checkCopy(*ctx, "amp_rt_fill", destination, &value, bytes, done);
  if (status || done || ctx->stepMode == StepMode::Resolve)
    return status;
  return ctx->backend->fill(destination, value, bytes);
}

int32_t amp_rt_synchronize(amp_rt_context *ctx) noexcept {
  if (ctx->status)
    return ctx->status;
  if (int32_t status = checkOutsideStep(*ctx, "amp_rt_synchronize"))
    return status;
  return ctx->backend->synchronize();
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

static int32_t checkRecorded(amp_rt_context &ctx, const char *what,
                             const amp_rt_event *event) {
  if (int32_t status = checkPointer(ctx, what, "event", event))
    return status;
  if (event->recorded)
    return AMP_RT_OK;
  return AMP_RT_FAIL(ctx, AMP_RT_INVALID_ARGUMENT,
                     "%s expects an event that was recorded; call "
                     "amp_rt_event_record first",
                     what);
}

int32_t amp_rt_event_create(amp_rt_context *ctx,
                            amp_rt_event **event) noexcept {
  if (event)
    *event = nullptr;
  if (ctx->status)
    return ctx->status;
  if (int32_t status = checkOutsideStep(*ctx, "amp_rt_event_create"))
    return status;
  if (int32_t status =
          checkPointer(*ctx, "amp_rt_event_create", "event", event))
    return status;
  return guarded(*ctx, "an event", [&] {
    *event = ctx->backend->createEvent();
    return ctx->status;
  });
}

void amp_rt_event_destroy(amp_rt_context *ctx, amp_rt_event *event) noexcept {
  if (event)
    ctx->backend->destroyEvent(event);
}

int32_t amp_rt_event_record(amp_rt_context *ctx, amp_rt_event *event) noexcept {
  if (ctx->status)
    return ctx->status;
  if (int32_t status = checkOutsideStep(*ctx, "amp_rt_event_record"))
    return status;
  if (int32_t status =
          checkPointer(*ctx, "amp_rt_event_record", "event", event))
    return status;
  if (int32_t status = ctx->backend->recordEvent(*event))
    return status;
  event->recorded = true;
  return AMP_RT_OK;
}

int32_t amp_rt_event_wait(amp_rt_context *ctx, amp_rt_event *event) noexcept {
  if (ctx->status)
    return ctx->status;
  if (int32_t status = checkOutsideStep(*ctx, "amp_rt_event_wait"))
    return status;
  if (int32_t status = checkRecorded(*ctx, "amp_rt_event_wait", event))
    return status;
  return ctx->backend->waitEvent(*event);
}

int32_t amp_rt_event_elapsed(amp_rt_context *ctx, amp_rt_event *begin,
                             amp_rt_event *end, double *microseconds) noexcept {
  if (ctx->status)
    return ctx->status;
  if (int32_t status = checkOutsideStep(*ctx, "amp_rt_event_elapsed"))
    return status;
  if (int32_t status = checkPointer(*ctx, "amp_rt_event_elapsed",
                                    "microseconds", microseconds))
    return status;
  if (int32_t status = checkRecorded(*ctx, "amp_rt_event_elapsed", begin))
    return status;
  if (int32_t status = checkRecorded(*ctx, "amp_rt_event_elapsed", end))
    return status;
  if (int32_t status = ctx->backend->waitEvent(*end))
    return status;
  return ctx->backend->elapsed(*begin, *end, *microseconds);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static int32_t checkImage(amp_rt_context &ctx, const amp_rt_image *image) {
  if (int32_t status = checkPointer(ctx, "the call", "image", image))
    return status;
  if (int32_t status = checkStructSize(ctx, "amp_rt_image", image->struct_size,
                                       sizeof(amp_rt_image)))
    return status;
  if (int32_t status =
          checkPointer(ctx, "amp_rt_image", "description", image->description))
    return status;
  if (image->data && image->bytes)
    return AMP_RT_OK;
  return AMP_RT_FAIL(ctx, AMP_RT_INVALID_ARGUMENT,
                     "the image '%s' expects data, but got %llu bytes at %p; "
                     "compile the module again",
                     image->description, (unsigned long long)image->bytes,
                     image->data);
}

int32_t amp_rt_image_load(amp_rt_context *ctx,
                          const amp_rt_image *image) noexcept {
  if (ctx->status)
    return ctx->status;
  if (int32_t status = checkOutsideStep(*ctx, "amp_rt_image_load"))
    return status;
  if (int32_t status = checkImage(*ctx, image))
    return status;
  return guarded(*ctx, "an image",
                 [&] { return ctx->backend->loadImage(*image); });
}

int32_t amp_rt_launch(amp_rt_context *ctx, const amp_rt_launch_desc *desc,
                      void *const *pointers) noexcept {
  if (ctx->status)
    return ctx->status;
  if (int32_t status = checkPointer(*ctx, "amp_rt_launch", "desc", desc))
    return status;
  if (int32_t status =
          checkStructSize(*ctx, "amp_rt_launch_desc", desc->struct_size,
                          sizeof(amp_rt_launch_desc)))
    return status;
  if (int32_t status =
          checkPointer(*ctx, "amp_rt_launch_desc", "kernel", desc->kernel))
    return status;
  if (int32_t status = checkImage(*ctx, desc->image))
    return status;
  if (desc->blocks == 0 || desc->threads == 0 || desc->threads > 1024)
    return AMP_RT_FAIL(*ctx, AMP_RT_INVALID_ARGUMENT,
                       "the launch of '%s' expects at least 1 block of 1 to "
                       "1024 threads, but got %u of %u; check the sizes",
                       desc->kernel, desc->blocks, desc->threads);
  if (desc->num_pointers)
    if (int32_t status = checkPointer(*ctx, desc->kernel, "pointers", pointers))
      return status;
  return guarded(*ctx, "a launch",
                 [&] { return ctx->backend->launch(*desc, pointers); });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

int32_t amp_rt_context::callRecord(const amp_rt_step_desc &desc, void **args,
                                   StepMode mode) {
  stepMode = mode;
  stepCommits = false;
  int32_t result = desc.record(this, args);
  stepMode = StepMode::None;
  if (result && !status)
    return AMP_RT_FAIL(*this, AMP_RT_INTERNAL,
                       "the step '%s' returns %d without an error; report it",
                       desc.name, result);
  return status;
}

int32_t amp_rt_step(amp_rt_context *ctx, const amp_rt_step_desc *desc,
                    void **args) noexcept {
  if (ctx->status)
    return ctx->status;
  if (int32_t status = checkOutsideStep(*ctx, "amp_rt_step"))
    return status;
  if (int32_t status = checkPointer(*ctx, "amp_rt_step", "desc", desc))
    return status;
  if (int32_t status =
          checkStructSize(*ctx, "amp_rt_step_desc", desc->struct_size,
                          sizeof(amp_rt_step_desc)))
    return status;
  if (int32_t status =
          checkPointer(*ctx, "amp_rt_step_desc", "name", desc->name))
    return status;
  if (int32_t status =
          checkPointer(*ctx, desc->name, "record",
                       reinterpret_cast<const void *>(desc->record)))
    return status;
  if (desc->num_args)
    if (int32_t status = checkPointer(*ctx, desc->name, "args", args))
      return status;
  // A caller may have bracketed it, perhaps with others as one.
  bool isBracketed = ctx->stepName;
  if (!isBracketed)
    amp_rt_step_begin(ctx, desc->name);
  int32_t status =
      guarded(*ctx, "a step", [&] { return ctx->backend->step(*desc, args); });
  if (!isBracketed)
    amp_rt_step_end(ctx);
  return status;
}
