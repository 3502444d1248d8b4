//===- HostBackend.h - Device entry points in host memory -------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What amp-rt/device.h means where the context's memory is the host's: the base
// of the CPU back end.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_COMMON_HOSTBACKEND_H
#define AMP_RT_LIB_COMMON_HOSTBACKEND_H

#include "Context.h"

namespace amp_rt {

class HostBackend : public Backend {
public:
  explicit HostBackend(amp_rt_context &ctx) : ctx(ctx) {}

  void *allocate(size_t bytes) override { return ctx.allocate(bytes); }
  void deallocate(void *ptr) override { ctx.deallocate(ptr); }

  int32_t upload(void *destination, const void *source, size_t bytes) override;
  int32_t download(void *destination, const void *source,
                   size_t bytes) override;
  int32_t copy(void *destination, const void *source, size_t bytes) override;
  int32_t fill(void *destination, uint8_t value, size_t bytes) override;
  int32_t synchronize() override { return AMP_RT_OK; }

  amp_rt_event *createEvent() override;
  void destroyEvent(amp_rt_event *event) override { delete event; }
  int32_t recordEvent(amp_rt_event &event) override;
  int32_t waitEvent(amp_rt_event &) override { return AMP_RT_OK; }
  int32_t elapsed(amp_rt_event &begin, amp_rt_event &end,
                  double &microseconds) override;

  int32_t loadImage(const amp_rt_image &image) override;
  int32_t launch(const amp_rt_launch_desc &desc,
                 void *const *pointers) override;
  int32_t step(const amp_rt_step_desc &desc, void **args) override;

protected:
  amp_rt_context &ctx;
};

} // namespace amp_rt

#endif // AMP_RT_LIB_COMMON_HOSTBACKEND_H
