//===- ReferenceOpInterface.h - Exact semantics for the interpreter -*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_INTERFACES_REFERENCEOPINTERFACE_H
#define AMP_INTERFACES_REFERENCEOPINTERFACE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::amp {

/// A tensor value of the reference interpreter. Floating values are held as f64
/// (every supported format is exact in it), integers and booleans as i64;
/// `type` is static and says what they mean. Row-major.
struct ReferenceTensor {
  RankedTensorType type;
  SmallVector<double, 0> floats;
  SmallVector<int64_t, 0> integers;

  bool isFloat() const { return isa<FloatType>(type.getElementType()); }
  int64_t size() const { return type.getNumElements(); }
};

} // namespace mlir::amp

#include "amp/Interfaces/ReferenceOpInterface.h.inc"

#endif // AMP_INTERFACES_REFERENCEOPINTERFACE_H
