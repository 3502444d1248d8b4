//===- AMPEnums.td - Enumerations of the precision dialect -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_IR_AMPENUMS_TD
#define AMP_DIALECT_AMP_IR_AMPENUMS_TD

include "mlir/IR/EnumAttr.td"
include "amp/Dialect/AMP/IR/AMPDialect.td"

class AMP_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::mlir::amp";
}

//===----------------------------------------------------------------------===//
// Roles and phases
//===----------------------------------------------------------------------===//

def AMP_Role : AMP_I32Enum<"Role", "what a value is in a training step", [
  I32EnumAttrCase<"parameter", 0>,
  I32EnumAttrCase<"master_weight", 1>,
  I32EnumAttrCase<"optimizer_state", 2>,
  I32EnumAttrCase<"running_stat", 3>,
  I32EnumAttrCase<"ema", 4>,
  I32EnumAttrCase<"input", 5>,
  I32EnumAttrCase<"target", 6>,
  I32EnumAttrCase<"activation", 7>,
  I32EnumAttrCase<"logits", 8>,
  I32EnumAttrCase<"probability", 9>,
  I32EnumAttrCase<"statistic", 10>,
  I32EnumAttrCase<"loss", 11>,
  I32EnumAttrCase<"gradient", 12>,
  I32EnumAttrCase<"scaler_state", 13>,
  I32EnumAttrCase<"step_counter", 14>,
  I32EnumAttrCase<"schedule", 15>,
  I32EnumAttrCase<"metric", 16>,
  I32EnumAttrCase<"rng", 17>,
  I32EnumAttrCase<"data_cursor", 18>
]>;

def AMP_Phase : AMP_I32Enum<"Phase", "which pass of training a contraction belongs to", [
  I32EnumAttrCase<"fprop", 0>,
  I32EnumAttrCase<"dgrad", 1>,
  I32EnumAttrCase<"wgrad", 2>
]>;

/// The functions that -amp-build-train-step makes from a model.
def AMP_StepKind : AMP_I32Enum<"StepKind", "what a function of a compiled step does", [
  I32EnumAttrCase<"train", 0>,            // one window of one micro-batch
  I32EnumAttrCase<"accumulate_first", 1>, // first micro-batch: writes gradients
  I32EnumAttrCase<"accumulate_next", 2>,  // later micro-batches: add to them
  I32EnumAttrCase<"apply", 3>,            // unscale, check, clip, update
  I32EnumAttrCase<"count", 4>,            // loss denominator of one micro-batch
  I32EnumAttrCase<"forward", 5>           // loss and logits, no state change
]>;

//===----------------------------------------------------------------------===//
// Policies
//===----------------------------------------------------------------------===//

def AMP_PolicyClass : AMP_I32Enum<"PolicyClass", "what a policy does with an op", [
  I32EnumAttrCase<"lower_precision_fp", 0>, // floating operands cast to the low type
  I32EnumAttrCase<"fp32", 1>,               // floating operands cast to f32
  I32EnumAttrCase<"fp32_output", 2>,        // f32 result, operands not pre-cast
  I32EnumAttrCase<"promote", 3>,            // operands cast to the widest among them
  I32EnumAttrCase<"banned", 4>,             // an error with advice
  I32EnumAttrCase<"native", 5>              // the op's own promotion
]>;

/// What kind of computation an op is, stated by the op; policies may select by it.
def AMP_NumericClass : AMP_I32Enum<"NumericClass", "kind of computation, for policies and reports", [
  I32EnumAttrCase<"contraction", 0>,
  I32EnumAttrCase<"reduction", 1>,
  I32EnumAttrCase<"normalization", 2>,
  I32EnumAttrCase<"loss", 3>,
  I32EnumAttrCase<"elementwise", 4>,
  I32EnumAttrCase<"transcendental", 5>,
  I32EnumAttrCase<"comparison", 6>,
  I32EnumAttrCase<"movement", 7>,
  I32EnumAttrCase<"conversion", 8>,
  I32EnumAttrCase<"constant", 9>
]>;

def AMP_EntryCast : AMP_I32Enum<"EntryCast", "what happens to low-precision values entering a region", [
  I32EnumAttrCase<"keep", 0>, // as PyTorch: no up-cast
  I32EnumAttrCase<"f32", 1>
]>;

//===----------------------------------------------------------------------===//
// Casts and scaling
//===----------------------------------------------------------------------===//

def AMP_CastOrigin : AMP_I32Enum<"CastOrigin", "who asked for a cast", [
  I32EnumAttrCase<"policy", 0>,
  I32EnumAttrCase<"user", 1>,
  I32EnumAttrCase<"boundary", 2>,
  I32EnumAttrCase<"storage", 3>
]>;

def AMP_Overflow : AMP_I32Enum<"Overflow", "what a finite value beyond the target's range becomes", [
  I32EnumAttrCase<"ieee", 0>,
  I32EnumAttrCase<"saturate", 1>,
  I32EnumAttrCase<"error", 2>
]>;

def AMP_ScalerKind : AMP_I32Enum<"ScalerKind", "how the loss scale moves", [
  I32EnumAttrCase<"static_scale", 0, "static">,
  I32EnumAttrCase<"dynamic", 1>
]>;

def AMP_Subnormals : AMP_I32Enum<"Subnormals", "treatment of subnormal operands and results", [
  I32EnumAttrCase<"any", 0>,
  I32EnumAttrCase<"preserve", 1>,
  I32EnumAttrCase<"flush", 2>
]>;

def AMP_Excess : AMP_I32Enum<"Excess", "whether intermediate results may carry excess precision", [
  I32EnumAttrCase<"none", 0>,
  I32EnumAttrCase<"allow", 1>
]>;

def AMP_Parity : AMP_I32Enum<"Parity", "whose habits a module follows where they differ from ours", [
  I32EnumAttrCase<"none", 0>,
  I32EnumAttrCase<"pytorch", 1>
]>;

#endif // AMP_DIALECT_AMP_IR_AMPENUMS_TD
