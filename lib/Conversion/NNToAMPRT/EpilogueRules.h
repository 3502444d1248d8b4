//===- EpilogueRules.h - What -amprt-fuse-epilogues may do -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options of the pass, and what the runtime knows about the library behind
// them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_NNTOAMPRT_EPILOGUERULES_H
#define AMP_LIB_CONVERSION_NNTOAMPRT_EPILOGUERULES_H

#include "amp/Conversion/Passes.h"
#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h"

namespace mlir::amp {

/// What is fused together: one flag of the pass each.
enum class EpilogueFamily { relu, drelu, gelu, dgelu, biasGrad };

/// What is fused, for which architectures, and what is taken for granted.
class EpilogueRules {
public:
  /// From the options' values; fails, with the message given to `onError`, on a
  /// name that is none.
  static FailureOr<EpilogueRules>
  create(ArrayRef<std::string> families, ArrayRef<std::string> archs,
         NaNRelu nanRelu, function_ref<LogicalResult(const Twine &)> onError);

  bool fuses(EpilogueFamily family) const {
    return (families >> static_cast<unsigned>(family)) & 1;
  }

  /// Whether relu may be left to the library though a NaN matters.
  bool keepsNaN() const { return nanIsKept; }

  /// Whether every architecture can run `gemm`; otherwise `why` says which rule
  /// refuses it. Without architectures all is allowed.
  bool allow(amprt::GemmOp gemm, std::string &why) const;

private:
  unsigned families = 0;
  SmallVector<int32_t> archs;
  bool nanIsKept = false;
};

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_NNTOAMPRT_EPILOGUERULES_H
