//===- Passes.h - Passes of the AMP dialect -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_TRANSFORMS_PASSES_H
#define AMP_DIALECT_AMP_TRANSFORMS_PASSES_H

#include "amp/Dialect/AMP/Transforms/TrainStepOptions.h"
#include "mlir/Pass/Pass.h"

namespace mlir::amp {
/// The largest batch: sizes of tensors stay far from overflow.
inline constexpr int64_t kMaxBatch = 2147483647;

#define GEN_PASS_DECL
#include "amp/Dialect/AMP/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "amp/Dialect/AMP/Transforms/Passes.h.inc"
} // namespace mlir::amp

#endif // AMP_DIALECT_AMP_TRANSFORMS_PASSES_H
