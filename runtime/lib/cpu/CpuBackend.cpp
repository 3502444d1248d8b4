//===- CpuBackend.cpp - The CPU back end ----------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owns the oneDNN engine, the plans by descriptor, and the scratch memory that
// all plans of a context share (its calls come one after the other).
//
//===----------------------------------------------------------------------===//

#include "../common/DescKey.h"
#include "../common/HostBackend.h"
#include "../common/Threads.h"
#include "GemmPlan.h"

#include <cstdio>
#include <unordered_map>

namespace amp_rt::cpu {

class CpuBackend final : public HostBackend {
public:
  explicit CpuBackend(amp_rt_context &ctx) : HostBackend(ctx) {}
  ~CpuBackend() override { ctx.deallocate(scratch); }

  int32_t initialize();

  int32_t prepareGemm(const amp_rt_gemm_desc &desc) override {
    const GemmPlan *plan = nullptr;
    return findOrMakePlan(desc, plan);
  }
  int32_t runGemm(const amp_rt_gemm_desc &desc,
                  const amp_rt_gemm_args &args) override;
  const char *gemmPath(const amp_rt_gemm_desc &desc) override {
    const GemmPlan *plan = nullptr;
    return findOrMakePlan(desc, plan) ? nullptr : plan->path.c_str();
  }
  size_t describe(char *buffer, size_t size) const override;

private:
  int32_t findOrMakePlan(const amp_rt_gemm_desc &desc, const GemmPlan *&plan);
  int32_t growScratch(size_t bytes);

  DnnlObjects dnnl;
  std::unordered_map<DescKey, GemmPlan, DescHash> plans;
  char *scratch = nullptr;
  size_t scratchBytes = 0;
};

int32_t CpuBackend::initialize() {
  const dnnl_version_t *version = dnnl_version();
  if (version->major != DNNL_VERSION_MAJOR)
    return AMP_RT_FAIL(ctx, AMP_RT_UNSUPPORTED,
                       "expects oneDNN %d.x at run time, but got %d.%d; check "
                       "LD_LIBRARY_PATH, or run ./dev setup",
                       DNNL_VERSION_MAJOR, version->major, version->minor);
  if (version->cpu_runtime != DNNL_RUNTIME_OMP)
    return AMP_RT_FAIL(ctx, AMP_RT_UNSUPPORTED,
                       "expects an OpenMP build of oneDNN, but got runtime %u; "
                       "run ./dev setup, which installs one",
                       version->cpu_runtime);
  dnnl_status_t status = dnnl_engine_create(dnnl.engine.out(), dnnl_cpu, 0);
  if (status == dnnl_success)
    status = dnnl_stream_create(dnnl.stream.out(), dnnl.engine.get(),
                                dnnl_stream_default_flags);
  if (status != dnnl_success)
    return AMP_RT_FAIL(ctx, AMP_RT_INTERNAL,
                       "oneDNN makes no CPU engine: %s; check that the CPU is "
                       "x86-64-v3",
                       statusText(status));
  return AMP_RT_OK;
}

int32_t CpuBackend::growScratch(size_t bytes) {
  if (bytes <= scratchBytes)
    return AMP_RT_OK;
  ctx.deallocate(scratch);
  scratchBytes = 0;
  scratch = static_cast<char *>(ctx.allocate(bytes));
  if (!scratch)
    return AMP_RT_FAIL(ctx, AMP_RT_OUT_OF_MEMORY,
                       "no memory for %zu bytes of scratch of a GEMM; use a "
                       "smaller batch",
                       bytes);
  scratchBytes = bytes;
  return AMP_RT_OK;
}

int32_t CpuBackend::findOrMakePlan(const amp_rt_gemm_desc &desc,
                                   const GemmPlan *&plan) {
  auto found = plans.find(DescKey{desc});
  if (found == plans.end()) {
    ThreadCountScope threads(ctx.numThreads);
    GemmPlan made;
    if (int32_t status = makeGemmPlan(ctx, dnnl, desc, made))
      return status;
    found = plans.emplace(DescKey{desc}, std::move(made)).first;
  }
  // Also for a plan of old: growing may have failed after it was made.
  if (int32_t status = growScratch(found->second.scratchBytes))
    return status;
  plan = &found->second;
  return AMP_RT_OK;
}

int32_t CpuBackend::runGemm(const amp_rt_gemm_desc &desc,
                            const amp_rt_gemm_args &args) {
  const GemmPlan *plan = nullptr;
  if (int32_t status = findOrMakePlan(desc, plan))
    return status;
  ThreadCountScope threads(ctx.numThreads);
  double start = ctx.verbose ? nowMicroseconds() : 0;
  int32_t status = runGemmPlan(ctx, dnnl, *plan, args, scratch);
  if (ctx.verbose && !status)
    printGemm(plan->desc, plan->path, nowMicroseconds() - start);
  return status;
}

static const char *isaName() {
  static const struct {
    dnnl_cpu_isa_t isa;
    const char *name;
  } names[] = {
      {dnnl_cpu_isa_avx512_core_amx_fp16, "avx512_core_amx_fp16"},
      {dnnl_cpu_isa_avx512_core_amx, "avx512_core_amx"},
      {dnnl_cpu_isa_avx512_core_fp16, "avx512_core_fp16"},
      {dnnl_cpu_isa_avx512_core_bf16, "avx512_core_bf16"},
      {dnnl_cpu_isa_avx512_core_vnni, "avx512_core_vnni"},
      {dnnl_cpu_isa_avx512_core, "avx512_core"},
      {dnnl_cpu_isa_avx2_vnni_2, "avx2_vnni_2"},
      {dnnl_cpu_isa_avx2_vnni, "avx2_vnni"},
      {dnnl_cpu_isa_avx2, "avx2"},
  };
  dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
  for (const auto &entry : names)
    if (entry.isa == isa)
      return entry.name;
  return "another";
}

size_t CpuBackend::describe(char *buffer, size_t size) const {
  const dnnl_version_t *v = dnnl_version();
  int length = std::snprintf(
      buffer, size,
      "amp-rt %d cpu, isa %s, oneDNN %d.%d.%d (%.12s), %d threads",
      AMP_RT_ABI_VERSION, isaName(), v->major, v->minor, v->patch, v->hash,
      ctx.numThreads);
  return length < 0 ? 0 : size_t(length);
}

} // namespace amp_rt::cpu

std::unique_ptr<amp_rt::Backend> amp_rt::createCpuBackend(amp_rt_context &ctx) {
  auto backend = std::make_unique<cpu::CpuBackend>(ctx);
  if (backend->initialize())
    return nullptr;
  return backend;
}
