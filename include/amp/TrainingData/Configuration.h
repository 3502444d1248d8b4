//===- Configuration.h - What must be equal to resume ----------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a run that a checkpoint is only valid for, and the comparison
// that names what differs.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TRAININGDATA_CONFIGURATION_H
#define AMP_TRAININGDATA_CONFIGURATION_H

#include "amp/Support/HostTensor.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace mlir::amp {

/// The five precisions that determine results. A value with several (a bf16 and
/// an f32 contraction) lists them, sorted and joined by '+'.
struct NumericsFingerprint {
  std::string input, weight, output, accumulator, optimizer;
};

/// What a run computes with. Two runs of equal configuration, state, data and
/// environment compute the same bits.
struct TrainingConfiguration {
  std::string policy, policyHash;
  NumericsFingerprint numerics;
  /// Hash over the types and contract of every contraction, in order.
  std::string numericsHash;
  /// The module's parity mode, `none` without one.
  std::string parity;
  /// Hash of the model's text.
  std::string modelHash;
  /// `sgd`, `adam`, `adamw`, and its constants by name (`lr`, `beta1`, `clip`,
  /// ...).
  std::string optimizer;
  std::map<std::string, double> optimizerConstants;
  /// `none`, `static` or `dynamic`, and its constants (`init`, `growth_factor`,
  /// ...).
  std::string scaler;
  std::map<std::string, double> scalerConstants;
  /// Hash of the training data, and what shapes the batches: `batch`,
  /// `micro_batch`, `drop_last`, `rows`.
  std::string dataHash;
  std::map<std::string, double> data;
};

llvm::json::Value toJSON(const TrainingConfiguration &configuration);
/// The error names the member that is missing or of another kind.
llvm::Expected<TrainingConfiguration>
parseConfiguration(const llvm::json::Value &value);

/// One line for each field that differs between this run and a checkpoint:
/// "precision: checkpoint has policy 'cpu-f16', this run has 'cpu-bf16'".
std::vector<std::string>
compareConfiguration(const TrainingConfiguration &expected,
                     const TrainingConfiguration &found);

/// An error that lists the differences, success without any.
llvm::Error checkConfiguration(const TrainingConfiguration &expected,
                               const TrainingConfiguration &found,
                               StringRef path);

} // namespace mlir::amp

#endif // AMP_TRAININGDATA_CONFIGURATION_H
