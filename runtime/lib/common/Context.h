//===- Context.h - The runtime's context ------------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands behind amp_rt_context: the sticky error, memory accounting,
// fault injection, statistics and the back end. Shared by the files of
// lib/common and by the back ends; no part of the ABI.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_COMMON_CONTEXT_H
#define AMP_RT_LIB_COMMON_CONTEXT_H

#include "amp-rt/amp_rt.h"

#include <cstdint>
#include <memory>

namespace amp_rt {

/// What a back end implements. Every call comes with a context that is not in
/// error and a descriptor that checkGemmDesc has completed; a failure is
/// reported with AMP_RT_FAIL and its status returned.
class Backend {
public:
  virtual ~Backend() = default;
  virtual int32_t prepareGemm(const amp_rt_gemm_desc &desc) = 0;
  virtual int32_t runGemm(const amp_rt_gemm_desc &desc,
                          const amp_rt_gemm_args &args) = 0;
  virtual const char *gemmPath(const amp_rt_gemm_desc &desc) = 0;
  /// Writes the text of amp_rt_runtime_info, as snprintf does.
  virtual size_t describe(char *buffer, size_t size) const = 0;
};

/// Makes the CPU back end, or fails in the context and returns null.
std::unique_ptr<Backend> createCpuBackend(amp_rt_context &ctx);

/// The places where a fault can be injected.
enum class FaultSite { Alloc, Gemm, GemmPrepare, Commit };
inline constexpr int kNumFaultSites = 4;

/// Microseconds of a monotonic clock.
double nowMicroseconds();

/// Completes a descriptor into one of the full current size (absent fields 0,
/// leading dimensions filled in) and checks what every back end asks. Fails in
/// the context, naming the field.
int32_t checkGemmDesc(amp_rt_context &ctx, const amp_rt_gemm_desc *desc,
                      amp_rt_gemm_desc &full);

/// Whether the epilogue adds a bias.
bool hasBias(const amp_rt_gemm_desc &desc);
/// Whether it writes or reads the mask of relu, or the values of gelu, in aux.
bool hasReluMask(const amp_rt_gemm_desc &desc);
bool hasGeluAux(const amp_rt_gemm_desc &desc);
/// Whether it writes bias_grad, and how many elements.
bool hasBiasGrad(const amp_rt_gemm_desc &desc);
int64_t biasGradSize(const amp_rt_gemm_desc &desc);

} // namespace amp_rt

struct amp_rt_context {
  explicit amp_rt_context(const amp_rt_context_options &options);

  /// Enters the error state (the first error wins) and returns `status`.
  int32_t fail(int32_t status, const char *file, int line, const char *format,
               ...) __attribute__((format(printf, 5, 6)));

  /// Counts one call at a site; true when the injected fault strikes.
  bool strikes(amp_rt::FaultSite site);

  /// amp_rt_alloc without the fault site; the caller reports the failure.
  void *allocate(size_t bytes);
  void deallocate(void *ptr);

  amp_rt_context_options options;
  int32_t numThreads = 1;
  bool verbose = false;
  bool printStats = false;

  int32_t status = AMP_RT_OK;
  char message[1024] = {0};

  int64_t faultCountdown[amp_rt::kNumFaultSites] = {};
  amp_rt_memory memory = {};

  const char *stepName = nullptr;
  int64_t stepNumber = 0;
  double stepStart = 0;

  std::unique_ptr<amp_rt::Backend> backend;
};

/// Fails in a context with the source position; the format is "what; remedy".
#define AMP_RT_FAIL(ctx, status, ...)                                          \
  (ctx).fail(status, __FILE_NAME__, __LINE__, __VA_ARGS__)

#endif // AMP_RT_LIB_COMMON_CONTEXT_H
