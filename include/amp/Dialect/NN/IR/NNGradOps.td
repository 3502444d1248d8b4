//===- NNGradOps.td - Derivative operations -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One op per derivative: f32 inside, one rounding, from the value PyTorch saves.
// A cotangent has its primal's type, except weight and bias gradients.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_NN_IR_NNGRADOPS_TD
#define AMP_DIALECT_NN_IR_NNGRADOPS_TD

include "amp/Dialect/NN/IR/NNBase.td"

def NN_AddNOp : NN_Op<"add_n", "reduction", ["operand"], [SameOperandsAndResultType]> {
  let summary = "sum of any number of tensors, one rounding";
  let description = [{
    The fan-in of cotangents: accumulated in `numerics`'s type and order,
    rounded once.

    - nn_add_n_c1: `numerics` is stated where the operands are narrower than f32.
  }];
  let arguments = (ins Variadic<NN_Float>:$inputs, OptionalAttr<AMP_NumericsAttr>:$numerics);
  let results = (outs NN_Float:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
  let numericDeclarations = "bool requiresSameOperandTypes() { return true; }";
}

def NN_LinearInputGradOp : NN_Op<"linear_input_grad", "contraction", ["cotangent", "weight"]> {
  let summary = "cotangent x weight: [..., N] x [N, K] -> [..., K]";
  let description = [{
    - nn_linear_input_grad_c1: `weight` has rank 2; the last dimension of `cotangent` equals
      its first.
    - nn_linear_input_grad_c2: operands have one element type.
    - nn_linear_input_grad_c3: `numerics` is stated where an operand is narrower than f32.
  }];
  let arguments = (ins NN_Float:$cotangent, NN_Float:$weight,
                       OptionalAttr<AMP_NumericsAttr>:$numerics, OptionalAttr<AMP_PhaseAttr>:$phase);
  let results = (outs NN_Float:$result);
  let hasVerifier = 1;
  let numericDeclarations = "bool requiresSameOperandTypes() { return true; }";
}

def NN_LinearWeightGradOp : NN_Op<"linear_weight_grad", "contraction", ["cotangent", "input"]> {
  let summary = "sum over leading dimensions of cotangent^T x input: [..., N], [..., K] -> [N, K]";
  let description = [{
    The result's element type may be wider than the operands' (f32 by default).

    - nn_linear_weight_grad_c1: operands have equal leading dimensions.
    - nn_linear_weight_grad_c2: operands have one element type.
    - nn_linear_weight_grad_c3: `numerics` is stated where an operand is narrower than f32.
  }];
  let arguments = (ins NN_Float:$cotangent, NN_Float:$input,
                       OptionalAttr<AMP_NumericsAttr>:$numerics, OptionalAttr<AMP_PhaseAttr>:$phase);
  let results = (outs NN_Float:$result);
  let hasVerifier = 1;
  let numericDeclarations = "bool requiresSameOperandTypes() { return true; }";
}

def NN_DivRhsGradOp : NN_ElementwiseOp<"div_rhs_grad", "elementwise", ["cotangent", "saved", "saved"],
    [AllTypesMatch<["cotangent", "lhs", "rhs", "result"]>]> {
  let summary = "-cotangent * ((lhs / rhs) / rhs)";
  let arguments = (ins NN_Float:$cotangent, NN_Float:$lhs, NN_Float:$rhs);
  let results = (outs NN_Float:$result);
}

def NN_AbsGradOp : NN_UnaryGradOp<"abs_grad", "input"> {
  let summary = "cotangent * sign(input), 0 at 0";
  let arguments = (ins NN_Float:$cotangent, NN_Float:$input);
}
def NN_SqrtGradOp : NN_UnaryGradOp<"sqrt_grad", "output"> {
  let summary = "cotangent / (2 * output)";
  let arguments = (ins NN_Float:$cotangent, NN_Float:$output);
}
def NN_RsqrtGradOp : NN_UnaryGradOp<"rsqrt_grad", "output"> {
  let summary = "-cotangent / 2 * output^3";
  let arguments = (ins NN_Float:$cotangent, NN_Float:$output);
}
def NN_TanhGradOp : NN_UnaryGradOp<"tanh_grad", "output"> {
  let summary = "cotangent * (1 - output^2)";
  let arguments = (ins NN_Float:$cotangent, NN_Float:$output);
}
def NN_SigmoidGradOp : NN_UnaryGradOp<"sigmoid_grad", "output"> {
  let summary = "cotangent * output * (1 - output)";
  let arguments = (ins NN_Float:$cotangent, NN_Float:$output);
}
def NN_ReluGradOp : NN_UnaryGradOp<"relu_grad", "output"> {
  let summary = "output > 0 ? cotangent : 0";
  let arguments = (ins NN_Float:$cotangent, NN_Float:$output);
}
def NN_SiluGradOp : NN_UnaryGradOp<"silu_grad", "input"> {
  let summary = "cotangent * s * (1 + input * (1 - s)), s = sigmoid(input)";
  let arguments = (ins NN_Float:$cotangent, NN_Float:$input);
}
def NN_GeluGradOp : NN_UnaryGradOp<"gelu_grad", "input"> {
  let summary = "derivative of nn.gelu";
  let arguments = (ins NN_Float:$cotangent, NN_Float:$input,
                       DefaultValuedAttr<NN_GeluKindAttr, "GeluKind::erf">:$approximate);
}

def NN_MaximumGradOp : NN_ElementwiseOp<"maximum_grad", "elementwise", ["cotangent", "saved", "saved"],
    [AllTypesMatch<["cotangent", "lhs", "rhs", "lhs_grad", "rhs_grad"]>]> {
  let summary = "the cotangent goes to the larger operand, half to each where equal";
  let arguments = (ins NN_Float:$cotangent, NN_Float:$lhs, NN_Float:$rhs);
  let results = (outs NN_Float:$lhs_grad, NN_Float:$rhs_grad);
}

class NN_ReduceGradOp<string mnemonic, dag args, list<string> roles>
    : NN_Op<mnemonic, "elementwise", roles> {
  let arguments = args;
  let results = (outs NN_Float:$result);
  let hasVerifier = 1;
}
def NN_ReduceMeanGradOp : NN_ReduceGradOp<"reduce_mean_grad",
    (ins NN_Float:$cotangent, NN_Float:$input, DenseI64ArrayAttr:$dims, UnitAttr:$keepdims),
    ["cotangent", "saved"]> {
  let summary = "the cotangent spread over the reduced elements, divided by their count";
  let description = [{
    `input` supplies the shape only; the result has its type.

    - nn_reduce_mean_grad_c1: `dims` are sorted, unique and inside the rank.
    - nn_reduce_mean_grad_c2: `cotangent` has the reduced shape of `input`.
    - nn_reduce_mean_grad_c3: the result has `input`'s element type.
  }];
}
def NN_ReduceMaxGradOp : NN_ReduceGradOp<"reduce_max_grad",
    (ins NN_Float:$cotangent, NN_Float:$input, NN_Float:$output, DenseI64ArrayAttr:$dims,
         UnitAttr:$keepdims, OptionalAttr<AMP_NumericsAttr>:$numerics),
    ["cotangent", "saved", "saved"]> {
  let summary = "the cotangent shared evenly among the elements that equal the maximum";
  let description = [{
    - nn_reduce_max_grad_c1: `dims` are sorted, unique and inside the rank.
    - nn_reduce_max_grad_c2: `cotangent` and `output` have the reduced shape of `input`.
    - nn_reduce_max_grad_c3: the result has `input`'s element type.
    - nn_reduce_max_grad_c4: `numerics` is stated where an operand is narrower than f32.
  }];
}

class NN_SoftmaxGradLikeOp<string mnemonic>
    : NN_Op<mnemonic, "normalization", ["cotangent", "saved"]> {
  let arguments = (ins NN_Float:$cotangent, NN_Float:$output, I64Attr:$dim,
                       OptionalAttr<AMP_NumericsAttr>:$numerics);
  let results = (outs NN_Float:$result);
  let hasVerifier = 1;
}
def NN_SoftmaxGradOp : NN_SoftmaxGradLikeOp<"softmax_grad"> {
  let summary = "(cotangent - sum(cotangent * output)) * output along dim";
  let description = [{
    - nn_softmax_grad_c1: `dim` is inside the rank.
    - nn_softmax_grad_c2: `cotangent` and `output` have one type.
    - nn_softmax_grad_c3: `numerics` is stated where an operand is narrower than f32.
  }];
}
def NN_LogSoftmaxGradOp : NN_SoftmaxGradLikeOp<"log_softmax_grad"> {
  let summary = "cotangent - exp(output) * sum(cotangent) along dim";
  let description = "Rules nn_softmax_grad_c1 to nn_softmax_grad_c3.";
}

def NN_CrossEntropyGradOp : NN_Op<"cross_entropy_grad", "loss",
    ["cotangent", "logits", "target", "denominator"]> {
  let summary = "derivative of nn.cross_entropy with respect to the logits";
  let description = [{
    Row with target t: c * (softmax(logits) - (1-e) * onehot(t) - e/C), c = cotangent / denominator for
    `mean` (the count of valid targets unless the operand is given), c = cotangent for
    `sum`; 0 for ignored rows.

    - nn_cross_entropy_c1 to nn_cross_entropy_c4.
    - nn_cross_entropy_grad_c1: the result has the logits' element type.
  }];
  let arguments = (ins NN_Scalar:$cotangent, NN_Float:$logits, NN_Int:$targets,
    Optional<NN_ScalarF32>:$denominator,
    DefaultValuedAttr<NN_ReductionAttr, "Reduction::mean">:$reduction,
    DefaultValuedAttr<I64Attr, "-100">:$ignore_index,
    DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing,
    OptionalAttr<AMP_NumericsAttr>:$numerics);
  let results = (outs NN_Float:$result);
  let hasVerifier = 1;
  let numericDeclarations = "bool isCastable(unsigned index) { return index < 2; }";
}

def NN_MSELossGradOp : NN_Op<"mse_loss_grad", "loss",
    ["cotangent", "saved", "target", "denominator"]> {
  let summary = "derivative of nn.mse_loss with respect to the input";
  let description = [{
    (2/n) * (input - target) * cotangent, n = count or `denominator`; n = 1 for `sum`.

    - nn_mse_loss_c1 and nn_mse_loss_c2.
    - nn_mse_loss_grad_c1: the result has `input`'s element type.
  }];
  let arguments = (ins NN_Scalar:$cotangent, NN_Float:$input, NN_Float:$target,
    Optional<NN_ScalarF32>:$denominator,
    DefaultValuedAttr<NN_ReductionAttr, "Reduction::mean">:$reduction);
  let results = (outs NN_Float:$result);
  let hasVerifier = 1;
  let numericDeclarations = "bool isCastable(unsigned index) { return index < 3; }";
}

#endif // AMP_DIALECT_NN_IR_NNGRADOPS_TD
