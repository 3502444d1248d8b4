//===- LossModels.cpp - Reference semantics of losses ---------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cross entropy and mean squared error, their derivatives, and the counts that
// a window's denominator is made of.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"
#include "amp/Dialect/NN/IR/NNDialect.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::reference;

static constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();

namespace {
/// One row of logits with its target.
struct Row {
  ArrayRef<double> logits;
  int64_t target;
  double max, logSum;

  Row(ArrayRef<double> logits, int64_t target)
      : logits(logits), target(target) {
    max = -std::numeric_limits<double>::infinity();
    for (double x : logits)
      if (!(x <= max) && !std::isnan(max))
        max = x;
    double sum = 0.0;
    for (double x : logits)
      sum += std::exp(x - max);
    logSum = std::log(sum);
  }
  bool hasTarget() const {
    return target >= 0 && target < int64_t(logits.size());
  }
  double logProbability(int64_t c) const { return (logits[c] - max) - logSum; }

  double loss(double smoothing) const {
    if (!hasTarget())
      return nan_;
    double value = -(1.0 - smoothing) * logProbability(target);
    // Without smoothing a masked class (-inf) is not multiplied by zero.
    if (smoothing == 0.0)
      return value;
    double sum = 0.0;
    for (int64_t c = 0, end = logits.size(); c < end; ++c)
      sum += logProbability(c);
    return value - smoothing / double(logits.size()) * sum;
  }
  double gradient(int64_t c, double smoothing) const {
    if (!hasTarget())
      return nan_;
    return std::exp(logProbability(c)) - (c == target ? 1.0 - smoothing : 0.0) -
           smoothing / double(logits.size());
  }
};

struct Loss {
  using Operands = ArrayRef<ReferenceTensor>;

  static int64_t countValid(ArrayRef<int64_t> targets, int64_t ignored) {
    return llvm::count_if(targets,
                          [&](int64_t target) { return target != ignored; });
  }

  /// What a loss is divided by: 1 for `sum`, the optional operand, or `count`.
  template <typename OpTy>
  static double denominator(OpTy op, Operands operands, int64_t count) {
    if (op.getReduction() == nn::Reduction::sum)
      return 1.0;
    return op.getDenominator() ? operands.back().floats[0] : double(count);
  }

  template <typename OpTy>
  static FailureOr<SmallVector<Row>>
  rows(OpTy op, const ReferenceTensor &logits, const ReferenceTensor &targets) {
    if (shapeOf(logits).drop_back() != shapeOf(targets)) {
      op.emitOpError("expects one target per row, but got ")
          << logits.type << " and " << targets.type;
      return failure();
    }
    int64_t classes = shapeOf(logits).back();
    SmallVector<Row> result;
    for (auto [index, target] : llvm::enumerate(targets.integers))
      result.emplace_back(
          ArrayRef(logits.floats).slice(index * classes, classes), target);
    return result;
  }

  static FailureOr<ReferenceTensor> compute(nn::CrossEntropyOp op,
                                            Operands operands) {
    auto table = rows(op, operands[0], operands[1]);
    if (failed(table))
      return failure();
    int64_t ignored = int64_t(op.getIgnoreIndex());
    double smoothing = op.getLabelSmoothing().convertToDouble(), sum = 0.0;
    for (const Row &row : *table)
      if (row.target != ignored)
        sum += row.loss(smoothing);
    sum /= denominator(op, operands, countValid(operands[1].integers, ignored));
    return makeScalar(sum, cast<FloatType>(resultElementType(op)));
  }

  static FailureOr<ReferenceTensor> compute(nn::CrossEntropyGradOp op,
                                            Operands operands) {
    auto table = rows(op, operands[1], operands[2]);
    if (failed(table))
      return failure();
    int64_t ignored = int64_t(op.getIgnoreIndex());
    double smoothing = op.getLabelSmoothing().convertToDouble();
    double factor =
        operands[0].floats[0] /
        denominator(op, operands, countValid(operands[2].integers, ignored));
    ReferenceTensor result =
        makeTensor(shapeOf(operands[1]), resultElementType(op));
    int64_t next = 0;
    for (const Row &row : *table)
      for (int64_t c = 0, end = row.logits.size(); c < end; ++c)
        result.floats[next++] =
            row.target == ignored ? 0.0 : factor * row.gradient(c, smoothing);
    roundElements(result);
    return result;
  }

  static LogicalResult checkSameShape(Operation *op,
                                      const ReferenceTensor &input,
                                      const ReferenceTensor &target) {
    if (shapeOf(input) == shapeOf(target))
      return success();
    return op->emitOpError("expects input and target of one shape, but got ")
           << input.type << " and " << target.type;
  }

  static FailureOr<ReferenceTensor> compute(nn::MSELossOp op,
                                            Operands operands) {
    if (failed(checkSameShape(op, operands[0], operands[1])))
      return failure();
    double sum = 0.0;
    for (auto [x, t] : llvm::zip_equal(operands[0].floats, operands[1].floats))
      sum += (x - t) * (x - t);
    sum /= denominator(op, operands, operands[0].size());
    return makeScalar(sum, cast<FloatType>(resultElementType(op)));
  }

  static FailureOr<ReferenceTensor> compute(nn::MSELossGradOp op,
                                            Operands operands) {
    if (failed(checkSameShape(op, operands[1], operands[2])))
      return failure();
    double factor = 2.0 * operands[0].floats[0] /
                    denominator(op, operands, operands[1].size());
    ReferenceTensor result =
        makeTensor(shapeOf(operands[1]), resultElementType(op));
    for (auto [value, x, t] :
         llvm::zip_equal(result.floats, operands[1].floats, operands[2].floats))
      value = factor * (x - t);
    roundElements(result);
    return result;
  }

  static FailureOr<ReferenceTensor> compute(nn::ElementCountOp op,
                                            Operands operands) {
    return makeScalar(operands[0].size(),
                      cast<IntegerType>(resultElementType(op)));
  }
  static FailureOr<ReferenceTensor> compute(nn::ValidCountOp op,
                                            Operands operands) {
    return makeScalar(
        countValid(operands[0].integers, int64_t(op.getIgnoreIndex())),
        cast<IntegerType>(resultElementType(op)));
  }
};
} // namespace

void reference::registerLossModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, nn::NNDialect *) {
    attachTensorModels<Loss, nn::CrossEntropyOp, nn::CrossEntropyGradOp,
                       nn::MSELossOp, nn::MSELossGradOp, nn::ElementCountOp,
                       nn::ValidCountOp>(context);
  });
}
