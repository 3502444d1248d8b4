//===- DriverModule.cpp - Driver entries: images, kernels, launches -------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Images are compiled kernel by kernel, each at its first use.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Memory.h"
#include "Work.h"

#include <algorithm>
#include <cstring>

using namespace amp::emulator;

static constexpr uint32_t kMaxDynamicShared = 227 << 10;

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

static CUresult loadImage(const void *data, CUlib_st **image) {
  static unsigned count = 0;
  if (!data || !image)
    return CUDA_ERROR_INVALID_VALUE;
  *image = nullptr;
  CUresult status = refuseInCapture("loading an image");
  if (status != CUDA_SUCCESS)
    return status;
  ImageCode code;
  status = findImageCode(data, deviceArch(), code);
  if (status != CUDA_SUCCESS)
    return status;
  auto made = std::make_unique<CUlib_st>();
  made->id = ++count;
  status = made->code.load(std::move(code));
  if (status != CUDA_SUCCESS)
    return status;
  *image = made.release();
  return CUDA_SUCCESS;
}

static CUresult findKernel(CUlib_st *image, const char *name,
                           CUfunc_st **function) {
  if (!image || !name || !function)
    return CUDA_ERROR_INVALID_VALUE;
  if (!image->code.contains(name))
    return CUDA_ERROR_NOT_FOUND;
  auto [it, isNew] = image->functions.try_emplace(name);
  if (isNew) {
    it->second = std::make_unique<CUfunc_st>();
    it->second->image = image;
    it->second->name = name;
  }
  *function = it->second.get();
  return CUDA_SUCCESS;
}

static CUresult unload(CUlib_st *image) {
  if (!image)
    return CUDA_ERROR_INVALID_HANDLE;
  drainAll();
  delete image;
  return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *,
                           void **, unsigned, CUlibraryOption *, void **,
                           unsigned) {
  AMP_CALL(Context);
  return call.done(loadImage(code, library));
}

CUresult cuLibraryUnload(CUlibrary library) {
  AMP_CALL(Release);
  return call.done(unload(library));
}

CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library) {
  AMP_CALL(Context);
  *count = library->code.kernelNames().size();
  return call.done(CUDA_SUCCESS);
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library,
                            const char *name) {
  AMP_CALL(Context);
  call.note("kernel=%s", name);
  CUfunc_st *function = nullptr;
  CUresult status = findKernel(library, name, &function);
  *kernel = reinterpret_cast<CUkernel>(function);
  return call.done(status);
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  AMP_CALL(Context);
  if (!kernel)
    return call.done(CUDA_ERROR_INVALID_HANDLE);
  *function = reinterpret_cast<CUfunction>(kernel);
  return call.done(CUDA_SUCCESS);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  AMP_CALL(Context);
  return call.done(loadImage(image, reinterpret_cast<CUlib_st **>(module)));
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned,
                            CUjit_option *, void **) {
  return cuModuleLoadData(module, image);
}

CUresult cuModuleUnload(CUmodule module) {
  AMP_CALL(Release);
  return call.done(unload(reinterpret_cast<CUlib_st *>(module)));
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  AMP_CALL(Context);
  call.note("kernel=%s", name);
  return call.done(
      findKernel(reinterpret_cast<CUlib_st *>(module), name, function));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Compiles the kernel; an error status when that fails.
static CUresult codeOf(CUfunc_st *function, const KernelCode *&code) {
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  code = function->image->code.compile(function->name);
  return code ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

CUresult cuFuncLoad(CUfunction function) {
  AMP_CALL(Context);
  const KernelCode *code = nullptr;
  return call.done(codeOf(function, code));
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                            CUfunction function) {
  AMP_CALL(Context);
  const KernelCode *code = nullptr;
  CUresult status = codeOf(function, code);
  if (status != CUDA_SUCCESS)
    return call.done(status);
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = code->maxThreads[0]
                 ? code->maxThreads[0] * std::max(code->maxThreads[1], 1u) *
                       std::max(code->maxThreads[2], 1u)
                 : 1024;
    break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = code->staticShared;
    break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = function->maxDynamicShared;
    break;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = deviceArch();
    break;
  default:
    *value = 0;
    break;
  }
  return call.done(CUDA_SUCCESS);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                            int value) {
  AMP_CALL(Context);
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    if (value < 0 || uint32_t(value) > kMaxDynamicShared)
      return call.done(CUDA_ERROR_INVALID_VALUE);
    function->maxDynamicShared = value;
  }
  return call.done(CUDA_SUCCESS);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The rules of a launch that the driver checks.
static CUresult checkLaunch(const CUfunc_st &function, const KernelCode &code,
                            Dim3 grid, Dim3 block, uint32_t dynamicShared) {
  auto refuse = [&](CUresult status, const std::string &text) {
    complain("launch of '" + function.name + "': " + text);
    return status;
  };
  if (!grid.count() || !block.count())
    return refuse(CUDA_ERROR_INVALID_VALUE, "a dimension is 0");
  if (block.x > 1024 || block.y > 1024 || block.z > 64 ||
      block.count() > 1024 || grid.x > 0x7fffffff || grid.y > 65535 ||
      grid.z > 65535)
    return refuse(CUDA_ERROR_INVALID_VALUE, "a dimension is too large");
  const uint32_t size[] = {block.x, block.y, block.z};
  uint64_t most = 1;
  for (int i = 0; i != 3; ++i) {
    if (code.requiredThreads[0] &&
        size[i] != std::max(code.requiredThreads[i], 1u))
      return refuse(CUDA_ERROR_INVALID_VALUE,
                    "the block is not the one of .reqntid");
    most *= std::max(code.maxThreads[i], 1u);
  }
  if (code.maxThreads[0] && block.count() > most)
    return refuse(CUDA_ERROR_INVALID_VALUE,
                  format("%llu threads a block, but .maxntid allows %llu",
                         (unsigned long long)block.count(),
                         (unsigned long long)most));
  if (dynamicShared > function.maxDynamicShared ||
      code.staticShared + dynamicShared > kMaxDynamicShared)
    return refuse(CUDA_ERROR_INVALID_VALUE, "too much shared memory");
  return CUDA_SUCCESS;
}

static CUresult launch(Call &call, CUfunc_st *function, Dim3 grid, Dim3 block,
                       uint32_t dynamicShared, CUstream handle,
                       void **parameters, void **extra) {
  CUstream_st *stream = streamOf(handle);
  call.note("kernel=%s grid=%u,%u,%u block=%u,%u,%u stream=%u",
            function ? function->name.c_str() : "(null)", grid.x, grid.y,
            grid.z, block.x, block.y, block.z, stream->id);
  if (extra) {
    complain("kernel parameters in a buffer are not supported");
    return call.done(CUDA_ERROR_NOT_SUPPORTED);
  }
  const KernelCode *code = nullptr;
  CUresult status = codeOf(function, code);
  if (status == CUDA_SUCCESS)
    status = checkLaunch(*function, *code, grid, block, dynamicShared);
  if (status != CUDA_SUCCESS)
    return call.done(status);
  if (!code->parameters.empty() && !parameters)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  auto action = std::make_shared<Action>();
  action->kind = ActionKind::Kernel;
  action->function = function;
  action->code = code;
  action->grid = grid;
  action->block = block;
  action->dynamicShared = dynamicShared;
  for (size_t i = 0; i != code->parameters.size(); ++i) {
    const char *from = static_cast<const char *>(parameters[i]);
    action->parameters.emplace_back(from, from + code->parameters[i].bytes);
  }
  return call.done(enqueue(stream, std::move(action)));
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned sharedBytes, CUstream stream,
                        void **parameters, void **extra) {
  AMP_CALL(Context);
  return launch(call, function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ},
                sharedBytes, stream, parameters, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **parameters, void **extra) {
  AMP_CALL(Context);
  if (!config)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  for (unsigned i = 0; i != config->numAttrs; ++i)
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION ||
        config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
      complain("clusters and cooperative launches are not supported");
      return call.done(CUDA_ERROR_NOT_SUPPORTED);
    }
  return launch(call, function,
                {config->gridDimX, config->gridDimY, config->gridDimZ},
                {config->blockDimX, config->blockDimY, config->blockDimZ},
                config->sharedMemBytes, config->hStream, parameters, extra);
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void *data) {
  AMP_CALL(Context);
  auto action = std::make_shared<Action>();
  action->kind = ActionKind::Host;
  action->call = [function, data] { function(data); };
  return call.done(enqueue(streamOf(handle), std::move(action)));
}

//===----------------------------------------------------------------------===//
// For libraries that stand in for the device's
//===----------------------------------------------------------------------===//

#pragma GCC visibility push(default)
extern "C" {

/// Queues `function(payload)`, which may touch device memory, in a stream; in a
/// captured stream it becomes a host node. `destroy(payload)` (may be null) is
/// called when it will not run again. Returns a CUresult.
int amp_emulator_enqueue(void *stream, void (*function)(void *), void *payload,
                         void (*destroy)(void *)) {
  std::unique_lock<std::recursive_mutex> lock(driverLock());
  auto action = std::make_shared<Action>();
  action->kind = ActionKind::Host;
  action->open = true;
  action->call = [function, payload] { function(payload); };
  action->payload = std::shared_ptr<void>(payload, [destroy](void *data) {
    if (destroy)
      destroy(data);
  });
  if (stickyStatus() != CUDA_SUCCESS)
    return stickyStatus();
  return enqueue(streamOf(static_cast<CUstream>(stream)), std::move(action));
}

/// 0 when the bytes lie in one live allocation; otherwise says what is wrong
/// and makes an illegal address the device's error.
int amp_emulator_check(const void *pointer, size_t bytes) {
  std::unique_lock<std::recursive_mutex> lock(driverLock());
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  if (DeviceMemory::get().covers(address, bytes))
    return 0;
  reportFault(CUDA_ERROR_ILLEGAL_ADDRESS,
              format("library call: access of %zu bytes: ", bytes) +
                  DeviceMemory::get().describe(address, bytes));
  return 1;
}

} // extern "C"
#pragma GCC visibility pop
