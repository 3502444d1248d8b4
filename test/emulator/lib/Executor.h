//===- Executor.h - Runs the blocks of a launch -----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One block after the other; the lanes of a block one after the other as far
// as each gets without the others.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_EXECUTOR_H
#define AMP_EMULATOR_EXECUTOR_H

#include "Kernel.h"

#include <utility>

namespace amp::emulator {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// Runs all blocks. Faults are reported and end the launch. Device memory must
/// be accessible.
void execute(const KernelCode &kernel, Dim3 grid, Dim3 block,
             uint32_t dynamicShared, void **parameters);

/// Name and address of each function and variable that compiled kernels use of
/// the executor.
std::vector<std::pair<const char *, void *>> executorSymbols();

} // namespace amp::emulator

#endif // AMP_EMULATOR_EXECUTOR_H
