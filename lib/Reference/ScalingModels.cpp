//===- ScalingModels.cpp - Reference semantics of the amp ops -------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Casts, loss scaling, the gradient statistics and the guarded update.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"
#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Reference/Reference.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include <cmath>

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::reference;

static double roundToF32(double value) { return double(float(value)); }

/// The scaler that `op` names, after an error if there is none.
static ScalerOp lookupScaler(Operation *op, FlatSymbolRefAttr name) {
  ScalerOp scaler = SymbolTable::lookupNearestSymbolFrom<ScalerOp>(op, name);
  if (!scaler)
    op->emitOpError("refers to '")
        << name.getValue() << "', which is no scaler";
  return scaler;
}

namespace {
using Operands = ArrayRef<ReferenceTensor>;

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

struct CastModel : ReferenceOpInterface::ExternalModel<CastModel, CastOp> {
  LogicalResult evaluate(Operation *op, Operands operands,
                         SmallVectorImpl<ReferenceTensor> &results) const {
    CastOp cast = mlir::cast<CastOp>(op);
    FloatType type = mlir::cast<FloatType>(resultElementType(op));
    llvm::RoundingMode mode = convertRounding(cast.getRounding());
    double largest = largestFinite(type);
    ReferenceTensor result = makeTensor(shapeOf(operands[0]), type);
    for (auto [to, from] : llvm::zip_equal(result.floats, operands[0].floats)) {
      to = roundTo(from, type, mode);
      if (cast.getOverflow() == Overflow::ieee || std::isnan(from))
        continue;
      if (cast.getOverflow() == Overflow::saturate) {
        if (!std::isfinite(to))
          to = std::copysign(largest, from);
        continue;
      }
      if (!std::isfinite(to) && (std::isfinite(from) || std::isnan(to)))
        return op->emitOpError("value ") << from << " overflows " << type;
    }
    results.push_back(std::move(result));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Loss scaling
//===----------------------------------------------------------------------===//

struct ScaleLossModel
    : ReferenceOpInterface::ExternalModel<ScaleLossModel, ScaleLossOp> {
  LogicalResult evaluate(Operation *op, Operands operands,
                         SmallVectorImpl<ReferenceTensor> &results) const {
    FloatType type = cast<FloatType>(resultElementType(op));
    results.push_back(
        makeScalar(operands[0].floats[0] * operands[1].floats[0], type));
    return success();
  }
};

struct UnscaleModel
    : ReferenceOpInterface::ExternalModel<UnscaleModel, UnscaleGradsOp> {
  LogicalResult evaluate(Operation *op, Operands operands,
                         SmallVectorImpl<ReferenceTensor> &results) const {
    double inverse = roundToF32(1.0 / operands[0].floats[0]);
    for (auto [index, gradient] : llvm::enumerate(operands.drop_front())) {
      ReferenceTensor result =
          makeTensor(shapeOf(gradient), resultElementType(op, index));
      for (auto [to, from] : llvm::zip_equal(result.floats, gradient.floats))
        to = roundToF32(from) * inverse;
      roundElements(result);
      results.push_back(std::move(result));
    }
    return success();
  }
};

struct GlobalNormModel
    : ReferenceOpInterface::ExternalModel<GlobalNormModel, GlobalNormOp> {
  LogicalResult evaluate(Operation *op, Operands operands,
                         SmallVectorImpl<ReferenceTensor> &results) const {
    double sum = 0.0;
    for (const ReferenceTensor &gradient : operands)
      for (double value : gradient.floats)
        sum += value * value;
    // The accumulator's precision is not part of the exact result, but its
    // range is: an overflowing sum of squares is found-inf.
    std::optional<NumericsAttr> numerics = cast<GlobalNormOp>(op).getNumerics();
    FloatType accumulator =
        numerics ? cast<FloatType>(numerics->getAccumulateOrF32())
                 : Float32Type::get(op->getContext());
    if (std::isinf(roundTo(sum, accumulator)))
      sum = std::numeric_limits<double>::infinity();
    results.push_back(
        makeScalar(std::sqrt(sum), cast<FloatType>(resultElementType(op))));
    return success();
  }
};

struct FoundInfModel
    : ReferenceOpInterface::ExternalModel<FoundInfModel, FoundInfOp> {
  LogicalResult evaluate(Operation *op, Operands operands,
                         SmallVectorImpl<ReferenceTensor> &results) const {
    bool found = llvm::any_of(operands, [](const ReferenceTensor &tensor) {
      return llvm::any_of(tensor.floats,
                          [](double value) { return !std::isfinite(value); });
    });
    results.push_back(
        makeScalar(int64_t(found), cast<IntegerType>(resultElementType(op))));
    return success();
  }
};

struct ZeroShareModel
    : ReferenceOpInterface::ExternalModel<ZeroShareModel, ZeroShareOp> {
  LogicalResult evaluate(Operation *op, Operands operands,
                         SmallVectorImpl<ReferenceTensor> &results) const {
    int64_t zeros = 0, elements = 0;
    for (const ReferenceTensor &gradient : operands) {
      zeros += llvm::count(gradient.floats, 0.0);
      elements += gradient.size();
    }
    // Padding between packed gradients is zero and no gradient.
    if (std::optional<uint64_t> stated = cast<ZeroShareOp>(op).getElements()) {
      zeros -= elements - int64_t(*stated);
      elements = int64_t(*stated);
    }
    results.push_back(makeScalar(double(zeros) / double(elements),
                                 cast<FloatType>(resultElementType(op))));
    return success();
  }
};

struct ClipModel
    : ReferenceOpInterface::ExternalModel<ClipModel, ClipByGlobalNormOp> {
  LogicalResult evaluate(Operation *op, Operands operands,
                         SmallVectorImpl<ReferenceTensor> &results) const {
    ClipByGlobalNormOp clip = cast<ClipByGlobalNormOp>(op);
    double factor =
        double(clip.getMaxNorm().convertToFloat()) /
        (operands[0].floats[0] + double(clip.getEpsilon().convertToFloat()));
    // A NaN norm stays visible in the gradients.
    if (factor > 1.0)
      factor = 1.0;
    for (auto [index, gradient] : llvm::enumerate(operands.drop_front())) {
      ReferenceTensor result =
          makeTensor(shapeOf(gradient), resultElementType(op, index));
      for (auto [to, from] : llvm::zip_equal(result.floats, gradient.floats))
        to = from * factor;
      roundElements(result);
      results.push_back(std::move(result));
    }
    return success();
  }
};

struct UpdateScaleModel
    : ReferenceOpInterface::ExternalModel<UpdateScaleModel, UpdateScaleOp> {
  LogicalResult evaluate(Operation *op, Operands operands,
                         SmallVectorImpl<ReferenceTensor> &results) const {
    UpdateScaleOp update = cast<UpdateScaleOp>(op);
    ScalerOp scaler = lookupScaler(op, update.getScalerAttr());
    if (!scaler)
      return failure();
    double scale = operands[0].floats[0];
    int64_t tracker = operands[1].integers[0];
    if (scaler.getKind() == ScalerKind::dynamic)
      move(update, scaler, operands[2].integers[0], scale, tracker);
    results.push_back(
        makeScalar(scale, cast<FloatType>(resultElementType(op, 0))));
    results.push_back(
        makeScalar(tracker, cast<IntegerType>(resultElementType(op, 1))));
    return success();
  }

private:
  static void move(UpdateScaleOp update, ScalerOp scaler, bool foundInf,
                   double &scale, int64_t &tracker) {
    if (foundInf) {
      double floor = scaler.getFloor().convertToFloat();
      scale = std::max(
          roundToF32(double(scaler.getBackoff().convertToFloat()) * scale),
          floor);
      tracker = 0;
      return;
    }
    ++tracker;
    int64_t interval = scaler.getInterval();
    if (update.getExactInterval() ? tracker != interval : tracker < interval)
      return;
    tracker = 0;
    double grown =
        roundToF32(double(scaler.getGrowth().convertToFloat()) * scale);
    std::optional<llvm::APFloat> cap = scaler.getCap();
    if (std::isfinite(grown) &&
        (!cap || grown <= double(cap->convertToFloat())))
      scale = grown;
  }
};

//===----------------------------------------------------------------------===//
// Guarded update
//===----------------------------------------------------------------------===//

/// Runs an update region once for all elements: a scalar of the region is a
/// tensor of its values, or of rank 0 where it is the same for all. Each op
/// rounds to its own type, as the region says.
class UpdateRegion {
public:
  explicit UpdateRegion(Block &block) : block(block) {}

  FailureOr<SmallVector<ReferenceTensor>>
  run(ArrayRef<ReferenceTensor> arguments) {
    for (auto [argument, value] :
         llvm::zip_equal(block.getArguments(), arguments))
      values[argument] = value;
    for (Operation &op : block.without_terminator()) {
      FailureOr<SmallVector<ReferenceTensor>> operands = lookup(&op);
      SmallVector<ReferenceTensor> results;
      if (failed(operands) ||
          failed(evaluateReference(&op, *operands, results)))
        return failure();
      for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
        values[result] = std::move(value);
    }
    return lookup(block.getTerminator());
  }

private:
  FailureOr<SmallVector<ReferenceTensor>> lookup(Operation *op) {
    SmallVector<ReferenceTensor> operands;
    for (Value operand : op->getOperands()) {
      auto it = values.find(operand);
      if (it != values.end()) {
        operands.push_back(it->second);
        continue;
      }
      // Constants may have been hoisted out of the region.
      Operation *constant = operand.getDefiningOp();
      if (!constant || !matchPattern(operand, m_Constant()))
        return op->emitOpError(
            "reads a value of outside the update region that is no constant");
      SmallVector<ReferenceTensor> results;
      if (failed(evaluateReference(constant, {}, results)))
        return failure();
      operands.push_back(std::move(results[0]));
    }
    return operands;
  }

  Block &block;
  DenseMap<Value, ReferenceTensor> values;
};

struct GuardedUpdateModel
    : ReferenceOpInterface::ExternalModel<GuardedUpdateModel, GuardedUpdateOp> {
  LogicalResult evaluate(Operation *op, Operands operands,
                         SmallVectorImpl<ReferenceTensor> &results) const {
    GuardedUpdateOp update = cast<GuardedUpdateOp>(op);
    unsigned parameters = update.getNumParameters(),
             slots = update.getNumStates();
    bool skip = update.getSkip() && operands.front().integers[0];
    if (update.getSkip())
      operands = operands.drop_front();
    Operands states = operands.take_front(parameters * slots);
    Operands gradients = operands.slice(parameters * slots, parameters);
    Operands scalars = operands.drop_front(parameters * (slots + 1));
    results.assign(states.begin(), states.end());
    if (skip)
      return success();
    for (unsigned p = 0; p < parameters; ++p) {
      SmallVector<ReferenceTensor> arguments;
      for (unsigned k = 0; k < slots; ++k)
        arguments.push_back(states[k * parameters + p]);
      arguments.push_back(gradients[p]);
      arguments.append(scalars.begin(), scalars.end());
      UpdateRegion region(update.getUpdate().front());
      FailureOr<SmallVector<ReferenceTensor>> updated = region.run(arguments);
      if (failed(updated))
        return failure();
      for (unsigned k = 0; k < slots; ++k)
        assign(results[k * parameters + p], (*updated)[k]);
    }
    return success();
  }

private:
  /// Keeps the state's shape where the region yields one value for all
  /// elements.
  static void assign(ReferenceTensor &state, const ReferenceTensor &value) {
    bool isUniform = value.size() == 1;
    for (auto [index, element] : llvm::enumerate(state.floats))
      element = value.floats[isUniform ? 0 : index];
  }
};
} // namespace

void reference::registerScalingModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AMPDialect *) {
    CastOp::attachInterface<CastModel>(*context);
    ScaleLossOp::attachInterface<ScaleLossModel>(*context);
    UnscaleGradsOp::attachInterface<UnscaleModel>(*context);
    GlobalNormOp::attachInterface<GlobalNormModel>(*context);
    FoundInfOp::attachInterface<FoundInfModel>(*context);
    ZeroShareOp::attachInterface<ZeroShareModel>(*context);
    ClipByGlobalNormOp::attachInterface<ClipModel>(*context);
    UpdateScaleOp::attachInterface<UpdateScaleModel>(*context);
    GuardedUpdateOp::attachInterface<GuardedUpdateModel>(*context);
  });
}
