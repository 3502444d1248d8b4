//===- Columns.cpp - Kernels that reduce columns ----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block takes some vectors of columns and a slice of the rows; its threads
// stand in a rectangle, those of one line on neighbouring columns. Lines are
// combined in order through shared memory, slices by a second kernel, which
// computes what follows from the sums.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t blockThreads = 256;
static constexpr int64_t warpThreads = 32;
/// Lines that one thread combines.
static constexpr int64_t maxLines = 32;
/// Rows that a thread goes over at least, where there are as many.
static constexpr int64_t rowsPerThread = 8;
/// Blocks that keep a large device busy: more slices gain nothing.
static constexpr int64_t enoughBlocks = 512;
/// Slices that one thread combines quickly.
static constexpr int64_t maxSlices = 128;
static constexpr int64_t combineThreads = 128;

struct GPUKernelEmitter::ColumnPlan {
  ColumnPlan(int64_t rows, int64_t columns, unsigned lanes, bool isOrdered) {
    vectors = columns / lanes;
    across = std::min<int64_t>(llvm::PowerOf2Ceil(vectors), warpThreads);
    lines = isOrdered ? 1 : std::min(blockThreads / across, maxLines);
    // A block has whole warps.
    if (isOrdered)
      across = warpThreads;
    columnBlocks = llvm::divideCeil(vectors, across);
    int64_t slices = 1;
    if (!isOrdered)
      slices = std::clamp<int64_t>(
          std::min<int64_t>(llvm::divideCeil(rows, lines * rowsPerThread),
                            enoughBlocks / columnBlocks),
          1, maxSlices);
    sliceRows = std::max<int64_t>(llvm::divideCeil(rows, slices), 1);
    numSlices = std::max<int64_t>(llvm::divideCeil(rows, sliceRows), 1);
  }

  /// Vectors of columns, and how many a block's line has.
  int64_t vectors, across;
  int64_t lines;
  int64_t columnBlocks, numSlices, sliceRows;
};

LogicalResult GPUKernelEmitter::emitColumns() {
  int64_t rows = model.getOuterCount(), columns = model.getInnerCount();
  if (model.getNumPasses() > 1) {
    model.getKernel().emitOpError(
        "expects reductions over columns not to depend on each other");
    return failure();
  }
  if (columns == 0)
    return success();
  lanes = getDividingLanes(columns);
  Reductions ordered = getReductions(0, /*free=*/false);
  ColumnPlan plan(rows, columns, lanes, !ordered.empty());
  if (plan.numSlices > 1)
    for (const Reduction &reduction : model.getReductions())
      emitted.partialsTypes.push_back(MemRefType::get(
          {plan.numSlices, columns}, getMemoryType(getElementType(reduction))));
  if (failed(emitColumnSums(plan)))
    return failure();
  return plan.numSlices > 1 ? emitColumnCombine(plan) : success();
}

LogicalResult GPUKernelEmitter::emitColumnSums(const ColumnPlan &plan) {
  Reductions reductions;
  for (const Reduction &reduction : model.getReductions())
    reductions.push_back(&reduction);
  bool isOrdered = !getReductions(0, /*free=*/false).empty();
  int64_t rows = model.getOuterCount();
  beginKernel("", plan.columnBlocks * plan.numSlices, plan.across * plan.lines);
  setInsertionPoint(function);
  // Places in the rectangle and the grid.
  auto split = [&](Value linear, int64_t size) -> std::pair<Value, Value> {
    if (size == 1)
      return {linear, getIndexConstant(0)};
    Value divisor = getIndexConstant(size);
    Value rest = arith::RemUIOp::create(builder, loc, linear, divisor);
    return {arith::DivUIOp::create(builder, loc, linear, divisor), rest};
  };
  auto [line, place] = split(threadId, plan.across);
  auto [slice, columnBlock] = split(blockId, plan.columnBlocks);
  Value number = add(multiply(columnBlock, plan.across), place);
  Value isValid;
  if (plan.columnBlocks * plan.across != plan.vectors) {
    // Threads beyond the last column read it, and drop what they get.
    isValid = isLess(number, plan.vectors);
    Value last = getIndexConstant(plan.vectors - 1);
    number = smaller(number, last);
  }
  Value column = multiply(number, lanes);
  setInnerIndex(column);
  Value first = multiply(slice, plan.sliceRows);
  Value size = getIndexConstant(plan.sliceRows), all = getIndexConstant(rows);
  Value end = smaller(add(first, size), all);
  Value lower = add(first, line), step = getIndexConstant(plan.lines);

  // In order: from the start values. Else from neutral elements, the start
  // values join at the end.
  FailureOr<Values> starts =
      isOrdered ? getInits(reductions) : getNeutrals(reductions, lanes);
  if (failed(starts))
    return failure();
  setInsertionPoint(inner);
  for (Value &start : *starts)
    start = toLanes(start, lanes);
  SmallVector<Scope> saved(scopes + outer, scopes + numScopes);
  scf::ForOp loop = beginLoop(piece, outer, lower, end, step, *starts);
  scopes[inner].block = loop.getBody();
  setInsertionPoint(outer);
  setIndices(model.getOuterGroups(), loop.getInductionVar(), rows);
  FailureOr<Values> results = accumulate(reductions, loop.getRegionIterArgs());
  if (failed(results))
    return failure();
  FailureOr<OutValues> values =
      evaluateOuts([](const KernelOut &out) { return out.isOnDomain; });
  if (failed(values))
    return failure();
  setInsertionPoint(inner);
  if (isValid && !values->empty()) {
    scf::IfOp ifOp = createIf(inner, isValid);
    builder.setInsertionPoint(ifOp.thenBlock()->getTerminator());
  }
  storeOuts(*values);
  endLoop(loop, *results);
  for (unsigned scope = outer; scope < numScopes; ++scope)
    scopes[scope] = saved[scope - outer];
  Values sums(loop.getResults());

  // Lines in order.
  setInsertionPoint(inner);
  Value zero = getIndexConstant(0);
  if (plan.lines > 1) {
    Value offset = multiply(place, lanes);
    SmallVector<Value> shared;
    for (auto [sum, reduction] : llvm::zip_equal(sums, reductions)) {
      shared.push_back(allocateShared({plan.lines, plan.across * lanes},
                                      getElementType(*reduction)));
      int64_t bytes = llvm::divideCeil(
          getElementType(*reduction).getIntOrFloatBitWidth(), 8u);
      storeTo(sum, shared.back(), {line, offset},
              std::min<int64_t>(16, bytes * lanes));
    }
    gpu::BarrierOp::create(builder, loc);
    Value isFirst = arith::CmpIOp::create(builder, loc,
                                          arith::CmpIPredicate::eq, line, zero);
    isValid = isValid
                  ? Value(arith::AndIOp::create(builder, loc, isValid, isFirst))
                  : isFirst;
    scf::IfOp ifOp = createIf(inner, isValid);
    enter(ifOp, ifOp.thenBlock(), function);
    setInsertionPoint(inner);
    for (auto [i, reduction] : llvm::enumerate(reductions)) {
      int64_t bytes = llvm::divideCeil(
          getElementType(*reduction).getIntOrFloatBitWidth(), 8u);
      for (int64_t l = 1; l < plan.lines; ++l) {
        Value part = loadFrom(shared[i], {getIndexConstant(l), offset}, lanes,
                              std::min<int64_t>(16, bytes * lanes),
                              getElementType(*reduction));
        sums[i] = join(*reduction, sums[i], part);
      }
    }
  } else if (isValid) {
    scf::IfOp ifOp = createIf(inner, isValid);
    enter(ifOp, ifOp.thenBlock(), function);
  }
  if (plan.numSlices > 1) {
    for (auto [i, reduction] : llvm::enumerate(reductions)) {
      int64_t bytes = llvm::divideCeil(
          getElementType(*reduction).getIntOrFloatBitWidth(), 8u);
      setInsertionPoint(inner);
      storeTo(sums[i], partials[i], {slice, column},
              std::min<int64_t>(16, bytes * lanes));
    }
    return success();
  }
  if (isOrdered)
    define(reductions, sums);
  else if (failed(finish(reductions, sums)))
    return failure();
  FailureOr<OutValues> outs =
      evaluateOuts([](const KernelOut &out) { return !out.isOnDomain; });
  if (failed(outs))
    return failure();
  setInsertionPoint(inner);
  storeOuts(*outs);
  return success();
}

LogicalResult GPUKernelEmitter::emitColumnCombine(const ColumnPlan &plan) {
  Reductions reductions;
  for (const Reduction &reduction : model.getReductions())
    reductions.push_back(&reduction);
  lanes = 1;
  int64_t columns = model.getInnerCount();
  int64_t size =
      std::min<int64_t>(llvm::alignTo(columns, warpThreads), combineThreads);
  int64_t blocks = llvm::divideCeil(columns, size);
  beginKernel("_combine", blocks, size);
  setInsertionPoint(function);
  Value column = add(multiply(blockId, size), threadId);
  if (blocks * size != columns) {
    scf::IfOp ifOp = createIf(function, isLess(column, columns));
    enter(ifOp, ifOp.thenBlock(), function);
  }
  setInnerIndex(column);
  setInsertionPoint(inner);
  FailureOr<Values> neutrals = getNeutrals(reductions, 1);
  if (failed(neutrals))
    return failure();
  setInsertionPoint(inner);
  Value zero = getIndexConstant(0), one = getIndexConstant(1);
  Value end = getIndexConstant(plan.numSlices);
  auto loop = scf::ForOp::create(builder, loc, zero, end, one, *neutrals);
  builder.setInsertionPointToEnd(loop.getBody());
  Values results;
  for (auto [i, reduction] : llvm::enumerate(reductions)) {
    Value part = loadFrom(partials[i], {loop.getInductionVar(), column}, 1, 0,
                          getElementType(*reduction));
    results.push_back(join(*reduction, loop.getRegionIterArgs()[i], part));
  }
  scf::YieldOp::create(builder, loc, results);
  if (failed(finish(reductions, loop.getResults())))
    return failure();
  FailureOr<OutValues> outs =
      evaluateOuts([](const KernelOut &out) { return !out.isOnDomain; });
  if (failed(outs))
    return failure();
  setInsertionPoint(inner);
  storeOuts(*outs);
  return success();
}
