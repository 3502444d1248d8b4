//===- Fault.h - What an emulated device reports ----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors found while work executes: a message on stderr, and the sticky status
// that every later driver call returns, as on a device.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_FAULT_H
#define AMP_EMULATOR_FAULT_H

#include "Cuda.h"

#include <string>

namespace amp::emulator {

/// Prints `text` and makes `status` the sticky error of the device. The first
/// error stays.
void reportFault(CUresult status, const std::string &text);

/// Prints a remark about a call that is refused; not sticky.
void complain(const std::string &text);

/// The sticky error, or CUDA_SUCCESS.
CUresult stickyStatus();

/// Forgets the sticky error (the primary context was reset).
void clearStickyStatus();

/// printf into a string.
std::string format(const char *text, ...) __attribute__((format(printf, 1, 2)));

} // namespace amp::emulator

#endif // AMP_EMULATOR_FAULT_H
