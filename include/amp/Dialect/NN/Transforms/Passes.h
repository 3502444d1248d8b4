//===- Passes.h - Passes of the NN dialect ----------------------*- C++ -*-===//
//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_NN_TRANSFORMS_PASSES_H
#define AMP_DIALECT_NN_TRANSFORMS_PASSES_H

#include "amp/Dialect/NN/Transforms/Autodiff.h"
#include "mlir/Pass/Pass.h"

namespace mlir::nn {
#define GEN_PASS_DECL
#include "amp/Dialect/NN/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "amp/Dialect/NN/Transforms/Passes.h.inc"
} // namespace mlir::nn

#endif // AMP_DIALECT_NN_TRANSFORMS_PASSES_H
