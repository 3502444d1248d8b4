//===- ToolSetup.h - What every tool does first -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a process of ours behaves when it crashes or may not write.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_SUPPORT_TOOLSETUP_H
#define AMP_SUPPORT_TOOLSETUP_H

#include "mlir/Support/LLVM.h"

namespace mlir::amp {

/// Names this project in crash reports, and makes a file that grows past the
/// limit of its size a failed write, which has a diagnostic, instead of a
/// signal. After `llvm::InitLLVM`, whose handlers it replaces.
void setUpTool();

/// Removes options that LLVM's libraries register for their own tools under
/// names that this tool is about to use.
void freeOptionNames(ArrayRef<StringRef> names);

} // namespace mlir::amp

#endif // AMP_SUPPORT_TOOLSETUP_H
