//===- CudaBackend.cpp - The CUDA back end --------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Life of the back end, errors of the driver, and the device's side of copies,
// events and launches.
//
//===----------------------------------------------------------------------===//

#include "CudaBackend.h"
#include "Images.h"
#include "Pool.h"
#include "Staging.h"
#include "Steps.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

using namespace amp_rt;
using namespace amp_rt::cuda;

namespace {
struct CudaEvent final : amp_rt_event {
  CUevent handle = nullptr;
  /// Downloads that were asked for before it.
  uint64_t downloads = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

CudaBackend::CudaBackend(amp_rt_context &ctx) : ctx(ctx) {}

int32_t CudaBackend::initialize() {
  if (int32_t status = driver.open(ctx))
    return status;
  if (int32_t status = openDevice())
    return status;
  // Work of the null stream, which others may use, is not to be waited for.
  if (int32_t status =
          AMP_CU(*this, cuStreamCreate, (&stream, CU_STREAM_NON_BLOCKING),
                 "making the context's stream")) {
    stream = nullptr;
    return status;
  }
  pool = std::make_unique<Pool>(*this);
  if (int32_t status = pool->initialize(device))
    return status;
  staging = std::make_unique<Staging>(*this);
  images = std::make_unique<Images>(*this);
  steps = std::make_unique<Steps>(*this);
  gemm = createCudaGemm(*this);
  return gemm->initialize();
}

int32_t CudaBackend::openDevice() {
  if (int32_t status = AMP_CU(*this, cuInit, (0), "starting the driver"))
    return status;
  if (int32_t status = AMP_CU(*this, cuDriverGetVersion, (&driverVersion),
                              "asking for the driver's version"))
    return status;
  int count = 0;
  if (int32_t status =
          AMP_CU(*this, cuDeviceGetCount, (&count), "counting the devices"))
    return status;
  int ordinal = ctx.options.device;
  if (count == 0)
    return AMP_RT_FAIL(ctx, AMP_RT_UNSUPPORTED,
                       "the CUDA driver sees no device; check nvidia-smi and "
                       "CUDA_VISIBLE_DEVICES");
  if (ordinal >= count)
    return AMP_RT_FAIL(ctx, AMP_RT_INVALID_ARGUMENT,
                       "'device' expects at most %d, but got %d; the driver "
                       "sees %d devices",
                       count - 1, ordinal, count);
  if (int32_t status = AMP_CU(*this, cuDeviceGet, (&device, ordinal),
                              "finding device %d", ordinal))
    return status;
  if (int32_t status = AMP_CU(*this, cuDeviceGetName,
                              (deviceName, int(sizeof(deviceName)), device),
                              "asking for the name of device %d", ordinal))
    return status;
  int major = 0, minor = 0, pools = 0;
  const std::pair<CUdevice_attribute, int *> attributes[] = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
      {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, &pools}};
  for (const auto &[attribute, value] : attributes)
    if (int32_t status =
            AMP_CU(*this, cuDeviceGetAttribute, (value, attribute, device),
                   "asking for the abilities of '%s'", deviceName))
      return status;
  smVersion = major * 10 + minor;
  if (smVersion < 80 || !pools)
    return AMP_RT_FAIL(ctx, AMP_RT_UNSUPPORTED,
                       "expects a device of at least sm_80 with memory pools, "
                       "but '%s' is sm_%d%s; choose another with 'device' or "
                       "CUDA_VISIBLE_DEVICES",
                       deviceName, smVersion, pools ? "" : " without");
  if (int32_t status = AMP_CU(*this, cuDevicePrimaryCtxRetain,
                              (&context, device), "opening '%s'", deviceName)) {
    context = nullptr;
    return status;
  }
  return enter();
}

CudaBackend::~CudaBackend() {
  if (!context)
    return;
  // Statuses do not matter any more: on a lost device all of these fail at
  // once, and free what the host holds.
  driver.cuCtxSetCurrent(context);
  if (stream)
    driver.cuStreamSynchronize(stream);
  gemm.reset();
  steps.reset();
  images.reset();
  staging.reset();
  pool.reset();
  if (stream)
    driver.cuStreamDestroy(stream);
  driver.cuCtxSetCurrent(nullptr);
  driver.cuDevicePrimaryCtxRelease(device);
}

int32_t CudaBackend::enter() {
  return AMP_CU(*this, cuCtxSetCurrent, (context),
                "making the device's context current");
}

size_t CudaBackend::describe(char *buffer, size_t size) const {
  int length = std::snprintf(
      buffer, size, "amp-rt %d cuda, driver %d.%d, device '%s', sm_%d, %s",
      AMP_RT_ABI_VERSION, driverVersion / 1000, driverVersion % 1000 / 10,
      deviceName, smVersion, gemm->describe().c_str());
  return length < 0 ? 0 : size_t(length);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// The runtime's status and the remedy for a status of the driver.
static int32_t classify(CUresult status, const char *&remedy) {
  if (isDeviceLost(status)) {
    remedy = "the device is lost to this context, by this call or by a kernel "
             "before it; start the program again from the last checkpoint";
    return AMP_RT_DEVICE_LOST;
  }
  switch (status) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    remedy = "use a smaller batch, or free memory that others hold";
    return AMP_RT_OUT_OF_MEMORY;
  case CUDA_ERROR_NO_DEVICE:
  case CUDA_ERROR_STUB_LIBRARY:
  case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    remedy = "check nvidia-smi, CUDA_VISIBLE_DEVICES and LD_LIBRARY_PATH";
    return AMP_RT_UNSUPPORTED;
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
    remedy = "compile with arch= of this device";
    return AMP_RT_UNSUPPORTED;
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    remedy = "update the driver, or compile with arch= of this device";
    return AMP_RT_UNSUPPORTED;
  case CUDA_ERROR_NOT_SUPPORTED:
    remedy = "this device or driver cannot do it; update the driver";
    return AMP_RT_UNSUPPORTED;
  case CUDA_ERROR_NOT_FOUND:
    remedy = "compile the module again";
    return AMP_RT_INTERNAL;
  default:
    remedy = "report it, with the file of AMP_RT_TRACE";
    return AMP_RT_INTERNAL;
  }
}

int32_t CudaBackend::check(CUresult status, const char *entry, const char *what,
                           ...) {
  if (status == CUDA_SUCCESS)
    return AMP_RT_OK;
  char text[512];
  va_list args;
  va_start(args, what);
  std::vsnprintf(text, sizeof(text), what, args);
  va_end(args);
  const char *remedy = nullptr;
  int32_t result = classify(status, remedy);
  return AMP_RT_FAIL(ctx, result, "%s fails in %s: %s%s; %s", text, entry,
                     statusText(status).c_str(),
                     ctx.calls.lastWasInjected() ? ", injected" : "", remedy);
}

//===----------------------------------------------------------------------===//
// Memory and copies
//===----------------------------------------------------------------------===//

static CUdeviceptr deviceAddress(const void *ptr) {
  return reinterpret_cast<CUdeviceptr>(const_cast<void *>(ptr));
}

void *CudaBackend::allocate(size_t bytes) {
  return enter() ? nullptr : pool->allocate(bytes);
}

void CudaBackend::deallocate(void *ptr) {
  enter();
  pool->deallocate(ptr);
}

void CudaBackend::poolBytes(uint64_t &reserved, uint64_t &peak) const {
  pool->reservedBytes(reserved, peak);
}

int32_t CudaBackend::upload(void *destination, const void *source,
                            size_t bytes) {
  if (int32_t status = enter())
    return status;
  return staging->upload(destination, source, bytes);
}

int32_t CudaBackend::download(void *destination, const void *source,
                              size_t bytes) {
  if (int32_t status = enter())
    return status;
  return staging->download(destination, source, bytes);
}

int32_t CudaBackend::copy(void *destination, const void *source, size_t bytes) {
  if (int32_t status = enter())
    return status;
  return AMP_CU(
      *this, cuMemcpyDtoDAsync,
      (deviceAddress(destination), deviceAddress(source), bytes, stream),
      "a copy of %zu bytes on the device", bytes);
}

int32_t CudaBackend::fill(void *destination, uint8_t value, size_t bytes) {
  if (int32_t status = enter())
    return status;
  return AMP_CU(*this, cuMemsetD8Async,
                (deviceAddress(destination), value, bytes, stream),
                "filling %zu bytes on the device", bytes);
}

int32_t CudaBackend::synchronize() {
  if (int32_t status = enter())
    return status;
  if (int32_t status = AMP_CU(*this, cuStreamSynchronize, (stream),
                              "waiting for the device"))
    return status;
  staging->deliver(staging->numDownloads());
  staging->reclaimAll();
  return AMP_RT_OK;
}

void CudaBackend::recover() { staging->forget(); }

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

amp_rt_event *CudaBackend::createEvent() {
  if (enter())
    return nullptr;
  auto event = std::make_unique<CudaEvent>();
  if (AMP_CU(*this, cuEventCreate, (&event->handle, CU_EVENT_DEFAULT),
             "making an event"))
    return nullptr;
  return event.release();
}

void CudaBackend::destroyEvent(amp_rt_event *event) {
  enter();
  driver.cuEventDestroy(static_cast<CudaEvent *>(event)->handle);
  delete event;
}

int32_t CudaBackend::recordEvent(amp_rt_event &event) {
  if (int32_t status = enter())
    return status;
  auto &cudaEvent = static_cast<CudaEvent &>(event);
  cudaEvent.downloads = staging->numDownloads();
  return AMP_CU(*this, cuEventRecord, (cudaEvent.handle, stream),
                "recording an event");
}

int32_t CudaBackend::waitEvent(amp_rt_event &event) {
  if (int32_t status = enter())
    return status;
  auto &cudaEvent = static_cast<CudaEvent &>(event);
  if (int32_t status = AMP_CU(*this, cuEventSynchronize, (cudaEvent.handle),
                              "waiting for an event"))
    return status;
  staging->deliver(cudaEvent.downloads);
  return AMP_RT_OK;
}

int32_t CudaBackend::elapsed(amp_rt_event &begin, amp_rt_event &end,
                             double &microseconds) {
  // Both may have been recorded in either order.
  if (int32_t status = waitEvent(begin))
    return status;
  float milliseconds = 0;
  if (int32_t status =
          AMP_CU(*this, cuEventElapsedTime,
                 (&milliseconds, static_cast<CudaEvent &>(begin).handle,
                  static_cast<CudaEvent &>(end).handle),
                 "taking the time between two events"))
    return status;
  microseconds = double(milliseconds) * 1e3;
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// Kernels and steps
//===----------------------------------------------------------------------===//

int32_t CudaBackend::loadImage(const amp_rt_image &image) {
  if (int32_t status = enter())
    return status;
  steps->forget();
  return images->load(image);
}

int32_t CudaBackend::launch(const amp_rt_launch_desc &desc,
                            void *const *pointers) {
  CUfunction function = nullptr;
  if (int32_t status = enter())
    return status;
  if (int32_t status = images->findKernel(*desc.image, desc.kernel, function))
    return status;
  if (ctx.stepMode == StepMode::Resolve)
    return AMP_RT_OK;
  // The driver takes the address of each parameter.
  launchParams.resize(desc.num_pointers);
  for (uint32_t i = 0; i < desc.num_pointers; ++i)
    launchParams[i] = const_cast<void **>(&pointers[i]);
  return AMP_CU(*this, cuLaunchKernel,
                (function, desc.blocks, 1, 1, desc.threads, 1, 1, 0, stream,
                 launchParams.data(), nullptr),
                "launching the kernel '%s' on %u blocks of %u threads",
                desc.kernel, desc.blocks, desc.threads);
}

int32_t CudaBackend::step(const amp_rt_step_desc &desc, void **args) {
  if (int32_t status = enter())
    return status;
  return steps->run(desc, args);
}

//===----------------------------------------------------------------------===//
// GEMM
//===----------------------------------------------------------------------===//

int32_t CudaBackend::prepareGemm(const amp_rt_gemm_desc &desc) {
  if (int32_t status = enter())
    return status;
  return gemm->prepareGemm(desc);
}

int32_t CudaBackend::runGemm(const amp_rt_gemm_desc &desc,
                             const amp_rt_gemm_args &args) {
  if (int32_t status = enter())
    return status;
  return gemm->runGemm(desc, args);
}

const char *CudaBackend::gemmPath(const amp_rt_gemm_desc &desc) {
  return enter() ? nullptr : gemm->gemmPath(desc);
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

bool amp_rt::cuda::isEntry(const char *name) {
  // Both macros: the default of one by the other would expand the names.
  static const char *const names[] = {
#define AMP_CU_ENTRY(name) #name,
#define AMP_CU_RELEASE(name) #name,
#include "DriverSymbols.def"
#define AMP_LT_ENTRY(name) #name,
#define AMP_LT_RELEASE(name) #name,
#include "CublasLtSymbols.def"
  };
  for (const char *known : names)
    if (std::strcmp(known, name) == 0)
      return true;
  return false;
}

std::unique_ptr<Backend> amp_rt::createCudaBackend(amp_rt_context &ctx) {
  auto backend = std::make_unique<CudaBackend>(ctx);
  if (backend->initialize())
    return nullptr;
  return backend;
}
