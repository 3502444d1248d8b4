//===- InlineAnywhere.h - Ops that may be inlined anywhere ------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_INTERFACES_INLINEANYWHERE_H
#define AMP_INTERFACES_INLINEANYWHERE_H

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/InliningUtils.h"

namespace mlir::amp {

/// For a dialect none of whose ops depends on the function it stands in.
struct InlineAnywhereInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};

} // namespace mlir::amp

#endif // AMP_INTERFACES_INLINEANYWHERE_H
