//===- Npy.h - Reading and writing .npy files -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NumPy's .npy format, versions 1 to 3, little-endian, C order.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_SUPPORT_NPY_H
#define AMP_SUPPORT_NPY_H

#include "amp/Support/HostTensor.h"

namespace mlir::amp {

/// Parses the bytes of a file; `path` is for the error messages.
llvm::Expected<HostTensor> parseNpy(StringRef bytes, StringRef path);
llvm::Expected<HostTensor> readNpy(StringRef path);

/// The bytes of a version 1 file. The error names an element type that NumPy
/// has no name for (bf16, FP8): those travel as safetensors.
llvm::Expected<std::string> serializeNpy(const HostTensor &tensor);
llvm::Error writeNpy(StringRef path, const HostTensor &tensor);

} // namespace mlir::amp

#endif // AMP_SUPPORT_NPY_H
