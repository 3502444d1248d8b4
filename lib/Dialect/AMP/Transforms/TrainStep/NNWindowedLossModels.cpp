//===- NNWindowedLossModels.cpp - Denominators of the nn losses -----------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// External models of WindowedLossOpInterface: the mean squared error counts
// elements, cross entropy the targets that are not ignored. A derivative counts
// as its loss does.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMP/Transforms/WindowedLossModels.h"
#include "amp/Dialect/NN/IR/NNDialect.h"
#include "amp/Interfaces/WindowedLossOpInterface.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Shared by all losses with `reduction` and `denominator`.
template <typename ModelT, typename OpT, bool IsLoss>
struct LossModel : WindowedLossOpInterface::ExternalModel<ModelT, OpT> {
  bool isLossValue(Operation *) const { return IsLoss; }
  bool dividesByCount(Operation *op) const {
    return cast<OpT>(op).getReduction() == nn::Reduction::mean;
  }
  Value getLossDenominator(Operation *op) const {
    return cast<OpT>(op).getDenominator();
  }
  void setLossDenominator(Operation *op, Value denominator) const {
    cast<OpT>(op).getDenominatorMutable().assign(denominator);
  }
};

template <typename OpT, bool IsLoss>
struct MSEModel : LossModel<MSEModel<OpT, IsLoss>, OpT, IsLoss> {
  // The target has the input's shape and, unlike it, does not depend on
  // parameters.
  LossCount getLossCount(Operation *op) const {
    return {cast<OpT>(op).getTarget(), std::nullopt};
  }
};

template <typename OpT, bool IsLoss>
struct CrossEntropyModel
    : LossModel<CrossEntropyModel<OpT, IsLoss>, OpT, IsLoss> {
  LossCount getLossCount(Operation *op) const {
    auto loss = cast<OpT>(op);
    return {loss.getTargets(), static_cast<int64_t>(loss.getIgnoreIndex())};
  }
};
} // namespace

void amp::registerNNWindowedLossModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, nn::NNDialect *) {
    nn::MSELossOp::attachInterface<MSEModel<nn::MSELossOp, true>>(*context);
    nn::MSELossGradOp::attachInterface<MSEModel<nn::MSELossGradOp, false>>(
        *context);
    nn::CrossEntropyOp::attachInterface<
        CrossEntropyModel<nn::CrossEntropyOp, true>>(*context);
    nn::CrossEntropyGradOp::attachInterface<
        CrossEntropyModel<nn::CrossEntropyGradOp, false>>(*context);
  });
}
