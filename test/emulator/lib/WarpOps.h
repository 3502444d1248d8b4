//===- WarpOps.h - What the lanes of a warp do together ---------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests of waiting lanes, and their completion once every lane that a mask
// names has arrived.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_WARPOPS_H
#define AMP_EMULATOR_WARPOPS_H

#include "Fiber.h"

#include <string>

namespace amp::emulator {

enum class OpKind : uint32_t { Shuffle, Vote, Reduce, WarpBarrier, Barrier };

/// Modes. Compiled kernels pass them as numbers.
enum ShuffleMode : uint32_t { kUp, kDown, kButterfly, kIndex };
enum VoteMode : uint32_t { kAll, kAny, kUniform, kBallot };
enum ReduceMode : uint32_t {
  kAdd,
  kMinSigned,
  kMaxSigned,
  kMinUnsigned,
  kMaxUnsigned,
  kAnd,
  kOr,
  kXor
};
enum BarrierMode : uint32_t {
  kAligned = 0,
  kUnaligned = 1,
  kReducePopc = 2,
  kReduceAnd = 3,
  kReduceOr = 4
};

/// What a lane waits for. For a barrier `mask` is its number, `b` the number
/// of threads (0: all), `value` the predicate of a reduction.
struct Request {
  OpKind kind = OpKind::Barrier;
  uint32_t mode = 0;
  uint32_t mask = 0;
  uint32_t value = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  uint32_t site = 0;

  /// Whether both complete together.
  bool meets(const Request &other) const {
    return kind == other.kind && mode == other.mode && mask == other.mask &&
           (kind != OpKind::Barrier || b == other.b);
  }
};

enum class LaneStatus : uint32_t { Ready, Waiting, Done };

struct Lane {
  Context context;
  LaneStatus state = LaneStatus::Done;
  Request request;
  uint64_t answer = 0;
};

enum class WarpResult {
  /// No operation of the warp is complete.
  Nothing,
  /// Lanes are ready again.
  Progress,
  /// The same, and their accesses to shared memory are ordered.
  Ordered,
  Fault
};

const char *opName(const Request &request);

/// Completes what the lanes of a warp have all arrived at. On a fault `error`
/// says what lane `culprit` did.
WarpResult resolveWarp(Lane *lanes, uint32_t count, std::string &error,
                       uint32_t &culprit);

} // namespace amp::emulator

#endif // AMP_EMULATOR_WARPOPS_H
