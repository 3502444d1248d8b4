//===- DeviceFunctions.h - Host versions of device intrinsics ---*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The extensible part of the emulator's instruction set: intrinsics and inline
// assembly that are plain functions of their operands.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_DEVICEFUNCTIONS_H
#define AMP_EMULATOR_DEVICEFUNCTIONS_H

#include "llvm/ADT/StringRef.h"

#include <utility>
#include <vector>

namespace amp::emulator {

/// The host function for an intrinsic ("llvm.nvvm.saturate.f"); null when there
/// is none. 16-bit floats, and pairs of them, are passed as integers.
void *findDeviceFunction(llvm::StringRef intrinsic);

/// The intrinsic that computes what an inline assembly string does; empty when
/// it is not known.
llvm::StringRef intrinsicOfAsm(llvm::StringRef text);

/// Functions that the host's code generator calls for 16-bit floats.
std::vector<std::pair<const char *, void *>> conversionLibrary();

} // namespace amp::emulator

#endif // AMP_EMULATOR_DEVICEFUNCTIONS_H
