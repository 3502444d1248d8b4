//===- NNOps.td - Operations of the tensor-graph dialect -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forward ops. Their derivatives are in NNGradOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_NN_IR_NNOPS_TD
#define AMP_DIALECT_NN_IR_NNOPS_TD

include "amp/Dialect/NN/IR/NNBase.td"

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

def NN_LinearOp : NN_Op<"linear", "contraction", ["input", "weight", "bias"]> {
  let summary = "input x weight^T + bias";
  let description = [{
    input: [..., K], weight: [N, K], bias: [N]; result: [..., N]. One rounding, after
    the bias.

    - nn_linear_c1: `weight` has rank 2; the last dimension of `input` equals its last.
    - nn_linear_c2: `bias` has the length of `weight`'s first dimension.
    - nn_linear_c3: operands have one element type.
    - nn_linear_c4: `numerics` is stated where an operand is narrower than f32.
  }];
  let arguments = (ins NN_Float:$input, NN_Float:$weight, Optional<NN_Float>:$bias,
                       OptionalAttr<AMP_NumericsAttr>:$numerics,
                       OptionalAttr<AMP_PhaseAttr>:$phase);
  let results = (outs NN_Float:$result);
  let hasVerifier = 1;
  let numericDeclarations = "bool requiresSameOperandTypes() { return true; }";
}

def NN_MatmulOp : NN_Op<"matmul", "contraction", ["lhs", "rhs"]> {
  let summary = "batched matrix product";
  let description = [{
    lhs: [B..., M, K], rhs: [B..., K, N]; result: [B..., M, N]. `transpose_lhs` and
    `transpose_rhs` swap the last two dimensions of an operand first. The batch
    dimensions of both are equal; broadcast explicitly.

    - nn_matmul_c1: both operands have the same rank, at least 2.
    - nn_matmul_c2: batch dimensions are equal.
    - nn_matmul_c3: contracted dimensions are equal.
    - nn_matmul_c4: operands have one element type.
    - nn_matmul_c5: `numerics` is stated where an operand is narrower than f32.
  }];
  let arguments = (ins NN_Float:$lhs, NN_Float:$rhs, UnitAttr:$transpose_lhs,
                       UnitAttr:$transpose_rhs, OptionalAttr<AMP_NumericsAttr>:$numerics,
                       OptionalAttr<AMP_PhaseAttr>:$phase);
  let results = (outs NN_Float:$result);
  let hasVerifier = 1;
  let numericDeclarations = "bool requiresSameOperandTypes() { return true; }";
}

//===----------------------------------------------------------------------===//
// Elementwise arithmetic
//===----------------------------------------------------------------------===//

def NN_AddOp : NN_BinaryOp<"add", "elementwise", [Commutative]> {
  let summary = "lhs + rhs";
  let hasFolder = 1;
}
def NN_SubOp : NN_BinaryOp<"sub"> {
  let summary = "lhs - rhs";
  let hasFolder = 1;
}
def NN_MulOp : NN_BinaryOp<"mul", "elementwise", [Commutative]> {
  let summary = "lhs * rhs";
  let numericDeclarations = [{
    bool requiresSameOperandTypes() { return true; }
    ::mlir::amp::ScaleTransfer getScaleTransfer() {
      return ::mlir::amp::ScaleTransfer::multiplicative;
    }
  }];
  let hasFolder = 1;
}
def NN_DivOp : NN_BinaryOp<"div"> {
  let summary = "lhs / rhs";
  let numericDeclarations = [{
    bool requiresSameOperandTypes() { return true; }
    ::mlir::amp::ScaleTransfer getScaleTransfer() {
      return ::mlir::amp::ScaleTransfer::quotient;
    }
  }];
  let hasFolder = 1;
}
def NN_MaximumOp : NN_BinaryOp<"maximum", "elementwise", [Commutative]> {
  let summary = "the larger of lhs and rhs; NaN if either is NaN";
  let hasFolder = 1;
}
def NN_NegOp : NN_UnaryOp<"neg", "elementwise"> {
  let summary = "-input";
  let hasFolder = 1;
}
def NN_AbsOp : NN_UnaryOp<"abs", "elementwise"> {
  let summary = "|input|";
  let hasFolder = 1;
}
def NN_ExpOp : NN_UnaryOp<"exp", "transcendental"> { let summary = "e^input"; }
def NN_LogOp : NN_UnaryOp<"log", "transcendental"> { let summary = "natural logarithm"; }
def NN_SqrtOp : NN_UnaryOp<"sqrt", "transcendental"> {
  let summary = "square root";
  let numericDeclarations = [{
    bool requiresSameOperandTypes() { return true; }
    ::mlir::amp::ScaleTransfer getScaleTransfer() {
      return ::mlir::amp::ScaleTransfer::root;
    }
  }];
}
def NN_RsqrtOp : NN_UnaryOp<"rsqrt", "transcendental"> {
  let summary = "1 / sqrt(input)";
  let numericDeclarations = [{
    bool requiresSameOperandTypes() { return true; }
    ::mlir::amp::ScaleTransfer getScaleTransfer() {
      return ::mlir::amp::ScaleTransfer::inverseRoot;
    }
  }];
}
def NN_TanhOp : NN_UnaryOp<"tanh", "transcendental"> { let summary = "hyperbolic tangent"; }
def NN_SigmoidOp : NN_UnaryOp<"sigmoid", "transcendental"> { let summary = "1 / (1 + e^-input)"; }
def NN_ReluOp : NN_UnaryOp<"relu", "elementwise", [Idempotent, SameOperandsAndResultType]> {
  let summary = "max(input, 0); NaN stays NaN";
}
def NN_SiluOp : NN_UnaryOp<"silu", "transcendental"> { let summary = "input * sigmoid(input)"; }
def NN_GeluOp : NN_UnaryOp<"gelu", "transcendental"> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `erf`: x/2 * (1 + erf(x/sqrt(2))). `tanh`: x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))).
  }];
  let arguments = (ins NN_Float:$input,
                       DefaultValuedAttr<NN_GeluKindAttr, "GeluKind::erf">:$approximate);
}

def NN_CompareOp : NN_ElementwiseOp<"compare", "comparison", ["lhs", "rhs"],
    [AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "elementwise comparison";
  let description = "Not differentiable: no cotangent flows through the result.";
  let arguments = (ins NN_Tensor:$lhs, NN_Tensor:$rhs, NN_PredicateAttr:$predicate);
  let results = (outs NN_Bool:$result);
}

def NN_SelectOp : NN_ElementwiseOp<"select", "movement", ["condition", "lhs", "rhs"],
    [AllTypesMatch<["lhs", "rhs", "result"]>]> {
  let summary = "condition ? lhs : rhs";
  let arguments = (ins NN_Bool:$condition, NN_Tensor:$lhs, NN_Tensor:$rhs);
  let results = (outs NN_Tensor:$result);
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

def NN_ReduceSumOp : NN_ReduceOp<"reduce_sum"> {
  let summary = "sum over dimensions";
  let description = [{
    Sums `input` over `dims` (sorted, unique). Without `keepdims` they vanish, with
    it they stay as 1. The result's element type may differ from the input's
    (`fp32_output` policies, f32 bias gradients): the accumulator is `numerics`'s.

    - nn_reduce_c1: `dims` are sorted, unique and inside the rank.
    - nn_reduce_c2: `numerics` is stated where the operand is narrower than f32.
  }];
}
def NN_ReduceMeanOp : NN_ReduceOp<"reduce_mean"> {
  let summary = "mean over dimensions";
  let description = [{
    As `nn.reduce_sum`, divided by the count in the accumulator's type. Rules
    nn_reduce_c1 and nn_reduce_c2.
  }];
}
def NN_ReduceMaxOp : NN_ReduceOp<"reduce_max"> {
  let summary = "largest element over dimensions; NaN if any is NaN";
  let description = "Over no elements -inf. Rules nn_reduce_c1 and nn_reduce_c2.";
}

class NN_SoftmaxLikeOp<string mnemonic> : NN_Op<mnemonic, "normalization", ["input"]> {
  let arguments = (ins NN_Float:$input, I64Attr:$dim, OptionalAttr<AMP_NumericsAttr>:$numerics);
  let results = (outs NN_Float:$result);
  let hasVerifier = 1;
}
def NN_SoftmaxOp : NN_SoftmaxLikeOp<"softmax"> {
  let summary = "softmax along one dimension";
  let description = [{
    exp(x - max) / sum(exp(x - max)) along `dim`, f32 inside. A row that is all -inf,
    or holds +inf or NaN, gives NaN (PyTorch's rule).

    - nn_softmax_c1: `dim` is inside the rank.
    - nn_softmax_c2: `numerics` is stated where the operand is narrower than f32.
  }];
}
def NN_LogSoftmaxOp : NN_SoftmaxLikeOp<"log_softmax"> {
  let summary = "logarithm of softmax along one dimension";
  let description = [{
    (x - max) - log(sum(exp(x - max))), never log of softmax. Under
    `parity = pytorch` the sum and its logarithm are rounded to a 16-bit input's type,
    as PyTorch's CPU kernel stores them. Rules nn_softmax_c1 and nn_softmax_c2.
  }];
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

def NN_CrossEntropyOp : NN_Op<"cross_entropy", "loss", ["logits", "target", "denominator"]> {
  let summary = "softmax cross entropy with integer targets";
  let description = [{
    logits: [..., C], targets: [...] integers. Per row with target t != ignore_index:
    -(1-e) * logp[t] - e/C * sum(logp), e = `label_smoothing`, logp = log_softmax. `sum` adds the
    rows; `mean` divides by the number of rows that are not ignored, or by
    `denominator` where that operand is given (a window of micro-batches knows
    its denominator in advance). A target outside [0, C) other than
    `ignore_index` gives NaN.

    ```mlir
    %l = nn.cross_entropy %z, %y {label_smoothing = 0.1 : f64} : (tensor<8x5xf32>, tensor<8xi64>) -> tensor<f32>
    ```

    - nn_cross_entropy_c1: targets have logits' shape without the last dimension.
    - nn_cross_entropy_c2: label_smoothing is in [0, 1].
    - nn_cross_entropy_c3: `denominator` only with reduction `mean`.
    - nn_cross_entropy_c4: `numerics` is stated where logits are narrower than f32.
  }];
  let arguments = (ins NN_Float:$logits, NN_Int:$targets, Optional<NN_ScalarF32>:$denominator,
    DefaultValuedAttr<NN_ReductionAttr, "Reduction::mean">:$reduction,
    DefaultValuedAttr<I64Attr, "-100">:$ignore_index,
    DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing,
    OptionalAttr<AMP_NumericsAttr>:$numerics);
  let results = (outs NN_Scalar:$loss);
  let hasVerifier = 1;
  let numericDeclarations = "bool isCastable(unsigned index) { return index == 0; }";
}

def NN_MSELossOp : NN_Op<"mse_loss", "loss", ["input", "target", "denominator"]> {
  let summary = "mean squared error";
  let description = [{
    Sum of (input - target)^2, divided for `mean` by the number of elements or by
    `denominator` where given.

    - nn_mse_loss_c1: input and target have one type.
    - nn_mse_loss_c2: `denominator` only with reduction `mean`.
    - nn_mse_loss_c3: `numerics` is stated where the input is narrower than f32.
  }];
  let arguments = (ins NN_Float:$input, NN_Float:$target, Optional<NN_ScalarF32>:$denominator,
    DefaultValuedAttr<NN_ReductionAttr, "Reduction::mean">:$reduction,
    OptionalAttr<AMP_NumericsAttr>:$numerics);
  let results = (outs NN_Scalar:$loss);
  let hasVerifier = 1;
  let numericDeclarations = [{
    bool requiresSameOperandTypes() { return true; }
    bool isCastable(unsigned index) {
      return index < 2 && ::mlir::amp::detail::isCastableByDefault(getOperation(), index);
    }
  }];
}

//===----------------------------------------------------------------------===//
// Shape and type
//===----------------------------------------------------------------------===//

def NN_ReshapeOp : NN_Op<"reshape", "movement", ["input"]> {
  let summary = "the same elements, row-major, in another shape";
  let description = [{
    - nn_reshape_c1: element types are equal.
    - nn_reshape_c2: static shapes have one number of elements.
    - nn_reshape_c3: at most one dimension of the result is dynamic.
  }];
  let arguments = (ins NN_Tensor:$input);
  let results = (outs NN_Tensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NN_TransposeOp : NN_Op<"transpose", "movement", ["input"]> {
  let summary = "permutes dimensions: result dimension i is input dimension permutation[i]";
  let description = [{
    - nn_transpose_c1: `permutation` is a permutation of the rank.
    - nn_transpose_c2: element types are equal.
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs NN_Tensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NN_BroadcastOp : NN_Op<"broadcast", "movement", ["input", "like"]> {
  let summary = "repeats a tensor along new or unit dimensions";
  let description = [{
    Input dimension i becomes result dimension `dims[i]`; all other result dimensions,
    and those where the input has size 1, are repeated. The shape is the result
    type's; where that is dynamic, `like` (a tensor of any element type) supplies it.

    - nn_broadcast_c1: `dims` is strictly increasing, one entry per input dimension.
    - nn_broadcast_c2: an input dimension is 1 or equals the result's.
    - nn_broadcast_c3: a result with dynamic dimensions needs `like` of its shape.
    - nn_broadcast_c4: element types are equal.
  }];
  let arguments = (ins NN_Tensor:$input, Optional<NN_Tensor>:$like, DenseI64ArrayAttr:$dims);
  let results = (outs NN_Tensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
  let numericDeclarations = [{
    bool isCastable(unsigned index) {
      return index == 0 && ::mlir::amp::detail::isCastableByDefault(getOperation(), index);
    }
    ::mlir::amp::ScaleTransfer getScaleTransfer() { return ::mlir::amp::ScaleTransfer::first; }
  }];
}

def NN_ConvertOp : NN_Op<"convert", "conversion", ["input"]> {
  let summary = "integer or boolean to or from float";
  let description = [{
    Float-to-float conversions are `amp.cast`. To integer rounds toward zero.

    - nn_convert_c1: exactly one of input and result is floating, or both are integers.
  }];
  let arguments = (ins NN_Tensor:$input);
  let results = (outs NN_Tensor:$result);
  let hasVerifier = 1;
  let numericDeclarations = [{
    bool isCastable(unsigned) { return false; }
    ::llvm::SmallVector<::mlir::Type> inferResultElementTypes(::llvm::ArrayRef<::mlir::Type>) {
      return {getType().getElementType()};
    }
  }];
}

def NN_ConstantOp : NN_Op<"constant", "constant", ["none"], [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a constant tensor";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def NN_OptimizationBarrierOp : NN_Op<"optimization_barrier", "movement", ["operand"],
    [AllTypesMatch<["inputs", "outputs"]>]> {
  let summary = "returns its operands; nothing is moved, merged or folded across";
  let arguments = (ins Variadic<NN_Tensor>:$inputs);
  let results = (outs Variadic<NN_Tensor>:$outputs);
}

def NN_ElementCountOp : NN_Op<"element_count", "movement", ["input"]> {
  let summary = "number of elements of a tensor";
  let arguments = (ins NN_Tensor:$input);
  let results = (outs NN_ScalarI64:$result);
  let hasFolder = 1;
  let numericDeclarations = "bool isCastable(unsigned) { return false; }";
}

def NN_ValidCountOp : NN_Op<"valid_count", "movement", ["target"]> {
  let summary = "number of targets that are not the ignored index";
  let arguments = (ins NN_Int:$targets, I64Attr:$ignore_index);
  let results = (outs NN_ScalarI64:$result);
}

include "amp/Dialect/NN/IR/NNGradOps.td"

#endif // AMP_DIALECT_NN_IR_NNOPS_TD
