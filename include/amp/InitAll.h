//===- InitAll.h - Registration of everything -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call each for dialects (with their external models), passes and
// pipelines: what a tool or a plug-in needs.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_INITALL_H
#define AMP_INITALL_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class DialectRegistry;

namespace amp {
struct OpLowering;

/// Registers nn, amp, amprt, the upstream dialects their passes use, and all
/// external models.
void registerAllDialects(DialectRegistry &registry);

/// Registers every pass and pipeline of the project, and the upstream passes
/// that are useful beside them.
void registerAllPasses();

/// The conversions that lower the ops of the project, for `--amp-op-table`.
ArrayRef<OpLowering> getAllOpLowerings();
} // namespace amp
} // namespace mlir

#endif // AMP_INITALL_H
