//===- HostBackend.cpp - Device entry points in host memory ---------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See HostBackend.h.
//
//===----------------------------------------------------------------------===//

#include "HostBackend.h"

#include <cstring>

using namespace amp_rt;

namespace {
struct HostEvent final : amp_rt_event {
  double microseconds = 0;
};
} // namespace

int32_t HostBackend::upload(void *destination, const void *source,
                            size_t bytes) {
  std::memcpy(destination, source, bytes);
  return AMP_RT_OK;
}

int32_t HostBackend::download(void *destination, const void *source,
                              size_t bytes) {
  std::memcpy(destination, source, bytes);
  return AMP_RT_OK;
}

int32_t HostBackend::copy(void *destination, const void *source, size_t bytes) {
  std::memcpy(destination, source, bytes);
  return AMP_RT_OK;
}

int32_t HostBackend::fill(void *destination, uint8_t value, size_t bytes) {
  std::memset(destination, value, bytes);
  return AMP_RT_OK;
}

amp_rt_event *HostBackend::createEvent() { return new HostEvent; }

int32_t HostBackend::recordEvent(amp_rt_event &event) {
  static_cast<HostEvent &>(event).microseconds = nowMicroseconds();
  return AMP_RT_OK;
}

int32_t HostBackend::elapsed(amp_rt_event &begin, amp_rt_event &end,
                             double &microseconds) {
  microseconds = static_cast<HostEvent &>(end).microseconds -
                 static_cast<HostEvent &>(begin).microseconds;
  return AMP_RT_OK;
}

int32_t HostBackend::loadImage(const amp_rt_image &image) {
  return AMP_RT_FAIL(ctx, AMP_RT_UNSUPPORTED,
                     "the CPU back end runs no device kernels, but got an "
                     "image of '%s'; use AMP_RT_BACKEND_CUDA, or compile with "
                     "target=cpu",
                     image.description);
}

int32_t HostBackend::launch(const amp_rt_launch_desc &desc, void *const *) {
  return AMP_RT_FAIL(
      ctx, AMP_RT_UNSUPPORTED,
      "the CPU back end runs no device kernels, but got a launch "
      "of '%s'; use AMP_RT_BACKEND_CUDA, or compile with "
      "target=cpu",
      desc.kernel);
}

int32_t HostBackend::step(const amp_rt_step_desc &desc, void **args) {
  return ctx.callRecord(desc, args, StepMode::Record);
}
