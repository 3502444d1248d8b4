//===- SharedMemory.h - Shared memory of a block, with its shadow -*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes of shared memory, and for each who touched it last since the last
// barrier: two lanes at one byte, one of them writing, are a race. A store of
// the value that is there already is none.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_SHAREDMEMORY_H
#define AMP_EMULATOR_SHAREDMEMORY_H

#include "Kernel.h"

namespace amp::emulator {

class SharedMemory {
public:
  /// Starts a launch.
  void beginLaunch(const KernelCode &kernel, uint32_t dynamicBytes);
  /// Starts a block: contents are undefined (0xff) from here.
  void beginBlock();
  /// All lanes of the block have met.
  void barrier() { ++epoch; }
  /// All lanes of a warp have met, with memory ordered between them.
  void warpBarrier(unsigned warp) { ++warpEpoch[warp]; }

  /// Checks a read; an empty string, or what is wrong.
  std::string read(uint64_t address, uint64_t bytes, uint32_t lane);
  /// Checks a store of the bytes at `value` (null: not known).
  std::string write(uint64_t address, uint64_t bytes, uint32_t lane,
                    const void *value);

  bool owns(uint64_t address) const {
    return address - reinterpret_cast<uint64_t>(bytes()) < kSharedArena;
  }

  static char *bytes();

private:
  struct Shadow {
    uint32_t writeEpoch, writeWarpEpoch, readEpoch, readWarpEpoch;
    uint16_t writer, reader;
  };
  /// More than one reader: all of one warp, or of several.
  static constexpr uint16_t kWarpReaders = 0x8000, kManyReaders = 0xffff;

  std::string bounds(uint64_t offset, uint64_t size) const;
  std::string at(uint64_t offset) const;
  bool ordered(uint16_t other, uint32_t otherWarpEpoch, uint32_t lane) const;

  const KernelCode *kernel = nullptr;
  uint32_t dynamicBytes = 0;
  uint64_t used = 0;
  uint32_t epoch = 0, blockEpoch = 0;
  uint32_t warpEpoch[32] = {};
  Shadow shadow[kSharedArena] = {};
};

} // namespace amp::emulator

#endif // AMP_EMULATOR_SHAREDMEMORY_H
