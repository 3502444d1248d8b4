//===- AMPDialect.td - The precision dialect -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `amp` dialect states at which precision a graph runs: roles, policies,
// casts, loss scaling and the guarded update.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_IR_AMPDIALECT_TD
#define AMP_DIALECT_AMP_IR_AMPDIALECT_TD

include "mlir/IR/OpBase.td"

def AMP_Dialect : Dialect {
  let name = "amp";
  let cppNamespace = "::mlir::amp";
  let summary = "At which precision a tensor graph is computed";
  let description = [{
    Numeric roles, autocast policies, explicit casts, loss scaling and the
    guarded optimizer update. Nothing here computes a model: the `nn` dialect
    (or any other) does. The dialect makes every choice of number format,
    accumulator, scale and skip an operation or an inherent attribute, so that
    it can be printed, verified and tested.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let extraClassDeclaration = [{
    /// Registers the attributes; defined beside their storage classes.
    void registerAttributes();
  }];
}

#endif // AMP_DIALECT_AMP_IR_AMPDIALECT_TD
