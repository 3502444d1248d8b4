//===- Rows.cpp - Kernels that reduce rows ----------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row a block. The passes of a kernel go over the row one after another:
// where a row is at most a few vectors a thread, each thread keeps its vectors
// and what it computed from them in registers; longer rows are read again.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t warpThreads = 32;
/// Threads of a block where more vectors a thread would fit, and where not.
static constexpr int64_t usualThreads = 256;
static constexpr int64_t maxThreads = 512;
/// Vectors that a thread keeps.
static constexpr int64_t maxHeldVectors = 4;

LogicalResult GPUKernelEmitter::emitRows() {
  int64_t width = model.getInnerCount(), rows = model.getOuterCount();
  if (rows == 0)
    return success();
  lanes = width == 0 ? 1 : getDividingLanes(width);
  int64_t count = width / lanes;
  int64_t perThread = llvm::divideCeil(count, usualThreads);
  if (perThread > maxHeldVectors)
    perThread = llvm::divideCeil(count, maxThreads);
  bool isHeld = perThread <= maxHeldVectors;
  int64_t size =
      isHeld ? llvm::alignTo(
                   llvm::divideCeil(count, std::max<int64_t>(perThread, 1)),
                   warpThreads)
             : maxThreads;
  size = std::max(size, warpThreads);
  beginKernel("", rows, size);
  setInsertionPoint(outer);
  setIndices(model.getOuterGroups(), blockId, rows);

  SmallVector<HeldVector> held;
  for (int64_t k = 0; isHeld && k < perThread; ++k) {
    HeldVector vector;
    vector.scope.block = scopes[outer].block;
    setInsertionPoint(outer);
    Value number = threadId;
    if (k > 0) {
      Value offset = getIndexConstant(k * size);
      number = add(threadId, offset);
    }
    if ((k + 1) * size > count) {
      // Threads beyond the row's end read its last vector, and drop it.
      vector.isValid = isLess(number, count);
      Value last = getIndexConstant(count - 1);
      number = smaller(number, last);
    }
    vector.index = multiply(number, lanes);
    held.push_back(std::move(vector));
  }
  for (int pass = 0; pass < model.getNumPasses(); ++pass)
    if (failed(isHeld ? emitHeldPass(pass, held) : emitLoopPass(pass, count)))
      return failure();
  return storeReducedOuts(outer);
}

bool GPUKernelEmitter::hasDomainOuts(int pass) {
  return llvm::any_of(model.getOuts(), [&](const KernelOut &out) {
    return out.isOnDomain && out.pass == pass;
  });
}

LogicalResult GPUKernelEmitter::emitHeldPass(int pass,
                                             MutableArrayRef<HeldVector> held) {
  Reductions reductions = getReductions(pass, /*free=*/true);
  setInsertionPoint(outer);
  FailureOr<Values> totals = getNeutrals(reductions, held.empty() ? 1 : lanes);
  if (failed(totals))
    return failure();
  for (HeldVector &vector : held) {
    if (reductions.empty())
      break;
    std::swap(scopes[inner], vector.scope);
    setInnerIndex(vector.index);
    FailureOr<Values> combined = accumulate(reductions, *totals);
    if (failed(combined))
      return failure();
    setInsertionPoint(inner);
    for (auto [total, value] : llvm::zip_equal(*totals, *combined))
      total = vector.isValid ? Value(arith::SelectOp::create(
                                   builder, loc, vector.isValid, value, total))
                             : value;
    std::swap(scopes[inner], vector.scope);
  }
  setInsertionPoint(outer);
  for (auto [reduction, total] : llvm::zip_equal(reductions, *totals))
    total = reduceLanes(*reduction, total);
  if (failed(finish(reductions, reduceBlock(reductions, *totals))) ||
      failed(reduceInOrder(getReductions(pass, /*free=*/false))))
    return failure();
  if (!hasDomainOuts(pass))
    return success();
  for (HeldVector &vector : held) {
    std::swap(scopes[inner], vector.scope);
    setInnerIndex(vector.index);
    FailureOr<OutValues> values = evaluateOuts([&](const KernelOut &out) {
      return out.isOnDomain && out.pass == pass;
    });
    if (failed(values))
      return failure();
    setInsertionPoint(inner);
    if (vector.isValid) {
      scf::IfOp ifOp = createIf(inner, vector.isValid);
      builder.setInsertionPoint(ifOp.thenBlock()->getTerminator());
    }
    storeOuts(*values);
    std::swap(scopes[inner], vector.scope);
  }
  return success();
}

FailureOr<GPUKernelEmitter::Values>
GPUKernelEmitter::emitVectorLoop(int pass, const Reductions &reductions,
                                 Value lower, Value upper, Value step) {
  setInsertionPoint(outer);
  FailureOr<Values> neutrals = getNeutrals(reductions, lanes);
  if (failed(neutrals))
    return failure();
  SmallVector<Scope> saved(scopes + inner, scopes + numScopes);
  scf::ForOp loop = beginLoop(outer, inner, lower, upper, step, *neutrals);
  setInsertionPoint(inner);
  setInnerIndex(multiply(loop.getInductionVar(), lanes));
  FailureOr<Values> results = accumulate(reductions, loop.getRegionIterArgs());
  if (failed(results))
    return failure();
  FailureOr<OutValues> values = evaluateOuts(
      [&](const KernelOut &out) { return out.isOnDomain && out.pass == pass; });
  if (failed(values))
    return failure();
  setInsertionPoint(inner);
  storeOuts(*values);
  endLoop(loop, *results);
  scopes[inner] = saved.front();
  setInsertionPoint(outer);
  Values totals;
  for (auto [reduction, result] :
       llvm::zip_equal(reductions, loop.getResults()))
    totals.push_back(reduceLanes(*reduction, result));
  return totals;
}

LogicalResult GPUKernelEmitter::emitLoopPass(int pass, int64_t count) {
  Reductions reductions = getReductions(pass, /*free=*/true);
  // Before outs are stored in place.
  if (failed(reduceInOrder(getReductions(pass, /*free=*/false))))
    return failure();
  if (reductions.empty() && !hasDomainOuts(pass))
    return success();
  Value end = getIndexConstant(count), step = getIndexConstant(threads);
  FailureOr<Values> totals =
      emitVectorLoop(pass, reductions, threadId, end, step);
  if (failed(totals))
    return failure();
  return finish(reductions, reduceBlock(reductions, *totals));
}
