//===- KernelModel.cpp - What a kernel computes, for emitters ---*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Utils/KernelModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::amp;
using amprt::KernelKind;

bool amp::isReduction(linalg::LinalgOp op) {
  return op.getNumReductionLoops() > 0;
}

static bool isExpensiveOp(linalg::LinalgOp op) {
  WalkResult result = op.getBlock()->walk([](Operation *nested) {
    if (isa<math::MathDialect>(nested->getDialect()) &&
        !isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::FmaOp,
             math::SqrtOp, math::FloorOp, math::CeilOp>(nested))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Domain, reductions and outs
//===----------------------------------------------------------------------===//

AffineMap KernelModel::getIdentity() const {
  return AffineMap::getMultiDimIdentityMap(domain.size(), kernel->getContext());
}

AffineMap KernelModel::simplify(AffineMap map) const {
  Builder b(kernel->getContext());
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    results.push_back(dim && domain[dim.getPosition()] == 1
                          ? b.getAffineConstantExpr(0)
                          : expr);
  }
  return AffineMap::get(domain.size(), 0, results, b.getContext());
}

/// How a shape that isn't accessed through a map of the body lies in D: leading
/// dimensions in a row kernel, trailing ones in a column kernel.
AffineMap KernelModel::anchor(ArrayRef<int64_t> shape) {
  Builder b(getContext());
  unsigned first =
      kernel.getKind() == KernelKind::column ? domain.size() - shape.size() : 0;
  SmallVector<AffineExpr> results;
  for (unsigned i = 0; i < shape.size(); ++i)
    results.push_back(shape[i] == domain[first + i]
                          ? b.getAffineDimExpr(first + i)
                          : b.getAffineConstantExpr(0));
  return simplify(AffineMap::get(domain.size(), 0, results, b.getContext()));
}

LogicalResult KernelModel::findDomain() {
  auto consider = [&](ArrayRef<int64_t> shape, bool force) {
    if (force || shape.size() > domain.size())
      domain.assign(shape.begin(), shape.end());
  };
  bool hasReduction = false;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp) {
      if (!isa<tensor::EmptyOp, arith::ConstantOp>(op))
        return op.emitOpError("expects linalg ops, constants and empty tensors "
                              "in a kernel");
      continue;
    }
    expensive |= isExpensiveOp(linalgOp);
    SmallVector<int64_t> ranges = linalgOp.getStaticLoopRanges();
    bool first = isReduction(linalgOp) && !hasReduction;
    hasReduction |= isReduction(linalgOp);
    // A reduction's iteration is the domain.
    if (!hasReduction || first || isReduction(linalgOp))
      consider(ranges, first);
  }
  if (!hasReduction)
    for (Value out : kernel.getOuts())
      consider(cast<ShapedType>(out.getType()).getShape(), false);
  return success();
}

/// The number of reductions between the kernel's operands and `value`.
int KernelModel::getLevel(Value value) {
  auto known = levels.find(value);
  if (known != levels.end())
    return known->second;
  int level = 0;
  if (auto op = value.getDefiningOp<linalg::LinalgOp>()) {
    for (OpOperand &operand : op->getOpOperands())
      if (op.payloadUsesValueFromOperand(&operand))
        level = std::max(level, getLevel(operand.get()));
    if (isReduction(op))
      ++level;
  }
  levels[value] = level;
  return level;
}

AffineMap KernelModel::getReductionIteration(linalg::LinalgOp op) {
  return anchor(op.getStaticLoopRanges());
}

LogicalResult KernelModel::findReductionsAndOuts() {
  Block &body = kernel.getBody().front();
  for (auto op : body.getOps<linalg::LinalgOp>()) {
    // In order, so that the recursion is shallow.
    for (Value result : op->getResults())
      getLevel(result);
    if (!isReduction(op))
      continue;
    if (op.getNumLoops() != domain.size())
      return op.emitOpError("expects the reductions of a kernel to share one "
                            "iteration domain of rank ")
             << domain.size() << ", but got rank " << op.getNumLoops();
    AffineMap iteration = getReductionIteration(op);
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      AffineMap map =
          simplify(op.getMatchingIndexingMap(op.getDpsInitOperand(i))
                       .compose(iteration));
      int pass = getLevel(op->getResult(i)) - 1;
      reductions.push_back({op, i, map, pass});
      numPasses = std::max(numPasses, pass + 1);
    }
  }
  for (auto [index, value] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    auto shape = cast<ShapedType>(value.getType()).getShape();
    // Where every dimension is 1 or taken whole, an element is written once per
    // iteration of D.
    bool isOnDomain =
        shape.size() == domain.size() && llvm::equal(shape, domain);
    if (shape.size() > domain.size())
      return kernel.emitOpError("expects outs of rank at most ")
             << domain.size() << ", but got " << value.getType();
    if (domain.empty() ||
        (isOnDomain && llvm::all_of(domain, [](int64_t s) { return s == 1; })))
      isOnDomain = reductions.empty();
    outs.push_back({static_cast<unsigned>(index), value, anchor(shape),
                    isOnDomain, getLevel(value)});
    if (isOnDomain)
      numPasses = std::max(numPasses, outs.back().pass + 1);
  }
  for (KernelOut &out : outs) {
    Value place = kernel.getOuts()[out.index];
    // What is also read must not be overwritten before the last pass.
    if (out.isOnDomain && llvm::is_contained(kernel.getInputs(), place))
      out.pass = numPasses - 1;
    if (!out.isOnDomain && reductions.empty())
      return kernel.emitOpError("expects outs of one shape in a kernel without "
                                "reductions, but got ")
             << out.value.getType();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

AffineMap KernelModel::getIteration(linalg::LinalgOp op, unsigned result,
                                    AffineMap map) {
  AffineMap outMap = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<AffineExpr> results(ranges.size());
  for (auto [position, expr] : llvm::enumerate(outMap.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      results[dim.getPosition()] = map.getResult(position);
  for (auto [dim, expr] : llvm::enumerate(results)) {
    if (expr)
      continue;
    if (ranges[dim] != 1)
      return AffineMap();
    expr = getAffineConstantExpr(0, getContext());
  }
  return AffineMap::get(domain.size(), 0, results, getContext());
}

LogicalResult KernelModel::collect(Value value, AffineMap map) {
  if (!accesses.insert({value, map}))
    return success();
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || isReduction(op))
    return success(); // an operand, a constant, or visited on its own
  unsigned result = cast<OpResult>(value).getResultNumber();
  AffineMap iteration = getIteration(op, result, map);
  if (!iteration)
    return op.emitOpError("expects a result that depends on every dimension of "
                          "its iteration");
  for (OpOperand &operand : op->getOpOperands())
    if (op.payloadUsesValueFromOperand(&operand) &&
        failed(collect(
            operand.get(),
            simplify(op.getMatchingIndexingMap(&operand).compose(iteration)))))
      return failure();
  for (auto indexOp : op.getBlock()->getOps<linalg::IndexOp>())
    if (auto dim =
            dyn_cast<AffineDimExpr>(iteration.getResult(indexOp.getDim())))
      indexedDims.insert(dim.getPosition());
  return success();
}

LogicalResult KernelModel::collectAccesses() {
  for (Reduction &reduction : reductions) {
    linalg::LinalgOp op = reduction.op;
    AffineMap iteration = getReductionIteration(op);
    accesses.insert({op->getResult(reduction.result), reduction.map});
    for (OpOperand &operand : op->getOpOperands())
      if (failed(collect(operand.get(),
                         simplify(op.getMatchingIndexingMap(&operand).compose(
                             iteration)))))
        return failure();
    for (auto indexOp : op.getBlock()->getOps<linalg::IndexOp>())
      if (auto dim =
              dyn_cast<AffineDimExpr>(iteration.getResult(indexOp.getDim())))
        indexedDims.insert(dim.getPosition());
  }
  Block &body = kernel.getBody().front();
  for (KernelOut &out : outs) {
    accesses.insert(
        {body.getArgument(kernel.getInputs().size() + out.index), out.map});
    if (failed(collect(out.value, out.map)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Merged dimensions
//===----------------------------------------------------------------------===//

void KernelModel::mergeDimensions() {
  unsigned rank = domain.size();
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  if (!reductions.empty())
    iterators = reductions.front().op.getIteratorTypesArray();
  // mergeable[i]: i and i+1 are always walked together.
  SmallVector<bool> mergeable(rank, true);
  auto isDropped = [&](unsigned dim) { return domain[dim] == 1; };
  SmallVector<unsigned> kept;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (!isDropped(dim))
      kept.push_back(dim);
  for (unsigned i = 0; i + 1 < kept.size(); ++i) {
    unsigned a = kept[i], b = kept[i + 1];
    bool ok = iterators[a] == iterators[b] && !indexedDims.count(a) &&
              !indexedDims.count(b);
    for (const Access &access : accesses) {
      int positionA = -1, positionB = -1, position = 0;
      for (AffineExpr expr : access.second.getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        if (!dim)
          continue;
        if (dim.getPosition() == a)
          positionA = position;
        if (dim.getPosition() == b)
          positionB = position;
        ++position;
      }
      ok &= (positionA < 0 && positionB < 0) ||
            (positionA >= 0 && positionB == positionA + 1);
    }
    mergeable[i] = ok;
  }
  for (unsigned i = 0; i < kept.size(); ++i) {
    if (i == 0 || !mergeable[i - 1]) {
      groupDims.emplace_back();
      groupSizes.push_back(1);
    }
    groupDims.back().push_back(kept[i]);
    groupSizes.back() *= domain[kept[i]];
  }
  // The inner loop: what a column kernel keeps, what a row or flat kernel
  // reduces, else the last group.
  bool isColumn = kernel.getKind() == KernelKind::column;
  for (unsigned group = 0; group < groupDims.size(); ++group) {
    bool isReduced =
        iterators[groupDims[group].front()] == utils::IteratorType::reduction;
    bool isInner = reductions.empty() ? group + 1 == groupDims.size()
                                      : isReduced != isColumn;
    (isInner ? innerGroups : outerGroups).push_back(group);
  }
}

int64_t KernelModel::count(ArrayRef<unsigned> groups) const {
  int64_t result = 1;
  for (unsigned group : groups)
    result *= groupSizes[group];
  return result;
}

SmallVector<unsigned> KernelModel::getGroups(AffineMap map) const {
  SmallVector<unsigned> groups;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      continue;
    for (auto [group, dims] : llvm::enumerate(groupDims))
      if (dims.front() == dim.getPosition())
        groups.push_back(group);
  }
  return groups;
}

bool KernelModel::dependsOnInner(AffineMap map) const {
  return llvm::any_of(getGroups(map), [&](unsigned group) {
    return llvm::is_contained(innerGroups, group);
  });
}

bool KernelModel::dependsOnOuter(AffineMap map) const {
  return llvm::any_of(getGroups(map), [&](unsigned group) {
    return llvm::is_contained(outerGroups, group);
  });
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult KernelModel::nameBuffers() {
  llvm::DenseMap<Value, unsigned> numbers;
  for (Value operand : kernel.getOperands()) {
    auto [it, isNew] = numbers.try_emplace(operand, buffers.size());
    if (isNew) {
      buffers.push_back(operand);
      bufferTypes.push_back(MemRefType());
    }
    bufferOf.push_back(it->second);
  }
  for (const Access &access : accesses) {
    auto argument = dyn_cast<BlockArgument>(access.first);
    if (!argument)
      continue;
    auto type = cast<ShapedType>(argument.getType());
    SmallVector<int64_t> shape;
    for (unsigned group : getGroups(access.second))
      shape.push_back(groupSizes[group]);
    auto memref = MemRefType::get(shape, type.getElementType());
    if (memref.getNumElements() != type.getNumElements())
      return kernel.emitOpError("expects operand #")
             << argument.getArgNumber() << " of type " << type
             << " to be read as a whole, but "
             << AffineMapAttr::get(access.second) << " covers "
             << memref.getNumElements() << " elements";
    MemRefType &known = bufferTypes[bufferOf[argument.getArgNumber()]];
    if (known && known != memref)
      return kernel.emitOpError("expects one way of reading operand #")
             << argument.getArgNumber() << ", but got shapes " << known
             << " and " << memref;
    known = memref;
  }
  for (auto [buffer, type] : llvm::zip_equal(buffers, bufferTypes))
    if (!type) // never read
      type = cast<MemRefType>(buffer.getType());
  // A bare pointer needs strides that are not 0. No element is accessed.
  for (MemRefType &type : bufferTypes) {
    if (type.getRank() < 2 || type.getNumElements() != 0)
      continue;
    SmallVector<int64_t> shape(type.getRank(), 1);
    shape.front() = 0;
    type = MemRefType::get(shape, type.getElementType());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

/// What is expensive and needed in two passes over a row is kept. Only values
/// on the whole domain: others are computed once per row anyway.
void KernelModel::findScratchValues() {
  if (numPasses < 2 || kernel.getKind() == KernelKind::column)
    return;
  constexpr int64_t maxRowBytes = 64 * 1024;
  if (getInnerCount() * 4 > maxRowBytes)
    return;
  llvm::MapVector<Value, SmallVector<int>> passesOf;
  AffineMap identity = simplify(getIdentity());
  for (int pass = 0; pass < numPasses; ++pass) {
    llvm::DenseSet<Access> seen;
    std::function<void(Value, AffineMap)> visit = [&](Value value,
                                                      AffineMap map) {
      auto op = value.getDefiningOp<linalg::LinalgOp>();
      if (!op || isReduction(op) || !dependsOnInner(map) ||
          !seen.insert({value, map}).second)
        return;
      if (map == identity && isExpensiveOp(op)) {
        passesOf[value].push_back(pass);
        if (passesOf[value].size() > 1)
          return; // comes from scratch: its operands aren't needed
      }
      AffineMap iteration =
          getIteration(op, cast<OpResult>(value).getResultNumber(), map);
      for (OpOperand &operand : op->getOpOperands())
        if (op.payloadUsesValueFromOperand(&operand))
          visit(
              operand.get(),
              simplify(op.getMatchingIndexingMap(&operand).compose(iteration)));
    };
    for (Reduction &reduction : reductions) {
      if (reduction.pass != pass)
        continue;
      AffineMap iteration = getReductionIteration(reduction.op);
      // What only gives a shape is not computed in this pass.
      for (OpOperand *operand : reduction.op.getDpsInputOperands())
        if (reduction.op.payloadUsesValueFromOperand(operand))
          visit(operand->get(),
                simplify(reduction.op.getMatchingIndexingMap(operand).compose(
                    iteration)));
    }
    for (KernelOut &out : outs)
      if (out.isOnDomain && out.pass == pass)
        visit(out.value, out.map);
  }
  for (auto &[value, passes] : passesOf)
    if (passes.size() > 1)
      scratchValues[value] = passes.front();
}

LogicalResult KernelModel::analyse() {
  if (failed(findDomain()) || failed(findReductionsAndOuts()) ||
      failed(collectAccesses()))
    return failure();
  mergeDimensions();
  if (failed(nameBuffers()))
    return failure();
  findScratchValues();
  return success();
}
