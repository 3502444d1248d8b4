//===- Memory.cpp - Memory of the emulated device -------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Address range, protection, allocations, pinned host memory.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Fault.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace amp::emulator;

/// Distance between allocations: an index that is off by a small factor lands
/// in no other allocation.
static constexpr uint64_t kGap = 1 << 16;
static constexpr uint64_t kPage = 4096;
/// Of larger allocations only so much is filled at either end: a workspace's
/// pages stay untouched.
static constexpr uint64_t kFillLimit = 1 << 20;

void CUmemPoolHandle_st::trim(uint64_t keep) {
  if (reserved() > keep)
    cached = keep > used ? keep - used : 0;
}

DeviceMemory &DeviceMemory::get() {
  static DeviceMemory memory;
  return memory;
}

//===----------------------------------------------------------------------===//
// Host access
//===----------------------------------------------------------------------===//

static struct sigaction previousAction;

static void onSegfault(int signal, siginfo_t *info, void *) {
  uint64_t address = reinterpret_cast<uint64_t>(info->si_addr);
  if (DeviceMemory::get().owns(address)) {
    // The process is lost in any case: formatting here is worth the risk.
    std::string text =
        format("AMP emulator: error: host access to device memory: %s\n",
               DeviceMemory::get().describe(address, 1).c_str());
    [[maybe_unused]] ssize_t n = write(2, text.data(), text.size());
    _exit(86);
  }
  // Not ours: the same instruction runs again under the earlier handler.
  sigaction(signal, &previousAction, nullptr);
}

CUresult DeviceMemory::initialize() {
  if (base)
    return CUDA_SUCCESS;
  reservedBytes = uint64_t(1) << 40;
  void *where =
      mmap(reinterpret_cast<void *>(0x200000000000), reservedBytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (where == MAP_FAILED) {
    complain("cannot reserve an address range for device memory");
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  base = reinterpret_cast<uint64_t>(where);
  top = base + kGap;
  const char *limit = getenv("AMP_EMULATOR_MEMORY");
  total = limit ? strtoull(limit, nullptr, 0) : uint64_t(16) << 30;
  struct sigaction action = {};
  action.sa_sigaction = onSegfault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &previousAction);
  return CUDA_SUCCESS;
}

void DeviceMemory::open() {
  if (depth++ == 0 && top > base)
    mprotect(reinterpret_cast<void *>(base), top - base,
             PROT_READ | PROT_WRITE);
}

void DeviceMemory::close() {
  if (--depth == 0 && top > base)
    mprotect(reinterpret_cast<void *>(base), top - base, PROT_NONE);
}

unsigned DeviceMemory::hide() {
  unsigned before = depth;
  if (depth) {
    depth = 1;
    close();
  }
  return before;
}

void DeviceMemory::unhide(unsigned before) {
  if (before) {
    open();
    depth = before;
  }
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

CUresult DeviceMemory::allocate(uint64_t size, CUmemPoolHandle_st *pool,
                                uint64_t &address) {
  uint64_t span = (size + kPage - 1) / kPage * kPage + kGap;
  if (size > total - liveBytes || span > base + reservedBytes - top)
    return CUDA_ERROR_OUT_OF_MEMORY;
  address = top;
  top += span;
  Allocation allocation;
  allocation.base = address;
  allocation.size = size;
  allocation.number = ++count;
  allocation.pool = pool;
  allocations.emplace(address, allocation);
  liveBytes += size;
  if (pool) {
    pool->used += size;
    pool->cached -= pool->cached < size ? pool->cached : size;
    pool->usedHigh = std::max(pool->usedHigh, pool->used);
    pool->reservedHigh = std::max(pool->reservedHigh, pool->reserved());
  }
  // Only the new pages: the rest of the range may be open or not.
  void *pages = reinterpret_cast<void *>(address);
  mprotect(pages, span - kGap, PROT_READ | PROT_WRITE);
  char *bytes = static_cast<char *>(pages);
  memset(bytes, 0xff, std::min(size, kFillLimit));
  if (size > kFillLimit)
    memset(bytes + size - kFillLimit, 0xff, kFillLimit);
  if (depth == 0)
    mprotect(pages, span - kGap, PROT_NONE);
  if (depth)
    mprotect(reinterpret_cast<void *>(address), span, PROT_READ | PROT_WRITE);
  return CUDA_SUCCESS;
}

bool DeviceMemory::release(uint64_t address) {
  auto it = allocations.find(address);
  if (it == allocations.end() || !it->second.live)
    return false;
  Allocation &allocation = it->second;
  allocation.live = false;
  liveBytes -= allocation.size;
  if (CUmemPoolHandle_st *pool = allocation.pool) {
    pool->used -= allocation.size;
    pool->cached += allocation.size;
  }
  madvise(reinterpret_cast<void *>(address),
          (allocation.size + kPage - 1) / kPage * kPage, MADV_DONTNEED);
  return true;
}

void DeviceMemory::forgetPool(CUmemPoolHandle_st *pool) {
  for (auto &[base, allocation] : allocations)
    if (allocation.pool == pool)
      allocation.pool = nullptr;
}

const Allocation *DeviceMemory::find(uint64_t address) const {
  auto it = allocations.upper_bound(address);
  if (it == allocations.begin())
    return nullptr;
  return &std::prev(it)->second;
}

bool DeviceMemory::covers(uint64_t address, uint64_t size) const {
  const Allocation *allocation = find(address);
  if (!allocation || !allocation->live)
    return false;
  uint64_t offset = address - allocation->base;
  return offset <= allocation->size && size <= allocation->size - offset;
}

std::string DeviceMemory::describe(uint64_t address, uint64_t size) const {
  std::string text = format("address 0x%llx", (unsigned long long)address);
  const Allocation *allocation = find(address);
  if (!owns(address))
    return text + " is not device memory";
  if (!allocation)
    return text + " is below every allocation";
  uint64_t offset = address - allocation->base;
  text += format(
      ", offset %llu of allocation %llu (%llu bytes%s)",
      (unsigned long long)offset, (unsigned long long)allocation->number,
      (unsigned long long)allocation->size, allocation->live ? "" : ", freed");
  if (offset + size > allocation->size)
    text += format(", %llu bytes past its end",
                   (unsigned long long)(offset + size - allocation->size));
  return text;
}

//===----------------------------------------------------------------------===//
// Pinned host memory
//===----------------------------------------------------------------------===//

void *DeviceMemory::allocateHost(uint64_t size) {
  void *pointer = aligned_alloc(kPage, (size + kPage - 1) / kPage * kPage);
  if (pointer)
    pinned[reinterpret_cast<uint64_t>(pointer)] = {size, true};
  return pointer;
}

bool DeviceMemory::releaseHost(void *pointer) {
  auto it = pinned.find(reinterpret_cast<uint64_t>(pointer));
  if (it == pinned.end() || !it->second.second)
    return false;
  pinned.erase(it);
  free(pointer);
  return true;
}

bool DeviceMemory::registerHost(void *pointer, uint64_t size) {
  if (isPinned(pointer, 1))
    return false;
  pinned[reinterpret_cast<uint64_t>(pointer)] = {size, false};
  return true;
}

bool DeviceMemory::unregisterHost(void *pointer) {
  auto it = pinned.find(reinterpret_cast<uint64_t>(pointer));
  if (it == pinned.end() || it->second.second)
    return false;
  pinned.erase(it);
  return true;
}

bool DeviceMemory::isPinned(const void *pointer, uint64_t size) const {
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  auto it = pinned.upper_bound(address);
  if (it == pinned.begin())
    return false;
  --it;
  return address - it->first + size <= it->second.first;
}
