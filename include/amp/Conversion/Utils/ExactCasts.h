//===- ExactCasts.h - Casts that round once --------------------- -*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Casts between scalars that targets lack or do with two roundings.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_UTILS_EXACTCASTS_H
#define AMP_CONVERSION_UTILS_EXACTCASTS_H

namespace mlir {
class RewritePatternSet;

namespace amp {

/// Patterns: f64 to a type narrower than f32, by way of f32 rounded to odd;
/// integers to bf16, by way of a type that holds them.
void populateExactCastPatterns(RewritePatternSet &patterns);

} // namespace amp
} // namespace mlir

#endif // AMP_CONVERSION_UTILS_EXACTCASTS_H
