//===- amp-bench.cpp - Times of a training step -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `amp-bench MODEL.mlir --policy=cpu-bf16 --batch=256`: see
// `amp/Bench/StepBench.h`.
//
//===----------------------------------------------------------------------===//

#include "amp/Bench/StepBench.h"
#include "amp/InitAll.h"
#include "mlir/IR/DialectRegistry.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::amp::registerAllDialects(registry);
  mlir::amp::registerAllPasses();
  return mlir::amp::stepBenchMain(argc, argv, registry);
}
