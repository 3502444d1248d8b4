//===- VJPModels.h - Registration of the derivative rules -------*- C++ -*-===//
//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_NN_TRANSFORMS_VJPMODELS_H
#define AMP_DIALECT_NN_TRANSFORMS_VJPMODELS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::nn {

/// Attaches `amp::VJPOpInterface` to every forward op of `nn` and to
/// `amp.cast`. Without it the ops have no derivative and `-nn-autodiff` says
/// so.
void registerNNVJPModels(DialectRegistry &registry);

} // namespace mlir::nn

#endif // AMP_DIALECT_NN_TRANSFORMS_VJPMODELS_H
