//===- Random.h - Random numbers that are the same everywhere ---*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one generator of training: shuffling and initial parameters. Nothing here
// depends on the standard library's distributions, whose results are not
// specified.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TRAININGDATA_RANDOM_H
#define AMP_TRAININGDATA_RANDOM_H

#include <cstdint>

namespace mlir::amp {

/// A counter-based generator. Draw k of the stream (seed, stream) is
///   mix(mix(seed) ^ mix(stream + G) + (k + 1) * G)   (mod 2^64)
/// with G = 0x9e3779b97f4a7c15 and mix the finaliser of SplitMix64. The state
/// is the number of draws, so a stream is resumed at any point without
/// replaying it.
class RandomStream {
public:
  RandomStream(uint64_t seed, uint64_t stream, uint64_t draws = 0);

  /// The next 64 random bits.
  uint64_t next();
  /// A number in [0, bound), each equally likely: the high half of a 64x64-bit
  /// product, redrawn where the low half falls into the biased remainder.
  /// `bound` is positive.
  uint64_t nextBelow(uint64_t bound);
  /// A multiple of 2^-53 in [0, 1).
  double nextUnit();

  /// How many draws of 64 bits were taken.
  uint64_t getDraws() const { return draws; }

private:
  uint64_t key, draws;
};

} // namespace mlir::amp

#endif // AMP_TRAININGDATA_RANDOM_H
