//===- WindowedLossOpInterface.h - Losses with a denominator -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_INTERFACES_WINDOWEDLOSSOPINTERFACE_H
#define AMP_INTERFACES_WINDOWEDLOSSOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include <optional>

namespace mlir::amp {

/// What a mean divides by: the elements of `counted`, without those equal to
/// `ignored` where that is given.
struct LossCount {
  Value counted;
  std::optional<int64_t> ignored;
};

} // namespace mlir::amp

#include "amp/Interfaces/WindowedLossOpInterface.h.inc"

#endif // AMP_INTERFACES_WINDOWEDLOSSOPINTERFACE_H
