//===- MemoryPlan.cpp - Where the tensors of a step live --------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Normal form, locations and claims. The ordering is in MemoryOrder.cpp.
//
//===----------------------------------------------------------------------===//

#include "MemoryPlan.h"

#include "KernelGroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::amprt;

//===----------------------------------------------------------------------===//
// Facts about ops
//===----------------------------------------------------------------------===//

bool amprt::readsInit(Operation *op, unsigned index) {
  if (auto gemm = dyn_cast<GemmOp>(op))
    return index == 0 && !gemm.getBeta().isZero();
  auto kernel = cast<KernelOp>(op);
  BlockArgument init =
      kernel.getBody().getArgument(kernel.getInputs().size() + index);
  return llvm::any_of(init.getUses(), [](OpOperand &use) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return !linalgOp || !linalgOp.isDpsInit(&use) ||
           linalgOp.payloadUsesValueFromOperand(&use);
  });
}

bool amprt::isElementwiseInPlace(KernelOp kernel, OpOperand &operand,
                                 unsigned outIndex) {
  if (kernel.getKind() == KernelKind::column ||
      operand.get().getType() != kernel.getOuts()[outIndex].getType())
    return false;
  // Without a permutation anywhere, what is read of an operand of the out's
  // shape is what is written.
  WalkResult result = kernel.getBody().walk([](linalg::LinalgOp op) {
    for (AffineMap map : op.getIndexingMapsArray())
      if (map.getNumResults() == map.getNumDims() && !map.isIdentity())
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// The element offset of a slice that is one dense piece of its source.
static std::optional<int64_t> getDenseOffset(tensor::ExtractSliceOp slice) {
  auto isStatic = [](ArrayRef<int64_t> values) {
    return llvm::none_of(values, ShapedType::isDynamic);
  };
  ArrayRef<int64_t> source = slice.getSourceType().getShape();
  ArrayRef<int64_t> sizes = slice.getStaticSizes();
  ArrayRef<int64_t> offsets = slice.getStaticOffsets();
  if (!isStatic(sizes) || !isStatic(offsets) || !isStatic(source) ||
      llvm::any_of(slice.getStaticStrides(), [](int64_t s) { return s != 1; }))
    return std::nullopt;
  int64_t offset = 0, stride = 1;
  bool inner = true; // all dimensions further in are taken whole
  for (int64_t i = source.size() - 1; i >= 0; --i) {
    if (!inner && sizes[i] != 1)
      return std::nullopt;
    if (sizes[i] != source[i])
      inner = false;
    offset += offsets[i] * stride;
    stride *= source[i];
  }
  return offset;
}

//===----------------------------------------------------------------------===//
// Normal form
//===----------------------------------------------------------------------===//

MemoryPlan::MemoryPlan(func::FuncOp function)
    : function(function), body(function.getBody().front()) {}

static LogicalResult checkType(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && tensor.hasStaticShape() &&
      tensor.getElementType().isIntOrFloat())
    return success();
  return op->emitError("expects ranked tensors of static shape with integer or "
                       "float elements, but got ")
         << type;
}

LogicalResult MemoryPlan::checkNormalForm() {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expects one block, but got ")
           << function.getBody().getBlocks().size();
  for (Type type : function.getArgumentTypes())
    if (failed(checkType(function, type)))
      return failure();
  for (Operation &op : body) {
    if (!isView(&op) && !isa<GemmOp, KernelOp, ConcatOp, tensor::EmptyOp,
                             arith::ConstantOp, func::ReturnOp>(&op))
      return op.emitError("expects only gemms, kernels, concats, views and "
                          "constants before memory planning, but got '")
             << op.getName() << "'";
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(&op))
      if (!getDenseOffset(slice))
        return op.emitOpError("expects a static slice that is contiguous in "
                              "its source, but got ")
               << slice.getType() << " of " << slice.getSourceType();
    if (isa<arith::ConstantOp>(op) && op.use_empty())
      continue;
    for (Type type : op.getResultTypes())
      if (failed(checkType(&op, type)))
        return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

Slot MemoryPlan::locate(Value value) {
  auto known = locations.find(value);
  if (known != locations.end())
    return known->second;
  Slot location{value, 0};
  Operation *op = value.getDefiningOp();
  if (op && isView(op)) {
    location = locate(op->getOperand(0));
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      auto element =
          RankedTensorType::get({}, slice.getType().getElementType());
      location.offset += *getDenseOffset(slice) * getByteSize(element);
    }
  }
  locations[value] = location;
  return location;
}

Slot MemoryPlan::resolve(Slot location) {
  for (auto it = claims.find(location.root); it != claims.end();
       it = claims.find(location.root)) {
    location.root = it->second.root;
    location.offset += it->second.offset;
  }
  return location;
}

bool MemoryPlan::isClaimable(Value value) {
  Slot location = locate(value);
  Value root = location.root;
  Operation *op = root.getDefiningOp();
  if (!op || !isa<GemmOp, KernelOp, ConcatOp>(op) || location.offset != 0 ||
      getByteSize(cast<ShapedType>(root.getType())) !=
          getByteSize(cast<ShapedType>(value.getType())))
    return false;
  return !overwritten.count(root) && !claims.count(root) &&
         !outParams.count(root);
}

bool MemoryPlan::claim(Value value, Slot location) {
  if (!isClaimable(value))
    return false;
  claims[locate(value).root] = location;
  return true;
}

Value MemoryPlan::insertCopy(Value value, Operation *before) {
  OpBuilder b(before);
  Location loc = before->getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  Value init = tensor::EmptyOp::create(b, loc, type, ValueRange{});
  auto kernel =
      KernelOp::create(b, loc, TypeRange{type}, KernelKind::elementwise,
                       ValueRange{value}, ValueRange{init});
  Block *block = b.createBlock(&kernel.getBody(), {}, {type, type}, {loc, loc});
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      b, loc, TypeRange{type}, ValueRange{block->getArgument(0)},
      ValueRange{block->getArgument(1)},
      ArrayRef<AffineMap>{identity, identity}, iterators,
      [](OpBuilder &nested, Location nestedLoc, ValueRange args) {
        linalg::YieldOp::create(nested, nestedLoc, args[0]);
      });
  b.setInsertionPointToEnd(block);
  amprt::YieldOp::create(b, loc, copy.getResults());
  return kernel.getResult(0);
}

//===----------------------------------------------------------------------===//
// Claims
//===----------------------------------------------------------------------===//

static bool isWritable(func::FuncOp function, unsigned index) {
  auto writable = function.getArgAttrOfType<BoolAttr>(
      index, bufferization::BufferizationDialect::kWritableAttrName);
  return writable && writable.getValue();
}

std::optional<unsigned> MemoryPlan::getDonatedArgument(unsigned index) {
  auto kind = function->getAttrOfType<amp::StepKindAttr>("amp.step_kind");
  if (kind && (kind.getValue() == amp::StepKind::count ||
               kind.getValue() == amp::StepKind::forward))
    return std::nullopt;
  FunctionType type = function.getFunctionType();
  if (index >= type.getNumInputs() || !isWritable(function, index) ||
      type.getInput(index) != type.getResult(index))
    return std::nullopt;
  return index;
}

bool MemoryPlan::isStateArgument(Value root) {
  auto argument = dyn_cast<BlockArgument>(root);
  if (!argument || !isWritable(function, argument.getArgNumber()))
    return false;
  // A gradient buffer of a failed micro-batch is discarded with its window.
  auto role = function.getArgAttrOfType<amp::RoleAttr>(argument.getArgNumber(),
                                                       "amp.role");
  return !role || role.getValue() != amp::Role::gradient;
}

/// An op that reads the old content of an out updates it in place. Where the
/// old content may not be written, the op gets a copy to update.
void MemoryPlan::claimInPlaceUpdates() {
  for (Operation &op : llvm::make_early_inc_range(body)) {
    auto dps = dyn_cast<DestinationStyleOpInterface>(&op);
    if (!dps || !isa<GemmOp, KernelOp>(op))
      continue;
    for (auto [index, result] : llvm::enumerate(op.getResults())) {
      OpOperand *init = dps.getDpsInitOperand(index);
      if (!readsInit(&op, index))
        continue;
      Slot old = locate(init->get());
      if (old.root.getDefiningOp<tensor::EmptyOp>())
        continue;
      auto argument = dyn_cast<BlockArgument>(old.root);
      bool mayWrite =
          argument ? getDonatedArgument(argument.getArgNumber()).has_value()
                   : !old.root.getDefiningOp<arith::ConstantOp>();
      bool isWhole = old.offset == 0 &&
                     getByteSize(cast<ShapedType>(old.root.getType())) ==
                         getByteSize(cast<ShapedType>(result.getType()));
      if (!mayWrite || !isWhole) {
        init->set(insertCopy(init->get(), &op));
        old = locate(init->get());
      }
      claims[result] = old;
      updates.push_back({old.root, result, -1});
      overwritten.insert(old.root);
    }
  }
}

void MemoryPlan::claimReturns() {
  Operation *terminator = body.getTerminator();
  // Donations first: an out-parameter can be copied into, a state can't.
  for (OpOperand &operand : terminator->getOpOperands()) {
    std::optional<unsigned> index =
        getDonatedArgument(operand.getOperandNumber());
    if (!index)
      continue;
    Value argument = body.getArgument(*index);
    Slot target = resolve(locate(operand.get()));
    if (target.root == argument && target.offset == 0)
      continue; // unchanged, or updated in place already
    Slot place{argument, 0};
    if (!claim(operand.get(), place)) {
      operand.set(insertCopy(operand.get(), terminator));
      claim(operand.get(), place);
    }
    updates.push_back({argument, locate(operand.get()).root,
                       static_cast<int>(operand.getOperandNumber())});
  }
  for (OpOperand &operand : terminator->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    if (getDonatedArgument(index))
      continue;
    if (!isClaimable(operand.get()))
      operand.set(insertCopy(operand.get(), terminator));
    outParams[locate(operand.get()).root] = index;
  }
}

void MemoryPlan::claimConcatPieces() {
  for (ConcatOp concat : llvm::make_early_inc_range(body.getOps<ConcatOp>())) {
    Value result = concat.getResult();
    auto element = RankedTensorType::get(
        {}, cast<ShapedType>(result.getType()).getElementType());
    for (OpOperand &piece : concat->getOpOperands()) {
      int64_t offset =
          concat.getOffsets()[piece.getOperandNumber()] * getByteSize(element);
      if (!claim(piece.get(), {result, offset})) {
        piece.set(insertCopy(piece.get(), concat));
        claim(piece.get(), {result, offset});
      }
      piecesOf[result].push_back(locate(piece.get()).root);
    }
  }
}

LogicalResult MemoryPlan::claimPlaces() {
  claimInPlaceUpdates();
  claimReturns();
  claimConcatPieces();
  return success();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

void MemoryPlan::placeInArena() {
  llvm::MapVector<Value, ArenaBlock> blocks;
  auto touch = [&](Value value, int64_t position) {
    Value root = resolve(locate(value)).root;
    if (isa<BlockArgument>(root) || outParams.count(root) ||
        root.getDefiningOp<arith::ConstantOp>())
      return;
    int64_t bytes = getByteSize(cast<ShapedType>(root.getType()));
    auto [it, isNew] =
        blocks.try_emplace(root, ArenaBlock{bytes, position, position, 0});
    it->second.last = position;
  };
  int64_t position = 0;
  for (Operation &op : body) {
    ++position;
    if (isView(&op) || isa<tensor::EmptyOp, arith::ConstantOp>(op))
      continue;
    for (Value result : op.getResults())
      touch(result, position);
    for (Value operand : op.getOperands())
      if (!locate(operand).root.getDefiningOp<tensor::EmptyOp>())
        touch(operand, position);
    // An empty tensor that is read has some content all the same.
    if (auto kernel = dyn_cast<KernelOp>(&op))
      for (Value input : kernel.getInputs())
        touch(input, position);
  }
  SmallVector<ArenaBlock> sorted;
  for (auto &[root, block] : blocks)
    sorted.push_back(block);
  // Roots were met in the order of their first position.
  arenaSize = allocateArena(sorted);
  for (auto [entry, block] : llvm::zip_equal(blocks, sorted))
    arenaOffsets[entry.first] = block.offset;
}

Place MemoryPlan::getPlace(Value value) {
  Slot location = resolve(locate(value));
  Place place;
  place.offset = location.offset;
  if (auto argument = dyn_cast<BlockArgument>(location.root)) {
    place.kind = Place::Argument;
    place.index = argument.getArgNumber();
  } else if (auto out = outParams.find(location.root); out != outParams.end()) {
    place.kind = Place::Result;
    place.index = out->second;
  } else if (location.root.getDefiningOp<arith::ConstantOp>()) {
    place.kind = Place::Constant;
    place.constant = location.root;
  } else {
    place.offset += arenaOffsets.lookup(location.root);
  }
  return place;
}

LogicalResult MemoryPlan::compute() {
  if (failed(checkNormalForm()) || failed(claimPlaces()) || failed(order()))
    return failure();
  placeInArena();
  return success();
}
