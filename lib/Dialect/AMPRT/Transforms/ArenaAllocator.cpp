//===- ArenaAllocator.cpp - Offsets in one arena ----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArenaAllocator.h"

#include "llvm/Support/MathExtras.h"
#include <cassert>
#include <map>
#include <queue>
#include <set>

using namespace mlir::amprt;

namespace {
/// The free gaps below the arena's end, by offset and by size. Neighbouring
/// gaps are merged.
class FreeList {
public:
  /// Takes the smallest gap that fits (the lowest of equals), else grows.
  int64_t take(int64_t bytes) {
    auto fit = bySize.lower_bound({bytes, -1});
    if (fit != bySize.end()) {
      auto [size, offset] = *fit;
      erase(offset, size);
      if (size > bytes)
        insert(offset + bytes, size - bytes);
      return offset;
    }
    // A gap at the end is extended rather than skipped.
    int64_t offset = end;
    if (!byOffset.empty()) {
      auto [lastOffset, lastSize] = *byOffset.rbegin();
      if (lastOffset + lastSize == end) {
        erase(lastOffset, lastSize);
        offset = lastOffset;
      }
    }
    end = offset + bytes;
    return offset;
  }

  void give(int64_t offset, int64_t bytes) {
    auto next = byOffset.lower_bound(offset);
    if (next != byOffset.end() && next->first == offset + bytes) {
      auto [nextOffset, nextSize] = *next;
      erase(nextOffset, nextSize);
      bytes += nextSize;
    }
    auto after = byOffset.lower_bound(offset);
    if (after != byOffset.begin()) {
      auto [previousOffset, previousSize] = *std::prev(after);
      if (previousOffset + previousSize == offset) {
        erase(previousOffset, previousSize);
        offset = previousOffset;
        bytes += previousSize;
      }
    }
    insert(offset, bytes);
  }

  int64_t getEnd() const { return end; }

private:
  void insert(int64_t offset, int64_t size) {
    byOffset.emplace(offset, size);
    bySize.insert({size, offset});
  }
  void erase(int64_t offset, int64_t size) {
    byOffset.erase(offset);
    bySize.erase({size, offset});
  }

  std::map<int64_t, int64_t> byOffset;
  std::set<std::pair<int64_t, int64_t>> bySize;
  int64_t end = 0;
};
} // namespace

ArenaSize mlir::amprt::allocateArena(llvm::MutableArrayRef<ArenaBlock> blocks,
                                     int64_t alignment) {
  using Expiry = std::pair<int64_t, size_t>; // last position, block
  std::priority_queue<Expiry, std::vector<Expiry>, std::greater<Expiry>> alive;
  FreeList free;
  ArenaSize size;
  int64_t live = 0;
  auto padded = [&](const ArenaBlock &block) {
    return static_cast<int64_t>(
        llvm::alignTo(std::max<int64_t>(block.bytes, 1), alignment));
  };
  for (auto [index, block] : llvm::enumerate(blocks)) {
    assert((index == 0 || blocks[index - 1].first <= block.first) &&
           "expects blocks sorted by their start");
    // A block that is read at this position must survive it.
    while (!alive.empty() && alive.top().first < block.first) {
      ArenaBlock &dead = blocks[alive.top().second];
      alive.pop();
      free.give(dead.offset, padded(dead));
      live -= padded(dead);
    }
    block.offset = free.take(padded(block));
    alive.push({block.last, index});
    live += padded(block);
    size.peak = std::max(size.peak, live);
  }
  size.bytes = free.getEnd();
  return size;
}
