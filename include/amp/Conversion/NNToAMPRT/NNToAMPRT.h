//===- NNToAMPRT.h - Contractions to runtime calls -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_NNTOAMPRT_NNTOAMPRT_H
#define AMP_CONVERSION_NNTOAMPRT_NNTOAMPRT_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::amp {

/// Patterns from the contractions of `nn` to `amprt.gemm`, on static shapes.
void populateNNToAMPRTPatterns(RewritePatternSet &patterns);

} // namespace mlir::amp

#endif // AMP_CONVERSION_NNTOAMPRT_NNTOAMPRT_H
