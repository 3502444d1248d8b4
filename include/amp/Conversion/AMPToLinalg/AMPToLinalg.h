//===- AMPToLinalg.h - Precision ops to linalg -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_AMPTOLINALG_AMPTOLINALG_H
#define AMP_CONVERSION_AMPTOLINALG_AMPTOLINALG_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::amp {

/// Patterns from casts, loss scaling and the guarded update to linalg on static
/// shapes, and from elementwise arith and math ops on tensors.
void populateAMPToLinalgPatterns(RewritePatternSet &patterns);

} // namespace mlir::amp

#endif // AMP_CONVERSION_AMPTOLINALG_AMPTOLINALG_H
