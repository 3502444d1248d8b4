//===- RunTool.h - What amp-run does -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_RUNTOOL_H
#define AMP_EXECUTION_RUNTOOL_H

namespace mlir {
class DialectRegistry;

namespace amp {

/// Parses the command line, runs one function, prints and compares its results.
/// Returns 0, or 1 after one error or a difference beyond the tolerance.
int runToolMain(int argc, char **argv, DialectRegistry &registry);

} // namespace amp
} // namespace mlir

#endif // AMP_EXECUTION_RUNTOOL_H
