//===- EpochSampler.cpp - The order of rows in training --------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The permutation of an epoch is made again from seed and number when a run
// resumes.
//
//===----------------------------------------------------------------------===//

#include "amp/TrainingData/EpochSampler.h"
#include "amp/TrainingData/Random.h"
#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace mlir::amp;

std::vector<int64_t> amp::getEpochPermutation(uint64_t seed, int64_t epoch,
                                              int64_t rows) {
  std::vector<int64_t> order(rows);
  std::iota(order.begin(), order.end(), 0);
  RandomStream random(seed, epoch);
  for (int64_t i = rows - 1; i > 0; --i)
    std::swap(order[i], order[random.nextBelow(i + 1)]);
  return order;
}

llvm::Expected<EpochSampler> EpochSampler::create(int64_t rows,
                                                  SamplerOptions options,
                                                  SamplerCursor cursor) {
  if (options.batch < 1)
    return makeError("expects a batch of at least one row, but got " +
                     llvm::Twine(options.batch));
  if (rows < 1)
    return makeError("expects data with at least one row, but got none");
  if (options.dropLast && rows < options.batch)
    return makeError("expects at least one batch of " +
                     llvm::Twine(options.batch) + " rows, but the data has " +
                     llvm::Twine(rows) + ": use a smaller batch");
  if (cursor.epoch < 0 || cursor.position < 0 || cursor.position > rows)
    return makeError("expects a data cursor within " + llvm::Twine(rows) +
                     " rows, but got epoch " + llvm::Twine(cursor.epoch) +
                     ", position " + llvm::Twine(cursor.position) +
                     ": is this the data of the checkpoint?");
  return EpochSampler(rows, options, cursor);
}

EpochSampler::EpochSampler(int64_t rows, SamplerOptions options,
                           SamplerCursor cursor)
    : rows(rows), options(options), cursor(cursor) {
  if (isExhausted()) {
    ++this->cursor.epoch;
    this->cursor.position = 0;
  }
}

bool EpochSampler::isExhausted() const {
  int64_t left = rows - cursor.position;
  return options.dropLast ? left < options.batch : left == 0;
}

int64_t EpochSampler::getBatchesPerEpoch() const {
  return options.dropLast ? rows / options.batch
                          : (rows + options.batch - 1) / options.batch;
}

ArrayRef<int64_t> EpochSampler::next() {
  if (order.empty()) {
    order = getEpochPermutation(cursor.seed, cursor.epoch,
                                options.shuffle ? rows : 0);
    if (!options.shuffle) {
      order.resize(rows);
      std::iota(order.begin(), order.end(), 0);
    }
  }
  int64_t size = std::min(options.batch, rows - cursor.position);
  auto begin = order.begin() + cursor.position;
  current.assign(begin, begin + size);
  cursor.position += size;
  if (isExhausted()) {
    ++cursor.epoch;
    cursor.position = 0;
    order.clear();
  }
  return current;
}

SmallVector<RowRange> amp::splitRows(int64_t rows, int64_t part) {
  SmallVector<RowRange> ranges;
  for (int64_t begin = 0; begin < rows; begin += part)
    ranges.push_back({begin, std::min(begin + part, rows)});
  return ranges;
}
