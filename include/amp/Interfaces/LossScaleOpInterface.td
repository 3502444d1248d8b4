//===- LossScaleOpInterface.td - Ops that move powers of a loss scale -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_INTERFACES_LOSSSCALEOPINTERFACE_TD
#define AMP_INTERFACES_LOSSSCALEOPINTERFACE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/Interfaces.td"

def LossScaleOpInterface : OpInterface<"LossScaleOpInterface"> {
  let cppNamespace = "::mlir::amp";
  let description = [{
    An op with a loss-scale rule of its own. Ops with `NumericOpInterface` need
    none: their `getScaleTransfer` says how a factor passes through.
  }];
  let methods = [
    InterfaceMethod<[{
        The powers of the results from those of the operands. Returns failure after
        emitting an error on the op that says which operand carries what, and the
        remedy.
      }],
      "::llvm::LogicalResult", "transferScalePowers",
      (ins "::mlir::ArrayRef<::mlir::amp::ScalePower>":$operands,
           "::llvm::SmallVectorImpl<::mlir::amp::ScalePower> &":$results)>
  ];
}

#endif // AMP_INTERFACES_LOSSSCALEOPINTERFACE_TD
