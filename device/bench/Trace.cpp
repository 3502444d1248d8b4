//===- Trace.cpp - The calls that a step makes ----------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linker sends the calls of all objects here.
//
//===----------------------------------------------------------------------===//

#include "Trace.h"

using namespace device;

static Trace *active = nullptr;

Trace::Trace() { active = this; }
Trace::~Trace() { active = nullptr; }

double Trace::getFlops() const {
  double flops = 0;
  for (const GemmCall &call : gemms)
    flops += call.getFlops();
  return flops;
}

/// Drops the second half of `calls` when it repeats the first.
template <typename Call> static void dropRepetition(std::vector<Call> &calls) {
  size_t half = calls.size() / 2;
  if (calls.size() % 2)
    return;
  for (size_t i = 0; i < half; ++i)
    if (calls[i].desc != calls[half + i].desc)
      return;
  calls.resize(half);
}

void Trace::dropRehearsal() {
  dropRepetition(launches);
  dropRepetition(gemms);
}

extern "C" {
int32_t __real_amp_rt_launch(amp_rt_context *ctx,
                             const amp_rt_launch_desc *desc,
                             void *const *pointers) noexcept;
int32_t __real_amp_rt_gemm(amp_rt_context *ctx, const amp_rt_gemm_desc *desc,
                           const amp_rt_gemm_args *args) noexcept;

int32_t __wrap_amp_rt_launch(amp_rt_context *ctx,
                             const amp_rt_launch_desc *desc,
                             void *const *pointers) noexcept;
int32_t __wrap_amp_rt_gemm(amp_rt_context *ctx, const amp_rt_gemm_desc *desc,
                           const amp_rt_gemm_args *args) noexcept;
}

int32_t __wrap_amp_rt_launch(amp_rt_context *ctx,
                             const amp_rt_launch_desc *desc,
                             void *const *pointers) noexcept {
  if (active)
    active->launches.push_back(
        {desc, std::vector<void *>(pointers, pointers + desc->num_pointers)});
  return __real_amp_rt_launch(ctx, desc, pointers);
}

int32_t __wrap_amp_rt_gemm(amp_rt_context *ctx, const amp_rt_gemm_desc *desc,
                           const amp_rt_gemm_args *args) noexcept {
  if (active)
    active->gemms.push_back({desc, *args});
  return __real_amp_rt_gemm(ctx, desc, args);
}
