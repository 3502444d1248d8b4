//===- Memory.h - Memory of the emulated device -----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocations live in an address range of their own. Outside of emulated work
// the whole range is inaccessible, so that a read or write by the host is a
// fault, which a signal handler turns into a message. Addresses are not used
// twice: an access after the free finds the allocation it meant.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_MEMORY_H
#define AMP_EMULATOR_MEMORY_H

#include "Cuda.h"

#include <cstdint>
#include <map>
#include <string>

/// The state of a memory pool. Freed memory stays reserved up to the release
/// threshold until the next synchronisation, as the driver's pools do.
struct CUmemPoolHandle_st {
  uint64_t used = 0, usedHigh = 0;
  uint64_t cached = 0, reservedHigh = 0;
  uint64_t releaseThreshold = 0;
  bool isDefault = false;

  uint64_t reserved() const { return used + cached; }
  /// Gives memory back that is above `keep` bytes.
  void trim(uint64_t keep);
};

namespace amp::emulator {

/// Pools give back what is above their thresholds: a synchronisation.
void trimPools();

/// One allocation; it stays known after its end.
struct Allocation {
  uint64_t base = 0;
  uint64_t size = 0;
  uint64_t number = 0;
  CUmemPoolHandle_st *pool = nullptr;
  bool live = true;
};

class DeviceMemory {
public:
  static DeviceMemory &get();

  /// Reserves the address range and installs the handler. Once.
  CUresult initialize();

  /// Allocates `size` bytes filled with 0xff, a NaN in every floating type.
  CUresult allocate(uint64_t size, CUmemPoolHandle_st *pool, uint64_t &address);

  /// Ends the allocation that starts at `address`: false when there is none.
  bool release(uint64_t address);

  /// The allocation, live or not, that `address` lies in or follows; null
  /// below the first one.
  const Allocation *find(uint64_t address) const;

  /// Whether [address, address + size) lies in one live allocation.
  bool covers(uint64_t address, uint64_t size) const;

  /// Whether `address` lies in the device's range.
  bool owns(uint64_t address) const {
    return address - base < reservedBytes && base != 0;
  }

  /// Says where [address, address + size) lies in relation to allocations.
  std::string describe(uint64_t address, uint64_t size) const;

  /// Makes the device's memory accessible for the lifetime of the object.
  class Access {
  public:
    Access() { DeviceMemory::get().open(); }
    ~Access() { DeviceMemory::get().close(); }
    Access(const Access &) = delete;
    Access &operator=(const Access &) = delete;
  };

  /// Makes it inaccessible again inside an Access: host functions of a stream.
  class Hidden {
  public:
    Hidden() : depth(DeviceMemory::get().hide()) {}
    ~Hidden() { DeviceMemory::get().unhide(depth); }
    Hidden(const Hidden &) = delete;
    Hidden &operator=(const Hidden &) = delete;

  private:
    unsigned depth;
  };

  uint64_t totalBytes() const { return total; }
  uint64_t freeBytes() const { return total - liveBytes; }

  /// The pool is gone; its allocations stay without one.
  void forgetPool(CUmemPoolHandle_st *pool);

  /// Pinned host memory.
  void *allocateHost(uint64_t size);
  bool releaseHost(void *pointer);
  bool registerHost(void *pointer, uint64_t size);
  bool unregisterHost(void *pointer);
  bool isPinned(const void *pointer, uint64_t size) const;

private:
  void open();
  void close();
  unsigned hide();
  void unhide(unsigned depth);

  uint64_t base = 0;
  uint64_t reservedBytes = 0;
  uint64_t top = 0;
  uint64_t total = 0;
  uint64_t liveBytes = 0;
  uint64_t count = 0;
  unsigned depth = 0;
  std::map<uint64_t, Allocation> allocations;
  /// Base to {size, allocated here}.
  std::map<uint64_t, std::pair<uint64_t, bool>> pinned;
};

} // namespace amp::emulator

#endif // AMP_EMULATOR_MEMORY_H
