//===- VJPOpInterface.td - Reverse-mode derivative rules -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_INTERFACES_VJPOPINTERFACE_TD
#define AMP_INTERFACES_VJPOPINTERFACE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/Interfaces.td"

def VJPOpInterface : OpInterface<"VJPOpInterface"> {
  let cppNamespace = "::mlir::amp";
  let description = [{
    The vector-Jacobian product of an op. Implemented as external models in a
    library of its own (`lib/Dialect/NN/Transforms/VJP*.cpp`), so that the IR library needs no
    derivative code.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the cotangents of the operands from those of the results, at the
        builder's position. `cotangents` has one entry per result, null where the
        result's cotangent is zero (never all null). `needed` tells which operands
        want a cotangent. Returns one entry per operand: null for "zero" or "not
        differentiable" (integers). A cotangent has its operand's type, except
        that weight and bias gradients take the element type `options` names.
      }],
      "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "buildVJP",
      (ins "::mlir::OpBuilder &":$builder,
           "::mlir::ArrayRef<::mlir::Value>":$cotangents,
           "const ::llvm::SmallBitVector &":$needed,
           "const ::mlir::amp::VJPOptions &":$options)>,
  ];
}

#endif // AMP_INTERFACES_VJPOPINTERFACE_TD
