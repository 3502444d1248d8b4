//===- TrainTool.h - The command line of amp-train -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TRAINING_TRAINTOOL_H
#define AMP_TRAINING_TRAINTOOL_H

namespace mlir {
class DialectRegistry;
namespace amp {
/// `amp-train`: returns the exit code; 0 where the run succeeded and, for a
/// replay, agrees with its record.
int trainToolMain(int argc, char **argv, DialectRegistry &registry);
} // namespace amp
} // namespace mlir

#endif // AMP_TRAINING_TRAINTOOL_H
