//===- Autodiff.h - Reverse-mode differentiation ----------------*- C++ -*-===//
//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work of `-nn-autodiff` as a function, for tools that differentiate one
// function of their choice.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_NN_TRANSFORMS_AUTODIFF_H
#define AMP_DIALECT_NN_TRANSFORMS_AUTODIFF_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace mlir::nn {

/// Which results are given a cotangent.
enum class CotangentSeeds {
  loss, // the result of role `loss`, as tensor<f32>
  all   // every floating result, in its own type
};

/// What to differentiate, and by what.
struct AutodiffOptions {
  /// `parameters`, `all-float-args` or argument names; empty means
  /// `parameters`.
  SmallVector<std::string> wrt;
  CotangentSeeds cotangents = CotangentSeeds::loss;
};

/// The public function with a result of role `loss`. Fails with a diagnostic on
/// `module` unless there is exactly one.
FailureOr<func::FuncOp> findModelFunction(ModuleOp module);

/// Makes the private function `@<name>.vjp` beside `primal`: its arguments are
/// those of `primal` and the cotangents, its results those of `primal` and the
/// gradient of each wanted argument. Stamps `phase` on contractions of both.
/// Fails with a diagnostic, leaving no new function behind.
FailureOr<func::FuncOp> differentiate(func::FuncOp primal,
                                      const AutodiffOptions &options);

} // namespace mlir::nn

#endif // AMP_DIALECT_NN_TRANSFORMS_AUTODIFF_H
