//===- PopulatePatterns.h - Pattern families of AMPToLinalg -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_AMPTOLINALG_POPULATEPATTERNS_H
#define AMP_LIB_CONVERSION_AMPTOLINALG_POPULATEPATTERNS_H

#include "amp/Conversion/Utils/LinalgBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::amp::amptolinalg {

/// Replaces the casts of most of a buffer's slices by slices of one cast.
void hoistCastsOverSlices(Operation *root);

/// Moves widening casts below the collapsing reshapes that read them.
void sinkWideningCasts(Operation *root);

/// Casts, and arith and math on tensors.
void populateElementwisePatterns(RewritePatternSet &patterns);
/// What is computed over all gradients, unscaling and clipping.
void populateGradientPatterns(RewritePatternSet &patterns);
/// The guarded update and the scaler's own state.
void populateUpdatePatterns(RewritePatternSet &patterns);

} // namespace mlir::amp::amptolinalg

#endif // AMP_LIB_CONVERSION_AMPTOLINALG_POPULATEPATTERNS_H
