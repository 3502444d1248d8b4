//===- AutodiffRequest.h - What is to be differentiated ---------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks and choices before the sweep: the options of `-nn-autodiff`
// resolved against one function. Private to the library.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_NN_TRANSFORMS_AUTODIFFREQUEST_H
#define AMP_LIB_DIALECT_NN_TRANSFORMS_AUTODIFFREQUEST_H

#include "amp/Dialect/NN/Transforms/Autodiff.h"

namespace mlir::nn {

/// Whether a value of this type can carry a cotangent.
bool isFloating(Type type);

/// Whether a function can take or return a cotangent of this type.
bool isFloatingTensor(Type type);

/// The name of an argument or result in attributes and diagnostics: its
/// `amp.name`, or one made of its position.
std::string getArgumentName(func::FuncOp function, unsigned index);
std::string getResultName(func::FuncOp function, unsigned index);

/// Which arguments want a gradient, and which results are given a cotangent.
struct AutodiffRequest {
  SmallVector<unsigned> wanted, seeded;
};

/// Resolves `options`. Fails with a diagnostic where `function` has a form, a
/// loss or arguments that cannot be differentiated.
FailureOr<AutodiffRequest> resolveRequest(func::FuncOp function,
                                          const AutodiffOptions &options);

} // namespace mlir::nn

#endif // AMP_LIB_DIALECT_NN_TRANSFORMS_AUTODIFFREQUEST_H
