//===- Evaluation.h - Loss and accuracy on held-out data -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_TRAINING_EVALUATION_H
#define AMP_LIB_TRAINING_EVALUATION_H

#include "amp/Training/Program.h"
#include "amp/TrainingData/Dataset.h"

namespace mlir::amp::training {

struct Evaluation {
  /// The mean over batches, weighted by rows.
  double loss = 0;
  /// Share of rows whose largest logit is the target; none without classes.
  std::optional<double> accuracy;
};

/// Runs `forward` on all rows, `batch` at a time.
llvm::Expected<Evaluation> evaluate(Program &program, StateStore &store,
                                    const Dataset &data, int64_t batch);

/// The rows of each field, in order.
std::vector<HostTensor> gatherBatch(const Dataset &data,
                                    ArrayRef<int64_t> rows);

} // namespace mlir::amp::training

#endif // AMP_LIB_TRAINING_EVALUATION_H
