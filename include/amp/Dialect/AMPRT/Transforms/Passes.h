//===- Passes.h - Passes of the AMPRT dialect -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMPRT_TRANSFORMS_PASSES_H
#define AMP_DIALECT_AMPRT_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
namespace arith {
class ArithDialect;
} // namespace arith
namespace linalg {
class LinalgDialect;
} // namespace linalg
namespace memref {
class MemRefDialect;
} // namespace memref
namespace tensor {
class TensorDialect;
} // namespace tensor
} // namespace mlir

namespace mlir::amprt {
class AMPRTDialect;

#define GEN_PASS_DECL
#include "amp/Dialect/AMPRT/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "amp/Dialect/AMPRT/Transforms/Passes.h.inc"
} // namespace mlir::amprt

#endif // AMP_DIALECT_AMPRT_TRANSFORMS_PASSES_H
