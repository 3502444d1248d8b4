//===- Random.cpp - Random numbers that are the same everywhere ---*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SplitMix64's finaliser over a counter, and unbiased bounded draws.
//
//===----------------------------------------------------------------------===//

#include "amp/TrainingData/Random.h"

using namespace mlir::amp;

static constexpr uint64_t goldenGamma = 0x9e3779b97f4a7c15;

static uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

// The gamma keeps stream 0 of seed s from being stream s of seed 0.
RandomStream::RandomStream(uint64_t seed, uint64_t stream, uint64_t draws)
    : key(mix(seed) ^ mix(stream + goldenGamma)), draws(draws) {}

uint64_t RandomStream::next() { return mix(key + ++draws * goldenGamma); }

uint64_t RandomStream::nextBelow(uint64_t bound) {
  // 2^64 mod bound: products whose low half is below it would make the smallest
  // results one more time likely.
  uint64_t threshold = -bound % bound;
  while (true) {
    __uint128_t product = static_cast<__uint128_t>(next()) * bound;
    if (static_cast<uint64_t>(product) >= threshold)
      return static_cast<uint64_t>(product >> 64);
  }
}

double RandomStream::nextUnit() {
  return static_cast<double>(next() >> 11) * 0x1p-53;
}
