//===- TrainStepOptions.h - Choices of a training step -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The enumerated options of -amp-build-train-step.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_TRANSFORMS_TRAINSTEPOPTIONS_H
#define AMP_DIALECT_AMP_TRANSFORMS_TRAINSTEPOPTIONS_H

namespace mlir::amp {

/// Which update rule, as PyTorch defines it.
enum class OptimizerKind { sgd, adam, adamw };

/// Whether and how the loss is scaled.
enum class LossScaleKind { none, fixed, dynamic };

/// Which step functions are made: a window of one micro-batch, or of several.
enum class WindowKind { single, accumulate, both };

/// How micro-batches of a window are weighted: by what their loss counts, where
/// it says so, or always by rows (as recorded PyTorch runs do).
enum class WindowWeighting { counted, rows };

} // namespace mlir::amp

#endif // AMP_DIALECT_AMP_TRANSFORMS_TRAINSTEPOPTIONS_H
