//===- LinalgBuilder.cpp - linalg ops as this project writes them -*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise ops, reductions and reshapes in the normal form that kernels are
// formed from.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Utils/LinalgBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::amp {

static AffineMap resolveMap(MLIRContext *context, const LinalgInput &input,
                            unsigned rank) {
  if (input.map)
    return input.map;
  unsigned inputRank = cast<RankedTensorType>(input.value.getType()).getRank();
  if (inputRank == 0)
    return AffineMap::get(rank, 0, context);
  assert(inputRank == rank && "an input of another rank needs a map");
  return AffineMap::getMultiDimIdentityMap(rank, context);
}

SmallVector<Value> buildElementwise(OpBuilder &builder, Location loc,
                                    TypeRange results,
                                    ArrayRef<LinalgInput> inputs,
                                    ElementBody body) {
  MLIRContext *context = builder.getContext();
  auto domain = cast<RankedTensorType>(results.front());
  unsigned rank = domain.getRank();
  SmallVector<Value> operands, inits;
  SmallVector<AffineMap> maps;
  for (const LinalgInput &input : inputs) {
    operands.push_back(input.value);
    maps.push_back(resolveMap(context, input, rank));
  }
  for (Type result : results) {
    auto type = cast<RankedTensorType>(result);
    inits.push_back(tensor::EmptyOp::create(builder, loc, type.getShape(),
                                            type.getElementType()));
    maps.push_back(AffineMap::getMultiDimIdentityMap(rank, context));
  }
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      builder, loc, results, operands, inits, maps, iterators,
      [&](OpBuilder &nested, Location nestedLoc, ValueRange elements) {
        SmallVector<Value> values =
            body(nested, nestedLoc, elements.take_front(operands.size()));
        linalg::YieldOp::create(nested, nestedLoc, values);
      });
  return llvm::to_vector_of<Value>(op->getResults());
}

Value buildElementwise(OpBuilder &builder, Location loc, Type result,
                       ArrayRef<LinalgInput> inputs, ElementBody body) {
  return buildElementwise(builder, loc, TypeRange(result), inputs, body)
      .front();
}

Value buildRounding(OpBuilder &builder, Location loc, Value input,
                    Type elementType) {
  auto type = cast<RankedTensorType>(input.getType());
  if (type.getElementType() == elementType)
    return input;
  return buildElementwise(builder, loc, type.clone(elementType), {input},
                          [&](OpBuilder &nested, Location nestedLoc,
                              ValueRange elements) -> SmallVector<Value> {
                            ScalarBuilder scalar(nested, nestedLoc,
                                                 nested.getF32Type());
                            return {scalar.round(elements[0], elementType)};
                          });
}

AffineMap getRowMap(MLIRContext *context, unsigned rank) {
  return AffineMap::getMultiDimIdentityMap(rank, context).dropResult(rank - 1);
}

/// Order left free: the additions may be reassociated, and fused with
/// multiplications.
static arith::FastMathFlags getReductionFlags(NumericsAttr numerics) {
  if (numerics && numerics.getOrder().kind != AccumulationOrder::Kind::any)
    return arith::FastMathFlags::none;
  return arith::FastMathFlags::reassoc | arith::FastMathFlags::contract;
}

SmallVector<Value> buildReduction(OpBuilder &builder, Location loc,
                                  ReductionKind kind, ArrayRef<int64_t> domain,
                                  ArrayRef<LinalgInput> inputs,
                                  ArrayRef<TypedAttr> inits,
                                  NumericsAttr numerics, ReductionBody body) {
  MLIRContext *context = builder.getContext();
  unsigned rank = domain.size();
  auto reduction = utils::IteratorType::reduction;
  SmallVector<utils::IteratorType> iterators(rank, reduction);
  SmallVector<int64_t> kept;
  AffineMap outputMap = AffineMap::get(rank, 0, context);
  if (kind == ReductionKind::row) {
    std::fill(iterators.begin(), iterators.end() - 1,
              utils::IteratorType::parallel);
    kept.assign(domain.begin(), domain.end() - 1);
    outputMap = getRowMap(context, rank);
  } else if (kind == ReductionKind::column) {
    iterators.back() = utils::IteratorType::parallel;
    kept.push_back(domain.back());
    outputMap = AffineMap::get(rank, 0, builder.getAffineDimExpr(rank - 1));
  }

  SmallVector<Value> operands, starts;
  SmallVector<AffineMap> maps;
  SmallVector<Type> elementTypes, results;
  for (const LinalgInput &input : inputs) {
    operands.push_back(input.value);
    maps.push_back(resolveMap(context, input, rank));
    elementTypes.push_back(getElementTypeOrSelf(input.value.getType()));
  }
  for (TypedAttr init : inits) {
    Value zero = arith::ConstantOp::create(builder, loc, init);
    Value empty = tensor::EmptyOp::create(builder, loc, kept, init.getType());
    starts.push_back(
        linalg::FillOp::create(builder, loc, zero, empty).getResult(0));
    results.push_back(starts.back().getType());
    maps.push_back(outputMap);
    elementTypes.push_back(init.getType());
  }
  FloatType compute = getComputeType(context, elementTypes);
  auto op = linalg::GenericOp::create(
      builder, loc, results, operands, starts, maps, iterators,
      [&](OpBuilder &nested, Location nestedLoc, ValueRange elements) {
        ScalarBuilder scalar(nested, nestedLoc, compute,
                             getReductionFlags(numerics));
        SmallVector<Value> widened;
        for (Value element : elements)
          widened.push_back(isa<FloatType>(element.getType())
                                ? scalar.widen(element)
                                : element);
        ArrayRef<Value> all(widened);
        SmallVector<Value> values =
            body(scalar, all.take_front(operands.size()),
                 all.drop_front(operands.size()));
        for (auto [value, init] : llvm::zip_equal(values, inits))
          if (isa<FloatType>(value.getType()))
            value = scalar.round(value, init.getType());
        linalg::YieldOp::create(nested, nestedLoc, values);
      });
  return llvm::to_vector_of<Value>(op->getResults());
}

/// Collapses to one dimension, or takes a rank-0 or 1-D tensor to `shape`.
static Value reshapeThroughFlat(OpBuilder &builder, Location loc, Value input,
                                RankedTensorType result) {
  auto type = cast<RankedTensorType>(input.getType());
  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  auto all = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups;
    if (rank > 0)
      groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(0, rank)));
    return groups;
  };
  if (type.getRank() == 0)
    input = tensor::ExpandShapeOp::create(builder, loc, flat, input, all(0));
  else if (type.getRank() > 1)
    input = tensor::CollapseShapeOp::create(builder, loc, flat, input,
                                            all(type.getRank()));
  if (result.getRank() == 0)
    return tensor::CollapseShapeOp::create(builder, loc, result, input, all(0));
  if (result.getRank() == 1)
    return input;
  return tensor::ExpandShapeOp::create(builder, loc, result, input,
                                       all(result.getRank()));
}

Value buildReshape(OpBuilder &builder, Location loc, Value input,
                   ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(input.getType());
  if (type.getShape() == shape)
    return input;
  auto result = RankedTensorType::get(shape, type.getElementType());
  if (type.getNumElements() > 0 && type.getRank() > 0 && result.getRank() > 0 &&
      type.getRank() != result.getRank()) {
    if (auto groups = getReassociationIndicesForReshape(type, result)) {
      if (type.getRank() > result.getRank())
        return tensor::CollapseShapeOp::create(builder, loc, result, input,
                                               *groups);
      return tensor::ExpandShapeOp::create(builder, loc, result, input,
                                           *groups);
    }
  }
  return reshapeThroughFlat(builder, loc, input, result);
}

FloatType getAccumulatorType(NumericsAttr numerics, Type operand) {
  if (numerics && numerics.getAccumulate())
    return cast<FloatType>(numerics.getAccumulate());
  return getComputeType(operand.getContext(), operand);
}

} // namespace mlir::amp
