//===- Toolkit.h - Where the CUDA toolkit's parts are -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts that turn LLVM IR into an image, each found on its own: a toolkit
// that is installed, or PyPI wheels of which some are missing.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TARGET_CUDA_TOOLKIT_H
#define AMP_TARGET_CUDA_TOOLKIT_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir::amp {

/// Paths of what was found.
class Toolkit {
public:
  /// Looks in, first to last: `root`; `$AMP_CUDA_PATH`; `$CUDA_PATH`,
  /// `$CUDA_HOME`, `$CUDA_ROOT`; the wheels of `$VIRTUAL_ENV` and of the
  /// project's `.venv`; /usr/local/cuda; for programs also `PATH`.
  /// AMP_CUDA_PATH=none finds nothing.
  static Toolkit find(StringRef root = {});

  /// Each empty when there is none.
  std::string ptxas, fatbinary, libdevice, nvJitLink;

  /// `expects ptxas of a CUDA toolkit to <purpose>, but found none in ...`,
  /// with every place that was looked in and the remedy.
  llvm::Error missing(StringRef part, StringRef purpose) const;

private:
  std::vector<std::string> places;
};

} // namespace mlir::amp

#endif // AMP_TARGET_CUDA_TOOLKIT_H
