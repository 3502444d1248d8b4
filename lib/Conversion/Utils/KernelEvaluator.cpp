//===- KernelEvaluator.cpp - Elements of a kernel's tensors -----*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Utils/KernelEvaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Scopes and loops
//===----------------------------------------------------------------------===//

unsigned KernelEvaluator::getScope(AffineMap map) {
  if (model.dependsOnInner(map))
    return inner;
  return model.dependsOnOuter(map) ? outer : function;
}

void KernelEvaluator::setInsertionPoint(unsigned scope) {
  Scope &target = scopes[home[scope]];
  if (target.before)
    return builder.setInsertionPoint(target.before);
  if (target.block->mightHaveTerminator())
    return builder.setInsertionPoint(target.block->getTerminator());
  builder.setInsertionPointToEnd(target.block);
}

Value KernelEvaluator::getIndexConstant(int64_t value) {
  Value &constant = indexConstants[value];
  if (!constant) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(scopes[function].block);
    constant = arith::ConstantIndexOp::create(builder, loc, value);
  }
  return constant;
}

SmallVector<Value> KernelEvaluator::getIndices(AffineMap map) {
  SmallVector<Value> indices;
  for (unsigned group : model.getGroups(map))
    indices.push_back(groupIndices[group]);
  return indices;
}

scf::ForOp KernelEvaluator::beginLoop(unsigned scope, unsigned nested,
                                      Value lower, Value upper, Value step,
                                      ValueRange inits) {
  setInsertionPoint(scope);
  Block *block = scopes[home[scope]].block;
  auto loop = scf::ForOp::create(builder, loc, lower, upper, step, inits);
  for (unsigned i = 0; i < nested; ++i)
    if (scopes[i].block == block)
      scopes[i].before = loop;
  for (unsigned i = nested; i < numScopes; ++i)
    scopes[i] = Scope();
  scopes[nested].block = loop.getBody();
  return loop;
}

void KernelEvaluator::endLoop(scf::ForOp loop, ValueRange yielded) {
  if (!yielded.empty()) {
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, loc, yielded);
  }
  for (Scope &scope : scopes)
    if (scope.before == loop)
      scope.before = nullptr;
}

Type KernelEvaluator::getLaneType(Type type, unsigned lanes) {
  return lanes == 1 ? type : VectorType::get({lanes}, type);
}

Value KernelEvaluator::toLanes(Value value, unsigned lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  Type type = getLaneType(value.getType(), lanes);
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return arith::ConstantOp::create(
        builder, loc, SplatElementsAttr::get(cast<ShapedType>(type), constant));
  return vector::BroadcastOp::create(builder, loc, type, value);
}

//===----------------------------------------------------------------------===//
// Pulling
//===----------------------------------------------------------------------===//

FailureOr<Value> KernelEvaluator::evaluate(Value value, AffineMap map) {
  unsigned scope = getScope(map);
  auto known = scopes[scope].values.find({value, map});
  if (known != scopes[scope].values.end())
    return known->second;
  // Operands were hoisted into scopes of their own: each asks for its position.
  OpBuilder::InsertionGuard guard(builder);
  FailureOr<Value> scalar = compute(value, map, scope);
  if (succeeded(scalar))
    scopes[scope].values[{value, map}] = *scalar;
  return scalar;
}

FailureOr<Value> KernelEvaluator::compute(Value value, AffineMap map,
                                          unsigned scope) {
  if (Value held = loadHeld(value, map))
    return held;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    setInsertionPoint(scope);
    return load(argument.getArgNumber(), map);
  }
  Operation *op = value.getDefiningOp();
  if (isa<tensor::EmptyOp>(op)) {
    setInsertionPoint(function);
    return Value(arith::ConstantOp::create(
        builder, loc,
        builder.getZeroAttr(
            cast<ShapedType>(value.getType()).getElementType())));
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat)
      return op->emitOpError("expects a constant of one value in a kernel");
    setInsertionPoint(function);
    return Value(arith::ConstantOp::create(builder, loc,
                                           splat.getSplatValue<TypedAttr>()));
  }
  auto linalgOp = cast<linalg::LinalgOp>(op);
  if (isReduction(linalgOp))
    return op->emitOpError("expects its result to be read through the map that "
                           "it's written through, but got ")
           << AffineMapAttr::get(map);
  unsigned result = cast<OpResult>(value).getResultNumber();
  FailureOr<Value> scalar = evaluateRegion(
      linalgOp, result, model.getIteration(linalgOp, result, map), scope);
  if (succeeded(scalar))
    hold(value, map, *scalar);
  return scalar;
}

LogicalResult KernelEvaluator::evaluateInputs(linalg::LinalgOp op,
                                              AffineMap iteration,
                                              unsigned scope,
                                              IRMapping &mapping) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!op.payloadUsesValueFromOperand(&operand) ||
        (isReduction(op) && op.isDpsInit(&operand)))
      continue;
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!isa<ShapedType>(operand.get().getType())) { // linalg.fill's scalar
      setInsertionPoint(function);
      Operation *constant = operand.get().getDefiningOp();
      if (!constant || !matchPattern(constant, m_Constant()))
        return op.emitOpError("expects scalar operands that are constants");
      cloneOuterConstant(operand.get(), getLanes(scope), mapping);
      mapping.map(argument, mapping.lookup(operand.get()));
      continue;
    }
    AffineMap map = op.getMatchingIndexingMap(&operand).compose(iteration);
    // The same form as the model's accesses have.
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      results.push_back(dim && model.getDimSize(dim.getPosition()) == 1
                            ? getAffineConstantExpr(0, model.getContext())
                            : expr);
    }
    map = AffineMap::get(map.getNumDims(), 0, results, model.getContext());
    FailureOr<Value> scalar = evaluate(operand.get(), map);
    if (failed(scalar))
      return failure();
    setInsertionPoint(scope);
    mapping.map(argument, toLanes(*scalar, getLanes(scope)));
  }
  return success();
}

FailureOr<Value> KernelEvaluator::evaluateRegion(linalg::LinalgOp op,
                                                 unsigned result,
                                                 AffineMap iteration,
                                                 unsigned scope) {
  IRMapping mapping;
  if (failed(evaluateInputs(op, iteration, scope, mapping)))
    return failure();
  setInsertionPoint(scope);
  if (failed(cloneBody(op, iteration, scope, mapping)))
    return failure();
  Operation *yield = op.getBlock()->getTerminator();
  // All results of an op that has several are known at once, where they are
  // accessed alike.
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    AffineMap outMap = op.getMatchingIndexingMap(op.getDpsInitOperand(i));
    if (i != result &&
        outMap == op.getMatchingIndexingMap(op.getDpsInitOperand(result)) &&
        !isHeld(op->getResult(i)) && outMap.isIdentity())
      scopes[scope].values.try_emplace(
          {op->getResult(i), iteration},
          mapping.lookupOrDefault(yield->getOperand(i)));
  }
  return mapping.lookupOrDefault(yield->getOperand(result));
}

//===----------------------------------------------------------------------===//
// Cloning
//===----------------------------------------------------------------------===//

static bool isNarrowFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

/// Whether an op computes in a narrow float type, rather than moving or
/// converting values of it.
static bool computesNarrow(Operation &op) {
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::SelectOp, arith::BitcastOp,
          arith::ConstantOp>(op))
    return false;
  return llvm::any_of(op.getOperandTypes(), isNarrowFloat) ||
         llvm::any_of(op.getResultTypes(), isNarrowFloat);
}

/// No target has arithmetic on every narrow float: widen, compute in f32,
/// round. The rounding stays: nothing is marked 'contract'.
Value KernelEvaluator::cloneWidened(Operation &op, unsigned lanes,
                                    IRMapping &mapping) {
  Type f32 = builder.getF32Type();
  OperationState state(loc, op.getName());
  for (Value operand : op.getOperands()) {
    Value value = mapping.lookupOrDefault(operand);
    if (isNarrowFloat(operand.getType()))
      value =
          arith::ExtFOp::create(builder, loc, getLaneType(f32, lanes), value);
    state.operands.push_back(value);
  }
  Type type = op.getResult(0).getType();
  bool isNarrow = isNarrowFloat(type);
  state.types.push_back(getLaneType(isNarrow ? f32 : type, lanes));
  state.attributes = op.getAttrs();
  Operation *wide = builder.create(state);
  adjust(wide);
  Value result = wide->getResult(0);
  if (isNarrow)
    result =
        arith::TruncFOp::create(builder, loc, getLaneType(type, lanes), result);
  return result;
}

LogicalResult KernelEvaluator::cloneElement(Operation &op, unsigned lanes,
                                            IRMapping &mapping) {
  if (op.getNumRegions() != 0)
    return op.emitOpError("expects no regions inside a kernel's scalars");
  if (op.hasTrait<OpTrait::ConstantLike>()) {
    cloneOuterConstant(op.getResult(0), lanes, mapping);
    return success();
  }
  if (op.getNumResults() == 1 && computesNarrow(op)) {
    mapping.map(op.getResult(0), cloneWidened(op, lanes, mapping));
    return success();
  }
  if (lanes == 1) {
    adjust(builder.clone(op, mapping));
    return success();
  }
  if (!OpTrait::hasElementwiseMappableTraits(&op))
    return op.emitOpError("expects to apply to vectors element by element");
  OperationState state(loc, op.getName());
  for (Value operand : op.getOperands())
    state.operands.push_back(mapping.lookupOrDefault(operand));
  for (Type type : op.getResultTypes())
    state.types.push_back(getLaneType(type, lanes));
  state.attributes = op.getAttrs();
  Operation *clone = builder.create(state);
  adjust(clone);
  mapping.map(op.getResults(), clone->getResults());
  return success();
}

void KernelEvaluator::cloneOuterConstant(Value operand, unsigned lanes,
                                         IRMapping &mapping) {
  Value scalar = builder.clone(*operand.getDefiningOp())->getResult(0);
  Value value = toLanes(scalar, lanes);
  if (value != scalar && scalar.use_empty())
    scalar.getDefiningOp()->erase();
  mapping.map(operand, value);
}

LogicalResult KernelEvaluator::cloneBody(linalg::LinalgOp op,
                                         AffineMap iteration, unsigned scope,
                                         IRMapping &mapping) {
  unsigned lanes = getLanes(scope);
  auto isOuter = [&](Value operand) {
    Operation *source = operand.getDefiningOp();
    return !mapping.contains(operand) && source &&
           source->getBlock() != op.getBlock();
  };
  // What the region takes from the kernel's body is constant.
  for (Operation &nested : op.getBlock()->without_terminator()) {
    for (Value operand : nested.getOperands()) {
      if (!isOuter(operand))
        continue;
      if (!matchPattern(operand.getDefiningOp(), m_Constant()))
        return nested.emitOpError("expects to take only constants from outside "
                                  "its region");
      cloneOuterConstant(operand, lanes, mapping);
    }
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      AffineExpr expr = iteration.getResult(index.getDim());
      auto dim = dyn_cast<AffineDimExpr>(expr);
      Value value = getIndexConstant(0);
      if (dim)
        for (auto [group, size] : llvm::enumerate(model.getGroupSizes()))
          if (model.getDims(group).front() == dim.getPosition())
            value = getPosition(group, scope);
      mapping.map(index.getResult(), toLanes(value, lanes));
      continue;
    }
    if (failed(cloneElement(nested, lanes, mapping)))
      return failure();
  }
  // A yielded outer constant.
  for (Value operand : op.getBlock()->getTerminator()->getOperands())
    if (isOuter(operand))
      cloneOuterConstant(operand, lanes, mapping);
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Operation *KernelEvaluator::getCombiner(const Reduction &reduction) {
  linalg::LinalgOp op = reduction.op;
  Value accumulator = op.getRegionOutputArgs()[reduction.result];
  Operation *combiner = op.getBlock()
                            ->getTerminator()
                            ->getOperand(reduction.result)
                            .getDefiningOp();
  if (!combiner || combiner->getBlock() != op.getBlock() ||
      combiner->getNumOperands() != 2 || !accumulator.hasOneUse() ||
      llvm::count(combiner->getOperands(), accumulator) != 1)
    return nullptr;
  return combiner;
}

FailureOr<Value> KernelEvaluator::getNeutral(const Reduction &reduction) {
  Operation *combiner = getCombiner(reduction);
  std::optional<TypedAttr> neutral;
  if (combiner)
    neutral = arith::getNeutralElement(combiner);
  if (!neutral) {
    linalg::LinalgOp op = reduction.op;
    return op.emitOpError("expects a reduction by one associative op with a "
                          "neutral element");
  }
  setInsertionPoint(function);
  return Value(arith::ConstantOp::create(builder, loc, *neutral));
}

FailureOr<SmallVector<Value>>
KernelEvaluator::combineElement(linalg::LinalgOp op, ValueRange accumulators) {
  IRMapping mapping;
  AffineMap iteration = model.getReductionIteration(op);
  if (failed(evaluateInputs(op, iteration, inner, mapping)))
    return failure();
  for (auto [argument, accumulator] :
       llvm::zip_equal(op.getRegionOutputArgs(), accumulators))
    mapping.map(argument, accumulator);
  setInsertionPoint(inner);
  if (failed(cloneBody(op, iteration, inner, mapping)))
    return failure();
  SmallVector<Value> results;
  for (Value yielded : op.getBlock()->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(yielded));
  return results;
}

bool KernelEvaluator::hasFreeOrder(linalg::LinalgOp op) {
  return llvm::all_of(model.getReductions(), [&](const Reduction &reduction) {
    if (reduction.op != op)
      return true;
    Operation *combiner = getCombiner(reduction);
    if (!combiner || !arith::getNeutralElement(combiner))
      return false;
    // Sums and products of floats; all else gives the same in any order.
    auto fast = dyn_cast<arith::ArithFastMathInterface>(combiner);
    return !fast || !isa<arith::AddFOp, arith::MulFOp>(combiner) ||
           bitEnumContainsAll(fast.getFastMathFlagsAttr().getValue(),
                              arith::FastMathFlags::reassoc);
  });
}

Value KernelEvaluator::combine(const Reduction &reduction, Value accumulator,
                               Value value) {
  linalg::LinalgOp op = reduction.op;
  Operation *combiner = getCombiner(reduction);
  Value argument = op.getRegionOutputArgs()[reduction.result];
  unsigned lanes = 1;
  if (auto type = dyn_cast<VectorType>(value.getType()))
    lanes = type.getNumElements();
  IRMapping mapping;
  for (Value operand : combiner->getOperands())
    mapping.map(operand, operand == argument ? accumulator : value);
  // A combiner is an op of arith: it applies to vectors.
  (void)cloneElement(*combiner, lanes, mapping);
  return mapping.lookup(combiner->getResult(0));
}

SmallVector<linalg::LinalgOp> KernelEvaluator::getReductionOps(int pass) {
  SmallVector<linalg::LinalgOp> ops;
  for (const Reduction &reduction : model.getReductions())
    if (reduction.pass == pass && reduction.result == 0)
      ops.push_back(reduction.op);
  return ops;
}

//===----------------------------------------------------------------------===//
// Outs
//===----------------------------------------------------------------------===//

FailureOr<KernelEvaluator::OutValues>
KernelEvaluator::evaluateOuts(function_ref<bool(const KernelOut &)> filter) {
  OutValues values;
  for (const KernelOut &out : model.getOuts()) {
    if (!filter(out))
      continue;
    FailureOr<Value> value = evaluate(out.value, out.map);
    if (failed(value))
      return failure();
    values.push_back({*value, &out});
  }
  return values;
}

void KernelEvaluator::storeOuts(const OutValues &values) {
  for (auto [value, out] : values)
    store(value, model.getKernel().getInputs().size() + out->index, out->map);
}
