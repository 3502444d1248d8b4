//===- Reductions.cpp - Values of many threads combined ---------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes of a vector in a tree; threads of a warp by shuffles, each pair
// combined alike in both, so that all threads get the same bits; warps in
// order, through shared memory. Where the order isn't free one thread does it.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t warpThreads = 32;

Type GPUKernelEmitter::getElementType(const Reduction &reduction) {
  linalg::LinalgOp op = reduction.op;
  return cast<ShapedType>(op->getResult(reduction.result).getType())
      .getElementType();
}

GPUKernelEmitter::Reductions GPUKernelEmitter::getReductions(int pass,
                                                             bool free) {
  Reductions result;
  for (const Reduction &reduction : model.getReductions())
    if (reduction.pass == pass && hasFreeOrder(reduction.op) == free)
      result.push_back(&reduction);
  return result;
}

SmallVector<linalg::LinalgOp>
GPUKernelEmitter::getOps(const Reductions &reductions) {
  SmallVector<linalg::LinalgOp> ops;
  for (const Reduction *reduction : reductions)
    if (reduction->result == 0)
      ops.push_back(reduction->op);
  return ops;
}

FailureOr<GPUKernelEmitter::Values>
GPUKernelEmitter::getNeutrals(const Reductions &reductions, unsigned lanes) {
  Values values;
  for (const Reduction *reduction : reductions) {
    FailureOr<Value> neutral = getNeutral(*reduction);
    if (failed(neutral))
      return failure();
    values.push_back(toLanes(*neutral, lanes));
  }
  return values;
}

FailureOr<GPUKernelEmitter::Values>
GPUKernelEmitter::getInits(const Reductions &reductions) {
  Values values;
  for (const Reduction *reduction : reductions) {
    linalg::LinalgOp op = reduction->op;
    FailureOr<Value> init = evaluate(
        op.getDpsInitOperand(reduction->result)->get(), reduction->map);
    if (failed(init))
      return failure();
    values.push_back(*init);
  }
  return values;
}

FailureOr<GPUKernelEmitter::Values>
GPUKernelEmitter::accumulate(const Reductions &reductions,
                             ValueRange accumulators) {
  Values results;
  for (linalg::LinalgOp op : getOps(reductions)) {
    FailureOr<Values> combined = combineElement(
        op, accumulators.slice(results.size(), op->getNumResults()));
    if (failed(combined))
      return failure();
    results.append(*combined);
  }
  return results;
}

void GPUKernelEmitter::adjust(Operation *op) {
  // A free order is used up here: what is emitted has the one it has, whatever
  // the optimizer thinks of the architecture.
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!fast || !fast.getFastMathFlagsAttr())
    return;
  auto flags =
      fast.getFastMathFlagsAttr().getValue() & ~arith::FastMathFlags::reassoc;
  op->setAttr(fast.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(builder.getContext(), flags));
}

Value GPUKernelEmitter::join(const Reduction &reduction, Value lhs, Value rhs) {
  Value result = combine(reduction, lhs, rhs);
  if (auto fast =
          dyn_cast<arith::ArithFastMathInterface>(result.getDefiningOp()))
    fast->setAttr(fast.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(builder.getContext(),
                                                arith::FastMathFlags::none));
  return result;
}

Value GPUKernelEmitter::reduceLanes(const Reduction &reduction, Value vector) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type)
    return vector;
  SmallVector<Value> parts;
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane)
    parts.push_back(vector::ExtractOp::create(builder, loc, vector, lane));
  for (; parts.size() > 1; parts.truncate(parts.size() / 2))
    for (size_t i = 0, half = parts.size() / 2; i < half; ++i)
      parts[i] = join(reduction, parts[i], parts[i + half]);
  return parts.front();
}

/// The value that the thread `offset` away (by exclusive or) has. Shuffles move
/// 32 bits.
Value GPUKernelEmitter::shuffle(Value value, int32_t offset) {
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  auto move = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(builder, loc, word, offset, warpThreads,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (width == 32)
    return move(value);
  Type i32 = builder.getI32Type();
  Type bitsType = builder.getIntegerType(width);
  Value bits = value;
  if (type != bitsType)
    bits = arith::BitcastOp::create(builder, loc, bitsType, value);
  if (width < 32) {
    bits = move(arith::ExtUIOp::create(builder, loc, i32, bits));
    bits = arith::TruncIOp::create(builder, loc, bitsType, bits);
  } else {
    Value half = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(bitsType, 32));
    Value upper = arith::ShRUIOp::create(builder, loc, bits, half);
    Value low = move(arith::TruncIOp::create(builder, loc, i32, bits));
    Value high = move(arith::TruncIOp::create(builder, loc, i32, upper));
    low = arith::ExtUIOp::create(builder, loc, bitsType, low);
    high = arith::ExtUIOp::create(builder, loc, bitsType, high);
    high = arith::ShLIOp::create(builder, loc, high, half);
    bits = arith::OrIOp::create(builder, loc, low, high);
  }
  if (type == bitsType)
    return bits;
  return arith::BitcastOp::create(builder, loc, type, bits);
}

GPUKernelEmitter::Values
GPUKernelEmitter::reduceBlock(const Reductions &reductions, Values values) {
  if (reductions.empty())
    return values;
  for (auto [reduction, value] : llvm::zip_equal(reductions, values))
    for (int32_t offset = warpThreads / 2; offset > 0; offset /= 2)
      value = join(*reduction, value, shuffle(value, offset));
  int64_t warps = threads / warpThreads;
  if (warps == 1)
    return values;
  Value warp = getIndexConstant(warpThreads);
  Value lane = arith::RemUIOp::create(builder, loc, threadId, warp);
  Value number = arith::DivUIOp::create(builder, loc, threadId, warp);
  Value zero = getIndexConstant(0);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane, zero);
  auto ifOp =
      scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
  SmallVector<Value> shared;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(ifOp.thenBlock()->getTerminator());
    for (auto [reduction, value] : llvm::zip_equal(reductions, values)) {
      shared.push_back(allocateShared({warps}, value.getType()));
      storeTo(value, shared.back(), number, 0);
    }
  }
  gpu::BarrierOp::create(builder, loc);
  for (auto [i, reduction] : llvm::enumerate(reductions))
    for (int64_t w = 0; w < warps; ++w) {
      Value part =
          loadFrom(shared[i], getIndexConstant(w), 1, 0, values[i].getType());
      values[i] = w == 0 ? part : join(*reduction, values[i], part);
    }
  return values;
}

GPUKernelEmitter::Values GPUKernelEmitter::broadcast(ArrayRef<Value> values) {
  Value zero = getIndexConstant(0);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        threadId, zero);
  auto ifOp =
      scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
  SmallVector<Value> shared;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(ifOp.thenBlock()->getTerminator());
    for (Value value : values) {
      shared.push_back(allocateShared({1}, value.getType()));
      storeTo(value, shared.back(), zero, 0);
    }
  }
  gpu::BarrierOp::create(builder, loc);
  Values results;
  for (auto [memory, value] : llvm::zip_equal(shared, values))
    results.push_back(loadFrom(memory, zero, 1, 0, value.getType()));
  return results;
}

void GPUKernelEmitter::define(const Reductions &reductions,
                              ValueRange results) {
  for (auto [reduction, result] : llvm::zip_equal(reductions, results)) {
    linalg::LinalgOp op = reduction->op;
    scopes[getScope(reduction->map)]
        .values[{op->getResult(reduction->result), reduction->map}] = result;
  }
}

LogicalResult GPUKernelEmitter::finish(const Reductions &reductions,
                                       ValueRange totals) {
  FailureOr<Values> inits = getInits(reductions);
  if (failed(inits))
    return failure();
  Values results;
  for (auto [reduction, init, total] :
       llvm::zip_equal(reductions, *inits, totals)) {
    setInsertionPoint(getScope(reduction->map));
    results.push_back(join(*reduction, init, total));
  }
  define(reductions, results);
  return success();
}

LogicalResult GPUKernelEmitter::reduceInOrder(const Reductions &reductions) {
  if (reductions.empty())
    return success();
  FailureOr<Values> inits = getInits(reductions);
  if (failed(inits))
    return failure();
  SmallVector<Type> types;
  for (Value init : *inits)
    types.push_back(init.getType());
  setInsertionPoint(outer);
  Value zero = getIndexConstant(0);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        threadId, zero);
  auto ifOp = scf::IfOp::create(builder, loc, types, isFirst,
                                /*addThenBlock=*/true, /*addElseBlock=*/true);
  builder.setInsertionPointToEnd(ifOp.elseBlock());
  scf::YieldOp::create(builder, loc, *inits);
  SmallVector<Value> savedIndices = groupIndices;
  unsigned savedLanes = std::exchange(lanes, 1);
  SmallVector<Scope> saved = enter(ifOp, ifOp.thenBlock(), inner);
  // What other lanes know is no use to this one.
  scopes[inner].values.clear();
  bool hasLoop = !model.getInnerGroups().empty();
  scf::ForOp loop;
  ValueRange accumulators = *inits;
  if (hasLoop) {
    Value end = getIndexConstant(model.getInnerCount());
    Value one = getIndexConstant(1);
    loop = beginLoop(inner, inner, zero, end, one, *inits);
    setInnerIndex(loop.getInductionVar());
    accumulators = loop.getRegionIterArgs();
  }
  FailureOr<Values> results = accumulate(reductions, accumulators);
  if (failed(results))
    return failure();
  if (hasLoop) {
    endLoop(loop, *results);
    results->assign(loop.getResults().begin(), loop.getResults().end());
  }
  builder.setInsertionPointToEnd(ifOp.thenBlock());
  scf::YieldOp::create(builder, loc, *results);
  leave(ifOp, inner, saved);
  lanes = savedLanes;
  groupIndices = savedIndices;
  setInsertionPoint(outer);
  SmallVector<Value> ordered(ifOp.getResults());
  define(reductions, broadcast(ordered));
  return success();
}

LogicalResult GPUKernelEmitter::storeReducedOuts(unsigned scope) {
  FailureOr<OutValues> values =
      evaluateOuts([](const KernelOut &out) { return !out.isOnDomain; });
  if (failed(values))
    return failure();
  if (values->empty())
    return success();
  setInsertionPoint(scope);
  // Other threads may still read what is updated in place.
  bool isInPlace = llvm::any_of(*values, [&](auto &pair) {
    return llvm::is_contained(model.getKernel().getInputs(),
                              model.getKernel().getOuts()[pair.second->index]);
  });
  if (isInPlace)
    gpu::BarrierOp::create(builder, loc);
  Value zero = getIndexConstant(0);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        threadId, zero);
  scf::IfOp ifOp = createIf(scope, isFirst);
  builder.setInsertionPoint(ifOp.thenBlock()->getTerminator());
  storeOuts(*values);
  return success();
}
