//===- LossScaleAnalysis.h - Which power of a loss scale a value carries -*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward walk over a function in program order (SSA: operands come first).
// It never changes IR. Errors are those of the ops' own rules.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_ANALYSIS_LOSSSCALEANALYSIS_H
#define AMP_ANALYSIS_LOSSSCALEANALYSIS_H

#include "amp/Interfaces/ScalePower.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::amp {

/// Powers of loss scales of the values of one function. Arguments carry what
/// their attribute `amp.scale_power` states, else none; constants 0 and
/// infinity carry any power.
class LossScaleAnalysis {
public:
  /// Computes the powers; emits an error at each op whose rule is broken and
  /// goes on with "any power" from there, so that one mistake is one error.
  LogicalResult run(FunctionOpInterface function);

  /// The power of a value the analysis has seen, else none.
  ScalePower lookup(Value value) const { return powers.lookup(value); }

private:
  LogicalResult visitRegion(Region &region);
  LogicalResult visit(Operation *op);

  llvm::DenseMap<Value, ScalePower> powers;
};

} // namespace mlir::amp

#endif // AMP_ANALYSIS_LOSSSCALEANALYSIS_H
