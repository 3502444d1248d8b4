//===- Reference.h - Reference semantics of all ops -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ops mean, exactly: external models of ReferenceOpInterface. Independent
// of lowerings and runtime, down to the rounding (APFloat), so that an error in
// either cannot hide in its own oracle.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_REFERENCE_REFERENCE_H
#define AMP_REFERENCE_REFERENCE_H

#include "amp/Interfaces/ReferenceOpInterface.h"

namespace mlir {
class DialectRegistry;

namespace amp {

/// Attaches reference semantics to the ops of nn, amp and amprt, and to the
/// arith, math and tensor ops that compiled steps hold at function level and in
/// the regions of `amp.guarded_update`.
void registerReferenceModels(DialectRegistry &registry);

/// Evaluates one op through its interface. An op without a model, or a result
/// that contradicts its declared type, is an error at the op.
LogicalResult evaluateReference(Operation *op,
                                ArrayRef<ReferenceTensor> operands,
                                SmallVectorImpl<ReferenceTensor> &results);

} // namespace amp
} // namespace mlir

#endif // AMP_REFERENCE_REFERENCE_H
