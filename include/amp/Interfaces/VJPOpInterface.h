//===- VJPOpInterface.h - Reverse-mode derivative rules -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_INTERFACES_VJPOPINTERFACE_H
#define AMP_INTERFACES_VJPOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::amp {

/// What a derivative rule may be told from outside.
struct VJPOptions {
  /// Weight- and bias-gradients are rounded to the operand's type first, as
  /// PyTorch does (`parity = pytorch`); otherwise they are f32 straight from
  /// the accumulator.
  bool roundParameterGradients = false;
};

} // namespace mlir::amp

#include "amp/Interfaces/VJPOpInterface.h.inc"

#endif // AMP_INTERFACES_VJPOPINTERFACE_H
