//===- OptimizeCasts.cpp - Merging of equal casts -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMP/Transforms/Passes.h"

#include "amp/Dialect/AMP/IR/AMPDialect.h"

#include "llvm/ADT/ScopedHashTable.h"

namespace mlir::amp {
#define GEN_PASS_DEF_OPTIMIZECASTSPASS
#include "amp/Dialect/AMP/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {

/// Two casts are equal when these are: the origin is provenance, not meaning.
using CastKey = std::tuple<Value, Type, Attribute, unsigned>;

struct OptimizeCastsPass : amp::impl::OptimizeCastsPassBase<OptimizeCastsPass> {
  void runOnOperation() override {
    getOperation()->walk([&](Block *block) { mergeCasts(*block); });
  }

  /// Merges within one block, where program order is dominance. Uses in nested
  /// regions follow by SSA.
  void mergeCasts(Block &block) {
    DenseMap<CastKey, CastOp> seen;
    for (CastOp cast : llvm::make_early_inc_range(block.getOps<CastOp>())) {
      CastKey key{cast.getInput(), cast.getType(), cast.getRoundingAttr(),
                  static_cast<unsigned>(cast.getOverflow())};
      auto [it, isNew] = seen.try_emplace(key, cast);
      if (isNew)
        continue;
      // A user's cast is never folded: the survivor remembers that it is one.
      if (cast.getOrigin() == CastOrigin::user)
        it->second.setOrigin(CastOrigin::user);
      cast.replaceAllUsesWith(it->second.getResult());
      cast.erase();
    }
  }
};

} // namespace
