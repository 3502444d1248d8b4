//===- amp-train.cpp - Trains a model -------------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `amp-train MODEL.mlir --replay CASE.json`: see `amp/Training/TrainTool.h`.
//
//===----------------------------------------------------------------------===//

#include "amp/InitAll.h"
#include "amp/Training/TrainTool.h"
#include "mlir/IR/DialectRegistry.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::amp::registerAllDialects(registry);
  mlir::amp::registerAllPasses();
  return mlir::amp::trainToolMain(argc, argv, registry);
}
