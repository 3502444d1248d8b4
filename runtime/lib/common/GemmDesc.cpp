//===- GemmDesc.cpp - Checks of GEMM descriptors --------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points, which check the descriptor and the arguments, inject faults
// and then call the back end.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>

using namespace amp_rt;

static_assert(sizeof(amp_rt_gemm_args) == 12 * 8);

const char *amp_rt_dtype_name(int32_t dtype) noexcept {
  return typeName(dtype);
}

size_t amp_rt_dtype_size(int32_t dtype) noexcept { return typeSize(dtype); }

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

#define AMP_RT_BAD_DESC(...)                                                   \
  AMP_RT_FAIL(ctx, AMP_RT_INVALID_ARGUMENT, "amp_rt_gemm: " __VA_ARGS__)

int32_t amp_rt::checkGemmDesc(amp_rt_context &ctx, const amp_rt_gemm_desc *desc,
                              amp_rt_gemm_desc &full) {
  char text[512];
  int32_t status = completeGemmDesc(desc, full, Message{text, sizeof(text)});
  return status ? AMP_RT_FAIL(ctx, status, "amp_rt_gemm: %s", text) : AMP_RT_OK;
}

void amp_rt::printGemm(const amp_rt_gemm_desc &d, const std::string &path,
                       double microseconds) {
  std::fprintf(stderr,
               "amp-rt gemm: %s%s x %s%s -> %s, %lldx%lldx%lldx%lld, epilogue "
               "%s, alpha %g, beta %g, %s, %.1f us\n",
               typeName(d.lhs_type), d.transpose_lhs ? "^T" : "",
               typeName(d.rhs_type), d.transpose_rhs ? "^T" : "",
               typeName(d.out_type), (long long)d.batch, (long long)d.m,
               (long long)d.n, (long long)d.k, epilogueName(d.epilogue),
               double(d.alpha), double(d.beta), path.c_str(), microseconds);
}

static int32_t checkArgs(amp_rt_context &ctx, const amp_rt_gemm_desc &d,
                         const amp_rt_gemm_args *args, amp_rt_gemm_args &full) {
  if (!args)
    return AMP_RT_BAD_DESC("expects arguments, but got null; pass them");
  if (args->struct_size < sizeof(uint64_t) || args->struct_size > sizeof(full))
    return AMP_RT_BAD_DESC("'struct_size' of the arguments expects up to %zu, "
                           "but got %llu; set it to sizeof(amp_rt_gemm_args)",
                           sizeof(full), (unsigned long long)args->struct_size);
  std::memset(&full, 0, sizeof(full));
  std::memcpy(&full, args, args->struct_size);
  const char *missing = nullptr;
  bool empty = d.batch == 0 || d.m == 0 || d.n == 0;
  if (!empty && !full.out)
    missing = "out";
  else if (!empty && d.k > 0 && !full.lhs)
    missing = "lhs";
  else if (!empty && d.k > 0 && !full.rhs)
    missing = "rhs";
  else if (!empty && hasBias(d) && !full.bias)
    missing = "bias";
  else if (!empty && (hasReluMask(d) || hasGeluAux(d)) && !full.aux)
    missing = "aux";
  else if (!empty && hasBiasGrad(d) && !full.bias_grad)
    missing = "bias_grad";
  else if (!empty && d.out_amax && !full.out_amax)
    missing = "out_amax";
  else if (!empty && d.lhs_scale_mode && !full.lhs_scale)
    missing = "lhs_scale";
  else if (!empty && d.rhs_scale_mode && !full.rhs_scale)
    missing = "rhs_scale";
  else if (!empty && d.out_scale_mode && !full.out_scale)
    missing = "out_scale";
  if (missing)
    return AMP_RT_BAD_DESC("'%s' expects a pointer, but got null; the "
                           "descriptor asks for it",
                           missing);
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

static int32_t injected(amp_rt_context &ctx, FaultSite site, const char *name) {
  if (!ctx.strikes(site))
    return AMP_RT_OK;
  return AMP_RT_FAIL(ctx, AMP_RT_INJECTED_FAULT,
                     "injected fault at '%s'; it was asked for by "
                     "amp_rt_inject_fault or AMP_RT_INJECT",
                     name);
}

/// Runs `body`, turning exhausted host memory into a status.
template <typename Body>
static int32_t guarded(amp_rt_context &ctx, Body body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return AMP_RT_FAIL(ctx, AMP_RT_OUT_OF_MEMORY,
                       "no host memory for the plan of a GEMM; free some");
  }
}

int32_t amp_rt_gemm_prepare(amp_rt_context *ctx,
                            const amp_rt_gemm_desc *desc) noexcept {
  if (ctx->status)
    return ctx->status;
  amp_rt_gemm_desc full;
  if (int32_t status = checkGemmDesc(*ctx, desc, full))
    return status;
  if (int32_t status = injected(*ctx, FaultSite::GemmPrepare, "gemm_prepare"))
    return status;
  return guarded(*ctx, [&] { return ctx->backend->prepareGemm(full); });
}

int32_t amp_rt_gemm(amp_rt_context *ctx, const amp_rt_gemm_desc *desc,
                    const amp_rt_gemm_args *args) noexcept {
  if (ctx->status)
    return ctx->status;
  amp_rt_gemm_desc full;
  if (int32_t status = checkGemmDesc(*ctx, desc, full))
    return status;
  amp_rt_gemm_args fullArgs;
  if (int32_t status = checkArgs(*ctx, full, args, fullArgs))
    return status;
  if (ctx->stepMode == StepMode::Resolve)
    return guarded(*ctx, [&] { return ctx->backend->prepareGemm(full); });
  if (int32_t status = injected(*ctx, FaultSite::Gemm, "gemm"))
    return status;
  return guarded(*ctx, [&] { return ctx->backend->runGemm(full, fullArgs); });
}

const char *amp_rt_gemm_path(amp_rt_context *ctx,
                             const amp_rt_gemm_desc *desc) noexcept {
  if (amp_rt_gemm_prepare(ctx, desc))
    return nullptr;
  amp_rt_gemm_desc full;
  if (checkGemmDesc(*ctx, desc, full))
    return nullptr;
  return ctx->backend->gemmPath(full);
}
