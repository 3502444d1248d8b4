//===- amp-run.cpp - Runs a function of a module --------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `amp-run FILE.mlir --function=f --inputs=F.safetensors`: see
// `amp/Execution/RunTool.h`.
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/RunTool.h"
#include "amp/InitAll.h"
#include "mlir/IR/DialectRegistry.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::amp::registerAllDialects(registry);
  mlir::amp::registerAllPasses();
  return mlir::amp::runToolMain(argc, argv, registry);
}
