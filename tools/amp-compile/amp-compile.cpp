//===- amp-compile.cpp - Compiles a model ahead of time ---------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `amp-compile MODEL.mlir -o step.o`: see `amp/AOT/CompileTool.h`.
//
//===----------------------------------------------------------------------===//

#include "amp/AOT/CompileTool.h"
#include "amp/InitAll.h"
#include "mlir/IR/DialectRegistry.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::amp::registerAllDialects(registry);
  mlir::amp::registerAllPasses();
  return mlir::amp::compileToolMain(argc, argv, registry);
}
