//===- Verify.cpp - The precision verifier -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// -amp-verify: changes nothing. Checks, per function:
//  1. the loss-scale powers (LossScaleAnalysis);
//  2. that found-inf covers the gradients of every guarded update;
//  3. that each scaler is updated at most once on a path;
//  4. that accumulator contracts are legal, and those that autocast decided on.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMP/Transforms/Passes.h"

#include "amp/Analysis/LossScaleAnalysis.h"
#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Interfaces/NumericOpInterface.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::amp {
#define GEN_PASS_DEF_VERIFYPASS
#include "amp/Dialect/AMP/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Found-inf coverage
//===----------------------------------------------------------------------===//

/// The value that a gradient was before unscaling, clipping, casts and moves:
/// what a finite check of any of these forms covers.
static Value getGradientRoot(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    Operation *op = result.getOwner();
    unsigned index = result.getResultNumber();
    if (auto unscale = dyn_cast<UnscaleGradsOp>(op))
      value = unscale.getGradients()[index];
    else if (auto clip = dyn_cast<ClipByGlobalNormOp>(op))
      value = clip.getGradients()[index];
    else if (auto cast = dyn_cast<CastOp>(op))
      value = cast.getInput();
    else
      break;
  }
  return value;
}

/// Collects what the found-inf flags behind `flag` look at: the flag may be
/// combined with others (an empty window) by any scalar ops.
static void collectCovered(Value flag, llvm::SmallPtrSetImpl<Operation *> &seen,
                           llvm::SetVector<Value> &covered) {
  Operation *op = flag.getDefiningOp();
  if (!op || !seen.insert(op).second)
    return;
  if (auto found = dyn_cast<FoundInfOp>(op)) {
    for (Value gradient : found.getGradients())
      covered.insert(getGradientRoot(gradient));
    // A norm that is not finite covers all gradients it was taken of.
    if (found.getNorm())
      if (auto norm = found.getNorm().getDefiningOp<GlobalNormOp>())
        for (Value gradient : norm.getGradients())
          covered.insert(getGradientRoot(gradient));
    return;
  }
  for (Value operand : op->getOperands())
    collectCovered(operand, seen, covered);
}

static LogicalResult verifyCoverage(GuardedUpdateOp update) {
  // A step without a guard is the caller's choice: nothing claims to check. A
  // flag that folded to true (a batch of 0 rows) lets no gradient through.
  if (!update.getSkip() || matchPattern(update.getSkip(), m_One()))
    return success();
  llvm::SmallPtrSet<Operation *, 8> seen;
  llvm::SetVector<Value> covered;
  collectCovered(update.getSkip(), seen, covered);
  for (auto [index, gradient] : llvm::enumerate(update.getGradients())) {
    if (covered.contains(getGradientRoot(gradient)))
      continue;
    InFlightDiagnostic diagnostic =
        update.emitOpError(
            "expects its 'skip' flag to cover every gradient, but "
            "gradient #")
        << index
        << " is not among the operands of an 'amp.found_inf'; add it there";
    diagnostic.attachNote(update.getSkip().getLoc()) << "see flag defined here";
    diagnostic.attachNote(gradient.getLoc()) << "see gradient defined here";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// One scale update per path
//===----------------------------------------------------------------------===//

/// Updates of each scaler seen on the current path, first one each.
using UpdateMap = llvm::SmallDenseMap<StringAttr, UpdateScaleOp, 2>;

static LogicalResult verifySingleUpdate(Region &region, UpdateMap &updates) {
  for (Block &block : region) {
    for (Operation &op : block) {
      if (auto update = dyn_cast<UpdateScaleOp>(op)) {
        auto [it, isFirst] =
            updates.try_emplace(update.getScalerAttr().getAttr(), update);
        if (!isFirst) {
          InFlightDiagnostic diagnostic =
              update.emitOpError("expects one update of scaler ")
              << update.getScalerAttr() << " per step, but it is the second";
          diagnostic.attachNote(it->second.getLoc()) << "see first update here";
          return diagnostic;
        }
      }
      // Regions of one op are alternatives: each continues from here alone.
      UpdateMap after = updates;
      for (Region &nested : op.getRegions()) {
        UpdateMap inside = updates;
        if (failed(verifySingleUpdate(nested, inside)))
          return failure();
        for (auto &entry : inside)
          after.insert(entry);
      }
      updates = std::move(after);
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Accumulator contracts
//===----------------------------------------------------------------------===//

/// The contract in the decision of a location, null if there is none.
static NumericsAttr getDecidedNumerics(Location loc) {
  NumericsAttr decided;
  loc->walk([&](Location part) {
    if (auto fused = dyn_cast<FusedLocWith<DecisionAttr>>(part)) {
      decided = fused.getMetadata().getNumerics();
      if (decided)
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return decided;
}

static LogicalResult verifyNumerics(Operation *op) {
  auto numerics = op->getAttrOfType<NumericsAttr>("numerics");
  if (!numerics)
    return success();
  auto accumulator = cast<FloatType>(numerics.getAccumulateOrF32());
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(operand.getType()));
    if (element && !isRepresentableIn(element, accumulator))
      return op->emitOpError("expects an accumulator that holds operand #")
             << index << " of " << element << ", but got " << accumulator;
  }
  NumericsAttr decided = getDecidedNumerics(op->getLoc());
  if (decided && decided != numerics)
    return op->emitOpError("expects the accumulator contract that autocast "
                           "decided on, ")
           << decided << ", but got " << numerics;
  return success();
}

namespace {
struct VerifyPass : amp::impl::VerifyPassBase<VerifyPass> {
  void runOnOperation() override {
    bool isLegal = true;
    getOperation()->walk([&](FunctionOpInterface function) {
      if (function.isExternal())
        return;
      LossScaleAnalysis scales;
      isLegal &= succeeded(scales.run(function));
      UpdateMap updates;
      isLegal &=
          succeeded(verifySingleUpdate(function.getFunctionBody(), updates));
      function->walk([&](Operation *op) {
        if (auto update = dyn_cast<GuardedUpdateOp>(op))
          isLegal &= succeeded(verifyCoverage(update));
        isLegal &= succeeded(verifyNumerics(op));
      });
    });
    markAllAnalysesPreserved();
    if (!isLegal)
      signalPassFailure();
  }
};
} // namespace
