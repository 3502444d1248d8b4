//===- SharedMemory.cpp - Shared memory of a block, with its shadow -------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The race, bounds and initialisation checks.
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"
#include "Fault.h"

#include <cstring>

using namespace amp::emulator;

alignas(1024) static char arena[kSharedArena];

char *SharedMemory::bytes() { return arena; }

void SharedMemory::beginLaunch(const KernelCode &code, uint32_t dynamic) {
  kernel = &code;
  dynamicBytes = dynamic;
  used = 0;
  for (const SharedVariable &variable : code.shared)
    used = std::max(used, variable.offset +
                              (variable.dynamic ? dynamic : variable.bytes));
  memset(shadow, 0, sizeof(Shadow) * used);
  memset(warpEpoch, 0, sizeof(warpEpoch));
  epoch = 0;
}

void SharedMemory::beginBlock() {
  if (!used)
    return;
  blockEpoch = ++epoch;
  memset(arena, 0xff, used);
}

std::string SharedMemory::at(uint64_t offset) const {
  for (const SharedVariable &variable : kernel->shared) {
    uint64_t size = variable.dynamic ? dynamicBytes : variable.bytes;
    if (offset >= variable.offset && offset < variable.offset + size)
      return format("byte %llu of '%s'",
                    (unsigned long long)(offset - variable.offset),
                    variable.name.c_str());
  }
  return format("byte %llu of shared memory", (unsigned long long)offset);
}

std::string SharedMemory::bounds(uint64_t offset, uint64_t size) const {
  const SharedVariable *below = nullptr;
  for (const SharedVariable &variable : kernel->shared) {
    uint64_t bytes = variable.dynamic ? dynamicBytes : variable.bytes;
    if (offset >= variable.offset && offset + size <= variable.offset + bytes)
      return "";
    if (offset >= variable.offset &&
        (!below || variable.offset > below->offset))
      below = &variable;
  }
  if (!below)
    return "is outside of shared memory";
  return format(
      "is out of bounds: offset %llu of '%s' (%llu bytes of shared memory)",
      (unsigned long long)(offset - below->offset), below->name.c_str(),
      (unsigned long long)(below->dynamic ? dynamicBytes : below->bytes));
}

/// Whether a meeting of the warp lies between the other lane's access and now.
bool SharedMemory::ordered(uint16_t other, uint32_t otherWarpEpoch,
                           uint32_t lane) const {
  if (other == kManyReaders)
    return false;
  unsigned warp = other & kWarpReaders ? other & ~kWarpReaders : other / 32u;
  return warp == lane / 32 && otherWarpEpoch < warpEpoch[warp];
}

std::string SharedMemory::read(uint64_t address, uint64_t size, uint32_t lane) {
  uint64_t offset = address - reinterpret_cast<uint64_t>(arena);
  std::string error = bounds(offset, size);
  if (!error.empty())
    return error;
  for (uint64_t i = offset; i != offset + size; ++i) {
    Shadow &byte = shadow[i];
    if (byte.writeEpoch < blockEpoch)
      return "reads " + at(i) + ", which nothing has written in this block";
    if (byte.writeEpoch == epoch && byte.writer != lane &&
        !ordered(byte.writer, byte.writeWarpEpoch, lane))
      return format("races with thread %u, which wrote %s since the last "
                    "barrier",
                    byte.writer, at(i).c_str());
    if (byte.readEpoch != epoch) {
      byte.readEpoch = epoch;
      byte.reader = lane;
    } else if (byte.reader != lane && byte.reader != kManyReaders) {
      unsigned warp = byte.reader & kWarpReaders ? byte.reader & ~kWarpReaders
                                                 : byte.reader / 32u;
      byte.reader =
          warp == lane / 32 ? uint16_t(kWarpReaders | warp) : kManyReaders;
    }
    byte.readWarpEpoch = warpEpoch[lane / 32];
  }
  return "";
}

std::string SharedMemory::write(uint64_t address, uint64_t size, uint32_t lane,
                                const void *value) {
  uint64_t offset = address - reinterpret_cast<uint64_t>(arena);
  std::string error = bounds(offset, size);
  if (!error.empty())
    return error;
  for (uint64_t i = offset; i != offset + size; ++i) {
    Shadow &byte = shadow[i];
    bool written = byte.writeEpoch >= blockEpoch;
    bool same = value && written &&
                static_cast<const char *>(value)[i - offset] == arena[i];
    if (same)
      continue;
    if (byte.writeEpoch == epoch && byte.writer != lane &&
        !ordered(byte.writer, byte.writeWarpEpoch, lane))
      return format("races with thread %u, which wrote another value to %s "
                    "since the last barrier",
                    byte.writer, at(i).c_str());
    if (byte.readEpoch == epoch && byte.reader != lane &&
        !ordered(byte.reader, byte.readWarpEpoch, lane))
      return format("races with %s, which read %s since the last barrier",
                    byte.reader & kWarpReaders
                        ? "other threads"
                        : format("thread %u", byte.reader).c_str(),
                    at(i).c_str());
    byte.writeEpoch = epoch;
    byte.writer = lane;
    byte.writeWarpEpoch = warpEpoch[lane / 32];
  }
  return "";
}
