//===- NNToAMPRT.cpp - Contractions to runtime calls -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each contraction of `nn` becomes one `amprt.gemm` on 2-D or 3-D operands:
// leading dimensions collapse into rows (linear and its derivatives) or into
// one batch dimension (matmul). Numerics and phase are kept as they are.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/NNToAMPRT/NNToAMPRT.h"

#include "amp/Conversion/Passes.h"
#include "amp/Conversion/Utils/LinalgBuilder.h"
#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h"
#include "amp/Dialect/NN/IR/NNDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTNNTOAMPRTPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

static int64_t product(ArrayRef<int64_t> shape) {
  int64_t result = 1;
  for (int64_t size : shape)
    result *= size;
  return result;
}

/// `value` ([..., C]) as [rows, C].
static Value collapseRows(OpBuilder &builder, Location loc, Value value) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  return buildReshape(builder, loc, value,
                      {product(shape.drop_back()), shape.back()});
}

/// `value` ([B..., M, N]) with at most one batch dimension.
static Value collapseBatch(OpBuilder &builder, Location loc, Value value) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  if (shape.size() <= 3)
    return value;
  return buildReshape(
      builder, loc, value,
      {product(shape.drop_back(2)), shape[shape.size() - 2], shape.back()});
}

/// What the gemms of this conversion differ in.
struct Gemm {
  Value lhs, rhs, bias;
  bool transposeLhs = false, transposeRhs = false, relu = false;
};

static amprt::Epilogue getEpilogue(const Gemm &gemm) {
  if (gemm.bias)
    return gemm.relu ? amprt::Epilogue::bias_relu : amprt::Epilogue::bias;
  return gemm.relu ? amprt::Epilogue::relu : amprt::Epilogue::none;
}

/// Builds `gemm` for the contraction `op`, with a result of the shape `shape`
/// that is reshaped to that of `op`.
template <typename OpTy>
static Value buildGemm(PatternRewriter &rewriter, OpTy op, const Gemm &gemm,
                       ArrayRef<int64_t> shape) {
  Location loc = op.getLoc();
  auto result = cast<RankedTensorType>(op.getType());
  NumericsAttr numerics = op.getNumericsAttr();
  if (!numerics)
    numerics = NumericsAttr::getF32(rewriter.getContext());
  auto init =
      tensor::EmptyOp::create(rewriter, loc, shape, result.getElementType());
  auto call = amprt::GemmOp::create(
      rewriter, loc, init.getType(), gemm.lhs, gemm.rhs, gemm.bias,
      /*aux=*/Value(), ValueRange(init), gemm.transposeLhs, gemm.transposeRhs,
      llvm::APFloat(1.0f), llvm::APFloat(0.0f), getEpilogue(gemm), numerics,
      op.getPhaseAttr());
  return buildReshape(rewriter, loc, call.getResult(), result.getShape());
}

/// Contractions the runtime has no call for: of dynamic shape, or in f64.
static LogicalResult checkSupported(PatternRewriter &rewriter, Operation *op) {
  for (Type type : op->getOperandTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (!tensor.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "expects static shapes");
    if (tensor.getElementType().isF64())
      return rewriter.notifyMatchFailure(op, "f64 has no runtime call");
  }
  return success();
}

namespace {

/// The lowering of every contraction of a kind that the runtime has a call for.
template <typename OpTy> struct GemmPattern : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const final {
    if (failed(checkSupported(rewriter, op)))
      return failure();
    lower(op, rewriter);
    return success();
  }

  /// Replaces `op`.
  virtual void lower(OpTy op, PatternRewriter &rewriter) const = 0;
};

static Value buildLinear(PatternRewriter &rewriter, nn::LinearOp op,
                         bool relu) {
  Gemm gemm;
  gemm.lhs = collapseRows(rewriter, op.getLoc(), op.getInput());
  gemm.rhs = op.getWeight();
  gemm.bias = op.getBias();
  gemm.transposeRhs = true;
  gemm.relu = relu;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getType()).getShape();
  return buildGemm(rewriter, op, gemm,
                   {product(shape.drop_back()), shape.back()});
}

/// Pattern: linear(x, w, b) = gemm(x, w^T) + b
struct LowerLinear : GemmPattern<nn::LinearOp> {
  using GemmPattern::GemmPattern;
  void lower(nn::LinearOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, buildLinear(rewriter, op, /*relu=*/false));
  }
};

/// Pattern: relu(linear(x, w, b)) = relu(gemm(x, w^T) + b)
///
/// relu commutes with rounding, so it may stand before or after it. Other
/// activations don't and stay kernels.
struct FuseRelu : OpRewritePattern<nn::ReluOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::ReluOp op,
                                PatternRewriter &rewriter) const override {
    auto linear = op.getInput().getDefiningOp<nn::LinearOp>();
    if (!linear || !linear->hasOneUse())
      return rewriter.notifyMatchFailure(op, "expects a linear of one use");
    if (failed(checkSupported(rewriter, linear)))
      return failure();
    rewriter.replaceOp(op, buildLinear(rewriter, linear, /*relu=*/true));
    rewriter.eraseOp(linear);
    return success();
  }
};

/// Pattern: matmul(a, b) = gemm(op(a), op(b))
struct LowerMatmul : GemmPattern<nn::MatmulOp> {
  using GemmPattern::GemmPattern;
  void lower(nn::MatmulOp op, PatternRewriter &rewriter) const override {
    Gemm gemm;
    gemm.lhs = collapseBatch(rewriter, op.getLoc(), op.getLhs());
    gemm.rhs = collapseBatch(rewriter, op.getLoc(), op.getRhs());
    gemm.transposeLhs = op.getTransposeLhs();
    gemm.transposeRhs = op.getTransposeRhs();
    SmallVector<int64_t> shape(op.getType().getShape());
    if (shape.size() > 3)
      shape = {product(ArrayRef(shape).drop_back(2)), shape[shape.size() - 2],
               shape.back()};
    rewriter.replaceOp(op, buildGemm(rewriter, op, gemm, shape));
  }
};

/// Pattern: linear_input_grad(c, w) = gemm(c, w)
struct LowerLinearInputGrad : GemmPattern<nn::LinearInputGradOp> {
  using GemmPattern::GemmPattern;
  void lower(nn::LinearInputGradOp op,
             PatternRewriter &rewriter) const override {
    Gemm gemm;
    gemm.lhs = collapseRows(rewriter, op.getLoc(), op.getCotangent());
    gemm.rhs = op.getWeight();
    ArrayRef<int64_t> shape = op.getType().getShape();
    rewriter.replaceOp(op,
                       buildGemm(rewriter, op, gemm,
                                 {product(shape.drop_back()), shape.back()}));
  }
};

/// Pattern: linear_weight_grad(c, x) = gemm(c^T, x)
struct LowerLinearWeightGrad : GemmPattern<nn::LinearWeightGradOp> {
  using GemmPattern::GemmPattern;
  void lower(nn::LinearWeightGradOp op,
             PatternRewriter &rewriter) const override {
    Gemm gemm;
    gemm.lhs = collapseRows(rewriter, op.getLoc(), op.getCotangent());
    gemm.rhs = collapseRows(rewriter, op.getLoc(), op.getInput());
    gemm.transposeLhs = true;
    rewriter.replaceOp(
        op, buildGemm(rewriter, op, gemm,
                      cast<RankedTensorType>(op.getType()).getShape()));
  }
};

struct ConvertNNToAMPRTPass
    : amp::impl::ConvertNNToAMPRTPassBase<ConvertNNToAMPRTPass> {
  void runOnOperation() override {
    // Activations first: a walk meets the linear before its relu.
    RewritePatternSet fusions(&getContext());
    fusions.add<FuseRelu>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(fusions));
    RewritePatternSet patterns(&getContext());
    populateNNToAMPRTPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace

void mlir::amp::populateNNToAMPRTPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerLinear, LowerLinearInputGrad, LowerLinearWeightGrad,
               LowerMatmul>(patterns.getContext());
}
