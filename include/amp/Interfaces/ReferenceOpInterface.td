//===- ReferenceOpInterface.td - Exact semantics for the interpreter -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_INTERFACES_REFERENCEOPINTERFACE_TD
#define AMP_INTERFACES_REFERENCEOPINTERFACE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/Interfaces.td"

def ReferenceOpInterface : OpInterface<"ReferenceOpInterface"> {
  let cppNamespace = "::mlir::amp";
  let description = [{
    What an op computes, for the reference interpreter. Implemented as external
    models that share no code with any lowering or with the runtime. Results are
    computed in f64 (accumulators too: the contract's accumulator bounds the
    error, the reference has none) and rounded once to the result's element type.
  }];
  let methods = [
    InterfaceMethod<[{
        Evaluates the op on `operands`; fills `results`. Returns failure after
        emitting a diagnostic on the op.
      }],
      "::llvm::LogicalResult", "evaluate",
      (ins "::mlir::ArrayRef<::mlir::amp::ReferenceTensor>":$operands,
           "::llvm::SmallVectorImpl<::mlir::amp::ReferenceTensor> &":$results)>,
  ];
}

#endif // AMP_INTERFACES_REFERENCEOPINTERFACE_TD
