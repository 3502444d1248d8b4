//===- EpochSampler.h - The order of rows in training ----------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seeded shuffling epoch by epoch, cut into batches, with a cursor that
// checkpoints hold; and the split of rows into micro-batches.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TRAININGDATA_EPOCHSAMPLER_H
#define AMP_TRAININGDATA_EPOCHSAMPLER_H

#include "amp/Support/HostTensor.h"

namespace mlir::amp {

/// Where a run is in its data. With the number of rows and the options of the
/// sampler it determines every batch to come.
struct SamplerCursor {
  uint64_t seed = 0;
  int64_t epoch = 0;
  /// Rows of the epoch that were handed out.
  int64_t position = 0;

  bool operator==(const SamplerCursor &other) const {
    return seed == other.seed && epoch == other.epoch &&
           position == other.position;
  }
};

struct SamplerOptions {
  int64_t batch = 1;
  /// Leaves out the rows that do not fill a batch; else they are a short one.
  bool dropLast = true;
  bool shuffle = true;
};

/// The permutation of epoch `epoch`: Fisher-Yates from the last row to the
/// second, row i swapped with row nextBelow(i + 1), by the stream (seed, epoch)
/// of RandomStream. It depends on nothing else.
std::vector<int64_t> getEpochPermutation(uint64_t seed, int64_t epoch,
                                         int64_t rows);

/// Hands out batches of row indices, epoch after epoch, without end.
class EpochSampler {
public:
  /// The error names an option or a cursor that does not fit the data.
  static llvm::Expected<EpochSampler>
  create(int64_t rows, SamplerOptions options, SamplerCursor cursor);

  /// The rows of the next batch, valid until the next call.
  ArrayRef<int64_t> next();

  /// What `create` takes to continue with the batch that `next` returns next.
  const SamplerCursor &getCursor() const { return cursor; }
  int64_t getBatchesPerEpoch() const;

private:
  EpochSampler(int64_t rows, SamplerOptions options, SamplerCursor cursor);
  /// Whether the epoch has no further batch.
  bool isExhausted() const;

  int64_t rows;
  SamplerOptions options;
  SamplerCursor cursor;
  std::vector<int64_t> order, current;
};

/// Rows [begin, end) of a batch or of a data set.
struct RowRange {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

/// Cuts `rows` rows into ranges of `part`; the last one may be shorter.
SmallVector<RowRange> splitRows(int64_t rows, int64_t part);

} // namespace mlir::amp

#endif // AMP_TRAININGDATA_EPOCHSAMPLER_H
