//===- Staging.cpp - Copies between host and device -----------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Staging.h.
//
//===----------------------------------------------------------------------===//

#include "Staging.h"
#include "CudaBackend.h"

#include <algorithm>
#include <cstring>

using namespace amp_rt;
using namespace amp_rt::cuda;

/// An upload goes in parts of at most this size.
static constexpr size_t kUploadPart = size_t(4) << 20;
/// Blocks of uploads that the device has not finished, before the host waits.
static constexpr size_t kMaxUploads = 32;
static constexpr size_t kMinBlock = 4096;
/// Larger blocks, such as those of a checkpoint, do not stay.
static constexpr size_t kMaxKeptBlock = size_t(16) << 20;

static constexpr size_t kMaxGrouped = size_t(64) << 10;
static constexpr int kGroup = 4;

static size_t blockSize(size_t bytes) {
  size_t size = kMinBlock;
  while (size < bytes && size < kMaxKeptBlock)
    size *= 2;
  return size < bytes ? (bytes + 4095) / 4096 * 4096 : size;
}

Staging::~Staging() {
  forget();
  reclaimAll();
  for (Block &block : freeBlocks)
    destroyBlock(block);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

int32_t Staging::makeBlock(size_t bytes, Block &block) {
  if (int32_t status = AMP_CU(backend, cuMemHostAlloc, (&block.host, bytes, 0),
                              "allocating %zu bytes of pinned memory", bytes)) {
    block.host = nullptr;
    return status;
  }
  block.bytes = bytes;
  int32_t status =
      AMP_CU(backend, cuEventCreate, (&block.event, CU_EVENT_DISABLE_TIMING),
             "making the event of a copy");
  if (status) {
    block.event = nullptr;
    destroyBlock(block);
  }
  return status;
}

void Staging::destroyBlock(Block &block) {
  if (block.event)
    backend.driver.cuEventDestroy(block.event);
  if (block.host)
    backend.driver.cuMemFreeHost(block.host);
  block = Block();
}

void Staging::release(Block block) {
  if (block.bytes > kMaxKeptBlock)
    destroyBlock(block);
  else
    freeBlocks.push_back(block);
}

bool Staging::takeFree(size_t bytes, Block &block) {
  auto found =
      std::find_if(freeBlocks.begin(), freeBlocks.end(),
                   [&](const Block &free) { return free.bytes == bytes; });
  if (found == freeBlocks.end())
    return false;
  block = *found;
  freeBlocks.erase(found);
  return true;
}

/// Takes back the blocks of uploads that are done; waits for one if asked to.
int32_t Staging::reclaimUploads(bool wait) {
  while (!uploads.empty()) {
    CUevent event = uploads.front().event;
    CUresult state = wait ? backend.driver.cuEventSynchronize(event)
                          : backend.driver.cuEventQuery(event);
    if (state == CUDA_ERROR_NOT_READY)
      return AMP_RT_OK;
    if (int32_t status =
            backend.check(state, wait ? "cuEventSynchronize" : "cuEventQuery",
                          "waiting for an upload"))
      return status;
    freeBlocks.push_back(uploads.front());
    uploads.pop_front();
    wait = false;
  }
  return AMP_RT_OK;
}

int32_t Staging::acquire(size_t bytes, bool isUpload, Block &block) {
  size_t size = blockSize(bytes);
  if (takeFree(size, block))
    return AMP_RT_OK;
  bool full = isUpload && uploads.size() >= kMaxUploads;
  if (int32_t status = reclaimUploads(/*wait=*/full))
    return status;
  if (takeFree(size, block))
    return AMP_RT_OK;
  // Small ones come in groups, so that a loop that runs ahead of the device
  // soon makes no more.
  for (int i = 1; size <= kMaxGrouped && i < kGroup; ++i) {
    Block extra;
    if (int32_t status = makeBlock(size, extra))
      return status;
    freeBlocks.push_back(extra);
  }
  return makeBlock(size, block);
}

void Staging::reclaimAll() {
  for (Block &block : uploads)
    release(block);
  uploads.clear();
  for (Block &block : unknown)
    release(block);
  unknown.clear();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

int32_t Staging::upload(void *destination, const void *source, size_t bytes) {
  auto *to = static_cast<char *>(destination);
  auto *from = static_cast<const char *>(source);
  while (bytes) {
    size_t part = std::min(bytes, kUploadPart);
    Block block;
    if (int32_t status = acquire(part, /*isUpload=*/true, block))
      return status;
    std::memcpy(block.host, from, part);
    int32_t status = AMP_CU(
        backend, cuMemcpyHtoDAsync,
        (reinterpret_cast<CUdeviceptr>(to), block.host, part, backend.stream),
        "a copy of %zu bytes to the device", part);
    if (!status)
      status = AMP_CU(backend, cuEventRecord, (block.event, backend.stream),
                      "marking a copy");
    if (status) {
      unknown.push_back(block);
      return status;
    }
    uploads.push_back(block);
    to += part;
    from += part;
    bytes -= part;
  }
  return AMP_RT_OK;
}

int32_t Staging::download(void *destination, const void *source, size_t bytes) {
  Block block;
  if (int32_t status = acquire(bytes, /*isUpload=*/false, block))
    return status;
  if (int32_t status =
          AMP_CU(backend, cuMemcpyDtoHAsync,
                 (block.host,
                  reinterpret_cast<CUdeviceptr>(const_cast<void *>(source)),
                  bytes, backend.stream),
                 "a copy of %zu bytes to the host", bytes)) {
    unknown.push_back(block);
    return status;
  }
  downloads.push_back({block, destination, bytes});
  ++issued;
  return AMP_RT_OK;
}

void Staging::deliver(uint64_t end) {
  while (!downloads.empty() && delivered < end) {
    const Download &download = downloads.front();
    std::memcpy(download.destination, download.block.host, download.bytes);
    release(download.block);
    downloads.pop_front();
    ++delivered;
  }
}

void Staging::forget() {
  for (const Download &download : downloads)
    unknown.push_back(download.block);
  delivered += downloads.size();
  downloads.clear();
}
