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

#include "../gemm-rules/Desc.h"
#include "Calls.h"
#include "amp-rt/amp_rt.h"

#include <cstdint>
#include <memory>
#include <string>

namespace amp_rt {

/// What a back end implements. Every call comes with a context that is not in
/// error (but for deallocate, destroyEvent, poolBytes and describe) and with
/// checked arguments: descriptors are completed, pointers are not null and
/// sizes not 0. A failure is reported with AMP_RT_FAIL and its status returned.
class Backend {
public:
  virtual ~Backend() = default;

  /// Memory of amp_rt_alloc. Null when there is none left, or after a failure
  /// that is reported already.
  virtual void *allocate(size_t bytes) = 0;
  virtual void deallocate(void *ptr) = 0;
  /// What a device's pool holds now and held at most.
  virtual void poolBytes(uint64_t &reserved, uint64_t &peak) const {
    reserved = peak = 0;
  }

  virtual int32_t upload(void *destination, const void *source,
                         size_t bytes) = 0;
  virtual int32_t download(void *destination, const void *source,
                           size_t bytes) = 0;
  virtual int32_t copy(void *destination, const void *source, size_t bytes) = 0;
  virtual int32_t fill(void *destination, uint8_t value, size_t bytes) = 0;
  virtual int32_t synchronize() = 0;
  /// The error state was left: what was pending is forgotten.
  virtual void recover() {}

  /// Null after a reported failure.
  virtual amp_rt_event *createEvent() = 0;
  virtual void destroyEvent(amp_rt_event *event) = 0;
  virtual int32_t recordEvent(amp_rt_event &event) = 0;
  virtual int32_t waitEvent(amp_rt_event &event) = 0;
  virtual int32_t elapsed(amp_rt_event &begin, amp_rt_event &end,
                          double &microseconds) = 0;

  virtual int32_t loadImage(const amp_rt_image &image) = 0;
  virtual int32_t launch(const amp_rt_launch_desc &desc,
                         void *const *pointers) = 0;
  /// Runs a step; calls amp_rt_context::callRecord for what it records.
  virtual int32_t step(const amp_rt_step_desc &desc, void **args) = 0;

  virtual int32_t prepareGemm(const amp_rt_gemm_desc &desc) = 0;
  virtual int32_t runGemm(const amp_rt_gemm_desc &desc,
                          const amp_rt_gemm_args &args) = 0;
  virtual const char *gemmPath(const amp_rt_gemm_desc &desc) = 0;
  /// Writes the text of amp_rt_runtime_info, as snprintf does.
  virtual size_t describe(char *buffer, size_t size) const = 0;
};

/// Make a back end, or fail in the context and return null. Each exists where
/// the build has it (AMP_RT_HAVE_CPU, AMP_RT_HAVE_CUDA).
std::unique_ptr<Backend> createCpuBackend(amp_rt_context &ctx);
std::unique_ptr<Backend> createCudaBackend(amp_rt_context &ctx);

namespace cuda {
/// Whether the runtime calls an entry of this name in the driver or in
/// cuBLASLt, and so can make it fail.
bool isEntry(const char *name);
} // namespace cuda

/// What the record function of a step is being called for.
enum class StepMode {
  /// No step, or none that is being recorded.
  None,
  /// Only to load kernels and to prepare GEMMs: nothing reaches the device.
  Resolve,
  /// To be run, or to become a graph.
  Record,
};

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

/// One line of AMP_RT_VERBOSE. On a device the time is that of issuing it.
void printGemm(const amp_rt_gemm_desc &desc, const std::string &path,
               double microseconds);

} // namespace amp_rt

struct amp_rt_context {
  explicit amp_rt_context(const amp_rt_context_options &options);

  /// Enters the error state (the first error wins) and returns `status`.
  int32_t fail(int32_t status, const char *file, int line, const char *format,
               ...) __attribute__((format(printf, 5, 6)));

  /// Counts one call at a site; true when the injected fault strikes.
  bool strikes(amp_rt::FaultSite site);

  /// Counted host memory; the caller reports the failure.
  void *allocate(size_t bytes);
  void deallocate(void *ptr);

  /// Keep the counters of amp_rt_memory, for a back end with its own memory.
  void countAllocation(size_t bytes);
  void countFree(size_t bytes) { memory.live_bytes -= bytes; }

  /// Calls the record function of a step. Returns its status, or the context's.
  int32_t callRecord(const amp_rt_step_desc &desc, void **args,
                     amp_rt::StepMode mode);

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
  amp_rt::StepMode stepMode = amp_rt::StepMode::None;
  /// Whether the step that was recorded last has called amp_rt_commit.
  bool stepCommits = false;

  /// Calls of the back end into what is below it.
  amp_rt::Calls calls;

  std::unique_ptr<amp_rt::Backend> backend;
};

/// What the back ends derive their events from.
struct amp_rt_event {
  virtual ~amp_rt_event() = default;
  bool recorded = false;
};

/// Fails in a context with the source position; the format is "what; remedy".
#define AMP_RT_FAIL(ctx, status, ...)                                          \
  (ctx).fail(status, __FILE_NAME__, __LINE__, __VA_ARGS__)

#endif // AMP_RT_LIB_COMMON_CONTEXT_H
