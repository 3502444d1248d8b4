//===- Flat.cpp - Kernels that reduce a flat buffer -------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block per piece of the buffer leaves one partial result per reduction; one
// more block combines those in order and computes what follows from them. A
// short buffer is a single row.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t blockThreads = 256;
/// Vectors of a thread: enough work for the shuffles not to matter.
static constexpr int64_t vectorsPerThread = 4;
/// Partial results that one block combines quickly.
static constexpr int64_t maxBlocks = 1024;

LogicalResult GPUKernelEmitter::emitFlat() {
  int64_t width = model.getInnerCount();
  lanes = width == 0 ? 1 : getDividingLanes(width);
  int64_t count = width / lanes;
  int64_t share =
      llvm::alignTo(std::max<int64_t>(llvm::divideCeil(count, maxBlocks),
                                      blockThreads * vectorsPerThread),
                    blockThreads);
  int64_t blocks = llvm::divideCeil(count, share);
  Reductions reductions = getReductions(0, /*free=*/true);
  bool isSplit = blocks > 1 && model.getNumPasses() == 1 &&
                 reductions.size() == model.getReductions().size();
  if (!isSplit)
    return emitRows();
  for (const Reduction *reduction : reductions)
    emitted.partialsTypes.push_back(
        MemRefType::get({blocks}, getMemoryType(getElementType(*reduction))));
  beginKernel("", blocks, blockThreads);
  setInsertionPoint(outer);
  Value first = multiply(blockId, share);
  Value size = getIndexConstant(share), all = getIndexConstant(count);
  Value end = smaller(add(first, size), all);
  Value lower = add(first, threadId), step = getIndexConstant(blockThreads);
  FailureOr<Values> totals = emitVectorLoop(0, reductions, lower, end, step);
  if (failed(totals))
    return failure();
  Values results = reduceBlock(reductions, *totals);
  Value zero = getIndexConstant(0);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        threadId, zero);
  scf::IfOp ifOp = createIf(outer, isFirst);
  builder.setInsertionPoint(ifOp.thenBlock()->getTerminator());
  for (auto [result, memory] : llvm::zip_equal(results, partials))
    storeTo(result, memory, blockId, 0);
  return emitFlatCombine(reductions, blocks);
}

LogicalResult GPUKernelEmitter::emitFlatCombine(const Reductions &reductions,
                                                int64_t blocks) {
  lanes = 1;
  beginKernel("_combine", 1,
              std::min<int64_t>(llvm::alignTo(blocks, 32), blockThreads));
  setInsertionPoint(outer);
  FailureOr<Values> neutrals = getNeutrals(reductions, 1);
  if (failed(neutrals))
    return failure();
  Value end = getIndexConstant(blocks), step = getIndexConstant(threads);
  SmallVector<Scope> saved(scopes + inner, scopes + numScopes);
  scf::ForOp loop = beginLoop(outer, inner, threadId, end, step, *neutrals);
  setInsertionPoint(inner);
  Values results;
  for (auto [i, reduction] : llvm::enumerate(reductions)) {
    Value part = loadFrom(partials[i], loop.getInductionVar(), 1, 0,
                          getElementType(*reduction));
    results.push_back(join(*reduction, loop.getRegionIterArgs()[i], part));
  }
  endLoop(loop, results);
  scopes[inner] = saved.front();
  setInsertionPoint(outer);
  Values totals(loop.getResults());
  if (failed(finish(reductions, reduceBlock(reductions, totals))))
    return failure();
  return storeReducedOuts(outer);
}
