//===- ScalarEmitter.cpp - Elements of a kernel's tensors -------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Scopes and memory
//===----------------------------------------------------------------------===//

unsigned KernelEmitter::getScope(AffineMap map) {
  // Sums over columns are in scratch memory, which only the inner loop reads;
  // with a single column no map shows that.
  bool isSingleColumn =
      model.getKernel().getKind() == amprt::KernelKind::column &&
      model.getInnerGroups().empty();
  if (isSingleColumn || model.dependsOnInner(map))
    return inner;
  return model.dependsOnOuter(map) ? outer : function;
}

void KernelEmitter::setInsertionPoint(unsigned scope) {
  Scope &target = scopes[home[scope]];
  if (target.before)
    return builder.setInsertionPoint(target.before);
  if (target.block->mightHaveTerminator())
    return builder.setInsertionPoint(target.block->getTerminator());
  builder.setInsertionPointToEnd(target.block);
}

Value KernelEmitter::getIndexConstant(int64_t value) {
  Value &constant = indexConstants[value];
  if (!constant) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(scopes[function].block);
    constant = arith::ConstantIndexOp::create(builder, loc, value);
  }
  return constant;
}

SmallVector<Value> KernelEmitter::getIndices(AffineMap map) {
  SmallVector<Value> indices;
  for (unsigned group : model.getGroups(map))
    indices.push_back(groupIndices[group]);
  return indices;
}

Value KernelEmitter::load(unsigned operandIndex, AffineMap map) {
  return memref::LoadOp::create(builder, loc,
                                arguments[model.getBufferOf(operandIndex)],
                                getIndices(map));
}

void KernelEmitter::store(Value scalar, unsigned operandIndex, AffineMap map) {
  memref::StoreOp::create(builder, loc, scalar,
                          arguments[model.getBufferOf(operandIndex)],
                          getIndices(map));
}

//===----------------------------------------------------------------------===//
// Pulling
//===----------------------------------------------------------------------===//

FailureOr<Value> KernelEmitter::evaluate(Value value, AffineMap map) {
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

FailureOr<Value> KernelEmitter::compute(Value value, AffineMap map,
                                        unsigned scope) {
  auto memory = scratch.find(value);
  bool isKept = memory != scratch.end();
  auto kept = model.getScratchValues().find(value);
  bool isIdentity = kept != model.getScratchValues().end() &&
                    model.getGroups(map).size() == model.getGroupSizes().size();
  if (isKept && (kept == model.getScratchValues().end() ||
                 (isIdentity && kept->second < currentPass))) {
    setInsertionPoint(inner);
    return Value(memref::LoadOp::create(builder, loc, memory->second,
                                        ValueRange{localIndex}));
  }
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
  if (succeeded(scalar) && isKept && isIdentity) {
    setInsertionPoint(inner);
    memref::StoreOp::create(builder, loc, *scalar, memory->second,
                            ValueRange{localIndex});
  }
  return scalar;
}

LogicalResult KernelEmitter::evaluateInputs(linalg::LinalgOp op,
                                            AffineMap iteration,
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
      mapping.map(argument, builder.clone(*constant)->getResult(0));
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
    mapping.map(argument, *scalar);
  }
  return success();
}

FailureOr<Value> KernelEmitter::evaluateRegion(linalg::LinalgOp op,
                                               unsigned result,
                                               AffineMap iteration,
                                               unsigned scope) {
  IRMapping mapping;
  if (failed(evaluateInputs(op, iteration, mapping)))
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
        !scratch.count(op->getResult(i)) && outMap.isIdentity())
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

/// x86-64 has no arithmetic on narrow floats that every machine shares: widen,
/// compute in f32, round. The rounding stays: nothing is marked 'contract'.
Value KernelEmitter::cloneWidened(Operation &op, IRMapping &mapping) {
  Type f32 = builder.getF32Type();
  OperationState state(loc, op.getName());
  for (Value operand : op.getOperands()) {
    Value value = mapping.lookupOrDefault(operand);
    if (isNarrowFloat(value.getType()))
      value = arith::ExtFOp::create(builder, loc, f32, value);
    state.operands.push_back(value);
  }
  for (Type type : op.getResultTypes())
    state.types.push_back(isNarrowFloat(type) ? f32 : type);
  state.attributes = op.getAttrs();
  Operation *wide = builder.create(state);
  Value result = wide->getResult(0);
  if (result.getType() != op.getResult(0).getType())
    result = arith::TruncFOp::create(builder, loc, op.getResult(0).getType(),
                                     result);
  return result;
}

void KernelEmitter::cloneScalar(Operation &op, IRMapping &mapping) {
  if (op.getNumResults() == 1 && computesNarrow(op))
    mapping.map(op.getResult(0), cloneWidened(op, mapping));
  else
    builder.clone(op, mapping);
}

LogicalResult KernelEmitter::cloneBody(linalg::LinalgOp op, AffineMap iteration,
                                       unsigned scope, IRMapping &mapping) {
  // What the region takes from the kernel's body is constant.
  for (Operation &nested : op.getBlock()->without_terminator()) {
    for (Value operand : nested.getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (mapping.contains(operand) || !source ||
          source->getBlock() == op.getBlock())
        continue;
      if (!matchPattern(source, m_Constant()))
        return nested.emitOpError("expects to take only constants from outside "
                                  "its region");
      mapping.map(operand, builder.clone(*source)->getResult(0));
    }
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      AffineExpr expr = iteration.getResult(index.getDim());
      auto dim = dyn_cast<AffineDimExpr>(expr);
      Value value = getIndexConstant(0);
      if (dim)
        for (auto [group, size] : llvm::enumerate(model.getGroupSizes()))
          if (model.getDims(group).front() == dim.getPosition())
            value = groupIndices[group];
      mapping.map(index.getResult(), value);
      continue;
    }
    if (nested.getNumRegions() != 0)
      return nested.emitOpError("expects no regions inside a kernel's scalars");
    cloneScalar(nested, mapping);
  }
  // A yielded outer constant.
  for (Value operand : op.getBlock()->getTerminator()->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (!mapping.contains(operand) && source &&
        source->getBlock() != op.getBlock())
      mapping.map(operand, builder.clone(*source)->getResult(0));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Operation *KernelEmitter::getCombiner(const Reduction &reduction) {
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

FailureOr<Value> KernelEmitter::getNeutral(const Reduction &reduction) {
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
KernelEmitter::combineElement(linalg::LinalgOp op, ValueRange accumulators) {
  IRMapping mapping;
  AffineMap iteration = model.getReductionIteration(op);
  if (failed(evaluateInputs(op, iteration, mapping)))
    return failure();
  for (auto [argument, accumulator] :
       llvm::zip_equal(op.getRegionOutputArgs(), accumulators))
    mapping.map(argument, accumulator);
  setInsertionPoint(inner);
  if (failed(cloneBody(op, iteration, inner, mapping)))
    return failure();
  SmallVector<Value> results;
  for (Value yielded : op.getBlock()->getTerminator()->getOperands()) {
    Value result = mapping.lookupOrDefault(yielded);
    // Only the accumulation itself may be reassociated.
    if (auto fast = dyn_cast_or_null<arith::ArithFastMathInterface>(
            result.getDefiningOp()))
      if (llvm::is_contained(fast->getOperands(),
                             accumulators[results.size()])) {
        auto flags = fast.getFastMathFlagsAttr().getValue() |
                     arith::FastMathFlags::reassoc |
                     arith::FastMathFlags::contract;
        fast->setAttr(
            fast.getFastMathAttrName(),
            arith::FastMathFlagsAttr::get(builder.getContext(), flags));
      }
    results.push_back(result);
  }
  return results;
}
