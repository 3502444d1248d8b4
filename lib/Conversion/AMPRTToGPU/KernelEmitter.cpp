//===- KernelEmitter.cpp - Functions and memory of kernels ------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the emitters of all kinds of kernels need: functions, places for code,
// and accesses of 16 bytes where addresses allow.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::amp;
using amprt::KernelKind;

static constexpr int64_t warpThreads = 32;
/// Threads that a multiprocessor has room for at least.
static constexpr int64_t residentThreads = 512;
/// The widest access of memory, in bytes.
static constexpr int64_t accessBytes = 16;

Type amp::getMemoryType(Type type) {
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

//===----------------------------------------------------------------------===//
// Functions and places
//===----------------------------------------------------------------------===//

void GPUKernelEmitter::beginKernel(StringRef suffix, int64_t blocks,
                                   int64_t numThreads) {
  SmallVector<Type> types(emitted.bufferTypes.begin(),
                          emitted.bufferTypes.end());
  types.append(emitted.partialsTypes.begin(), emitted.partialsTypes.end());
  builder.restoreInsertionPoint(functionPoint);
  functionOp = gpu::GPUFuncOp::create(builder, loc, name + suffix.str(),
                                      builder.getFunctionType(types, {}));
  functionPoint = builder.saveInsertionPoint();
  functionOp->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                      builder.getUnitAttr());
  functionOp.setKnownBlockSizeAttr(
      builder.getDenseI32ArrayAttr({static_cast<int32_t>(numThreads), 1, 1}));
  // Left alone, ptxas may spill values for one more resident block; 512 threads
  // are enough to hide the latency of memory.
  if (numThreads >= warpThreads)
    functionOp->setAttr("nvvm.minctasm",
                        builder.getI32IntegerAttr(std::max<int64_t>(
                            1, residentThreads / numThreads)));
  // An in-place pair of operands is one argument, and places of distinct
  // values don't overlap while both are alive. The size is the buffer's: what
  // lies behind it in the arena belongs to another value.
  for (auto [i, type] : llvm::enumerate(types)) {
    functionOp.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          builder.getUnitAttr());
    auto buffer = cast<MemRefType>(type);
    int64_t bytes = buffer.getNumElements() *
                    llvm::divideCeil(buffer.getElementTypeBitWidth(), 8);
    if (bytes > 0)
      functionOp.setArgAttr(i, LLVM::LLVMDialect::getDereferenceableAttrName(),
                            builder.getI64IntegerAttr(bytes));
  }
  emitted.launches.push_back({functionOp, blocks, numThreads});
  threads = numThreads;

  Block *body = &functionOp.getBody().front();
  builder.setInsertionPointToEnd(body);
  auto terminator = gpu::ReturnOp::create(builder, loc);
  for (Scope &scope : scopes) {
    scope = Scope();
    scope.block = body;
  }
  for (unsigned scope = 0; scope < numScopes; ++scope)
    home[scope] = scope;
  indexConstants.clear();
  groupIndices.assign(model.getGroupSizes().size(), Value());
  auto bodyArguments = body->getArguments();
  unsigned numBuffers = emitted.bufferTypes.size();
  arguments.assign(bodyArguments.begin(), bodyArguments.begin() + numBuffers);
  partials.assign(bodyArguments.begin() + numBuffers,
                  bodyArguments.begin() + types.size());
  builder.setInsertionPoint(terminator);
  threadId = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  blockId = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
}

SmallVector<KernelEvaluator::Scope>
GPUKernelEmitter::enter(Operation *op, Block *body, unsigned nested) {
  SmallVector<Scope> saved(scopes + nested, scopes + numScopes);
  for (unsigned i = 0; i < nested; ++i)
    if (scopes[i].block == op->getBlock())
      scopes[i].before = op;
  for (unsigned i = nested; i < numScopes; ++i) {
    scopes[i].block = body;
    scopes[i].before = nullptr;
  }
  return saved;
}

void GPUKernelEmitter::leave(Operation *op, unsigned nested,
                             SmallVector<Scope> saved) {
  for (unsigned i = nested; i < numScopes; ++i)
    scopes[i] = std::move(saved[i - nested]);
  for (Scope &scope : scopes)
    if (scope.before == op)
      scope.before = nullptr;
}

scf::IfOp GPUKernelEmitter::createIf(unsigned scope, Value condition,
                                     bool hasElse) {
  setInsertionPoint(scope);
  return scf::IfOp::create(builder, loc, condition, hasElse);
}

Value GPUKernelEmitter::add(Value lhs, Value rhs) {
  return arith::AddIOp::create(builder, loc, lhs, rhs);
}

Value GPUKernelEmitter::multiply(Value lhs, int64_t rhs) {
  if (rhs == 1)
    return lhs;
  Value factor = getIndexConstant(rhs);
  return arith::MulIOp::create(builder, loc, lhs, factor);
}

Value GPUKernelEmitter::isLess(Value lhs, int64_t rhs) {
  Value bound = getIndexConstant(rhs);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, lhs,
                               bound);
}

Value GPUKernelEmitter::smaller(Value lhs, Value rhs) {
  return arith::MinUIOp::create(builder, loc, lhs, rhs);
}

void GPUKernelEmitter::setIndices(ArrayRef<unsigned> groups, Value linear,
                                  int64_t count) {
  if (groups.empty())
    return;
  // Division of 64 bits is many instructions.
  bool isNarrow = count <= std::numeric_limits<int32_t>::max();
  Type i32 = builder.getI32Type(), index = builder.getIndexType();
  Value rest = linear;
  if (isNarrow && groups.size() > 1)
    rest = arith::IndexCastUIOp::create(builder, loc, i32, rest);
  auto toIndex = [&](Value value) -> Value {
    if (value.getType() == index)
      return value;
    return arith::IndexCastUIOp::create(builder, loc, index, value);
  };
  for (unsigned group : llvm::reverse(groups.drop_front())) {
    int64_t extent = model.getGroupSizes()[group];
    Value size = isNarrow
                     ? Value(arith::ConstantOp::create(
                           builder, loc, builder.getI32IntegerAttr(extent)))
                     : getIndexConstant(extent);
    Value position = arith::RemUIOp::create(builder, loc, rest, size);
    groupIndices[group] = toIndex(position);
    rest = arith::DivUIOp::create(builder, loc, rest, size);
  }
  groupIndices[groups.front()] = toIndex(rest);
}

void GPUKernelEmitter::setInnerIndex(Value index) {
  if (!model.getInnerGroups().empty())
    groupIndices[model.getInnerGroups().front()] = index;
}

unsigned GPUKernelEmitter::getDividingLanes(int64_t extent) {
  unsigned lanes = vectorLanes;
  while (extent % lanes != 0)
    lanes /= 2;
  return lanes;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

std::optional<bool> GPUKernelEmitter::isContiguous(AffineMap map) {
  if (!model.dependsOnInner(map))
    return std::nullopt;
  return model.getGroups(map).back() == model.getInnerGroups().front();
}

/// The largest power of two that divides `value`, at most `limit`.
static int64_t getPowerOfTwo(int64_t value, int64_t limit) {
  return std::min<int64_t>(limit, value & -value);
}

int64_t GPUKernelEmitter::getAccessAlignment(unsigned operandIndex,
                                             AffineMap map) {
  unsigned buffer = model.getBufferOf(operandIndex);
  MemRefType type = emitted.bufferTypes[buffer];
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  int64_t alignment = getPowerOfTwo(bytes * lanes, accessBytes);
  alignment = std::min(alignment, alignments[buffer]);
  // Rows start at multiples of the last dimension's size.
  if (type.getRank() > 1)
    alignment = getPowerOfTwo(bytes * type.getShape().back(), alignment);
  return alignment;
}

Value GPUKernelEmitter::loadFrom(Value memref, ValueRange indices,
                                 unsigned lanes, int64_t alignment,
                                 Type element) {
  Type memory = getMemoryType(element);
  Value value;
  if (lanes == 1)
    value = memref::LoadOp::create(builder, loc, memref, indices);
  else
    value = vector::LoadOp::create(
        builder, loc, VectorType::get({lanes}, memory), memref, indices,
        /*nontemporal=*/false, llvm::MaybeAlign(alignment));
  if (memory != element)
    value = arith::TruncIOp::create(builder, loc, getLaneType(element, lanes),
                                    value);
  return value;
}

void GPUKernelEmitter::storeTo(Value value, Value memref, ValueRange indices,
                               int64_t alignment) {
  auto vector = dyn_cast<VectorType>(value.getType());
  unsigned lanes = vector ? vector.getNumElements() : 1;
  Type element = getElementTypeOrSelf(value.getType());
  if (Type memory = getMemoryType(element); memory != element)
    value =
        arith::ExtUIOp::create(builder, loc, getLaneType(memory, lanes), value);
  if (vector)
    vector::StoreOp::create(builder, loc, value, memref, indices,
                            /*nontemporal=*/false, llvm::MaybeAlign(alignment));
  else
    memref::StoreOp::create(builder, loc, value, memref, indices);
}

Value GPUKernelEmitter::load(unsigned operandIndex, AffineMap map) {
  Value memref = arguments[model.getBufferOf(operandIndex)];
  Block &body = model.getKernel().getBody().front();
  Type element = cast<ShapedType>(body.getArgument(operandIndex).getType())
                     .getElementType();
  SmallVector<Value> indices = getIndices(map);
  std::optional<bool> contiguous = isContiguous(map);
  if (lanes == 1 || !contiguous)
    return loadFrom(memref, indices, 1, 0, element);
  if (*contiguous)
    return loadFrom(memref, indices, lanes,
                    getAccessAlignment(operandIndex, map), element);
  // Elements that lie apart.
  unsigned inner = model.getInnerGroups().front();
  unsigned position = 0;
  for (auto [i, group] : llvm::enumerate(model.getGroups(map)))
    if (group == inner)
      position = i;
  SmallVector<Value> elements;
  Value first = indices[position];
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (lane > 0) {
      Value offset = getIndexConstant(lane);
      indices[position] = add(first, offset);
    }
    elements.push_back(loadFrom(memref, indices, 1, 0, element));
  }
  return vector::FromElementsOp::create(
      builder, loc, VectorType::get({lanes}, element), elements);
}

void GPUKernelEmitter::store(Value value, unsigned operandIndex,
                             AffineMap map) {
  Value memref = arguments[model.getBufferOf(operandIndex)];
  bool isVector = lanes > 1 && isContiguous(map).has_value();
  if (isVector)
    value = toLanes(value, lanes);
  storeTo(value, memref, getIndices(map),
          isVector ? getAccessAlignment(operandIndex, map) : 0);
}

Value GPUKernelEmitter::getPosition(unsigned group, unsigned scope) {
  Value index = groupIndices[group];
  if (getLanes(scope) == 1 || model.getInnerGroups().empty() ||
      group != model.getInnerGroups().front())
    return index;
  auto type = VectorType::get({lanes}, builder.getIndexType());
  SmallVector<APInt> offsets;
  for (unsigned lane = 0; lane < lanes; ++lane)
    offsets.push_back(APInt(64, lane));
  Value iota = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(cast<ShapedType>(type), offsets));
  Value splat = vector::BroadcastOp::create(builder, loc, type, index);
  return add(splat, iota);
}

Value GPUKernelEmitter::allocateShared(ArrayRef<int64_t> shape, Type element) {
  auto space = gpu::AddressSpaceAttr::get(
      builder.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto type = MemRefType::get(shape, getMemoryType(element),
                              MemRefLayoutAttrInterface(), space);
  Value memory = functionOp.addWorkgroupAttribution(type, loc);
  functionOp.setWorkgroupAttributionAttr(
      functionOp.getNumWorkgroupAttributions() - 1,
      LLVM::LLVMDialect::getAlignAttrName(),
      builder.getI64IntegerAttr(accessBytes));
  return memory;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

FailureOr<EmittedGPUKernel> GPUKernelEmitter::emit() {
  functionPoint = builder.saveInsertionPoint();
  for (MemRefType type : model.getBufferTypes())
    emitted.bufferTypes.push_back(
        MemRefType::get(type.getShape(), getMemoryType(type.getElementType())));
  KernelKind kind = model.getKernel().getKind();
  LogicalResult result = success();
  if (model.getReductions().empty())
    result = emitElementwise();
  else if (kind == KernelKind::column)
    result = emitColumns();
  else if (kind == KernelKind::flat)
    result = emitFlat();
  else
    result = emitRows();
  if (failed(result))
    return failure();
  return emitted;
}
