//===- AMPRTDialect.td - Calls into the runtime -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMPRT_IR_AMPRTDIALECT_TD
#define AMP_DIALECT_AMPRT_IR_AMPRTDIALECT_TD

include "mlir/IR/OpBase.td"

def AMPRT_Dialect : Dialect {
  let name = "amprt";
  let cppNamespace = "::mlir::amprt";
  let summary = "Calls into the runtime, and the kernels between them";
  let description = [{
    Destination-passing ops that become calls of the C ABI, and `amprt.kernel`,
    the target-neutral group of linalg ops that one emitter per target turns into
    one function. Identical for all targets.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::amp::AMPDialect"];
}

#endif // AMP_DIALECT_AMPRT_IR_AMPRTDIALECT_TD
