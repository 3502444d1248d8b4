//===- Arch.h - GPU architectures -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The architectures that can be compiled for, as a table, and the text of the
// option `arch`.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TARGET_CUDA_ARCH_H
#define AMP_TARGET_CUDA_ARCH_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::amp {

/// One row of the table.
struct Arch {
  /// `sm_90`: LLVM's name of the chip, and ptxas's of the architecture.
  StringLiteral name;
  /// 90.
  unsigned number;
  /// LLVM's target features: the PTX version that is written.
  StringLiteral features;
};

/// All rows, oldest first.
ArrayRef<Arch> getArchs();

/// What `arch` is when it is not given.
constexpr StringLiteral kDefaultArch = "sm_90";

/// Reads `sm_80+sm_90`: known architectures, each once. The result is in the
/// table's order, so that the order of the text makes no difference.
llvm::Expected<SmallVector<Arch>> parseArchs(StringRef text);

/// The newest architecture whose code a device of compute capability `number`
/// (90 for 9.0) can run; null when the device is older than all.
const Arch *getArchForDevice(unsigned number);

} // namespace mlir::amp

#endif // AMP_TARGET_CUDA_ARCH_H
