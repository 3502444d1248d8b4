//===- Autodiff.cpp - Reverse-mode differentiation --------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse sweep over a straight-line function. Derivatives themselves come
// from `amp::VJPOpInterface`; this file owns what lies between them: activity,
// fan-in of cotangents and their types, seeds, zeros, phases and provenance.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/NN/Transforms/Autodiff.h"
#include "AutodiffRequest.h"
#include "VJPContext.h"

#include "amp/Dialect/NN/Transforms/Passes.h"
#include "amp/Interfaces/NumericOpInterface.h"
#include "amp/Interfaces/VJPOpInterface.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::nn {
#define GEN_PASS_DEF_AUTODIFFPASS
#include "amp/Dialect/NN/Transforms/Passes.h.inc"
} // namespace mlir::nn

using namespace mlir;
using namespace mlir::nn;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static bool isContraction(Operation *op) {
  auto numeric = dyn_cast<amp::NumericOpInterface>(op);
  return numeric && numeric.getNumericClass() == amp::NumericClass::contraction;
}

/// Whether the derivative of `op` only moves or casts the cotangent, so that a
/// cotangent wider than its primal can pass through unrounded.
static bool passesWideCotangents(Operation *op) {
  if (isa<CastOpInterface>(op))
    return true;
  auto numeric = dyn_cast<amp::NumericOpInterface>(op);
  return numeric && numeric.getNumericClass() == amp::NumericClass::movement;
}

/// Stamps fprop on every contraction without a phase.
static void stampForwardPhase(func::FuncOp function) {
  StringAttr phase = StringAttr::get(function.getContext(), "phase");
  auto fprop = amp::PhaseAttr::get(function.getContext(), amp::Phase::fprop);
  function.walk([&](Operation *op) {
    if (!isContraction(op))
      return;
    std::optional<Attribute> current = op->getInherentAttr(phase);
    if (current && !*current)
      op->setInherentAttr(phase, fprop);
  });
}

//===----------------------------------------------------------------------===//
// Differentiator
//===----------------------------------------------------------------------===//

namespace {
/// Differentiates one function:
///   1. check the function, choose wanted arguments and request.seeded results;
///   2. stamp the forward phase and clone the function;
///   3. walk forward: which values depend on a wanted argument through floats;
///   4. walk backward: sum the cotangents of each active result and hand them
///   to
///      the op's derivative rule;
///   5. return the sums that arrived at the wanted arguments.
/// Each walk visits an op once, and maps keyed by values are only looked up, so
/// the cost is linear and the order of the new ops is that of the old.
class Differentiator {
public:
  Differentiator(func::FuncOp primal, const AutodiffOptions &options)
      : primal(primal), options(options), builder(primal.getContext()) {
    vjpOptions.roundParameterGradients =
        amp::getParity(primal) == amp::Parity::pytorch;
  }

  FailureOr<func::FuncOp> run();

private:
  void clonePrimal();
  void findActiveValues();
  LogicalResult checkLossDepends();
  void addSeeds();
  LogicalResult sweepBackward();
  LogicalResult visit(Operation *op);
  void returnGradients();

  /// The sum of the cotangents of `value`, null if none arrived.
  Value takeCotangent(Value value);
  /// Gives all ops made since `last` the provenance `rule` of `source`.
  void stampProvenance(Operation *last, Location location, StringRef rule,
                       StringRef source);
  Operation *getLastOp();

  func::FuncOp primal, vjp;
  const AutodiffOptions &options;
  amp::VJPOptions vjpOptions;
  OpBuilder builder;
  AutodiffRequest request;
  /// Values that depend on a wanted argument.
  DenseSet<Value> active;
  DenseMap<Value, SmallVector<Value, 2>> cotangents;
  SmallVector<Operation *> forwardOps;
};
} // namespace

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

void Differentiator::clonePrimal() {
  MLIRContext *context = primal.getContext();
  stampForwardPhase(primal);
  vjp = primal.clone();
  vjp.setSymName((primal.getSymName() + ".vjp").str());
  vjp.setPrivate();
  primal->getBlock()->getOperations().insert(std::next(primal->getIterator()),
                                             vjp);
  for (Operation &op : vjp.getBody().front().without_terminator())
    forwardOps.push_back(&op);
  builder.setInsertionPoint(vjp.getBody().front().getTerminator());

  auto gradient = amp::RoleAttr::get(context, amp::Role::gradient);
  for (unsigned index : request.seeded) {
    Type type = primal.getResultTypes()[index];
    Type elementType = getElementTypeOrSelf(type);
    // A loss is scaled in f32, whatever type it was computed in.
    if (options.cotangents == CotangentSeeds::loss && !elementType.isF64())
      type = withElementType(type, builder.getF32Type());
    NamedAttrList attributes;
    attributes.append(amp::kRoleAttrName, gradient);
    attributes.append(
        amp::kNameAttrName,
        builder.getStringAttr(getResultName(primal, index) + ".cotangent"));
    (void)vjp.insertArgument(vjp.getNumArguments(), type,
                             attributes.getDictionary(context),
                             primal.getLoc());
  }
}

/// Whether `op`, or an op in its regions, uses one of `values`.
static bool usesAny(Operation *op, const DenseSet<Value> &values) {
  auto contains = [&](Value value) { return values.contains(value); };
  if (op->getNumRegions() == 0)
    return llvm::any_of(op->getOperands(), contains);
  return op
      ->walk([&](Operation *nested) {
        return llvm::any_of(nested->getOperands(), contains)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void Differentiator::findActiveValues() {
  for (unsigned index : request.wanted)
    active.insert(vjp.getArgument(index));
  for (Operation *op : forwardOps) {
    if (!usesAny(op, active))
      continue;
    for (Value result : op->getResults())
      if (isFloating(result.getType()))
        active.insert(result);
  }
}

/// A loss without a path to a wanted argument has no gradient: an error with
/// the op at which the path ends, if the loss is computed from one.
LogicalResult Differentiator::checkLossDepends() {
  if (options.cotangents == CotangentSeeds::all)
    return success();
  Operation *terminator = vjp.getBody().front().getTerminator();
  Value loss = terminator->getOperand(request.seeded.front());
  if (active.contains(loss))
    return success();
  InFlightDiagnostic diagnostic =
      emitError(loss.getLoc())
      << "non-differentiable loss: it does not depend on any of the "
         "differentiated arguments through floating-point values";
  DenseSet<Value> slice;
  slice.insert(loss);
  for (Operation *op : llvm::reverse(forwardOps)) {
    if (!llvm::any_of(op->getResults(),
                      [&](Value result) { return slice.contains(result); }))
      continue;
    if (usesAny(op, active)) {
      diagnostic.attachNote(op->getLoc())
          << "no cotangent flows through the integer result of '"
          << op->getName() << "'; compute the loss from its operands instead";
      break;
    }
    slice.insert(op->operand_begin(), op->operand_end());
  }
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

Operation *Differentiator::getLastOp() {
  return builder.getInsertionPoint()->getPrevNode();
}

void Differentiator::stampProvenance(Operation *last, Location location,
                                     StringRef rule, StringRef source) {
  Operation *op = last ? last->getNextNode() : &vjp.getBody().front().front();
  if (op == &*builder.getInsertionPoint())
    return;
  auto decision = amp::DecisionAttr::get(
      builder.getContext(), builder.getStringAttr(rule),
      builder.getStringAttr(source), ArrayAttr(), amp::NumericsAttr());
  Location fused = FusedLoc::get(builder.getContext(), {location}, decision);
  for (; op != &*builder.getInsertionPoint(); op = op->getNextNode())
    op->setLoc(fused);
}

void Differentiator::addSeeds() {
  Operation *terminator = vjp.getBody().front().getTerminator();
  unsigned firstSeed = primal.getNumArguments();
  for (auto [position, index] : llvm::enumerate(request.seeded)) {
    Value result = terminator->getOperand(index);
    Value seed = castToElementType(builder, result.getLoc(),
                                   vjp.getArgument(firstSeed + position),
                                   getElementTypeOrSelf(result));
    cotangents[result].push_back(seed);
  }
}

Value Differentiator::takeCotangent(Value value) {
  auto found = cotangents.find(value);
  if (found == cotangents.end())
    return Value();
  SmallVector<Value, 2> parts = std::move(found->second);
  cotangents.erase(found);
  if (parts.size() == 1)
    return parts.front();

  // One n-ary sum with one rounding, in the widest type that arrived.
  auto widest = cast<FloatType>(getElementTypeOrSelf(parts.front()));
  for (Value part : parts) {
    auto type = cast<FloatType>(getElementTypeOrSelf(part));
    FloatType wider = amp::getWiderFloatType(widest, type);
    widest = wider ? wider : builder.getF32Type();
  }
  Operation *last = getLastOp();
  for (Value &part : parts)
    part = castToElementType(builder, value.getLoc(), part, widest);
  Value sum = AddNOp::create(builder, value.getLoc(),
                             withElementType(value.getType(), widest), parts,
                             getDefaultNumerics(widest));
  stampProvenance(last, value.getLoc(), "vjp", "fan-in");
  return sum;
}

LogicalResult Differentiator::visit(Operation *op) {
  SmallVector<Value> incoming(op->getNumResults());
  bool any = false;
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    if (!active.contains(result))
      continue;
    incoming[index] = takeCotangent(result);
    any |= static_cast<bool>(incoming[index]);
  }
  if (!any)
    return success();

  auto rule = dyn_cast<amp::VJPOpInterface>(op);
  if (!rule) {
    Value seed = vjp.getBody().front().getTerminator()->getOperand(
        request.seeded.front());
    InFlightDiagnostic diagnostic =
        op->emitOpError()
        << "has no derivative rule, but lies between a differentiated argument "
           "and the loss; give it an 'amp::VJPOpInterface' model, inline it, "
           "or keep it off this path";
    diagnostic.attachNote(seed.getLoc()) << "see the loss computed here";
    return diagnostic;
  }

  llvm::SmallBitVector needed(op->getNumOperands());
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (active.contains(operand))
      needed.set(index);

  Operation *last = getLastOp();
  if (!passesWideCotangents(op))
    for (auto [result, cotangent] : llvm::zip_equal(op->getResults(), incoming))
      if (cotangent)
        cotangent = castToElementType(builder, op->getLoc(), cotangent,
                                      getElementTypeOrSelf(result));
  FailureOr<SmallVector<Value>> outgoing =
      rule.buildVJP(builder, incoming, needed, vjpOptions);
  if (failed(outgoing))
    return failure();
  stampProvenance(last, op->getLoc(), "vjp", op->getName().getStringRef());
  for (unsigned index : needed.set_bits())
    if (Value cotangent = (*outgoing)[index])
      cotangents[op->getOperand(index)].push_back(cotangent);
  return success();
}

LogicalResult Differentiator::sweepBackward() {
  for (Operation *op : llvm::reverse(forwardOps))
    if (failed(visit(op)))
      return failure();
  return success();
}

void Differentiator::returnGradients() {
  MLIRContext *context = builder.getContext();
  Operation *terminator = vjp.getBody().front().getTerminator();
  auto role = amp::RoleAttr::get(context, amp::Role::gradient);
  SmallVector<Value> results(terminator->getOperands());
  for (unsigned index : request.wanted) {
    Value argument = vjp.getArgument(index);
    Value gradient = takeCotangent(argument);
    if (!gradient) {
      Operation *last = getLastOp();
      gradient =
          createZero(builder, argument.getLoc(),
                     cast<RankedTensorType>(argument.getType()), argument);
      stampProvenance(last, argument.getLoc(), "vjp", "unused");
    }
    NamedAttrList attributes;
    attributes.append(amp::kRoleAttrName, role);
    attributes.append(amp::kNameAttrName,
                      builder.getStringAttr(getArgumentName(primal, index)));
    (void)vjp.insertResult(vjp.getNumResults(), gradient.getType(),
                           attributes.getDictionary(context));
    results.push_back(gradient);
  }
  terminator->setOperands(results);
}

FailureOr<func::FuncOp> Differentiator::run() {
  FailureOr<AutodiffRequest> resolved = resolveRequest(primal, options);
  if (failed(resolved))
    return failure();
  request = std::move(*resolved);
  clonePrimal();
  findActiveValues();
  addSeeds();
  if (failed(checkLossDepends()) || failed(sweepBackward())) {
    vjp.erase();
    return failure();
  }
  returnGradients();
  return vjp;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

FailureOr<func::FuncOp> nn::differentiate(func::FuncOp primal,
                                          const AutodiffOptions &options) {
  return Differentiator(primal, options).run();
}

namespace {
struct AutodiffPass : nn::impl::AutodiffPassBase<AutodiffPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp primal;
    if (function.empty()) {
      FailureOr<func::FuncOp> model = findModelFunction(module);
      if (failed(model))
        return signalPassFailure();
      primal = *model;
    } else {
      primal = module.lookupSymbol<func::FuncOp>(function);
      if (!primal) {
        module.emitError() << "expects a function '@" << function
                           << "' to differentiate, but the module has none";
        return signalPassFailure();
      }
    }
    AutodiffOptions options;
    options.wrt.assign(wrt.begin(), wrt.end());
    options.cotangents = cotangents;
    if (failed(differentiate(primal, options)))
      signalPassFailure();
  }
};
} // namespace
