//===- TrainStepWindow.cpp - The loss of a window of micro-batches --------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A window's denominator is known before its first backward. Where the loss is
// a linear combination of losses that all divide by one count, that count is
// summed over the window and divides each of them; a loss of any other form is
// weighted by rows / denominator.
//
//===----------------------------------------------------------------------===//

#include "TrainStep.h"
#include "amp/Dialect/NN/IR/NNDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::train;

/// Whether `op` is linear in its non-constant operands together, so that
/// dividing each of them divides the result.
static bool isLinear(Operation *op) {
  auto isConstant = [](Value value) {
    return matchPattern(value, m_Constant());
  };
  if (isa<nn::AddOp, nn::AddNOp, nn::SubOp>(op))
    return llvm::none_of(op->getOperands(), isConstant);
  if (isa<nn::NegOp, CastOp>(op))
    return true;
  if (isa<nn::MulOp>(op))
    return llvm::any_of(op->getOperands(), isConstant);
  return isa<nn::DivOp>(op) && isConstant(op->getOperand(1));
}

/// The losses that `value` is a linear combination of; none where it isn't one.
static std::optional<SetVector<Operation *>> findLosses(Value value) {
  SetVector<Operation *> losses;
  SmallVector<Value> worklist{value};
  DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value current = worklist.pop_back_val();
    if (!seen.insert(current).second || matchPattern(current, m_Constant()))
      continue;
    Operation *op = current.getDefiningOp();
    if (!op)
      return std::nullopt;
    auto loss = dyn_cast<WindowedLossOpInterface>(op);
    if (loss && loss.isLossValue() && !loss.getLossDenominator()) {
      losses.insert(op);
      continue;
    }
    if (!isLinear(op))
      return std::nullopt;
    llvm::append_range(worklist, op->getOperands());
  }
  return losses;
}

/// Whether two counts are the same number: the same targets are ignored, or the
/// counted tensors have one type (dynamic dimensions are the batch).
static bool isSameCount(const LossCount &a, const LossCount &b) {
  if (a.ignored != b.ignored)
    return false;
  return a.counted == b.counted ||
         (!a.ignored &&
          cast<RankedTensorType>(a.counted.getType()).getShape() ==
              cast<RankedTensorType>(b.counted.getType()).getShape());
}

/// Whether `value` is computed from arguments that are no parameters.
static bool isFromInputs(func::FuncOp model, Value value) {
  SmallVector<Value> worklist{value};
  DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value current = worklist.pop_back_val();
    if (!seen.insert(current).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(current)) {
      auto role = model.getArgAttrOfType<RoleAttr>(argument.getArgNumber(),
                                                   kRoleAttrName);
      if (!role || role.getValue() == Role::parameter)
        return false;
      continue;
    }
    llvm::append_range(worklist, current.getDefiningOp()->getOperands());
  }
  return true;
}

/// Fills in `plan.count` from the model's loss, or returns false: by rows.
static bool planCounts(func::FuncOp model, WindowPlan &plan) {
  Operation *terminator = model.front().getTerminator();
  std::optional<SetVector<Operation *>> losses =
      findLosses(terminator->getOperand(0));
  if (!losses)
    return false;
  // A loss that reaches the result on another way as well is not linear in it.
  WalkResult walk = model.walk([&](WindowedLossOpInterface loss) {
    return loss.isLossValue() && !losses->contains(loss)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return false;
  for (Operation *op : *losses) {
    auto loss = cast<WindowedLossOpInterface>(op);
    if (!loss.dividesByCount())
      continue;
    LossCount count = loss.getLossCount();
    // A cast keeps the number of elements.
    if (!count.ignored)
      while (auto conversion = count.counted.getDefiningOp<CastOp>())
        count.counted = conversion.getInput();
    if (!plan.count.counted)
      plan.count = count;
    else if (!isSameCount(plan.count, count))
      return false;
  }
  return !plan.count.counted || isFromInputs(model, plan.count.counted);
}

/// The first op that sums over the rows of a batch, or null.
static Operation *findSumOverRows(func::FuncOp model) {
  Operation *found = nullptr;
  model.walk([&](Operation *op) {
    bool sums = false;
    if (auto loss = dyn_cast<WindowedLossOpInterface>(op)) {
      sums = loss.isLossValue() && !loss.dividesByCount();
    } else if (auto sum = dyn_cast<nn::ReduceSumOp>(op)) {
      auto type = cast<RankedTensorType>(sum.getInput().getType());
      sums = type.getRank() != 0 && type.isDynamicDim(0) &&
             llvm::is_contained(sum.getDims(), 0);
    }
    if (!sums)
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

FailureOr<WindowPlan> train::planWindow(func::FuncOp model,
                                        const StepConfig &config) {
  WindowPlan plan;
  bool hasRows = false;
  for (Role wanted : {Role::input, Role::target}) {
    for (BlockArgument argument : model.getArguments()) {
      unsigned index = argument.getArgNumber();
      auto role = model.getArgAttrOfType<RoleAttr>(index, kRoleAttrName);
      auto type = cast<RankedTensorType>(argument.getType());
      if (hasRows || role.getValue() != wanted || type.getRank() == 0)
        continue;
      if (llvm::any_of(type.getShape().drop_front(), ShapedType::isDynamic))
        continue;
      plan.rowsArgument = index;
      hasRows = true;
    }
  }
  if (!hasRows)
    return model.emitError()
           << "expects an input or target with rows: a leading "
              "dimension, all others static";
  if (config.weighting == WindowWeighting::counted) {
    plan.weightsLoss = !planCounts(model, plan);
    if (plan.weightsLoss) {
      plan.count = LossCount();
      if (Operation *sum =
              config.accumulates() ? findSumOverRows(model) : nullptr)
        sum->emitWarning()
            << "expects a mean over rows, but this op sums over them: "
               "micro-batches of a window are weighted by their share of "
               "the rows; end the model in a sum of 'nn' losses, or use "
               "windows of one micro-batch";
    }
  }
  return plan;
}

Value train::buildRows(ImplicitLocOpBuilder &builder, func::FuncOp model,
                       const WindowPlan &plan, const IRMapping &mapping) {
  Value rows = model.getArgument(plan.rowsArgument);
  RankedTensorType i64 = getScalarType(builder.getI64Type());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(rows.getType()).getShape();
  int64_t perRow = ShapedType::getNumElements(shape.drop_front());
  Value elements =
      nn::ElementCountOp::create(builder, i64, mapping.lookup(rows));
  if (perRow == 1)
    return elements;
  return arith::DivSIOp::create(builder, elements, buildI64(builder, perRow));
}

/// Clones what computes `value` into the builder's block.
static Value cloneSlice(ImplicitLocOpBuilder &builder, Value value,
                        IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneSlice(builder, operand, mapping);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

Value train::buildCount(ImplicitLocOpBuilder &builder, func::FuncOp model,
                        const WindowPlan &plan, IRMapping &mapping) {
  if (!plan.count.counted)
    return buildRows(builder, model, plan, mapping);
  Value counted = cloneSlice(builder, plan.count.counted, mapping);
  RankedTensorType i64 = getScalarType(builder.getI64Type());
  if (!plan.count.ignored)
    return nn::ElementCountOp::create(builder, i64, counted);
  return nn::ValidCountOp::create(
      builder, i64, counted, builder.getI64IntegerAttr(*plan.count.ignored));
}

Value train::buildRowWeight(ImplicitLocOpBuilder &builder, Value rows,
                            Value denominator) {
  RankedTensorType f64 = getScalarType(builder.getF64Type());
  Value numerator = arith::SIToFPOp::create(builder, f64, rows);
  Value divisor = arith::SIToFPOp::create(builder, f64, denominator);
  return buildRound(builder,
                    arith::DivFOp::create(builder, numerator, divisor));
}

void train::setDenominators(Block &block, Value denominator) {
  for (Operation &op : block)
    if (auto loss = dyn_cast<WindowedLossOpInterface>(op))
      if (loss.dividesByCount() && !loss.getLossDenominator())
        loss.setLossDenominator(denominator);
}
