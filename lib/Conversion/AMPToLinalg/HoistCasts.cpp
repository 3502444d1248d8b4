//===- HoistCasts.cpp - Casts of packed parameters as one cast -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After packing, each parameter is a slice of one buffer, and a policy casts
// most of them: one kernel over the buffer replaces one per parameter. A
// widening cast that a loss reads flat is done where it is read. Exact, as a
// cast is elementwise.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// A cast, and the slice and reshape (may be null) between it and the buffer.
struct SlicedCast {
  amp::CastOp cast;
  tensor::ExtractSliceOp slice;
  tensor::ExpandShapeOp expand;
};
/// The casts of one buffer to one type, and how many elements they cover.
struct CastGroup {
  SmallVector<SlicedCast> casts;
  int64_t covered = 0;
};
} // namespace

namespace {
/// Pattern: collapse(cast(x)) = cast(collapse(x)), where the cast widens
struct SinkWideningCast : OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto cast = op.getSrc().getDefiningOp<amp::CastOp>();
    if (!cast)
      return failure();
    Type from = getElementTypeOrSelf(cast.getInput());
    Type to = getElementTypeOrSelf(cast.getType());
    if (from.getIntOrFloatBitWidth() >= to.getIntOrFloatBitWidth())
      return rewriter.notifyMatchFailure(op, "expects a widening cast");
    Value narrow = tensor::CollapseShapeOp::create(
        rewriter, op.getLoc(), op.getResultType().clone(from), cast.getInput(),
        op.getReassociationIndices());
    rewriter.replaceOpWithNewOp<amp::CastOp>(
        op, Type(op.getResultType()), narrow, cast.getOrigin(),
        cast.getRoundingAttr(), cast.getOverflow());
    return success();
  }
};
} // namespace

void amptolinalg::sinkWideningCasts(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add<SinkWideningCast>(root->getContext());
  walkAndApplyPatterns(root, std::move(patterns));
}

// Pattern: cast(view(slice(flat))) = view(slice(cast(flat)))
static void noteCasts(Value view, tensor::ExtractSliceOp slice,
                      tensor::ExpandShapeOp expand,
                      llvm::MapVector<Type, CastGroup> &groups) {
  for (Operation *user : view.getUsers()) {
    auto cast = dyn_cast<amp::CastOp>(user);
    if (!cast || cast.getRounding() || cast.getOverflow() != Overflow::ieee)
      continue;
    CastGroup &group = groups[getElementTypeOrSelf(cast.getType())];
    group.casts.push_back({cast, slice, expand});
    group.covered +=
        mlir::cast<RankedTensorType>(view.getType()).getNumElements();
  }
}

static void hoist(Value buffer, Type elementType, CastGroup &group) {
  OpBuilder builder(buffer.getContext());
  builder.setInsertionPointToStart(buffer.getParentBlock());
  amp::CastOp first = group.casts.front().cast;
  Value low = amp::CastOp::create(builder, first.getLoc(), buffer, elementType,
                                  first.getOrigin());
  for (auto &[cast, slice, expand] : group.casts) {
    builder.setInsertionPoint(cast);
    Value view = tensor::ExtractSliceOp::create(
        builder, slice.getLoc(), slice.getType().clone(elementType), low,
        slice.getMixedOffsets(), slice.getMixedSizes(),
        slice.getMixedStrides());
    if (expand)
      view = tensor::ExpandShapeOp::create(builder, expand.getLoc(),
                                           cast.getType(), view,
                                           expand.getReassociationIndices());
    cast.replaceAllUsesWith(view);
    cast.erase();
  }
}

void amptolinalg::hoistCastsOverSlices(Operation *root) {
  root->walk([](FunctionOpInterface function) {
    if (function.isExternal())
      return;
    for (BlockArgument buffer : function.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(buffer.getType());
      if (!type || type.getRank() != 1 || !type.hasStaticShape() ||
          !isa<FloatType>(type.getElementType()))
        continue;
      llvm::MapVector<Type, CastGroup> groups;
      for (Operation *user : buffer.getUsers()) {
        auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
        if (!slice || !slice.getType().hasStaticShape())
          continue;
        noteCasts(slice, slice, {}, groups);
        for (Operation *view : slice->getUsers())
          if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view))
            noteCasts(expand, slice, expand, groups);
      }
      for (auto &[elementType, group] : groups)
        if (group.casts.size() > 1 &&
            2 * group.covered >= type.getNumElements())
          hoist(buffer, elementType, group);
    }
  });
}
