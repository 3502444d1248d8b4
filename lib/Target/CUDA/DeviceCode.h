//===- DeviceCode.h - LLVM bitcode and PTX of a gpu.module -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_TARGET_CUDA_DEVICECODE_H
#define AMP_LIB_TARGET_CUDA_DEVICECODE_H

#include "amp/Target/CUDA/Arch.h"
#include "amp/Target/CUDA/Toolkit.h"

#include <string>

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::amp {

/// The code of one `gpu.module`.
struct DeviceCode {
  Arch arch;
  /// LLVM bitcode after optimisation, and the PTX that was generated from these
  /// very bytes.
  std::string bitcode, ptx;

  /// The name that the bitcode goes by: the first 32 hex digits of the SHA-256
  /// of the PTX without comments and white space, which 'fatbinary' changes.
  std::string getKey() const;
};

/// Translates, links libdevice where it is needed, optimises and generates PTX.
/// Functions that neither the module nor libdevice defines are an error.
llvm::Expected<DeviceCode>
generateDeviceCode(Operation *module, const Arch &arch, const Toolkit &toolkit);

/// The hex digits of the SHA-256 of `text`.
std::string getSHA256(StringRef text);

/// Writes `path` so that no reader ever sees a part of it. Creates the folder.
llvm::Error writeAtomically(StringRef path, StringRef bytes);

} // namespace mlir::amp

#endif // AMP_LIB_TARGET_CUDA_DEVICECODE_H
