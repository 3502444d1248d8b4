//===- Image.h - Finds the code of an image ---------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An image is PTX text or a fatbin. What runs is the LLVM bitcode that the PTX
// was made from, found in $AMP_CUDA_BITCODE_DIR by the key of the text.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_IMAGE_H
#define AMP_EMULATOR_IMAGE_H

#include "Cuda.h"

#include <string>

namespace amp::emulator {

struct ImageCode {
  std::string bitcode;
  std::string key;
  /// The folder that the bitcode came from; object files are kept there.
  std::string folder;
};

/// Reads an image for a device of compute capability `arch` (90). Says what is
/// wrong when it returns an error.
CUresult findImageCode(const void *image, unsigned arch, ImageCode &code);

/// The key of PTX text: comments and white space do not count.
std::string ptxKey(const char *text, size_t size);

} // namespace amp::emulator

#endif // AMP_EMULATOR_IMAGE_H
