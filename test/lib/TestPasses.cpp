//===- TestPasses.cpp - Registration of the test passes ---*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call for amp-opt.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

void mlir::amp::test::registerTestPasses() {
  registerTestNoCopiesPass();
  registerTestNoDataDependentBranchesPass();
}
