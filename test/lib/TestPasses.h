//===- TestPasses.h - Passes that only tests run ---*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of the test passes, one function a pass.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TEST_LIB_TESTPASSES_H
#define AMP_TEST_LIB_TESTPASSES_H

namespace mlir::amp::test {

/// `-test-amp-no-copies`.
void registerTestNoCopiesPass();

/// `-test-amp-no-data-dependent-branches`.
void registerTestNoDataDependentBranchesPass();

/// All of them.
void registerTestPasses();

} // namespace mlir::amp::test

#endif // AMP_TEST_LIB_TESTPASSES_H
