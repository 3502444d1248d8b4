//===- NNShapes.cpp - Result shapes of the nn ops ---------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `inferReturnTypeComponents` of every op, and the trait that compares declared
// with inferred shapes. Inference runs before an op's verifier, on IR that may
// break the op's rules: it then fails without a word, and the verifier names
// the broken rule. A shape that only the result type knows (reshape) is left
// unranked.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/NN/IR/NNDialect.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::nn;

using Components = SmallVectorImpl<ShapedTypeComponents>;

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static std::string shapeToString(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleave(
      shape, os,
      [&](int64_t dim) {
        if (ShapedType::isDynamic(dim))
          os << '?';
        else
          os << dim;
      },
      ", ");
  os << ']';
  return text;
}

LogicalResult nn::detail::verifyInferredResultShapes(Operation *op) {
  auto inferable = dyn_cast<InferShapedTypeOpInterface>(op);
  if (!inferable)
    return success();
  SmallVector<ShapedTypeComponents> shapes;
  if (failed(inferable.inferReturnTypeComponents(
          op->getContext(), /*location=*/std::nullopt, op->getOperands(),
          op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
          op->getRegions(), shapes)))
    return success(); // The verifier names the broken rule.
  for (auto [index, shape] : llvm::enumerate(shapes)) {
    auto type = dyn_cast<ShapedType>(op->getResult(index).getType());
    if (!type || !type.hasRank() || !shape.hasRank())
      continue;
    if (failed(verifyCompatibleShape(shape.getDims(), type.getShape())))
      return op->emitOpError()
             << "expects result #" << index << " to have shape "
             << shapeToString(shape.getDims()) << ", but got "
             << shapeToString(type.getShape());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The better known of two dimensions that are equal at run time.
static int64_t mergeDims(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) ? b : a;
}

static LogicalResult add(Components &shapes, ArrayRef<int64_t> shape) {
  shapes.push_back(ShapedTypeComponents(shape));
  return success();
}

/// The best known shape of `values`, which have one shape at run time.
static LogicalResult addMerged(Components &shapes, ValueRange values) {
  SmallVector<int64_t> shape(shapeOf(values.front()));
  for (Value value : values.drop_front()) {
    if (shapeOf(value).size() != shape.size())
      return failure();
    for (auto [dim, other] : llvm::zip_equal(shape, shapeOf(value)))
      dim = mergeDims(dim, other);
  }
  return add(shapes, shape);
}

static LogicalResult addReduced(Components &shapes, Value input,
                                ArrayRef<int64_t> dims, bool keepdims) {
  std::optional<SmallVector<int64_t>> shape =
      nn::getReducedShape(shapeOf(input), dims, keepdims);
  return shape ? add(shapes, *shape) : failure();
}

/// Defines the inference of `OP`; the body sees `adaptor` and `shapes`.
#define INFER(OP)                                                              \
  LogicalResult OP::inferReturnTypeComponents(                                 \
      [[maybe_unused]] MLIRContext *context,                                   \
      [[maybe_unused]] std::optional<Location> location,                       \
      [[maybe_unused]] Adaptor adaptor, [[maybe_unused]] Components &shapes)

/// An op whose single result has the common shape of all operands.
#define INFER_SAME_SHAPE(OP)                                                   \
  INFER(OP) { return addMerged(shapes, adaptor.getOperands()); }

/// An op whose single result has the shape of one named operand.
#define INFER_SHAPE_OF(OP, ACCESSOR)                                           \
  INFER(OP) { return add(shapes, shapeOf(adaptor.ACCESSOR())); }

/// An op whose single result has rank 0.
#define INFER_SCALAR(OP)                                                       \
  INFER(OP) { return add(shapes, {}); }

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// The shape of `value` with its last dimension replaced.
static LogicalResult addWithLastDim(Components &shapes, Value value,
                                    int64_t last) {
  SmallVector<int64_t> shape(shapeOf(value));
  if (shape.empty())
    return failure();
  shape.back() = last;
  return add(shapes, shape);
}

INFER(LinearOp) {
  ArrayRef<int64_t> weight = shapeOf(adaptor.getWeight());
  if (weight.size() != 2)
    return failure();
  return addWithLastDim(shapes, adaptor.getInput(), weight[0]);
}

INFER(LinearInputGradOp) {
  ArrayRef<int64_t> weight = shapeOf(adaptor.getWeight());
  if (weight.size() != 2)
    return failure();
  return addWithLastDim(shapes, adaptor.getCotangent(), weight[1]);
}

INFER(LinearWeightGradOp) {
  ArrayRef<int64_t> cotangent = shapeOf(adaptor.getCotangent());
  ArrayRef<int64_t> input = shapeOf(adaptor.getInput());
  if (cotangent.empty() || input.empty())
    return failure();
  return add(shapes, {cotangent.back(), input.back()});
}

INFER(MatmulOp) {
  ArrayRef<int64_t> lhs = shapeOf(adaptor.getLhs());
  ArrayRef<int64_t> rhs = shapeOf(adaptor.getRhs());
  if (lhs.size() != rhs.size() || lhs.size() < 2)
    return failure();
  SmallVector<int64_t> shape;
  for (auto [a, b] : llvm::zip_equal(lhs.drop_back(2), rhs.drop_back(2)))
    shape.push_back(mergeDims(a, b));
  size_t row = lhs.size() - 2, column = lhs.size() - 1;
  shape.push_back(lhs[adaptor.getTransposeLhs() ? column : row]);
  shape.push_back(rhs[adaptor.getTransposeRhs() ? row : column]);
  return add(shapes, shape);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

INFER_SAME_SHAPE(AddOp)
INFER_SAME_SHAPE(SubOp)
INFER_SAME_SHAPE(MulOp)
INFER_SAME_SHAPE(DivOp)
INFER_SAME_SHAPE(MaximumOp)
INFER_SAME_SHAPE(NegOp)
INFER_SAME_SHAPE(AbsOp)
INFER_SAME_SHAPE(ExpOp)
INFER_SAME_SHAPE(LogOp)
INFER_SAME_SHAPE(SqrtOp)
INFER_SAME_SHAPE(RsqrtOp)
INFER_SAME_SHAPE(TanhOp)
INFER_SAME_SHAPE(SigmoidOp)
INFER_SAME_SHAPE(ReluOp)
INFER_SAME_SHAPE(SiluOp)
INFER_SAME_SHAPE(GeluOp)
INFER_SAME_SHAPE(CompareOp)
INFER_SAME_SHAPE(SelectOp)
INFER_SAME_SHAPE(DivRhsGradOp)
INFER_SAME_SHAPE(AbsGradOp)
INFER_SAME_SHAPE(SqrtGradOp)
INFER_SAME_SHAPE(RsqrtGradOp)
INFER_SAME_SHAPE(TanhGradOp)
INFER_SAME_SHAPE(SigmoidGradOp)
INFER_SAME_SHAPE(ReluGradOp)
INFER_SAME_SHAPE(SiluGradOp)
INFER_SAME_SHAPE(GeluGradOp)

INFER(AddNOp) {
  if (adaptor.getInputs().empty())
    return failure();
  return addMerged(shapes, adaptor.getInputs());
}

INFER(MaximumGradOp) {
  if (failed(addMerged(shapes, adaptor.getOperands())))
    return failure();
  shapes.push_back(shapes.front());
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions, normalizations, losses
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>> nn::getReducedShape(ArrayRef<int64_t> shape,
                                                        ArrayRef<int64_t> dims,
                                                        bool keepdims) {
  llvm::SmallBitVector reduced(shape.size());
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= static_cast<int64_t>(shape.size()))
      return std::nullopt;
    reduced.set(dim);
  }
  SmallVector<int64_t> result;
  for (auto [index, dim] : llvm::enumerate(shape)) {
    if (!reduced.test(index))
      result.push_back(dim);
    else if (keepdims)
      result.push_back(1);
  }
  return result;
}

INFER(ReduceSumOp) {
  return addReduced(shapes, adaptor.getInput(), adaptor.getDims(),
                    adaptor.getKeepdims());
}
INFER(ReduceMeanOp) {
  return addReduced(shapes, adaptor.getInput(), adaptor.getDims(),
                    adaptor.getKeepdims());
}
INFER(ReduceMaxOp) {
  return addReduced(shapes, adaptor.getInput(), adaptor.getDims(),
                    adaptor.getKeepdims());
}
INFER_SHAPE_OF(ReduceMeanGradOp, getInput)
INFER_SHAPE_OF(ReduceMaxGradOp, getInput)

INFER_SHAPE_OF(SoftmaxOp, getInput)
INFER_SHAPE_OF(LogSoftmaxOp, getInput)
INFER_SAME_SHAPE(SoftmaxGradOp)
INFER_SAME_SHAPE(LogSoftmaxGradOp)

INFER_SCALAR(CrossEntropyOp)
INFER_SCALAR(MSELossOp)
INFER_SHAPE_OF(CrossEntropyGradOp, getLogits)
INFER_SHAPE_OF(MSELossGradOp, getInput)

//===----------------------------------------------------------------------===//
// Shape and type
//===----------------------------------------------------------------------===//

/// Only the result type knows.
INFER(ReshapeOp) {
  shapes.emplace_back();
  return success();
}

INFER(TransposeOp) {
  ArrayRef<int64_t> input = shapeOf(adaptor.getInput());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (permutation.size() != input.size() || !isPermutationVector(permutation))
    return failure();
  return add(shapes, applyPermutation(input, permutation));
}

/// The result type knows, and `like` where it is given.
INFER(BroadcastOp) {
  if (Value like = adaptor.getLike())
    return add(shapes, shapeOf(like));
  shapes.emplace_back();
  return success();
}

INFER_SHAPE_OF(ConvertOp, getInput)

INFER(ConstantOp) {
  return add(shapes, adaptor.getValue().getShapedType().getShape());
}

INFER(OptimizationBarrierOp) {
  for (Value input : adaptor.getInputs())
    shapes.push_back(ShapedTypeComponents(shapeOf(input)));
  return success();
}

INFER_SCALAR(ElementCountOp)
INFER_SCALAR(ValidCountOp)
