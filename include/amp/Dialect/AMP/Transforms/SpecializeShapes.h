//===- SpecializeShapes.h - Static shapes from arguments -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forward propagation of -amp-specialize-shapes, for callers that know the
// type of every argument.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_TRANSFORMS_SPECIALIZESHAPES_H
#define AMP_DIALECT_AMP_TRANSFORMS_SPECIALIZESHAPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::amp {

/// Gives every value of `function` the static type that follows from the types
/// of its entry block's arguments, which must be static, and updates the
/// function's type. Fails after a diagnostic at the op whose results stay
/// dynamic.
LogicalResult propagateStaticShapes(func::FuncOp function);

} // namespace mlir::amp

#endif // AMP_DIALECT_AMP_TRANSFORMS_SPECIALIZESHAPES_H
