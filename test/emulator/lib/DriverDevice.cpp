//===- DriverDevice.cpp - Driver entries: device and context --------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device whose compute capability the environment chooses.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Memory.h"
#include "Work.h"

#include <cstdio>
#include <cstring>

using namespace amp::emulator;

CUresult cuInit(unsigned flags) {
  AMP_CALL(Nothing);
  if (flags)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  CUresult status = DeviceMemory::get().initialize();
  if (status == CUDA_SUCCESS)
    setInitialized();
  return call.done(status);
}

CUresult cuDriverGetVersion(int *version) {
  AMP_CALL(Nothing);
  if (!version)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  *version = 13000;
  return call.done(CUDA_SUCCESS);
}

CUresult cuDeviceGetCount(int *count) {
  AMP_CALL(Driver);
  *count = 1;
  return call.done(CUDA_SUCCESS);
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  AMP_CALL(Driver);
  if (!device || ordinal < 0)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  if (ordinal != 0)
    return call.done(CUDA_ERROR_INVALID_DEVICE);
  *device = 0;
  return call.done(CUDA_SUCCESS);
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  AMP_CALL(Driver);
  if (device != 0)
    return call.done(CUDA_ERROR_INVALID_DEVICE);
  snprintf(name, length, "AMP emulator");
  return call.done(CUDA_SUCCESS);
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  AMP_CALL(Driver);
  if (device != 0)
    return call.done(CUDA_ERROR_INVALID_DEVICE);
  *bytes = DeviceMemory::get().totalBytes();
  return call.done(CUDA_SUCCESS);
}

static int attributeValue(CUdevice_attribute attribute) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    return deviceArch() / 10;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    return deviceArch() % 10;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    return 4;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
    return 32;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
    return 1024;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
    return 64;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
    return 0x7fffffff;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
    return 65535;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    return 48 << 10;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    return 227 << 10;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
    return 228 << 10;
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
    return 65536;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
    return 2048;
  case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
    return 65536;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
    return 4 << 20;
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
  case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
    return 1000000;
  case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
    return 64;
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
  case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
  case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
    return 1;
  default:
    // What a simple device does not have.
    return 0;
  }
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  AMP_CALL(Driver);
  if (device != 0)
    return call.done(CUDA_ERROR_INVALID_DEVICE);
  if (attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  *value = attributeValue(attribute);
  return call.done(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  AMP_CALL(Driver);
  if (device != 0)
    return call.done(CUDA_ERROR_INVALID_DEVICE);
  *context = primaryContext();
  ++primaryUsers();
  return call.done(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  AMP_CALL(Driver);
  if (device != 0)
    return call.done(CUDA_ERROR_INVALID_DEVICE);
  if (!primaryUsers())
    return call.done(CUDA_ERROR_INVALID_CONTEXT);
  // The last release ends the context, and a sticky error with it.
  if (--primaryUsers() == 0) {
    drainAll();
    clearStickyStatus();
  }
  return call.done(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  AMP_CALL(Driver);
  if (device != 0)
    return call.done(CUDA_ERROR_INVALID_DEVICE);
  drainAll();
  clearStickyStatus();
  return call.done(CUDA_SUCCESS);
}

CUresult cuCtxSetCurrent(CUcontext context) {
  AMP_CALL(Driver);
  if (context && context != primaryContext())
    return call.done(CUDA_ERROR_INVALID_CONTEXT);
  setCurrentContext(context);
  return call.done(CUDA_SUCCESS);
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  AMP_CALL(Driver);
  *context = currentContext();
  return call.done(CUDA_SUCCESS);
}

CUresult cuCtxGetDevice(CUdevice *device) {
  AMP_CALL(Context);
  *device = 0;
  return call.done(CUDA_SUCCESS);
}

CUresult cuCtxSynchronize(void) {
  AMP_CALL(Context);
  CUresult status = refuseInCapture("cuCtxSynchronize");
  if (status != CUDA_SUCCESS)
    return call.done(status);
  drainAll();
  return call.done(CUDA_SUCCESS);
}
