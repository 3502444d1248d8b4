//===- WindowedLossModels.h - Denominators of losses -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_TRANSFORMS_WINDOWEDLOSSMODELS_H
#define AMP_DIALECT_AMP_TRANSFORMS_WINDOWEDLOSSMODELS_H

namespace mlir {
class DialectRegistry;
namespace amp {
/// Attaches WindowedLossOpInterface to the losses of the nn dialect.
void registerNNWindowedLossModels(DialectRegistry &registry);
} // namespace amp
} // namespace mlir

#endif // AMP_DIALECT_AMP_TRANSFORMS_WINDOWEDLOSSMODELS_H
