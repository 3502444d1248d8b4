//===- DriverMemory.cpp - Driver entries: memory --------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations, pools, pinned host memory, copies and fills.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Memory.h"
#include "Work.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace amp::emulator;

static DeviceMemory &memory() { return DeviceMemory::get(); }

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

static std::vector<CUmemoryPool> pools;

void amp::emulator::trimPools() {
  for (CUmemoryPool pool : pools)
    pool->trim(pool->releaseThreshold);
}

static CUmemoryPool defaultPool() {
  static CUmemPoolHandle_st pool = [] {
    CUmemPoolHandle_st made;
    made.isDefault = true;
    return made;
  }();
  if (pools.empty() || pools.front() != &pool)
    pools.insert(pools.begin(), &pool);
  return &pool;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  AMP_CALL(Driver);
  *pool = defaultPool();
  return call.done(device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  AMP_CALL(Driver);
  *pool = defaultPool();
  return call.done(device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props) {
  AMP_CALL(Context);
  if (!pool || !props || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
      props->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
      props->location.id != 0)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  *pool = new CUmemPoolHandle_st;
  pools.push_back(*pool);
  return call.done(CUDA_SUCCESS);
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  AMP_CALL(Release);
  if (!pool || pool->isDefault)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  // Frees that are queued still speak of the pool.
  drainAll();
  memory().forgetPool(pool);
  pools.erase(std::find(pools.begin(), pools.end(), pool));
  delete pool;
  return call.done(CUDA_SUCCESS);
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
  AMP_CALL(Context);
  drainAll();
  pool->trim(keep);
  return call.done(CUDA_SUCCESS);
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                               void *value) {
  AMP_CALL(Context);
  if (!pool || !value)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  uint64_t number = 0;
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    return call.done(CUDA_SUCCESS);
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    memcpy(&pool->releaseThreshold, value, sizeof(uint64_t));
    return call.done(CUDA_SUCCESS);
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    // A high mark can only be reset.
    memcpy(&number, value, sizeof(number));
    if (number != 0)
      return call.done(CUDA_ERROR_INVALID_VALUE);
    if (attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH)
      pool->usedHigh = pool->used;
    else
      pool->reservedHigh = pool->reserved();
    return call.done(CUDA_SUCCESS);
  default:
    return call.done(CUDA_ERROR_INVALID_VALUE);
  }
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                               void *value) {
  AMP_CALL(Context);
  if (!pool || !value)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  uint64_t number = 0;
  switch (static_cast<int>(attribute)) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    *static_cast<int *>(value) = 1;
    return call.done(CUDA_SUCCESS);
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    number = pool->releaseThreshold;
    break;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    number = pool->reserved();
    break;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    number = pool->reservedHigh;
    break;
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    number = pool->used;
    break;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    number = pool->usedHigh;
    break;
  default:
    return call.done(CUDA_ERROR_INVALID_VALUE);
  }
  memcpy(value, &number, sizeof(number));
  return call.done(CUDA_SUCCESS);
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

CUresult cuMemGetInfo(size_t *free, size_t *total) {
  AMP_CALL(Context);
  *free = memory().freeBytes();
  *total = memory().totalBytes();
  return call.done(CUDA_SUCCESS);
}

CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes) {
  AMP_CALL(Context);
  call.note("bytes=%zu", bytes);
  if (!pointer || !bytes)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  CUresult status = refuseInCapture("cuMemAlloc");
  uint64_t address = 0;
  if (status == CUDA_SUCCESS)
    status = memory().allocate(bytes, nullptr, address);
  *pointer = address;
  return call.done(status);
}

CUresult cuMemFree(CUdeviceptr pointer) {
  AMP_CALL(Release);
  if (!pointer)
    return call.done(CUDA_SUCCESS);
  drainAll();
  return call.done(memory().release(pointer) ? CUDA_SUCCESS
                                             : CUDA_ERROR_INVALID_VALUE);
}

static CUresult allocateOrdered(Call &call, CUdeviceptr *pointer, size_t bytes,
                                CUmemoryPool pool, CUstream handle) {
  CUstream_st *stream = streamOf(handle);
  call.note("bytes=%zu stream=%u", bytes, stream->id);
  if (!pointer || !bytes || !pool)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  if (stream->capture) {
    stream->capture->invalid = true;
    complain("an allocation in a captured stream is not supported");
    return call.done(CUDA_ERROR_NOT_SUPPORTED);
  }
  uint64_t address = 0;
  CUresult status = memory().allocate(bytes, pool, address);
  if (status == CUDA_ERROR_OUT_OF_MEMORY) {
    // Frees that are queued make room.
    drainAll();
    status = memory().allocate(bytes, pool, address);
  }
  *pointer = address;
  return call.done(status);
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream) {
  AMP_CALL(Context);
  return allocateOrdered(call, pointer, bytes, defaultPool(), stream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes,
                                 CUmemoryPool pool, CUstream stream) {
  AMP_CALL(Context);
  return allocateOrdered(call, pointer, bytes, pool, stream);
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream handle) {
  AMP_CALL(Release);
  CUstream_st *stream = streamOf(handle);
  call.note("stream=%u", stream->id);
  if (!pointer)
    return call.done(CUDA_SUCCESS);
  const Allocation *found = memory().find(pointer);
  if (!found || found->base != pointer || !found->live)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  if (stream->capture) {
    stream->capture->invalid = true;
    complain("a free in a captured stream is not supported");
    return call.done(CUDA_ERROR_NOT_SUPPORTED);
  }
  auto action = std::make_shared<Action>();
  action->kind = ActionKind::Free;
  action->destination = pointer;
  return call.done(enqueue(stream, std::move(action)));
}

//===----------------------------------------------------------------------===//
// Pinned host memory
//===----------------------------------------------------------------------===//

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  AMP_CALL(Context);
  call.note("bytes=%zu", bytes);
  if (!pointer || !bytes)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  CUresult status = refuseInCapture("cuMemHostAlloc");
  if (status != CUDA_SUCCESS)
    return call.done(status);
  *pointer = memory().allocateHost(bytes);
  return call.done(*pointer ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuMemAllocHost(void **pointer, size_t bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}

CUresult cuMemFreeHost(void *pointer) {
  AMP_CALL(Release);
  // Queued copies may use it.
  drainAll();
  return call.done(memory().releaseHost(pointer) ? CUDA_SUCCESS
                                                 : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemHostRegister(void *pointer, size_t bytes, unsigned flags) {
  AMP_CALL(Context);
  return call.done(memory().registerHost(pointer, bytes)
                       ? CUDA_SUCCESS
                       : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
}

CUresult cuMemHostUnregister(void *pointer) {
  AMP_CALL(Release);
  drainAll();
  return call.done(memory().unregisterHost(pointer)
                       ? CUDA_SUCCESS
                       : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

/// Queues a copy. Host memory that is not pinned is read, or written, before
/// the call returns, as the driver does it.
static CUresult copy(Call &call, uint64_t to, bool toDevice, uint64_t from,
                     bool fromDevice, size_t bytes, CUstream handle,
                     bool wait) {
  CUstream_st *stream = streamOf(handle);
  call.note("bytes=%zu stream=%u", bytes, stream->id);
  if (!bytes)
    return call.done(CUDA_SUCCESS);
  if (!to || !from)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  if ((!toDevice && memory().owns(to)) ||
      (!fromDevice && memory().owns(from))) {
    complain("a copy is given device memory as host memory");
    return call.done(CUDA_ERROR_INVALID_VALUE);
  }
  if ((toDevice && !memory().owns(to)) ||
      (fromDevice && !memory().owns(from))) {
    complain("a copy is given host memory as device memory");
    return call.done(CUDA_ERROR_INVALID_VALUE);
  }
  if (wait && stream->capture) {
    stream->capture->invalid = true;
    return call.done(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  auto action = std::make_shared<Action>();
  action->kind = ActionKind::Copy;
  action->destination = to;
  action->source = from;
  action->bytes = bytes;
  action->toDevice = toDevice;
  action->fromDevice = fromDevice;
  if (!stream->capture) {
    const char *host = reinterpret_cast<const char *>(fromDevice ? to : from);
    if (!toDevice)
      wait |= !memory().isPinned(host, bytes);
    else if (!fromDevice && !memory().isPinned(host, bytes))
      action->staged.assign(host, host + bytes);
  }
  CUresult status = enqueue(stream, std::move(action));
  if (wait)
    drain(stream, stream->queued);
  return call.done(status);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes,
                           CUstream stream) {
  AMP_CALL(Context);
  return copy(call, to, true, reinterpret_cast<uint64_t>(from), false, bytes,
              stream, false);
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  AMP_CALL(Context);
  return copy(call, reinterpret_cast<uint64_t>(to), false, from, true, bytes,
              stream, false);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  AMP_CALL(Context);
  return copy(call, to, true, from, true, bytes, stream, false);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream) {
  AMP_CALL(Context);
  return copy(call, to, memory().owns(to), from, memory().owns(from), bytes,
              stream, false);
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  AMP_CALL(Context);
  return copy(call, to, true, reinterpret_cast<uint64_t>(from), false, bytes,
              nullptr, true);
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  AMP_CALL(Context);
  return copy(call, reinterpret_cast<uint64_t>(to), false, from, true, bytes,
              nullptr, true);
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  AMP_CALL(Context);
  return copy(call, to, true, from, true, bytes, nullptr, false);
}

static CUresult fill(Call &call, CUdeviceptr to, uint32_t value,
                     uint32_t elementBytes, size_t count, CUstream handle) {
  CUstream_st *stream = streamOf(handle);
  call.note("bytes=%zu stream=%u", count * elementBytes, stream->id);
  if (!count)
    return call.done(CUDA_SUCCESS);
  if (!memory().owns(to) || to % elementBytes)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  auto action = std::make_shared<Action>();
  action->kind = ActionKind::Fill;
  action->destination = to;
  action->bytes = count * elementBytes;
  action->value = value;
  action->elementBytes = elementBytes;
  return call.done(enqueue(stream, std::move(action)));
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                         CUstream stream) {
  AMP_CALL(Context);
  return fill(call, to, value, 1, count, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream) {
  AMP_CALL(Context);
  return fill(call, to, value, 4, count, stream);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  AMP_CALL(Context);
  return fill(call, to, value, 1, count, nullptr);
}

CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  AMP_CALL(Context);
  return fill(call, to, value, 4, count, nullptr);
}
