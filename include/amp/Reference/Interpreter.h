//===- Interpreter.h - Runs functions by reference semantics -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes func.func on concrete tensors, op by op. Dynamic dimensions take the
// sizes of the actual arguments.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_REFERENCE_INTERPRETER_H
#define AMP_REFERENCE_INTERPRETER_H

#include "amp/Interfaces/ReferenceOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::amp {

/// The reference interpreter. Calls are followed depth first; an
/// `amp.autocast_region` runs as written (policies act in passes only).
class Interpreter {
public:
  using Results = SmallVector<ReferenceTensor>;

  /// Runs `function`. Failure comes after a diagnostic: at the function for
  /// arguments that do not fit, else at the op that could not be evaluated.
  FailureOr<Results> run(func::FuncOp function,
                         ArrayRef<ReferenceTensor> arguments);

private:
  /// The values of one activation of a function.
  struct Frame {
    DenseMap<Value, ReferenceTensor> values;
    /// Uses not yet evaluated; a value dies with its last use.
    DenseMap<Value, unsigned> pendingUses;
  };

  LogicalResult runBlock(Block &block, Frame &frame, Results &yielded);
  LogicalResult runOp(Operation *op, Frame &frame, Results &results);
  FailureOr<Results> takeOperands(Operation *op, Frame &frame);

  unsigned depth = 0;
};

} // namespace mlir::amp

#endif // AMP_REFERENCE_INTERPRETER_H
