//===- CompileTool.h - The command line of amp-compile ----------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_AOT_COMPILETOOL_H
#define AMP_AOT_COMPILETOOL_H

namespace mlir {
class DialectRegistry;
namespace amp {
/// `amp-compile`: returns the exit code.
int compileToolMain(int argc, char **argv, DialectRegistry &registry);
} // namespace amp
} // namespace mlir

#endif // AMP_AOT_COMPILETOOL_H
