//===- NNOps.cpp - Verifiers of the nn ops ----------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each check carries the id of its rule, as listed in the op's description.
// Declared result shapes are compared with inferred ones by the trait in
// NNShapes.cpp, which runs first.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/NN/IR/NNDialect.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::nn;

#define GET_OP_CLASSES
#include "amp/Dialect/NN/IR/NNOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static bool dimsMatch(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

static bool shapesMatch(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() &&
         llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
           return dimsMatch(std::get<0>(pair), std::get<1>(pair));
         });
}

/// `numerics` names its accumulator where an operand is narrower than f32.
static LogicalResult verifyNumerics(Operation *op, ValueRange operands,
                                    amp::NumericsAttr numerics) {
  if (numerics && numerics.getAccumulate())
    return success();
  for (Value operand : operands) {
    Type element = getElementTypeOrSelf(operand.getType());
    if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
      return op->emitOpError()
             << "expects 'numerics' with an 'accumulate' type, because an "
                "operand is "
             << element << ", but got "
             << (numerics ? "none in it" : "no 'numerics'");
  }
  return success();
}

static LogicalResult verifySameElementType(Operation *op, StringRef firstName,
                                           Value first, StringRef secondName,
                                           Value second) {
  Type a = getElementTypeOrSelf(first.getType());
  Type b = getElementTypeOrSelf(second.getType());
  if (a == b)
    return success();
  return op->emitOpError() << "expects '" << firstName << "' and '"
                           << secondName << "' of one element type, but got "
                           << a << " and " << b;
}

static LogicalResult verifyRank(Operation *op, StringRef name, Value value,
                                int64_t rank) {
  if (typeOf(value).getRank() == rank)
    return success();
  return op->emitOpError() << "expects '" << name << "' of rank " << rank
                           << ", but got " << typeOf(value);
}

static LogicalResult verifySameShape(Operation *op, StringRef firstName,
                                     Value first, StringRef secondName,
                                     Value second) {
  if (shapesMatch(typeOf(first).getShape(), typeOf(second).getShape()))
    return success();
  return op->emitOpError() << "expects '" << firstName << "' and '"
                           << secondName << "' of one shape, but got "
                           << typeOf(first) << " and " << typeOf(second);
}

static LogicalResult verifySameType(Operation *op, StringRef firstName,
                                    Value first, StringRef secondName,
                                    Value second) {
  if (failed(verifySameElementType(op, firstName, first, secondName, second)))
    return failure();
  return verifySameShape(op, firstName, first, secondName, second);
}

/// Two named dimensions that a contraction sums over or a bias lies on.
static LogicalResult verifyDims(Operation *op, const Twine &aName, int64_t a,
                                const Twine &bName, int64_t b) {
  if (dimsMatch(a, b))
    return success();
  return op->emitOpError() << "expects " << aName << " to equal " << bName
                           << ", but got " << a << " and " << b;
}

static LogicalResult verifyDimAttr(Operation *op, int64_t dim, int64_t rank) {
  if (dim >= 0 && dim < rank)
    return success();
  return op->emitOpError() << "expects 'dim' in [0, " << rank << "), but got "
                           << dim;
}

/// `dims` are sorted, unique and inside the rank.
static LogicalResult verifyReducedDims(Operation *op, ArrayRef<int64_t> dims,
                                       int64_t rank) {
  int64_t previous = -1;
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank)
      return op->emitOpError()
             << "expects 'dims' in [0, " << rank << "), but got " << dim;
    if (dim <= previous)
      return op->emitOpError() << "expects 'dims' sorted and unique, but got "
                               << dim << " after " << previous;
    previous = dim;
  }
  return success();
}

/// `denominator` belongs to a mean.
static LogicalResult verifyDenominator(Operation *op, Value denominator,
                                       Reduction reduction) {
  if (!denominator || reduction == Reduction::mean)
    return success();
  return op->emitOpError()
         << "expects 'denominator' only with reduction 'mean', but got "
            "reduction '"
         << stringifyReduction(reduction) << "'";
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

LogicalResult LinearOp::verify() {
  RankedTensorType input = typeOf(getInput()), weight = typeOf(getWeight());
  if (failed(verifyRank(*this, "weight", getWeight(), 2))) // nn_linear_c1
    return failure();
  if (input.getRank() < 1) // nn_linear_c1
    return emitOpError() << "expects 'input' of rank at least 1, but got "
                         << input;
  // nn_linear_c1
  if (failed(verifyDims(
          *this, "the last dimension of 'input'", input.getShape().back(),
          "the last dimension of 'weight'", weight.getDimSize(1))))
    return failure();
  if (Value bias = getBias()) {
    // nn_linear_c2
    if (failed(verifyRank(*this, "bias", bias, 1)) ||
        failed(verifyDims(
            *this, "the length of 'bias'", typeOf(bias).getDimSize(0),
            "the first dimension of 'weight'", weight.getDimSize(0))))
      return failure();
    // nn_linear_c3
    if (failed(
            verifySameElementType(*this, "weight", getWeight(), "bias", bias)))
      return failure();
  }
  // nn_linear_c3
  if (failed(verifySameElementType(*this, "input", getInput(), "weight",
                                   getWeight())))
    return failure();
  return verifyNumerics(*this, getOperands(),
                        getNumericsAttr()); // nn_linear_c4
}

LogicalResult LinearInputGradOp::verify() {
  RankedTensorType cotangent = typeOf(getCotangent());
  // nn_linear_input_grad_c1
  if (failed(verifyRank(*this, "weight", getWeight(), 2)))
    return failure();
  if (cotangent.getRank() < 1)
    return emitOpError() << "expects 'cotangent' of rank at least 1, but got "
                         << cotangent;
  if (failed(verifyDims(*this, "the last dimension of 'cotangent'",
                        cotangent.getShape().back(),
                        "the first dimension of 'weight'",
                        typeOf(getWeight()).getDimSize(0))))
    return failure();
  // nn_linear_input_grad_c2
  if (failed(verifySameElementType(*this, "cotangent", getCotangent(), "weight",
                                   getWeight())))
    return failure();
  // nn_linear_input_grad_c3
  return verifyNumerics(*this, getOperands(), getNumericsAttr());
}

LogicalResult LinearWeightGradOp::verify() {
  RankedTensorType cotangent = typeOf(getCotangent());
  RankedTensorType input = typeOf(getInput());
  // nn_linear_weight_grad_c1
  if (cotangent.getRank() < 1 || input.getRank() < 1 ||
      !shapesMatch(cotangent.getShape().drop_back(),
                   input.getShape().drop_back()))
    return emitOpError()
           << "expects 'cotangent' and 'input' of equal leading dimensions, "
              "but got "
           << cotangent << " and " << input;
  // nn_linear_weight_grad_c2
  if (failed(verifySameElementType(*this, "cotangent", getCotangent(), "input",
                                   getInput())))
    return failure();
  // nn_linear_weight_grad_c3
  return verifyNumerics(*this, getOperands(), getNumericsAttr());
}

LogicalResult MatmulOp::verify() {
  RankedTensorType lhs = typeOf(getLhs()), rhs = typeOf(getRhs());
  int64_t rank = lhs.getRank();
  if (rank != rhs.getRank() || rank < 2) // nn_matmul_c1
    return emitOpError() << "expects operands of one rank, at least 2, but got "
                         << lhs << " and " << rhs;
  if (!shapesMatch(lhs.getShape().drop_back(2),
                   rhs.getShape().drop_back(2))) // nn_matmul_c2
    return emitOpError() << "expects equal batch dimensions, but got " << lhs
                         << " and " << rhs;
  int64_t lhsDim = getTransposeLhs() ? rank - 2 : rank - 1;
  int64_t rhsDim = getTransposeRhs() ? rank - 1 : rank - 2;
  // nn_matmul_c3
  if (failed(verifyDims(*this, "dimension " + Twine(lhsDim) + " of 'lhs'",
                        lhs.getDimSize(lhsDim),
                        "dimension " + Twine(rhsDim) + " of 'rhs'",
                        rhs.getDimSize(rhsDim))))
    return failure();
  // nn_matmul_c4
  if (failed(verifySameElementType(*this, "lhs", getLhs(), "rhs", getRhs())))
    return failure();
  return verifyNumerics(*this, getOperands(),
                        getNumericsAttr()); // nn_matmul_c5
}

LogicalResult AddNOp::verify() {
  return verifyNumerics(*this, getInputs(), getNumericsAttr()); // nn_add_n_c1
}

//===----------------------------------------------------------------------===//
// Reductions and normalizations
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult verifyReduction(OpTy op) {
  // nn_reduce_c1
  if (failed(
          verifyReducedDims(op, op.getDims(), typeOf(op.getInput()).getRank())))
    return failure();
  // nn_reduce_c2
  return verifyNumerics(op, op->getOperands(), op.getNumericsAttr());
}
LogicalResult ReduceSumOp::verify() { return verifyReduction(*this); }
LogicalResult ReduceMeanOp::verify() { return verifyReduction(*this); }
LogicalResult ReduceMaxOp::verify() { return verifyReduction(*this); }

/// `name` has the reduced shape of the input.
static LogicalResult verifyReducedShape(Operation *op, StringRef name,
                                        Value value, Value input,
                                        ArrayRef<int64_t> dims, bool keepdims) {
  std::optional<SmallVector<int64_t>> expected =
      getReducedShape(typeOf(input).getShape(), dims, keepdims);
  if (!expected || shapesMatch(*expected, typeOf(value).getShape()))
    return success();
  return op->emitOpError() << "expects '" << name << "' of type "
                           << RankedTensorType::get(
                                  *expected, typeOf(value).getElementType())
                           << ", the reduced shape of 'input', but got "
                           << typeOf(value);
}

LogicalResult ReduceMeanGradOp::verify() {
  // nn_reduce_mean_grad_c1
  if (failed(verifyReducedDims(*this, getDims(), typeOf(getInput()).getRank())))
    return failure();
  // nn_reduce_mean_grad_c2
  if (failed(verifyReducedShape(*this, "cotangent", getCotangent(), getInput(),
                                getDims(), getKeepdims())))
    return failure();
  // nn_reduce_mean_grad_c3
  return verifySameElementType(*this, "input", getInput(), "result",
                               getResult());
}

LogicalResult ReduceMaxGradOp::verify() {
  // nn_reduce_max_grad_c1
  if (failed(verifyReducedDims(*this, getDims(), typeOf(getInput()).getRank())))
    return failure();
  // nn_reduce_max_grad_c2
  if (failed(verifyReducedShape(*this, "cotangent", getCotangent(), getInput(),
                                getDims(), getKeepdims())) ||
      failed(verifyReducedShape(*this, "output", getOutput(), getInput(),
                                getDims(), getKeepdims())))
    return failure();
  // nn_reduce_max_grad_c3
  if (failed(verifySameElementType(*this, "input", getInput(), "result",
                                   getResult())))
    return failure();
  // nn_reduce_max_grad_c4
  return verifyNumerics(*this, getOperands(), getNumericsAttr());
}

template <typename OpTy> static LogicalResult verifySoftmax(OpTy op) {
  // nn_softmax_c1
  if (failed(verifyDimAttr(op, op.getDim(), typeOf(op.getInput()).getRank())))
    return failure();
  // nn_softmax_c2
  return verifyNumerics(op, op->getOperands(), op.getNumericsAttr());
}
LogicalResult SoftmaxOp::verify() { return verifySoftmax(*this); }
LogicalResult LogSoftmaxOp::verify() { return verifySoftmax(*this); }

template <typename OpTy> static LogicalResult verifySoftmaxGrad(OpTy op) {
  // nn_softmax_grad_c1
  if (failed(verifyDimAttr(op, op.getDim(), typeOf(op.getOutput()).getRank())))
    return failure();
  // nn_softmax_grad_c2
  if (failed(verifySameType(op, "cotangent", op.getCotangent(), "output",
                            op.getOutput())))
    return failure();
  // nn_softmax_grad_c3
  return verifyNumerics(op, op->getOperands(), op.getNumericsAttr());
}
LogicalResult SoftmaxGradOp::verify() { return verifySoftmaxGrad(*this); }
LogicalResult LogSoftmaxGradOp::verify() { return verifySoftmaxGrad(*this); }

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult verifyCrossEntropy(OpTy op) {
  RankedTensorType logits = typeOf(op.getLogits());
  RankedTensorType targets = typeOf(op.getTargets());
  // nn_cross_entropy_c1
  if (logits.getRank() < 1 ||
      !shapesMatch(logits.getShape().drop_back(), targets.getShape()))
    return op.emitOpError() << "expects 'targets' of the shape of 'logits' "
                               "without its last dimension, but got "
                            << targets << " for " << logits;
  // nn_cross_entropy_c2
  double smoothing = op.getLabelSmoothing().convertToDouble();
  if (!(smoothing >= 0.0 && smoothing <= 1.0))
    return op.emitOpError() << "expects 'label_smoothing' in [0, 1], but got "
                            << op.getLabelSmoothingAttr();
  // nn_cross_entropy_c3
  if (failed(verifyDenominator(op, op.getDenominator(), op.getReduction())))
    return failure();
  // nn_cross_entropy_c4
  return verifyNumerics(op, op.getLogits(), op.getNumericsAttr());
}
LogicalResult CrossEntropyOp::verify() { return verifyCrossEntropy(*this); }
LogicalResult CrossEntropyGradOp::verify() {
  if (failed(verifyCrossEntropy(*this)))
    return failure();
  // nn_cross_entropy_grad_c1
  return verifySameElementType(*this, "logits", getLogits(), "result",
                               getResult());
}

template <typename OpTy> static LogicalResult verifyMSE(OpTy op) {
  // nn_mse_loss_c1
  if (failed(
          verifySameType(op, "input", op.getInput(), "target", op.getTarget())))
    return failure();
  // nn_mse_loss_c2
  return verifyDenominator(op, op.getDenominator(), op.getReduction());
}
LogicalResult MSELossOp::verify() {
  if (failed(verifyMSE(*this)))
    return failure();
  // nn_mse_loss_c3
  return verifyNumerics(*this, {getInput(), getTarget()}, getNumericsAttr());
}
LogicalResult MSELossGradOp::verify() {
  if (failed(verifyMSE(*this)))
    return failure();
  // nn_mse_loss_grad_c1
  return verifySameElementType(*this, "input", getInput(), "result",
                               getResult());
}

//===----------------------------------------------------------------------===//
// Shape and type
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  RankedTensorType input = typeOf(getInput()), result = getType();
  // nn_reshape_c1
  if (failed(verifySameElementType(*this, "input", getInput(), "result",
                                   getResult())))
    return failure();
  // nn_reshape_c2
  if (input.hasStaticShape() && result.hasStaticShape() &&
      input.getNumElements() != result.getNumElements())
    return emitOpError() << "expects " << input.getNumElements()
                         << " elements in the result, but got "
                         << result.getNumElements();
  // nn_reshape_c3
  if (result.getNumDynamicDims() > 1)
    return emitOpError()
           << "expects at most one dynamic dimension in the result, but got "
           << result;
  return success();
}

LogicalResult TransposeOp::verify() {
  // nn_transpose_c1
  int64_t rank = typeOf(getInput()).getRank();
  if (static_cast<int64_t>(getPermutation().size()) != rank ||
      !isPermutationVector(getPermutation()))
    return emitOpError() << "expects 'permutation' to be a permutation of rank "
                         << rank << ", but got [" << getPermutation() << "]";
  return verifySameElementType(*this, "input", getInput(), "result",
                               getResult()); // nn_transpose_c2
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType input = typeOf(getInput()), result = getType();
  ArrayRef<int64_t> dims = getDims();
  // nn_broadcast_c1
  if (static_cast<int64_t>(dims.size()) != input.getRank())
    return emitOpError() << "expects one entry in 'dims' per input dimension ("
                         << input.getRank() << "), but got " << dims.size();
  if (failed(verifyReducedDims(*this, dims, result.getRank())))
    return failure();
  // nn_broadcast_c2
  for (auto [index, dim] : llvm::enumerate(dims)) {
    int64_t from = input.getDimSize(index), to = result.getDimSize(dim);
    if (from != 1 && !dimsMatch(from, to))
      return emitOpError() << "expects input dimension " << index
                           << " to be 1 or " << to << ", but got " << from;
  }
  // nn_broadcast_c3
  if (!result.hasStaticShape() && !getLike())
    return emitOpError() << "expects 'like' for a result with dynamic "
                            "dimensions, but got none for "
                         << result;
  return verifySameElementType(*this, "input", getInput(), "result",
                               getResult()); // nn_broadcast_c4
}

LogicalResult ConvertOp::verify() {
  // nn_convert_c1
  if (isa<FloatType>(getInput().getType().getElementType()) &&
      isa<FloatType>(getType().getElementType()))
    return emitOpError() << "expects an integer input or result (a cast "
                            "between floats is 'amp.cast'), but got "
                         << getInput().getType() << " to " << getType();
  return success();
}
