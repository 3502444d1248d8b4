//===- Pool.cpp - Device memory -------------------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Pool.h.
//
//===----------------------------------------------------------------------===//

#include "Pool.h"
#include "CudaBackend.h"

using namespace amp_rt::cuda;

static constexpr size_t kMaxBytes = size_t(1) << 47;

static CUdeviceptr deviceAddress(void *ptr) {
  return reinterpret_cast<CUdeviceptr>(ptr);
}

int32_t Pool::initialize(CUdevice device) {
  CUmemPoolProps props = {};
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.handleTypes = CU_MEM_HANDLE_TYPE_NONE;
  props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  props.location.id = device;
  if (int32_t status = AMP_CU(backend, cuMemPoolCreate, (&pool, &props),
                              "making the memory pool"))
    return status;
  // Memory goes back to the driver with the context, not at every wait.
  cuuint64_t threshold = UINT64_MAX;
  return AMP_CU(backend, cuMemPoolSetAttribute,
                (pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
                "setting up the memory pool");
}

Pool::~Pool() {
  for (const auto &[ptr, bytes] : blocks) {
    backend.driver.cuMemFreeAsync(deviceAddress(ptr), backend.stream);
    backend.ctx.countFree(bytes);
  }
  if (!blocks.empty())
    backend.driver.cuStreamSynchronize(backend.stream);
  if (pool)
    backend.driver.cuMemPoolDestroy(pool);
}

void *Pool::allocate(size_t bytes) {
  // More than a process can address; the caller reports it. What drivers say to
  // such sizes differs.
  if (bytes > kMaxBytes)
    return nullptr;
  size_t rounded = bytes == 0 ? 256 : (bytes + 255) / 256 * 256;
  CUdeviceptr address = 0;
  if (AMP_CU(backend, cuMemAllocFromPoolAsync,
             (&address, rounded, pool, backend.stream),
             "allocating %zu bytes on the device with %llu bytes live", bytes,
             (unsigned long long)backend.ctx.memory.live_bytes))
    return nullptr;
  void *ptr = reinterpret_cast<void *>(address);
  blocks.emplace(ptr, rounded);
  backend.ctx.countAllocation(rounded);
  return ptr;
}

void Pool::deallocate(void *ptr) {
  auto block = blocks.find(ptr);
  if (block == blocks.end()) {
    AMP_RT_FAIL(backend.ctx, AMP_RT_INVALID_ARGUMENT,
                "'ptr' of amp_rt_free expects memory of this context, but got "
                "%p; free each block once, in the context it came from",
                ptr);
    return;
  }
  backend.ctx.countFree(block->second);
  blocks.erase(block);
  AMP_CU(backend, cuMemFreeAsync, (deviceAddress(ptr), backend.stream),
         "freeing device memory");
}

void Pool::reservedBytes(uint64_t &current, uint64_t &peak) const {
  // For statistics only: a failure leaves 0.
  cuuint64_t value = 0;
  current = peak = 0;
  if (backend.driver.cuMemPoolGetAttribute(
          pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &value) == CUDA_SUCCESS)
    current = value;
  value = 0;
  if (backend.driver.cuMemPoolGetAttribute(
          pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &value) == CUDA_SUCCESS)
    peak = value;
}
