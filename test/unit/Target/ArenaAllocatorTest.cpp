//===- ArenaAllocatorTest.cpp - Placement in one arena ----------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArenaAllocator.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <random>
#include <vector>

using namespace mlir::amprt;

namespace {
/// A chain needs two places, whatever its length.
TEST(ArenaAllocator, ChainReuses) {
  std::vector<ArenaBlock> blocks;
  for (int64_t i = 0; i < 1000; ++i)
    blocks.push_back({1000, i, i + 1, 0});
  ArenaSize size = allocateArena(blocks);
  EXPECT_EQ(size.bytes, 2 * 1024);
  EXPECT_EQ(size.peak, 2 * 1024);
  for (int64_t i = 0; i < 1000; ++i)
    EXPECT_EQ(blocks[i].offset, i % 2 * 1024);
}

/// Gaps that lie side by side serve a larger block.
TEST(ArenaAllocator, MergesNeighbours) {
  std::vector<ArenaBlock> blocks{
      {64, 0, 1, 0}, {64, 0, 1, 0}, {64, 0, 9, 0}, {128, 2, 3, 0}};
  ArenaSize size = allocateArena(blocks);
  EXPECT_EQ(blocks[3].offset, 0);
  EXPECT_EQ(size.bytes, 192);
}

/// The last gap is extended instead of skipped.
TEST(ArenaAllocator, ExtendsLastGap) {
  std::vector<ArenaBlock> blocks{{64, 0, 9, 0}, {64, 0, 1, 0}, {256, 2, 3, 0}};
  ArenaSize size = allocateArena(blocks);
  EXPECT_EQ(blocks[2].offset, 64);
  EXPECT_EQ(size.bytes, 320);
}

/// Random lifetimes: nothing that is alive at one time overlaps, offsets are
/// aligned, the size is at least the peak, and a second run gives the same.
TEST(ArenaAllocator, RandomLifetimes) {
  std::mt19937 rng(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<ArenaBlock> blocks;
    for (int i = 0; i < 200; ++i) {
      int64_t first = rng() % 100;
      blocks.push_back({static_cast<int64_t>(rng() % 5000), first,
                        first + static_cast<int64_t>(rng() % 20), 0});
    }
    std::stable_sort(blocks.begin(), blocks.end(),
                     [](const ArenaBlock &a, const ArenaBlock &b) {
                       return a.first < b.first;
                     });
    std::vector<ArenaBlock> again = blocks;
    ArenaSize size = allocateArena(blocks);
    EXPECT_GE(size.bytes, size.peak);
    for (size_t i = 0; i < blocks.size(); ++i) {
      const ArenaBlock &a = blocks[i];
      EXPECT_EQ(a.offset % 64, 0);
      EXPECT_LE(a.offset + a.bytes, size.bytes);
      for (size_t j = 0; j < i; ++j) {
        const ArenaBlock &b = blocks[j];
        bool together = a.first <= b.last && b.first <= a.last;
        bool apart = a.offset + a.bytes <= b.offset ||
                     b.offset + b.bytes <= a.offset || !a.bytes || !b.bytes;
        ASSERT_TRUE(!together || apart) << i << " " << j;
      }
    }
    allocateArena(again);
    for (size_t i = 0; i < blocks.size(); ++i)
      EXPECT_EQ(blocks[i].offset, again[i].offset);
  }
}
} // namespace
