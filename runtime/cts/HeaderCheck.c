/*===- HeaderCheck.c - The headers are C ------------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled as C: the ABI's headers must not need C++.
//
//===----------------------------------------------------------------------===*/

#include "amp-rt/amp_rt.h"
#include "amp-rt/gemm_rules.h"
#include "amp-rt/program.h"

_Static_assert(sizeof(amp_rt_gemm_desc) == 192, "no padding");

/* Generated code has this type. */
static int32_t step(amp_rt_context *ctx, void **args) {
  (void)args;
  return amp_rt_commit(ctx);
}

amp_rt_function amp_rt_cts_header_check(void) { return step; }
