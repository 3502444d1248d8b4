//===- Kernel.h - A kernel compiled for the host ----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the code generator of the emulator hands to its executor, and the
// layout both agree on.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_KERNEL_H
#define AMP_EMULATOR_KERNEL_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace amp::emulator {

/// What special registers read; one global, `amp_emulator_lane`, that the
/// executor sets before it runs a lane. The order is the one of the fields in
/// `LaneRegister`.
struct LaneState {
  uint32_t tid[3], ntid[3], ctaid[3], nctaid[3];
  uint32_t lane, warp, warps, dynamicShared;
};

/// Index of a 32-bit word of LaneState.
enum LaneRegister : unsigned {
  kTid = 0,
  kNtid = 3,
  kCtaid = 6,
  kNctaid = 9,
  kLane = 12,
  kWarp = 13,
  kWarps = 14,
  kDynamicShared = 15,
  kLaneWords = 16
};

/// One access or synchronisation of a kernel's code: the place in its cache of
/// the last allocation, and what it is, for messages.
struct Site {
  /// An access at `lo + x` with x <= span needs no look-up.
  uint64_t lo;
  uint64_t span;
};

/// A variable in shared memory.
struct SharedVariable {
  std::string name;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  /// The size comes from the launch.
  bool dynamic = false;
};

/// A variable of the module in global or constant memory.
struct GlobalVariable {
  uint64_t address = 0;
  uint64_t bytes = 0;
};

struct Parameter {
  uint64_t bytes = 0;
  uint64_t alignment = 1;
};

struct KernelCode {
  std::string name;
  void (*entry)(void **parameters) = nullptr;
  /// Some lane may wait for another one.
  bool synchronises = false;
  std::vector<Parameter> parameters;
  std::vector<SharedVariable> shared;
  std::vector<GlobalVariable> globals;
  uint64_t staticShared = 0;
  /// Upper bounds, and exact values, of the block's dimensions; 0 is none.
  std::array<uint32_t, 3> maxThreads = {0, 0, 0};
  std::array<uint32_t, 3> requiredThreads = {0, 0, 0};
  Site *sites = nullptr;
  std::vector<std::string> siteText;
};

/// Bytes of the shared arena: the most a block may have, and the space between
/// variables.
constexpr uint64_t kSharedArena = 1 << 18;
/// Space between two variables in shared memory.
constexpr uint64_t kSharedGap = 128;

} // namespace amp::emulator

#endif // AMP_EMULATOR_KERNEL_H
