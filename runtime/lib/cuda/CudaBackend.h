//===- CudaBackend.h - The CUDA back end ------------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owns the device's context, one stream that orders all work, the memory pool,
// staging memory, loaded images, recorded steps and the GEMM part.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_CUDA_CUDABACKEND_H
#define AMP_RT_LIB_CUDA_CUDABACKEND_H

#include "CudaGemm.h"
#include "Driver.h"

#include <vector>

namespace amp_rt::cuda {

class Images;
class Pool;
class Staging;
class Steps;

class CudaBackend final : public Backend {
public:
  explicit CudaBackend(amp_rt_context &ctx);
  ~CudaBackend() override;

  int32_t initialize();

  //===--------------------------------------------------------------------===//
  // For the parts
  //===--------------------------------------------------------------------===//

  amp_rt_context &ctx;
  Driver driver;
  CUstream stream = nullptr;

  /// Compute capability as in sm_90.
  int arch() const { return smVersion; }
  /// Whether the calls being made become nodes of a graph.
  bool isRecording() const { return recording; }
  void setRecording(bool value) { recording = value; }
  /// Makes the device's context the thread's; before anything else.
  int32_t enter();
  /// Reports a driver status at `entry`: OUT_OF_MEMORY, DEVICE_LOST, or
  /// INTERNAL. `what` was being done, such as "a copy of 64 bytes to the
  /// device". Success is passed on as AMP_RT_OK.
  int32_t check(CUresult status, const char *entry, const char *what, ...)
      __attribute__((format(printf, 4, 5)));

  //===--------------------------------------------------------------------===//
  // Backend
  //===--------------------------------------------------------------------===//

  /// Device memory, 256-byte aligned. Not while recording.
  void *allocate(size_t bytes) override;
  void deallocate(void *ptr) override;
  void poolBytes(uint64_t &reserved, uint64_t &peak) const override;

  int32_t upload(void *destination, const void *source, size_t bytes) override;
  int32_t download(void *destination, const void *source,
                   size_t bytes) override;
  int32_t copy(void *destination, const void *source, size_t bytes) override;
  int32_t fill(void *destination, uint8_t value, size_t bytes) override;
  int32_t synchronize() override;
  void recover() override;

  amp_rt_event *createEvent() override;
  void destroyEvent(amp_rt_event *event) override;
  int32_t recordEvent(amp_rt_event &event) override;
  int32_t waitEvent(amp_rt_event &event) override;
  int32_t elapsed(amp_rt_event &begin, amp_rt_event &end,
                  double &microseconds) override;

  int32_t loadImage(const amp_rt_image &image) override;
  int32_t launch(const amp_rt_launch_desc &desc,
                 void *const *pointers) override;
  int32_t step(const amp_rt_step_desc &desc, void **args) override;

  int32_t prepareGemm(const amp_rt_gemm_desc &desc) override;
  int32_t runGemm(const amp_rt_gemm_desc &desc,
                  const amp_rt_gemm_args &args) override;
  const char *gemmPath(const amp_rt_gemm_desc &desc) override;

  size_t describe(char *buffer, size_t size) const override;

private:
  int32_t openDevice();

  CUdevice device = 0;
  CUcontext context = nullptr;
  int driverVersion = 0;
  int smVersion = 0;
  char deviceName[128] = {0};
  bool recording = false;
  std::vector<void *> launchParams;

  std::unique_ptr<Pool> pool;
  std::unique_ptr<Staging> staging;
  std::unique_ptr<Images> images;
  std::unique_ptr<Steps> steps;
  std::unique_ptr<CudaGemm> gemm;
};

/// Calls a driver entry of a back end and checks its status, as in
///   AMP_CU(backend, cuStreamSynchronize, (backend.stream), "waiting")
#define AMP_CU(backend, entry, arguments, ...)                                 \
  (backend).check((backend).driver.entry arguments, #entry, __VA_ARGS__)

} // namespace amp_rt::cuda

#endif // AMP_RT_LIB_CUDA_CUDABACKEND_H
