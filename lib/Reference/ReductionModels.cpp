//===- ReductionModels.cpp - Reference semantics of reductions ------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums, means and maxima over dimensions, softmax, and their derivatives.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"
#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Dialect/NN/IR/NNDialect.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::reference;

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {
/// How elements fall into groups that share all but the reduced dimensions.
struct Groups {
  SmallVector<int64_t> shape;
  /// From an element's index to its group's, 0 along reduced dimensions.
  SmallVector<int64_t> strides;
  /// The groups' shape, with and without reduced dimensions as 1.
  SmallVector<int64_t> kept, dropped;

  Groups(const ReferenceTensor &tensor, ArrayRef<int64_t> dims)
      : shape(shapeOf(tensor)) {
    for (auto [d, size] : llvm::enumerate(shape)) {
      bool reduced = llvm::is_contained(dims, int64_t(d));
      kept.push_back(reduced ? 1 : size);
      if (!reduced)
        dropped.push_back(size);
    }
    strides = stridesOf(kept);
    for (int64_t d : dims)
      strides[d] = 0;
  }

  int64_t count() const { return countOf(kept); }
  /// Elements in one group.
  int64_t size() const {
    int64_t product = 1;
    for (auto [all, group] : llvm::zip_equal(shape, kept))
      if (group == 1)
        product *= all;
    return product;
  }
  /// Calls fn(element, group) for all elements.
  template <typename Fn> void forEach(Fn fn) const {
    forEachIndex(shape, strides, fn);
  }

  SmallVector<double> sum(ArrayRef<double> values) const {
    SmallVector<double> sums(count(), 0.0);
    forEach([&](int64_t i, int64_t g) { sums[g] += values[i]; });
    return sums;
  }
  /// The largest element of each group; NaN if any is NaN.
  SmallVector<double> max(ArrayRef<double> values) const {
    SmallVector<double> maxima(count(), -infinity);
    forEach([&](int64_t i, int64_t g) {
      if (!(values[i] <= maxima[g]) && !std::isnan(maxima[g]))
        maxima[g] = values[i];
    });
    return maxima;
  }
};

struct Reduction {
  using Operands = ArrayRef<ReferenceTensor>;

  template <typename OpTy>
  static ReferenceTensor finish(OpTy op, const Groups &groups,
                                ArrayRef<double> values) {
    ReferenceTensor result = makeTensor(
        op.getKeepdims() ? groups.kept : groups.dropped, resultElementType(op));
    llvm::copy(values, result.floats.begin());
    roundElements(result);
    return result;
  }

  static FailureOr<ReferenceTensor> compute(nn::ReduceSumOp op,
                                            Operands operands) {
    Groups groups(operands[0], op.getDims());
    return finish(op, groups, groups.sum(operands[0].floats));
  }
  static FailureOr<ReferenceTensor> compute(nn::ReduceMeanOp op,
                                            Operands operands) {
    Groups groups(operands[0], op.getDims());
    SmallVector<double> values = groups.sum(operands[0].floats);
    for (double &value : values)
      value /= double(groups.size());
    return finish(op, groups, values);
  }
  static FailureOr<ReferenceTensor> compute(nn::ReduceMaxOp op,
                                            Operands operands) {
    Groups groups(operands[0], op.getDims());
    return finish(op, groups, groups.max(operands[0].floats));
  }

  /// A result of `like`'s shape, one value per (element, group).
  template <typename Fn>
  static ReferenceTensor spread(Operation *op, const Groups &groups, Fn fn) {
    ReferenceTensor result = makeTensor(groups.shape, resultElementType(op));
    groups.forEach([&](int64_t i, int64_t g) { result.floats[i] = fn(i, g); });
    roundElements(result);
    return result;
  }

  static FailureOr<ReferenceTensor> compute(nn::ReduceMeanGradOp op,
                                            Operands operands) {
    Groups groups(operands[1], op.getDims());
    if (failed(checkGroups(op, groups, operands[0])))
      return failure();
    ArrayRef<double> cotangent = operands[0].floats;
    double size = groups.size();
    return spread(op, groups,
                  [&](int64_t, int64_t g) { return cotangent[g] / size; });
  }
  static FailureOr<ReferenceTensor> compute(nn::ReduceMaxGradOp op,
                                            Operands operands) {
    Groups groups(operands[1], op.getDims());
    if (failed(checkGroups(op, groups, operands[0])) ||
        failed(checkGroups(op, groups, operands[2])))
      return failure();
    ArrayRef<double> cotangent = operands[0].floats, input = operands[1].floats,
                     output = operands[2].floats;
    SmallVector<double> ties(groups.count(), 0.0);
    groups.forEach(
        [&](int64_t i, int64_t g) { ties[g] += input[i] == output[g]; });
    // A NaN maximum equals no element: 0/0 passes the NaN on.
    return spread(op, groups, [&](int64_t i, int64_t g) {
      return cotangent[g] * double(input[i] == output[g]) / ties[g];
    });
  }

  static FailureOr<ReferenceTensor> compute(nn::SoftmaxOp op,
                                            Operands operands) {
    ArrayRef<double> x = operands[0].floats;
    Groups groups(operands[0], {int64_t(op.getDim())});
    SmallVector<double> max = groups.max(x), sum(groups.count(), 0.0);
    groups.forEach(
        [&](int64_t i, int64_t g) { sum[g] += std::exp(x[i] - max[g]); });
    return spread(op, groups, [&](int64_t i, int64_t g) {
      return std::exp(x[i] - max[g]) / sum[g];
    });
  }
  static FailureOr<ReferenceTensor> compute(nn::LogSoftmaxOp op,
                                            Operands operands) {
    ArrayRef<double> x = operands[0].floats;
    Groups groups(operands[0], {int64_t(op.getDim())});
    SmallVector<double> max = groups.max(x), sum(groups.count(), 0.0);
    groups.forEach(
        [&](int64_t i, int64_t g) { sum[g] += std::exp(x[i] - max[g]); });
    // PyTorch's CPU kernel stores sum and logarithm in the input's type.
    auto type = cast<FloatType>(operands[0].type.getElementType());
    bool storesSum =
        getParity(op) == Parity::pytorch && type.getIntOrFloatBitWidth() < 32;
    SmallVector<double> logSum;
    for (double value : sum)
      logSum.push_back(storesSum ? roundTo(std::log(roundTo(value, type)), type)
                                 : std::log(value));
    return spread(op, groups, [&](int64_t i, int64_t g) {
      return (x[i] - max[g]) - logSum[g];
    });
  }
  static FailureOr<ReferenceTensor> compute(nn::SoftmaxGradOp op,
                                            Operands operands) {
    ArrayRef<double> cotangent = operands[0].floats,
                     output = operands[1].floats;
    Groups groups(operands[1], {int64_t(op.getDim())});
    if (failed(checkSameShape(op, operands)))
      return failure();
    SmallVector<double> sum(groups.count(), 0.0);
    groups.forEach(
        [&](int64_t i, int64_t g) { sum[g] += cotangent[i] * output[i]; });
    return spread(op, groups, [&](int64_t i, int64_t g) {
      return (cotangent[i] - sum[g]) * output[i];
    });
  }
  static FailureOr<ReferenceTensor> compute(nn::LogSoftmaxGradOp op,
                                            Operands operands) {
    ArrayRef<double> cotangent = operands[0].floats,
                     output = operands[1].floats;
    Groups groups(operands[1], {int64_t(op.getDim())});
    if (failed(checkSameShape(op, operands)))
      return failure();
    SmallVector<double> sum = groups.sum(cotangent);
    return spread(op, groups, [&](int64_t i, int64_t g) {
      return cotangent[i] - std::exp(output[i]) * sum[g];
    });
  }

  static FailureOr<ReferenceTensor> compute(nn::AddNOp op, Operands operands) {
    return mapElements(op, resultElementType(op), operands,
                       [](ArrayRef<Element> x) {
                         double sum = 0.0;
                         for (const Element &element : x)
                           sum += element.f;
                         return real(sum);
                       });
  }

private:
  static LogicalResult checkGroups(Operation *op, const Groups &groups,
                                   const ReferenceTensor &tensor) {
    if (shapeOf(tensor) == ArrayRef(groups.kept) ||
        shapeOf(tensor) == ArrayRef(groups.dropped))
      return success();
    return op->emitOpError("expects a reduced tensor of ")
           << groups.count() << " elements, but got " << tensor.type;
  }
  static LogicalResult checkSameShape(Operation *op, Operands operands) {
    if (shapeOf(operands[0]) == shapeOf(operands[1]))
      return success();
    return op->emitOpError("expects operands of one shape, but got ")
           << operands[0].type << " and " << operands[1].type;
  }
};
} // namespace

void reference::registerReductionModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, nn::NNDialect *) {
    attachTensorModels<Reduction, nn::ReduceSumOp, nn::ReduceMeanOp,
                       nn::ReduceMaxOp, nn::ReduceMeanGradOp,
                       nn::ReduceMaxGradOp, nn::SoftmaxOp, nn::LogSoftmaxOp,
                       nn::SoftmaxGradOp, nn::LogSoftmaxGradOp, nn::AddNOp>(
        context);
  });
}
