//===- VJPContext.h - What a derivative rule works with ---------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps that derivative rules share: casts, zeros and accumulator contracts
// of cotangents, and the external model that turns a plain function into
// an implementation of `amp::VJPOpInterface`. Private to the library.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_NN_TRANSFORMS_VJPCONTEXT_H
#define AMP_LIB_DIALECT_NN_TRANSFORMS_VJPCONTEXT_H

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Dialect/NN/IR/NNDialect.h"
#include "amp/Interfaces/VJPOpInterface.h"

namespace mlir::nn {

/// `type` with another element type.
RankedTensorType withElementType(Type type, Type elementType);

/// `value`, cast to `elementType` unless it has it already.
Value castToElementType(OpBuilder &builder, Location loc, Value value,
                        Type elementType,
                        amp::CastOrigin origin = amp::CastOrigin::policy);

/// A tensor of zeros of `type`; `like` supplies dynamic dimensions.
Value createZero(OpBuilder &builder, Location loc, RankedTensorType type,
                 Value like);

/// The contract of an accumulation over values of `elementType` that no forward
/// op states: an accumulator of f32, or of f64 for f64 values.
amp::NumericsAttr getDefaultNumerics(Type elementType);

/// One application of a derivative rule: the cotangents that come in and the
/// slots for those that go out.
class VJPContext {
public:
  VJPContext(OpBuilder &builder, Operation *op, ArrayRef<Value> cotangents,
             const llvm::SmallBitVector &needed, const amp::VJPOptions &options)
      : builder(builder), loc(op->getLoc()), op(op), cotangents(cotangents),
        options(options), needed(needed), results(op->getNumOperands()) {}

  /// Whether operand `index` wants a cotangent.
  bool wants(unsigned index) const { return needed.test(index); }

  /// The cotangent of the only result, in the type it came with.
  Value cotangent() const { return cotangents.front(); }

  /// The cotangent of the only result in the element type of operand `index`.
  Value cotangentAs(unsigned index);

  void set(unsigned index, Value value) { results[index] = value; }

  /// The contract for a backward contraction: the forward op's own, or the
  /// default for its operands.
  amp::NumericsAttr contractionNumerics() const;

  /// The contract for a backward reduction over values of `elementType`: the
  /// accumulator of the forward op without operand precisions.
  amp::NumericsAttr reductionNumerics(Type elementType) const;

  /// The element type of the gradient of a weight or bias of type `operand`.
  Type parameterGradientElementType(Type operand) const;

  SmallVector<Value> takeResults() { return std::move(results); }

  OpBuilder &builder;
  Location loc;
  Operation *op;
  ArrayRef<Value> cotangents;
  const amp::VJPOptions &options;

private:
  const llvm::SmallBitVector &needed;
  SmallVector<Value> results;
};

/// Implements `amp::VJPOpInterface` on `OpTy` by the function `rule`. A rule
/// fails only after a diagnostic on the op.
template <typename OpTy, LogicalResult (*rule)(OpTy, VJPContext &)>
struct VJPRuleModel
    : public amp::VJPOpInterface::ExternalModel<VJPRuleModel<OpTy, rule>,
                                                OpTy> {
  FailureOr<SmallVector<Value>> buildVJP(Operation *op, OpBuilder &builder,
                                         ArrayRef<Value> cotangents,
                                         const llvm::SmallBitVector &needed,
                                         const amp::VJPOptions &options) const {
    VJPContext context(builder, op, cotangents, needed, options);
    if (failed(rule(cast<OpTy>(op), context)))
      return failure();
    return context.takeResults();
  }
};

/// Attaches `rule` to `OpTy`.
template <typename OpTy, LogicalResult (*rule)(OpTy, VJPContext &)>
void attachVJP(MLIRContext *context) {
  OpTy::template attachInterface<VJPRuleModel<OpTy, rule>>(*context);
}

/// The rule of ops through which no cotangent flows.
template <typename OpTy> LogicalResult zeroVJP(OpTy, VJPContext &) {
  return success();
}

void attachCastVJP(MLIRContext *context);
void attachContractionVJPs(MLIRContext *context);
void attachElementwiseVJPs(MLIRContext *context);
void attachMovementVJPs(MLIRContext *context);
void attachReductionVJPs(MLIRContext *context);

} // namespace mlir::nn

#endif // AMP_LIB_DIALECT_NN_TRANSFORMS_VJPCONTEXT_H
