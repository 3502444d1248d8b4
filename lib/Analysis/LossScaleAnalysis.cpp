//===- LossScaleAnalysis.cpp - Which power of a loss scale a value carries -*-
// C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Analysis/LossScaleAnalysis.h"

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Interfaces/LossScaleOpInterface.h"
#include "amp/Interfaces/NumericOpInterface.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::amp;

/// Reports that operand `index` of `op` carries a scale it must not carry.
static InFlightDiagnostic reportScaled(Operation *op, unsigned index,
                                       const ScalePower &power) {
  InFlightDiagnostic diagnostic =
      op->emitOpError("expects operand #")
      << index << " without a loss scale, but it carries " << power.str()
      << "; apply 'amp.unscale_grads' first: the op is not linear in it";
  diagnostic.attachNote(op->getOperand(index).getLoc())
      << "see scaled value defined here";
  return diagnostic;
}

/// Joins the powers of the floating operands, which alone can carry a scale: a
/// condition is of no power. An error names both.
static FailureOr<ScalePower> joinOperands(Operation *op,
                                          ArrayRef<ScalePower> operands) {
  ScalePower joined = ScalePower::any();
  unsigned decidedBy = 0;
  for (auto [index, power] : llvm::enumerate(operands)) {
    if (!isa<FloatType>(getElementTypeOrSelf(op->getOperand(index))))
      continue;
    std::optional<ScalePower> next = ScalePower::join(joined, power);
    if (!next) {
      InFlightDiagnostic diagnostic =
          op->emitOpError("expects operands of one loss scale, but operand #")
          << decidedBy << " carries " << joined.str() << " and operand #"
          << index << " carries " << power.str()
          << "; scale or unscale both alike";
      diagnostic.attachNote(op->getOperand(decidedBy).getLoc())
          << "see operand of " << joined.str() << " here";
      diagnostic.attachNote(op->getOperand(index).getLoc())
          << "see operand of " << power.str() << " here";
      return failure();
    }
    if (joined.isAny() && !next->isAny())
      decidedBy = index;
    joined = *next;
  }
  return joined;
}

/// The power of `op`'s results by its transfer rule.
static FailureOr<ScalePower> transfer(NumericOpInterface op,
                                      ArrayRef<ScalePower> operands) {
  auto expectNone = [&](unsigned first) -> LogicalResult {
    for (unsigned index = first; index < operands.size(); ++index)
      if (!operands[index].isAny() && !operands[index].isNone())
        return reportScaled(op, index, operands[index]);
    return success();
  };
  switch (op.getScaleTransfer()) {
  case ScaleTransfer::additive:
    return operands.empty() ? ScalePower() : joinOperands(op, operands);
  case ScaleTransfer::comparison:
    if (failed(joinOperands(op, operands)))
      return failure();
    return ScalePower();
  case ScaleTransfer::multiplicative: {
    ScalePower product = operands[0].times(operands[1]);
    // A bias is added to the product.
    if (operands.size() > 2) {
      std::optional<ScalePower> sum = ScalePower::join(product, operands[2]);
      if (!sum) {
        op->emitOpError("expects a bias of the product's loss scale ")
            << product.str() << ", but it carries " << operands[2].str();
        return failure();
      }
      product = *sum;
    }
    return product;
  }
  case ScaleTransfer::quotient:
    return operands[0].times(operands[1].raisedTo(-1));
  case ScaleTransfer::root:
    return operands[0].raisedTo(1, 2);
  case ScaleTransfer::inverseRoot:
    return operands[0].raisedTo(-1, 2);
  case ScaleTransfer::linearInFirst:
    if (failed(expectNone(1)))
      return failure();
    return operands[0];
  case ScaleTransfer::first:
    return operands[0];
  case ScaleTransfer::nonlinear:
    if (failed(expectNone(0)))
      return failure();
    return ScalePower();
  }
  llvm_unreachable("unknown scale transfer");
}

/// Whether `op` is a constant that is 0 or infinite everywhere.
static bool isZeroOrInfinite(Operation *op) {
  Attribute value;
  if (!matchPattern(op, m_Constant(&value)))
    return false;
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    value = splat.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(value);
  return number &&
         (number.getValue().isZero() || number.getValue().isInfinity());
}

LogicalResult LossScaleAnalysis::visit(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    for (Value result : op->getResults())
      powers[result] = isZeroOrInfinite(op) ? ScalePower::any() : ScalePower();
    return success();
  }
  SmallVector<ScalePower> operands;
  for (Value operand : op->getOperands())
    operands.push_back(lookup(operand));
  SmallVector<ScalePower> results;
  LogicalResult outcome = success();
  if (auto scaled = dyn_cast<LossScaleOpInterface>(op)) {
    outcome = scaled.transferScalePowers(operands, results);
  } else if (auto numeric = dyn_cast<NumericOpInterface>(op)) {
    FailureOr<ScalePower> power = transfer(numeric, operands);
    outcome = success(succeeded(power));
    if (succeeded(power))
      results.assign(op->getNumResults(), *power);
  } else if (!op->hasTrait<OpTrait::IsTerminator>()) {
    // No rule is known: nothing scaled may go in, nothing scaled comes out.
    for (auto [index, power] : llvm::enumerate(operands)) {
      if (power.isAny() || power.isNone())
        continue;
      outcome = reportScaled(op, index, power);
      break;
    }
    results.resize(op->getNumResults());
    for (Region &region : op->getRegions())
      if (failed(visitRegion(region)))
        outcome = failure();
  }
  if (failed(outcome))
    results.assign(op->getNumResults(), ScalePower::any());
  for (auto [result, power] : llvm::zip(op->getResults(), results))
    powers[result] = power;
  return outcome;
}

LogicalResult LossScaleAnalysis::visitRegion(Region &region) {
  bool isLegal = true;
  for (Block &block : region)
    for (Operation &op : block)
      isLegal &= succeeded(visit(&op));
  return success(isLegal);
}

LogicalResult LossScaleAnalysis::run(FunctionOpInterface function) {
  for (BlockArgument argument : function.getArguments()) {
    auto stated = function.getArgAttrOfType<DictionaryAttr>(
        argument.getArgNumber(), kScalePowerAttrName);
    if (!stated)
      continue;
    ScalePower power;
    for (NamedAttribute entry : stated)
      power = power.times(ScalePower::of(
          entry.getName(), cast<IntegerAttr>(entry.getValue()).getInt()));
    powers[argument] = power;
  }
  return visitRegion(function.getFunctionBody());
}
