//===- NNToLinalg.h - Tensor graphs to linalg -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_NNTOLINALG_NNTOLINALG_H
#define AMP_CONVERSION_NNTOLINALG_NNTOLINALG_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::amp {

/// Patterns from every op of `nn` to linalg on static
/// shapes, with the numerics written out in the regions.
void populateNNToLinalgPatterns(RewritePatternSet &patterns);

} // namespace mlir::amp

#endif // AMP_CONVERSION_NNTOLINALG_NNTOLINALG_H
