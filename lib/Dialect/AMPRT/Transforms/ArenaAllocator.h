//===- ArenaAllocator.h - Offsets in one arena ------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Best-fit placement of blocks whose lifetimes are known, in order of their
// start. Pure data, no IR.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMPRT_TRANSFORMS_ARENAALLOCATOR_H
#define AMP_LIB_DIALECT_AMPRT_TRANSFORMS_ARENAALLOCATOR_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace mlir::amprt {

/// A block of an arena: alive from position `first` to position `last`, both
/// included.
struct ArenaBlock {
  int64_t bytes = 0;
  int64_t first = 0;
  int64_t last = 0;
  /// Filled by allocateArena.
  int64_t offset = 0;
};

struct ArenaSize {
  /// Size of the arena.
  int64_t bytes = 0;
  /// Most bytes alive at one position: the lower bound of any arena.
  int64_t peak = 0;
};

/// Places `blocks` (sorted by `first`) such that two that are alive at one
/// position do not overlap. O(n log n), and the same for the same input.
ArenaSize allocateArena(llvm::MutableArrayRef<ArenaBlock> blocks,
                        int64_t alignment = 64);

} // namespace mlir::amprt

#endif // AMP_LIB_DIALECT_AMPRT_TRANSFORMS_ARENAALLOCATOR_H
