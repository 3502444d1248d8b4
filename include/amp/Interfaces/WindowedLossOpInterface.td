//===- WindowedLossOpInterface.td - Losses with a denominator -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What -amp-build-train-step needs to know of a loss to weight micro-batches.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_INTERFACES_WINDOWEDLOSSOPINTERFACE_TD
#define AMP_INTERFACES_WINDOWEDLOSSOPINTERFACE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/Interfaces.td"

def WindowedLossOpInterface : OpInterface<"WindowedLossOpInterface"> {
  let cppNamespace = "::mlir::amp";
  let description = [{
    A loss, or the derivative of one, whose mean divides by a count. Over a window
    of micro-batches the count of the whole window divides instead: it arrives as
    an operand, so that unequal micro-batches add up to the full batch. A loss
    that does not implement this interface is weighted by rows.
  }];
  let methods = [
    InterfaceMethod<"Whether the op computes a loss; otherwise it is the "
                    "derivative of one.",
      "bool", "isLossValue", (ins)>,
    InterfaceMethod<"Whether the op divides by a count (a mean, not a sum).",
      "bool", "dividesByCount", (ins)>,
    InterfaceMethod<"What the op divides by where no denominator is given.",
      "::mlir::amp::LossCount", "getLossCount", (ins)>,
    InterfaceMethod<"The f32 denominator, null where none is given.",
      "::mlir::Value", "getLossDenominator", (ins)>,
    InterfaceMethod<"Makes the op divide by a rank-0 f32 value.",
      "void", "setLossDenominator", (ins "::mlir::Value":$denominator)>
  ];
}

#endif // AMP_INTERFACES_WINDOWEDLOSSOPINTERFACE_TD
