//===- Autocast.cpp - Policy-driven casts -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// -amp-autocast: walks each function once, in program order, and decides op by
// op. Operand types seen are those already rewritten, so one pass is enough.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMP/Transforms/Passes.h"

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Dialect/AMP/Transforms/Policy.h"
#include "amp/Interfaces/NumericOpInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::amp {
#define GEN_PASS_DEF_AUTOCASTPASS
#include "amp/Dialect/AMP/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

namespace {

/// The autocast setting at a point of the graph.
struct Setting {
  const Policy *policy;
  bool enabled;
};

/// Rewrites one function. Steps for each op, in program order:
///  1. a region op of ours is entered with its own setting, then inlined;
///  2. an op with numeric facts is classified, its operands cast, its results
///     retyped, its accumulator contract written;
///  3. any other op gets its operands back in the types it was built for.
class FunctionAutocaster {
public:
  FunctionAutocaster(FunctionOpInterface function, ModuleOp module,
                     llvm::StringMap<std::unique_ptr<Policy>> &policies)
      : function(function), module(module), policies(policies),
        builder(function.getContext()) {}

  LogicalResult run(const Policy &policy) {
    for (Region &region : function->getRegions())
      if (failed(visit(region, {&policy, /*enabled=*/true})))
        return failure();
    return success();
  }

private:
  LogicalResult visit(Region &region, Setting setting) {
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block))
        if (failed(visit(&op, setting)))
          return failure();
    return success();
  }

  LogicalResult visit(Operation *op, Setting setting);
  LogicalResult visitRegion(AutocastRegionOp op, Setting setting);
  LogicalResult visitNumeric(NumericOpInterface op, Setting setting);
  LogicalResult visitOther(Operation *op, Setting setting);
  void visitReturn(Operation *op);

  /// The element type that `op`'s operand `index` is to have; null: unchanged.
  FailureOr<SmallVector<Type>>
  chooseOperandTypes(NumericOpInterface op, const Policy::Verdict &verdict,
                     Setting setting);
  void chooseNativeTypes(NumericOpInterface op, MutableArrayRef<Type> types);
  LogicalResult choosePromotedTypes(NumericOpInterface op,
                                    MutableArrayRef<Type> types);

  /// Casts `value` to `elementType` in front of `op`.
  Value castFor(Operation *op, Value value, Type elementType, CastOrigin origin,
                StringRef rule, StringRef source);

  const Policy *getPolicy(Operation *op, StringRef name);

  FunctionOpInterface function;
  ModuleOp module;
  llvm::StringMap<std::unique_ptr<Policy>> &policies;
  OpBuilder builder;
  /// The type a value had before this pass, for values whose type changed. Only
  /// looked up, never iterated over.
  DenseMap<Value, Type> originalTypes;
};

} // namespace

static Location withDecision(Location loc, StringRef rule, StringRef source,
                             NumericsAttr numerics = {}) {
  MLIRContext *context = loc.getContext();
  auto decision = DecisionAttr::get(context, StringAttr::get(context, rule),
                                    StringAttr::get(context, source),
                                    ArrayAttr(), numerics);
  return FusedLoc::get(context, {loc}, decision);
}

static bool isLowPrecision(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() < 32;
}

static int64_t getRank(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() ? shaped.getRank() : 0;
}

/// The rank that promotion sees: through a broadcast, its source's.
static int64_t getPromotionRank(Value value) {
  while (Operation *producer = value.getDefiningOp()) {
    auto numeric = dyn_cast<NumericOpInterface>(producer);
    bool spreads =
        numeric && numeric.getNumericClass() == NumericClass::movement &&
        getRank(producer->getOperand(0).getType()) < getRank(value.getType());
    if (!isa<CastOp>(producer) && !spreads)
      break;
    value = producer->getOperand(0);
  }
  return getRank(value.getType());
}

Value FunctionAutocaster::castFor(Operation *op, Value value, Type elementType,
                                  CastOrigin origin, StringRef rule,
                                  StringRef source) {
  builder.setInsertionPoint(op);
  return CastOp::create(builder, withDecision(op->getLoc(), rule, source),
                        value, elementType, origin);
}

const Policy *FunctionAutocaster::getPolicy(Operation *op, StringRef name) {
  std::unique_ptr<Policy> &slot = policies[name];
  if (slot)
    return slot.get();
  FailureOr<std::unique_ptr<Policy>> resolved = Policy::resolve(module, name);
  if (failed(resolved)) {
    op->emitRemark() << "policy asked for here";
    return nullptr;
  }
  slot = std::move(*resolved);
  return slot.get();
}

LogicalResult FunctionAutocaster::visit(Operation *op, Setting setting) {
  if (auto region = dyn_cast<AutocastRegionOp>(op))
    return visitRegion(region, setting);
  if (isa<CastOp>(op))
    return success(); // Its result type is its meaning.
  if (auto numeric = dyn_cast<NumericOpInterface>(op))
    return visitNumeric(numeric, setting);
  if (op->hasTrait<OpTrait::ReturnLike>() && op->getParentOp() == function) {
    visitReturn(op);
    return success();
  }
  return visitOther(op, setting);
}

LogicalResult FunctionAutocaster::visitRegion(AutocastRegionOp op,
                                              Setting setting) {
  Setting inner{setting.policy, op.getEnabled()};
  if (op.getPolicy()) {
    inner.policy = getPolicy(op, *op.getPolicy());
    if (!inner.policy)
      return failure();
  }
  Block &body = op.getBody().front();
  // The entry rule: a disabled region takes low-precision values as they are,
  // or in f32. One cast per use, as everywhere.
  if (!inner.enabled && op.getEntryCast() == EntryCast::f32) {
    op.getBody().walk([&](Operation *inside) {
      for (OpOperand &operand : inside->getOpOperands()) {
        bool entersHere =
            !op.getBody().isAncestor(operand.get().getParentRegion());
        if (entersHere && isLowPrecision(operand.get().getType()) &&
            isa<NumericOpInterface>(inside))
          operand.set(castFor(inside, operand.get(), builder.getF32Type(),
                              CastOrigin::policy, "entry_cast",
                              inner.policy->getName()));
      }
    });
  }
  if (failed(visit(op.getBody(), inner)))
    return failure();
  auto yield = cast<YieldOp>(body.getTerminator());
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), yield.getOperands()))
    if (result.getType() != value.getType() && !originalTypes.contains(value))
      originalTypes[value] = result.getType();
  op->replaceAllUsesWith(yield.getOperands());
  yield.erase();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations());
  op.erase();
  return success();
}

/// Native promotion: an op that wants one operand type gets the widest among
/// operands of rank > 0; rank-0 operands follow.
void FunctionAutocaster::chooseNativeTypes(NumericOpInterface op,
                                           MutableArrayRef<Type> types) {
  if (!op.requiresSameOperandTypes())
    return;
  FloatType widest;
  for (bool wantScalars : {false, true}) {
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      auto element =
          dyn_cast<FloatType>(getElementTypeOrSelf(operand.getType()));
      bool isScalar = getPromotionRank(operand) == 0;
      if (!element || isScalar != wantScalars || !op.isCastable(index))
        continue;
      FloatType wider = widest ? getWiderFloatType(widest, element) : element;
      widest = wider ? wider : builder.getF32Type();
    }
    if (widest)
      break; // Scalars decide only among themselves.
  }
  for (auto [index, type] : llvm::enumerate(types))
    if (widest && op.isCastable(index))
      type = widest;
}

LogicalResult
FunctionAutocaster::choosePromotedTypes(NumericOpInterface op,
                                        MutableArrayRef<Type> types) {
  FloatType widest;
  Value widestValue;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    if (!op.isCastable(index))
      continue;
    auto element = cast<FloatType>(getElementTypeOrSelf(operand.getType()));
    FloatType wider = widest ? getWiderFloatType(widest, element) : element;
    if (!wider) {
      InFlightDiagnostic diagnostic =
          op->emitOpError("expects operands with a widest float type among "
                          "them, but got ")
          << widest << " and " << element
          << "; cast one of them explicitly with 'amp.cast'";
      diagnostic.attachNote(widestValue.getLoc())
          << "see " << widest << " value here";
      diagnostic.attachNote(operand.getLoc())
          << "see " << element << " value here";
      return diagnostic;
    }
    if (wider != widest)
      widestValue = operand;
    widest = wider;
  }
  for (auto [index, type] : llvm::enumerate(types))
    if (widest && op.isCastable(index))
      type = widest;
  return success();
}

FailureOr<SmallVector<Type>> FunctionAutocaster::chooseOperandTypes(
    NumericOpInterface op, const Policy::Verdict &verdict, Setting setting) {
  SmallVector<Type> types(op->getNumOperands());
  if (!setting.enabled || verdict.policyClass == PolicyClass::native ||
      verdict.policyClass == PolicyClass::fp32_output) {
    chooseNativeTypes(op, types);
    return types;
  }
  if (verdict.policyClass == PolicyClass::promote) {
    if (failed(choosePromotedTypes(op, types)))
      return failure();
    return types;
  }
  for (auto [index, type] : llvm::enumerate(types)) {
    if (!op.isCastable(index))
      continue;
    // A rule for one operand may differ from the op's.
    PolicyClass policyClass = setting.policy->classify(op, index).policyClass;
    type = policyClass == PolicyClass::fp32
               ? Type(builder.getF32Type())
               : Type(setting.policy->getLowType());
  }
  // Operands that need one type share the widest of what the rules gave.
  if (op.requiresSameOperandTypes()) {
    FloatType widest;
    for (Type type : types) {
      if (!type)
        continue;
      FloatType element = cast<FloatType>(type);
      FloatType wider = widest ? getWiderFloatType(widest, element) : element;
      widest = wider ? wider : builder.getF32Type();
    }
    for (Type &type : types)
      if (type)
        type = widest;
  }
  return types;
}

LogicalResult FunctionAutocaster::visitNumeric(NumericOpInterface op,
                                               Setting setting) {
  Policy::Verdict verdict;
  if (setting.enabled)
    verdict = setting.policy->classify(op);
  if (verdict.policyClass == PolicyClass::banned)
    return op->emitOpError("is banned by policy '")
           << setting.policy->getName() << "': " << verdict.advice;
  StringRef source = setting.policy->getName();

  auto elementOf = [](Type type) { return getElementTypeOrSelf(type); };
  // A result type that is not the native one was written on purpose: it stays.
  SmallVector<Type> originalOperands;
  for (Value operand : op->getOperands()) {
    auto it = originalTypes.find(operand);
    originalOperands.push_back(
        elementOf(it == originalTypes.end() ? operand.getType() : it->second));
  }
  SmallVector<Type> originalNative =
      op.inferResultElementTypes(originalOperands);

  FailureOr<SmallVector<Type>> wanted =
      chooseOperandTypes(op, verdict, setting);
  if (failed(wanted))
    return failure();
  SmallVector<Value> operands(op->getOperands());
  SmallVector<Type> operandElements;
  bool changed = false;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    Type type = (*wanted)[index];
    if (type && type != elementOf(operand.getType()))
      operand =
          castFor(op, operand, type, CastOrigin::policy, verdict.rule, source);
    changed |= operand != op->getOperand(index);
    operandElements.push_back(elementOf(operand.getType()));
  }

  SmallVector<Type> resultTypes;
  SmallVector<Type> native = op.inferResultElementTypes(operandElements);
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    Type element = elementOf(result.getType());
    bool isExplicit = element != originalNative[index];
    if (!isExplicit)
      element = native[index];
    if (verdict.policyClass == PolicyClass::fp32_output && !isExplicit &&
        isLowPrecision(element))
      element = builder.getF32Type();
    resultTypes.push_back(cast<ShapedType>(result.getType()).clone(element));
    changed |= resultTypes.back() != result.getType();
  }
  // The types this op was built for, by result.
  SmallVector<Type> oldTypes(op->getResultTypes());

  bool isUndecided = op.accumulates() && !op.getNumericsOrNull();
  if (isUndecided) {
    bool isF64 =
        llvm::any_of(operandElements, [](Type t) { return t.isF64(); });
    op.setNumericsContract(
        NumericsAttr::get(op.getContext(), isF64 ? Type(builder.getF64Type())
                                                 : Type(builder.getF32Type())));
  }
  // The location keeps what was decided here for all later stages.
  if (changed || isUndecided)
    op->setLoc(withDecision(op->getLoc(), verdict.rule, source,
                            op.getNumericsOrNull()));
  if (!changed)
    return success();
  builder.setInsertionPoint(op);
  Operation *rebuilt = op.rebuild(builder, operands, resultTypes);
  for (auto [result, oldType] :
       llvm::zip_equal(rebuilt->getResults(), oldTypes))
    if (result.getType() != oldType)
      originalTypes[result] = oldType;
  op->replaceAllUsesWith(rebuilt);
  op->erase();
  return success();
}

/// An op without numeric facts was built for certain types: it gets them back.
LogicalResult FunctionAutocaster::visitOther(Operation *op, Setting setting) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto it = originalTypes.find(operand.get());
    if (it == originalTypes.end() ||
        (isa<YieldOp>(op) && isa<AutocastRegionOp>(op->getParentOp())))
      continue;
    operand.set(castFor(op, operand.get(), getElementTypeOrSelf(it->second),
                        CastOrigin::boundary, "uncovered",
                        op->getName().getStringRef()));
  }
  for (Region &region : op->getRegions())
    if (failed(visit(region, setting)))
      return failure();
  return success();
}

/// A function nobody in the module calls returns what was computed; the types
/// of one with callers are a contract and stay.
void FunctionAutocaster::visitReturn(Operation *op) {
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(function, module);
  bool hasCallers = !uses || !uses->empty();
  SmallVector<Type> resultTypes;
  for (OpOperand &operand : op->getOpOperands()) {
    Type declared = function.getResultTypes()[operand.getOperandNumber()];
    if (hasCallers && operand.get().getType() != declared)
      operand.set(castFor(op, operand.get(), getElementTypeOrSelf(declared),
                          CastOrigin::boundary, "result of a called function",
                          function.getName()));
    resultTypes.push_back(operand.get().getType());
  }
  function.setType(
      function.cloneTypeWith(function.getArgumentTypes(), resultTypes));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The compiler's account of itself: one remark per op, from a last walk.
static void emitRemarks(FunctionOpInterface function, const Policy &policy) {
  function->walk([&](Operation *op) {
    auto options = [&](StringRef name) {
      return remark::RemarkOpts::name(name)
          .category("amp-autocast")
          .function(function.getName());
    };
    if (op == function || isa<CastOp>(op) ||
        op->hasTrait<OpTrait::IsTerminator>())
      return;
    auto numeric = dyn_cast<NumericOpInterface>(op);
    if (!numeric) {
      remark::missed(op->getLoc(), options("Uncovered"))
          << remark::reason("op '{0}' has no numeric facts; it keeps its types",
                            op->getName().getStringRef());
      return;
    }
    if (op->getNumResults() == 0)
      return;
    bool isLow = llvm::any_of(op->getOperandTypes(), isLowPrecision);
    Policy::Verdict verdict = policy.classify(numeric);
    if (isLow)
      remark::passed(op->getLoc(), options("Demoted"))
          << remark::metric("to", policy.getLowType())
          << remark::metric("rule", verdict.rule);
    else if (verdict.policyClass == PolicyClass::fp32)
      remark::passed(op->getLoc(), options("KeptF32"))
          << remark::metric("rule", verdict.rule);
  });
}

namespace {
struct AutocastPass : amp::impl::AutocastPassBase<AutocastPass> {
  using AutocastPassBase::AutocastPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringMap<std::unique_ptr<Policy>> policies;
    FailureOr<std::unique_ptr<Policy>> resolved =
        Policy::resolve(module, policy);
    if (failed(resolved))
      return signalPassFailure();
    const Policy &main = **resolved;
    for (auto function : module.getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      FunctionAutocaster autocaster(function, module, policies);
      if (failed(autocaster.run(main)))
        return signalPassFailure();
      emitRemarks(function, main);
    }
    Builder builder(&getContext());
    module->setAttr(kPolicyAttrName, builder.getStringAttr(main.getName()));
    module->setAttr(kPolicyHashAttrName, builder.getStringAttr(main.getHash()));
  }
};
} // namespace
