//===- Updates.cpp - The guarded update and the scaler's state -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An update is one multi-result elementwise op per parameter (after packing:
// per group), the select between new and old element in its region.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::amptolinalg;

namespace {

struct LowerGuardedUpdate : OpRewritePattern<GuardedUpdateOp> {
  using OpRewritePattern::OpRewritePattern;

  /// The update's region on the elements [states..., gradient, scalars...,
  /// skip?], op for op as it was written.
  static SmallVector<Value> cloneUpdate(OpBuilder &builder, Location loc,
                                        GuardedUpdateOp op,
                                        ValueRange elements) {
    Block &update = op.getUpdate().front();
    unsigned numArguments = update.getNumArguments();
    IRMapping mapping;
    mapping.map(update.getArguments(), elements.take_front(numArguments));
    for (Operation &inner : update.without_terminator())
      builder.clone(inner, mapping);
    SmallVector<Value> results;
    for (auto [index, yielded] :
         llvm::enumerate(update.getTerminator()->getOperands())) {
      Value value = mapping.lookupOrDefault(yielded);
      if (op.getSkip())
        value = arith::SelectOp::create(builder, loc, elements.back(),
                                        elements[index], value);
      results.push_back(value);
    }
    return results;
  }

  LogicalResult matchAndRewrite(GuardedUpdateOp op,
                                PatternRewriter &rewriter) const override {
    unsigned numParameters = op.getNumParameters();
    unsigned numStates = op.getNumStates();
    SmallVector<Value> results(op.getNumResults());
    for (unsigned parameter = 0; parameter < numParameters; ++parameter) {
      SmallVector<LinalgInput> inputs;
      SmallVector<Type> types;
      for (unsigned state = 0; state < numStates; ++state) {
        Value value = op.getStates()[state * numParameters + parameter];
        auto type = cast<RankedTensorType>(value.getType());
        if (!type.hasStaticShape())
          return rewriter.notifyMatchFailure(op, "expects static shapes");
        inputs.emplace_back(value);
        types.push_back(type);
      }
      inputs.emplace_back(op.getGradients()[parameter]);
      for (Value scalar : op.getScalars())
        inputs.emplace_back(scalar);
      if (op.getSkip())
        inputs.emplace_back(op.getSkip());
      SmallVector<Value> updated = buildElementwise(
          rewriter, op.getLoc(), types, inputs,
          [&](OpBuilder &builder, Location loc, ValueRange elements) {
            return cloneUpdate(builder, loc, op, elements);
          });
      for (unsigned state = 0; state < numStates; ++state)
        results[state * numParameters + parameter] = updated[state];
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct LowerUpdateScale : OpRewritePattern<UpdateScaleOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Elements: scale, tracker, found-inf.
  static SmallVector<Value> buildUpdate(OpBuilder &builder, Location loc,
                                        UpdateScaleOp op, ScalerOp scaler,
                                        ValueRange v) {
    ScalarBuilder scalar(builder, loc, builder.getF32Type());
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getI64IntegerAttr(value));
    };
    Value backoff = scalar.constant(scaler.getBackoff().convertToFloat());
    Value floor = scalar.constant(scaler.getFloor().convertToFloat());
    Value reduced = scalar.maximum(scalar.mul(v[0], backoff), floor);

    Value steps = arith::AddIOp::create(builder, loc, v[1], constant(1));
    auto predicate = op.getExactInterval() ? arith::CmpIPredicate::eq
                                           : arith::CmpIPredicate::sge;
    Value due = scalar.compareInt(predicate, steps,
                                  static_cast<int64_t>(scaler.getInterval()));
    Value growth = scalar.constant(scaler.getGrowth().convertToFloat());
    Value grown = scalar.mul(v[0], growth);
    // Ordered: neither an infinity nor NaN is taken.
    APFloat largest = APFloat::getLargest(APFloat::IEEEsingle());
    if (scaler.getCap() && *scaler.getCap() < largest)
      largest = *scaler.getCap();
    Value limit = scalar.constant(largest.convertToFloat());
    Value allowed = scalar.compare(arith::CmpFPredicate::OLE, grown, limit);
    Value grows = arith::AndIOp::create(builder, loc, due, allowed);
    Value kept = scalar.select(grows, grown, v[0]);
    Value none = constant(0);
    Value counted = scalar.select(due, none, steps);
    return {scalar.select(v[2], reduced, kept),
            scalar.select(v[2], none, counted)};
  }

  LogicalResult matchAndRewrite(UpdateScaleOp op,
                                PatternRewriter &rewriter) const override {
    auto scaler =
        SymbolTable::lookupNearestSymbolFrom<ScalerOp>(op, op.getScalerAttr());
    if (!scaler)
      return rewriter.notifyMatchFailure(op, "scaler is not in scope");
    if (scaler.getKind() == ScalerKind::static_scale) {
      rewriter.replaceOp(op, {op.getScale(), op.getTracker()});
      return success();
    }
    rewriter.replaceOp(
        op, buildElementwise(
                rewriter, op.getLoc(), op->getResultTypes(),
                {op.getScale(), op.getTracker(), op.getFoundInf()},
                [&](OpBuilder &builder, Location loc, ValueRange elements) {
                  return buildUpdate(builder, loc, op, scaler, elements);
                }));
    return success();
  }
};

} // namespace

void amptolinalg::populateUpdatePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerGuardedUpdate, LowerUpdateScale>(patterns.getContext());
}
