//===- SpecializeShapes.cpp - Static shapes for one batch size ------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets the leading dynamic dimensions of arguments and propagates forward
// through shape inference: every op is visited once, in order. Result types are
// refined in place, so attributes, regions and locations stay as they are.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMP/Transforms/SpecializeShapes.h"
#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Dialect/AMP/Transforms/Passes.h"
#include "amp/Dialect/NN/IR/NNDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace mlir::amp {
#define GEN_PASS_DEF_SPECIALIZESHAPESPASS
#include "amp/Dialect/AMP/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// The shapes of an op's results as far as its operands determine them; one
/// entry per result, empty where nothing is known.
static SmallVector<SmallVector<int64_t>> inferShapes(Operation *op) {
  SmallVector<SmallVector<int64_t>> shapes(op->getNumResults());
  if (auto reshape = dyn_cast<nn::ReshapeOp>(op)) {
    // The one dynamic dimension takes what the others leave.
    auto input = cast<RankedTensorType>(reshape.getInput().getType());
    ArrayRef<int64_t> target =
        cast<RankedTensorType>(op->getResult(0).getType()).getShape();
    if (!input.hasStaticShape() ||
        llvm::count_if(target, ShapedType::isDynamic) != 1)
      return shapes;
    int64_t rest = 1;
    for (int64_t size : target)
      rest *= ShapedType::isDynamic(size) ? 1 : size;
    for (int64_t size : target)
      shapes[0].push_back(!ShapedType::isDynamic(size) ? size
                          : rest == 0 ? 0
                                      : input.getNumElements() / rest);
    return shapes;
  }
  if (auto inferable = dyn_cast<InferShapedTypeOpInterface>(op)) {
    SmallVector<ShapedTypeComponents> components;
    if (succeeded(inferable.inferReturnTypeComponents(
            op->getContext(), op->getLoc(), op->getOperands(),
            op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
            op->getRegions(), components)))
      for (auto [shape, component] : llvm::zip(shapes, components))
        if (component.hasRank())
          llvm::append_range(shape, component.getDims());
    return shapes;
  }
  if (op->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
      op->hasTrait<OpTrait::Elementwise>() ||
      op->hasTrait<OpTrait::SameOperandsAndResultType>()) {
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type || type.getRank() == 0)
        continue;
      for (SmallVector<int64_t> &shape : shapes)
        shape.assign(type.getShape().begin(), type.getShape().end());
      break;
    }
  }
  return shapes;
}

/// Gives the results of `op` static types.
static LogicalResult refineResults(Operation *op) {
  auto isDynamic = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && !shaped.hasStaticShape();
  };
  if (llvm::none_of(op->getResultTypes(), isDynamic))
    return success();
  SmallVector<SmallVector<int64_t>> shapes = inferShapes(op);
  for (auto [result, shape] : llvm::zip_equal(op->getResults(), shapes)) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || type.hasStaticShape())
      continue;
    SmallVector<int64_t> refined(type.getShape());
    if (shape.size() == refined.size())
      for (auto [size, inferred] : llvm::zip_equal(refined, shape))
        if (ShapedType::isDynamic(size))
          size = inferred;
    auto refinedType = RankedTensorType::get(refined, type.getElementType());
    if (!refinedType.hasStaticShape())
      return op->emitOpError()
             << "expects a result shape that follows from its operands, "
                "but got "
             << refinedType << " from static ones";
    result.setType(refinedType);
  }
  return success();
}

/// Replaces what static types have made a constant, drops operands that only
/// supplied a shape.
static void simplify(Operation *op) {
  if (auto broadcast = dyn_cast<nn::BroadcastOp>(op)) {
    broadcast.getLikeMutable().clear();
    return;
  }
  auto count = dyn_cast<nn::ElementCountOp>(op);
  if (!count)
    return;
  auto type = cast<RankedTensorType>(count.getInput().getType());
  OpBuilder builder(op);
  auto value =
      DenseElementsAttr::get(cast<RankedTensorType>(count.getType()),
                             builder.getI64IntegerAttr(type.getNumElements()));
  Value constant = arith::ConstantOp::create(builder, op->getLoc(), value);
  count.replaceAllUsesWith(constant);
  op->erase();
}

LogicalResult amp::propagateStaticShapes(func::FuncOp function) {
  WalkResult walk = function.walk<WalkOrder::PreOrder>([](Operation *op) {
    return failed(refineResults(op)) ? WalkResult::interrupt()
                                     : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  function.walk(simplify);
  Operation *terminator = function.front().getTerminator();
  function.setType(FunctionType::get(function.getContext(),
                                     function.front().getArgumentTypes(),
                                     terminator->getOperandTypes()));
  return success();
}

static LogicalResult specialize(func::FuncOp function, int64_t batch) {
  if (function.isExternal())
    return success();
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.hasStaticShape())
      continue;
    SmallVector<int64_t> shape(type.getShape());
    if (ShapedType::isDynamic(shape.front()))
      shape.front() = batch;
    if (llvm::any_of(shape, ShapedType::isDynamic))
      return function.emitError()
             << "expects argument #" << argument.getArgNumber()
             << " to be dynamic in its leading dimension only, but got "
             << type;
    argument.setType(RankedTensorType::get(shape, type.getElementType()));
  }
  return propagateStaticShapes(function);
}

namespace {
struct SpecializeShapesPass
    : amp::impl::SpecializeShapesPassBase<SpecializeShapesPass> {
  using SpecializeShapesPassBase::SpecializeShapesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (batch < 0 || batch > kMaxBatch) {
      module.emitError() << "expects 'batch' in [0, " << kMaxBatch
                         << "], but got " << int64_t(batch);
      return signalPassFailure();
    }
    auto isStep = [](func::FuncOp function) {
      return function->hasAttr(kStepKindAttrName);
    };
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    bool hasSteps = llvm::any_of(functions, isStep);
    for (func::FuncOp function : functions) {
      if (hasSteps && !isStep(function))
        function.erase();
      else if (failed(specialize(function, batch)))
        return signalPassFailure();
    }
  }
};
} // namespace
