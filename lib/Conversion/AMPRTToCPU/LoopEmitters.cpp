//===- LoopEmitters.cpp - The loops of each kind of kernel ------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows:    for r in [begin, end): for each pass: for c in [0, C)
// Line:    for i in [begin, end)                            (elementwise, 1-D)
// Columns: for each block of columns: for each pass: for r: for c in block
// Blocks:  for each block: partial results; then one function combines them in
//          order, so that a sum doesn't depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::amp;
using amprt::KernelKind;

/// Elements that are worth a thread: below, the 1-2 us of a parallel region
/// outweigh the work (cpu-notes).
static constexpr int64_t parallelElements = 16384;
/// How much dearer an element with transcendental functions is, roughly.
static constexpr int64_t expensiveFactor = 4;
/// Elements per partial sum of a flat reduction, and the most partial sums.
static constexpr int64_t flatBlock = 16384;
static constexpr int64_t maxFlatBlocks = 1024;
/// Columns per block: accumulators stay in the L1 cache.
static constexpr int64_t columnBlock = 256;
/// Below this trip count vectorising by force costs more than it gains.
static constexpr int64_t minVectorTrip = 64;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

unsigned KernelEmitter::getScope(AffineMap map) {
  // Sums over columns are in scratch memory, which only the inner loop reads;
  // with a single column no map shows that.
  bool isSingleColumn = model.getKernel().getKind() == KernelKind::column &&
                        model.getInnerGroups().empty();
  return isSingleColumn ? inner : KernelEvaluator::getScope(map);
}

Value KernelEmitter::load(unsigned operandIndex, AffineMap map) {
  return memref::LoadOp::create(builder, loc,
                                arguments[model.getBufferOf(operandIndex)],
                                getIndices(map));
}

void KernelEmitter::store(Value value, unsigned operandIndex, AffineMap map) {
  memref::StoreOp::create(builder, loc, value,
                          arguments[model.getBufferOf(operandIndex)],
                          getIndices(map));
}

/// Whether `map` reads the value of the current iteration.
static bool isIdentity(const KernelModel &model, AffineMap map) {
  return model.getGroups(map).size() == model.getGroupSizes().size();
}

Value KernelEmitter::loadHeld(Value value, AffineMap map) {
  auto memory = scratch.find(value);
  if (memory == scratch.end())
    return Value();
  auto kept = model.getScratchValues().find(value);
  if (kept != model.getScratchValues().end() &&
      (!isIdentity(model, map) || kept->second >= currentPass))
    return Value();
  setInsertionPoint(inner);
  return memref::LoadOp::create(builder, loc, memory->second,
                                ValueRange{localIndex});
}

void KernelEmitter::hold(Value value, AffineMap map, Value element) {
  auto memory = scratch.find(value);
  if (memory == scratch.end() || !model.getScratchValues().contains(value) ||
      !isIdentity(model, map))
    return;
  setInsertionPoint(inner);
  memref::StoreOp::create(builder, loc, element, memory->second,
                          ValueRange{localIndex});
}

//===----------------------------------------------------------------------===//
// Functions and loops
//===----------------------------------------------------------------------===//

func::FuncOp KernelEmitter::createFunction(StringRef suffix, bool hasBounds) {
  SmallVector<Type> types(model.getBufferTypes().begin(),
                          model.getBufferTypes().end());
  types.append(emitted.partialsTypes.begin(), emitted.partialsTypes.end());
  unsigned numMemrefs = types.size();
  if (hasBounds)
    types.append(2, builder.getIndexType());
  builder.restoreInsertionPoint(functionPoint);
  auto functionOp = func::FuncOp::create(builder, loc, name + suffix.str(),
                                         builder.getFunctionType(types, {}));
  functionOp.setPrivate();
  functionOp->setAttr("amprt.kernel_function", builder.getUnitAttr());
  // An in-place pair of operands is one argument, and places of distinct
  // values don't overlap while both are alive.
  for (unsigned i = 0; i < numMemrefs; ++i)
    functionOp.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          builder.getUnitAttr());
  Block *body = functionOp.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  func::ReturnOp::create(builder, loc);

  for (Scope &scope : scopes)
    scope = Scope();
  scopes[function].block = body;
  for (unsigned scope = 0; scope < numScopes; ++scope)
    home[scope] = scope;
  indexConstants.clear();
  scratch.clear();
  groupIndices.assign(model.getGroupSizes().size(), Value());
  auto bodyArguments = body->getArguments();
  unsigned numBuffers = model.getBufferTypes().size();
  arguments.assign(bodyArguments.begin(), bodyArguments.begin() + numBuffers);
  partials.assign(bodyArguments.begin() + numBuffers,
                  bodyArguments.begin() + numMemrefs);
  if (hasBounds) {
    lowerBound = body->getArgument(numMemrefs);
    upperBound = body->getArgument(numMemrefs + 1);
  }
  return functionOp;
}

scf::ForOp KernelEmitter::beginLoop(unsigned scope, unsigned nested,
                                    Value lower, Value upper,
                                    ValueRange inits) {
  Value one = getIndexConstant(1);
  return KernelEvaluator::beginLoop(scope, nested, lower, upper, one, inits);
}

void KernelEmitter::annotate(scf::ForOp loop, int64_t tripCount) {
  if (tripCount >= 0 && tripCount < minVectorTrip)
    return;
  // 64-byte vectors of the widest element in the loop.
  bool isWide = false;
  loop.getBody()->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      isWide |= type.isF64() || type.isInteger(64);
  });
  MLIRContext *context = builder.getContext();
  auto width = builder.getI32IntegerAttr(isWide ? 8 : 16);
  auto vectorize = LLVM::LoopVectorizeAttr::get(
      context, builder.getBoolAttr(false), {}, {}, width, {}, {}, {});
  // Long scalar bodies fill the registers without interleaving.
  auto interleave = LLVM::LoopInterleaveAttr::get(
      context, builder.getI32IntegerAttr(model.isExpensive() ? 2 : 4));
  loop->setAttr("loop_annotation",
                LLVM::LoopAnnotationAttr::get(context, {}, vectorize,
                                              interleave, {}, {}, {}, {}, {},
                                              {}, {}, {}, {}, {}, {}, {}));
}

void KernelEmitter::setIndices(ArrayRef<unsigned> groups, Value linear,
                               unsigned scope) {
  for (unsigned group :
       llvm::reverse(groups.drop_front(groups.empty() ? 0 : 1))) {
    Value size = getIndexConstant(model.getGroupSizes()[group]);
    setInsertionPoint(scope);
    groupIndices[group] = arith::RemUIOp::create(builder, loc, linear, size);
    linear = arith::DivUIOp::create(builder, loc, linear, size);
  }
  if (!groups.empty())
    groupIndices[groups.front()] = linear;
}

Value KernelEmitter::createScratch(int64_t size, Type element) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(scopes[function].block);
  return memref::AllocaOp::create(builder, loc,
                                  MemRefType::get({size}, element),
                                  builder.getI64IntegerAttr(64));
}

//===----------------------------------------------------------------------===//
// Passes over the inner loop
//===----------------------------------------------------------------------===//

bool KernelEmitter::hasDomainOuts(int pass) {
  return llvm::any_of(model.getOuts(), [&](const KernelOut &out) {
    return out.isOnDomain && out.pass == pass;
  });
}

LogicalResult KernelEmitter::storeDomainOuts(int pass) {
  FailureOr<OutValues> values = evaluateOuts(
      [&](const KernelOut &out) { return out.isOnDomain && out.pass == pass; });
  if (failed(values))
    return failure();
  setInsertionPoint(inner);
  storeOuts(*values);
  return success();
}

LogicalResult KernelEmitter::storeReducedOuts(unsigned scope) {
  FailureOr<OutValues> values =
      evaluateOuts([](const KernelOut &out) { return !out.isOnDomain; });
  if (failed(values))
    return failure();
  setInsertionPoint(scope);
  storeOuts(*values);
  return success();
}

FailureOr<SmallVector<Value>>
KernelEmitter::accumulate(linalg::LinalgOp op, ValueRange accumulators) {
  FailureOr<SmallVector<Value>> results = combineElement(op, accumulators);
  if (failed(results))
    return failure();
  // Only the accumulation itself may be reassociated, where its order is free.
  if (!hasFreeOrder(op))
    return results;
  for (auto [result, accumulator] : llvm::zip_equal(*results, accumulators)) {
    auto fast =
        dyn_cast_or_null<arith::ArithFastMathInterface>(result.getDefiningOp());
    if (!fast || !llvm::is_contained(fast->getOperands(), accumulator))
      continue;
    auto flags = fast.getFastMathFlagsAttr().getValue() |
                 arith::FastMathFlags::reassoc | arith::FastMathFlags::contract;
    fast->setAttr(fast.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(builder.getContext(), flags));
  }
  return results;
}

FailureOr<SmallVector<Value>> KernelEmitter::emitPass(int pass, unsigned scope,
                                                      Value lower, Value upper,
                                                      int64_t tripCount,
                                                      bool startNeutral) {
  SmallVector<linalg::LinalgOp> ops = getReductionOps(pass);
  if (ops.empty() && !hasDomainOuts(pass))
    return SmallVector<Value>();
  currentPass = pass;
  SmallVector<Value> inits;
  for (const Reduction &reduction : model.getReductions()) {
    if (reduction.pass != pass)
      continue;
    linalg::LinalgOp op = reduction.op;
    FailureOr<Value> init =
        startNeutral ? getNeutral(reduction)
                     : evaluate(op.getDpsInitOperand(reduction.result)->get(),
                                reduction.map);
    if (failed(init))
      return failure();
    inits.push_back(*init);
  }
  bool hasLoop = !model.getInnerGroups().empty();
  scf::ForOp loop;
  ValueRange accumulators = inits;
  if (hasLoop) {
    loop = beginLoop(scope, inner, lower, upper, inits);
    home[inner] = inner;
    accumulators = loop.getRegionIterArgs();
    localIndex = loop.getInductionVar();
    setIndices(model.getInnerGroups(), localIndex, inner);
  } else {
    home[inner] = scope;
  }
  SmallVector<Value> results;
  for (linalg::LinalgOp op : ops) {
    FailureOr<SmallVector<Value>> combined =
        accumulate(op, accumulators.slice(results.size(), op->getNumResults()));
    if (failed(combined))
      return failure();
    results.append(*combined);
  }
  if (failed(storeDomainOuts(pass)))
    return failure();
  if (hasLoop) {
    // To ask for vectors is to allow another order.
    if (llvm::all_of(ops,
                     [&](linalg::LinalgOp op) { return hasFreeOrder(op); }))
      annotate(loop, tripCount);
    endLoop(loop, results);
    results.assign(loop.getResults().begin(), loop.getResults().end());
  }
  if (!startNeutral) {
    unsigned next = 0;
    for (const Reduction &reduction : model.getReductions()) {
      linalg::LinalgOp op = reduction.op;
      if (reduction.pass == pass)
        scopes[getScope(reduction.map)]
            .values[{op->getResult(reduction.result), reduction.map}] =
            results[next++];
    }
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Rows and lines
//===----------------------------------------------------------------------===//

LogicalResult KernelEmitter::emitRows() {
  bool hasRows = !model.getOuterGroups().empty();
  int64_t width = model.getInnerCount();
  emitted.main = createFunction("", hasRows);
  unsigned scope = function;
  scf::ForOp rows;
  if (hasRows) {
    emitted.count = model.getOuterCount();
    int64_t cost =
        std::max<int64_t>(1, width * model.getNumPasses() *
                                 (model.isExpensive() ? expensiveFactor : 1));
    emitted.grain = llvm::divideCeil(parallelElements, cost);
    rows = beginLoop(function, outer, lowerBound, upperBound);
    setIndices(model.getOuterGroups(), rows.getInductionVar(), outer);
    scope = outer;
  } else {
    home[outer] = function;
  }
  for (auto [value, pass] : model.getScratchValues())
    scratch[value] = createScratch(
        width, cast<ShapedType>(value.getType()).getElementType());
  for (int pass = 0; pass < model.getNumPasses(); ++pass) {
    Value lower = getIndexConstant(0), upper = getIndexConstant(width);
    if (failed(emitPass(pass, scope, lower, upper, width)))
      return failure();
  }
  if (failed(storeReducedOuts(scope)))
    return failure();
  if (hasRows)
    endLoop(rows);
  return success();
}

LogicalResult KernelEmitter::emitLine() {
  emitted.count = model.getInnerCount();
  emitted.grain =
      parallelElements / (model.isExpensive() ? expensiveFactor : 1);
  emitted.main = createFunction("", /*hasBounds=*/true);
  return LogicalResult(
      emitPass(0, function, lowerBound, upperBound, emitted.count));
}

//===----------------------------------------------------------------------===//
// Flat buffers
//===----------------------------------------------------------------------===//

bool KernelEmitter::canSplitInBlocks() {
  return model.getNumPasses() == 1 && model.getInnerCount() > flatBlock &&
         model.getOuterGroups().empty() &&
         llvm::all_of(model.getReductions(), [&](const Reduction &reduction) {
           return hasFreeOrder(reduction.op);
         });
}

LogicalResult KernelEmitter::emitBlocks() {
  int64_t size = model.getInnerCount();
  int64_t block = std::max<int64_t>(
      flatBlock, llvm::alignTo(llvm::divideCeil(size, maxFlatBlocks), 4096));
  emitted.count = llvm::divideCeil(size, block);
  emitted.grain = 1;
  for (const Reduction &reduction : model.getReductions()) {
    linalg::LinalgOp op = reduction.op;
    auto type = cast<ShapedType>(op->getResult(reduction.result).getType());
    emitted.partialsTypes.push_back(
        MemRefType::get({emitted.count}, type.getElementType()));
  }
  emitted.main = createFunction("", /*hasBounds=*/true);
  home[outer] = function;
  scf::ForOp blocks = beginLoop(function, piece, lowerBound, upperBound);
  Value blockSize = getIndexConstant(block), total = getIndexConstant(size);
  setInsertionPoint(piece);
  Value lower =
      arith::MulIOp::create(builder, loc, blocks.getInductionVar(), blockSize);
  Value end = arith::AddIOp::create(builder, loc, lower, blockSize);
  Value upper = arith::MinUIOp::create(builder, loc, end, total);
  FailureOr<SmallVector<Value>> results =
      emitPass(0, piece, lower, upper, /*tripCount=*/-1, /*startNeutral=*/true);
  if (failed(results))
    return failure();
  setInsertionPoint(piece);
  for (auto [result, partial] : llvm::zip_equal(*results, partials))
    memref::StoreOp::create(builder, loc, result, partial,
                            ValueRange{blocks.getInductionVar()});
  endLoop(blocks);
  return emitCombine();
}

LogicalResult KernelEmitter::emitCombine() {
  emitted.combine = createFunction("_combine", /*hasBounds=*/false);
  home[outer] = home[inner] = function;
  SmallVector<Value> inits;
  for (const Reduction &reduction : model.getReductions()) {
    linalg::LinalgOp op = reduction.op;
    FailureOr<Value> init =
        evaluate(op.getDpsInitOperand(reduction.result)->get(), reduction.map);
    if (failed(init))
      return failure();
    inits.push_back(*init);
  }
  Value zero = getIndexConstant(0), count = getIndexConstant(emitted.count);
  scf::ForOp loop = beginLoop(function, piece, zero, count, inits);
  builder.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> results;
  for (auto [index, reduction] : llvm::enumerate(model.getReductions())) {
    Value partial = memref::LoadOp::create(builder, loc, partials[index],
                                           ValueRange{loop.getInductionVar()});
    results.push_back(
        combine(reduction, loop.getRegionIterArgs()[index], partial));
  }
  endLoop(loop, results);
  for (auto [index, reduction] : llvm::enumerate(model.getReductions())) {
    linalg::LinalgOp op = reduction.op;
    scopes[function].values[{op->getResult(reduction.result), reduction.map}] =
        loop.getResult(index);
  }
  return storeReducedOuts(function);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

LogicalResult KernelEmitter::emitColumns() {
  int64_t width = model.getInnerCount();
  int64_t block = std::min(width, columnBlock);
  int64_t numBlocks = llvm::divideCeil(width, std::max<int64_t>(block, 1));
  bool hasBlocks = numBlocks > 1;
  if (hasBlocks) {
    emitted.count = numBlocks;
    bool isSmall = model.getOuterCount() * width <= parallelElements;
    emitted.grain = isSmall ? numBlocks : 1;
  }
  emitted.main = createFunction("", hasBlocks);
  Value base = getIndexConstant(0), end = getIndexConstant(block);
  int64_t staticWidth = block;
  scf::ForOp blocks;
  if (hasBlocks) {
    blocks = beginLoop(function, piece, lowerBound, upperBound);
    Value blockSize = getIndexConstant(block), total = getIndexConstant(width);
    setInsertionPoint(piece);
    base = arith::MulIOp::create(builder, loc, blocks.getInductionVar(),
                                 blockSize);
    if (width % block != 0) {
      Value rest = arith::SubIOp::create(builder, loc, total, base);
      end = arith::MinUIOp::create(builder, loc, rest, blockSize);
      staticWidth = -1;
    }
  } else {
    home[piece] = function;
  }
  for (int pass = 0; pass < model.getNumPasses(); ++pass)
    if (failed(emitColumnPass(pass, base, end, staticWidth)))
      return failure();
  // What is written once per column.
  scf::ForOp columns = beginLoop(piece, inner, getIndexConstant(0), end);
  localIndex = columns.getInductionVar();
  setInsertionPoint(inner);
  setIndices(model.getInnerGroups(),
             arith::AddIOp::create(builder, loc, base, localIndex), inner);
  if (failed(storeReducedOuts(inner)))
    return failure();
  annotate(columns, staticWidth);
  endLoop(columns);
  if (hasBlocks)
    endLoop(blocks);
  return success();
}

LogicalResult KernelEmitter::emitColumnPass(int pass, Value base, Value width,
                                            int64_t staticWidth) {
  SmallVector<linalg::LinalgOp> ops = getReductionOps(pass);
  if (ops.empty() && !hasDomainOuts(pass))
    return success();
  currentPass = pass;
  Value zero = getIndexConstant(0);
  auto enterColumn = [&](scf::ForOp loop) {
    localIndex = loop.getInductionVar();
    setInsertionPoint(inner);
    setIndices(model.getInnerGroups(),
               arith::AddIOp::create(builder, loc, base, localIndex), inner);
  };
  // Accumulators.
  SmallVector<Value> accumulators;
  for (linalg::LinalgOp op : ops)
    for (Type type : op->getResultTypes())
      accumulators.push_back(
          createScratch(std::min(model.getInnerCount(), columnBlock),
                        cast<ShapedType>(type).getElementType()));
  if (!ops.empty()) {
    scf::ForOp start = beginLoop(piece, inner, zero, width);
    enterColumn(start);
    unsigned next = 0;
    for (const Reduction &reduction : model.getReductions()) {
      if (reduction.pass != pass)
        continue;
      linalg::LinalgOp op = reduction.op;
      FailureOr<Value> init = evaluate(
          op.getDpsInitOperand(reduction.result)->get(), reduction.map);
      if (failed(init))
        return failure();
      setInsertionPoint(inner);
      memref::StoreOp::create(builder, loc, *init, accumulators[next++],
                              ValueRange{localIndex});
    }
    annotate(start, staticWidth);
    endLoop(start);
  }
  scf::ForOp rows =
      beginLoop(piece, outer, zero, getIndexConstant(model.getOuterCount()));
  setIndices(model.getOuterGroups(), rows.getInductionVar(), outer);
  scf::ForOp columns = beginLoop(outer, inner, zero, width);
  enterColumn(columns);
  unsigned next = 0;
  for (linalg::LinalgOp op : ops) {
    setInsertionPoint(inner);
    SmallVector<Value> old;
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      old.push_back(memref::LoadOp::create(builder, loc, accumulators[next + i],
                                           ValueRange{localIndex}));
    FailureOr<SmallVector<Value>> combined = accumulate(op, old);
    if (failed(combined))
      return failure();
    setInsertionPoint(inner);
    for (Value value : *combined)
      memref::StoreOp::create(builder, loc, value, accumulators[next++],
                              ValueRange{localIndex});
  }
  if (failed(storeDomainOuts(pass)))
    return failure();
  annotate(columns, staticWidth);
  endLoop(columns);
  endLoop(rows);
  next = 0;
  for (linalg::LinalgOp op : ops)
    for (Value result : op->getResults())
      scratch[result] = accumulators[next++];
  return success();
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

FailureOr<EmittedKernel> KernelEmitter::emit() {
  functionPoint = builder.saveInsertionPoint();
  emitted.bufferTypes.assign(model.getBufferTypes().begin(),
                             model.getBufferTypes().end());
  LogicalResult result = success();
  bool isReduced = !model.getReductions().empty();
  bool isLine = model.getOuterGroups().empty() &&
                !model.getInnerGroups().empty() &&
                model.getInnerCount() > minVectorTrip;
  if (isReduced && model.getKernel().getKind() == KernelKind::column)
    result = emitColumns();
  else if (isReduced && canSplitInBlocks())
    result = emitBlocks();
  else if (!isReduced && isLine)
    result = emitLine();
  else
    result = emitRows();
  if (failed(result))
    return failure();
  return emitted;
}
