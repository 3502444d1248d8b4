//===- Elementwise.cpp - Kernels without reductions -------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread per vector of consecutive elements of the last merged dimension;
// what doesn't change along it is read once.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::amp;

/// Threads of a block.
static constexpr int64_t blockThreads = 128;
static constexpr int64_t warpThreads = 32;
/// From this extent on a rest that fills no vector is worth code of its own.
static constexpr int64_t minExtentWithRest = 1024;

LogicalResult GPUKernelEmitter::emitElementwise() {
  int64_t width = model.getInnerCount(), rows = model.getOuterCount();
  if (width == 0 || rows == 0)
    return success();
  lanes = getDividingLanes(width);
  // Rows of a matrix would not be aligned.
  bool hasRest = rows == 1 && lanes < vectorLanes && width >= minExtentWithRest;
  if (hasRest)
    lanes = vectorLanes;
  int64_t perRow = llvm::divideCeil(width, lanes), count = rows * perRow;
  int64_t size =
      count == 1
          ? 1
          : std::min<int64_t>(blockThreads, llvm::alignTo(count, warpThreads));
  int64_t blocks = llvm::divideCeil(count, size);
  beginKernel("", blocks, size);
  setInsertionPoint(function);
  Value linear = add(multiply(blockId, size), threadId);
  if (blocks * size != count) {
    scf::IfOp inRange = createIf(function, isLess(linear, count));
    enter(inRange, inRange.thenBlock(), piece);
  }
  // The vector's place: the last index counts vectors.
  setInsertionPoint(piece);
  if (perRow == 1 || model.getInnerGroups().empty()) {
    setIndices(model.getOuterGroups(), linear, count);
    setInnerIndex(getIndexConstant(0));
  } else if (model.getOuterGroups().empty()) {
    setInnerIndex(multiply(linear, lanes));
  } else {
    bool isNarrow = count <= std::numeric_limits<int32_t>::max();
    Type type = isNarrow ? Type(builder.getI32Type()) : builder.getIndexType();
    Value position = linear;
    if (isNarrow)
      position = arith::IndexCastUIOp::create(builder, loc, type, position);
    Value divisor = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(type, perRow));
    Value column = arith::RemUIOp::create(builder, loc, position, divisor);
    Value row = arith::DivUIOp::create(builder, loc, position, divisor);
    if (isNarrow) {
      Type index = builder.getIndexType();
      column = arith::IndexCastUIOp::create(builder, loc, index, column);
      row = arith::IndexCastUIOp::create(builder, loc, index, row);
    }
    setIndices(model.getOuterGroups(), row, rows);
    setInnerIndex(multiply(column, lanes));
  }
  auto emitOuts = [&]() -> LogicalResult {
    FailureOr<OutValues> values =
        evaluateOuts([](const KernelOut &) { return true; });
    if (failed(values))
      return failure();
    setInsertionPoint(inner);
    storeOuts(*values);
    return success();
  };
  if (!hasRest)
    return emitOuts();
  Value first = groupIndices[model.getInnerGroups().front()];
  Value isWhole = isLess(first, width - vectorLanes + 1);
  scf::IfOp whole = createIf(piece, isWhole, /*hasElse=*/true);
  SmallVector<Scope> saved = enter(whole, whole.thenBlock(), inner);
  if (failed(emitOuts()))
    return failure();
  leave(whole, inner, saved);
  saved = enter(whole, whole.elseBlock(), inner);
  lanes = 1;
  Value end = getIndexConstant(width), one = getIndexConstant(1);
  scf::ForOp loop = beginLoop(inner, inner, first, end, one);
  setInnerIndex(loop.getInductionVar());
  if (failed(emitOuts()))
    return failure();
  endLoop(loop);
  leave(whole, inner, saved);
  return success();
}
