//===- AMPAttrs.td - Attributes of the precision dialect -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_IR_AMPATTRS_TD
#define AMP_DIALECT_AMP_IR_AMPATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "amp/Dialect/AMP/IR/AMPEnums.td"

class AMP_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<AMP_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class AMP_EnumAttr<EnumInfo enum, string attrMnemonic>
    : EnumAttr<AMP_Dialect, enum, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def AMP_RoleAttr : AMP_EnumAttr<AMP_Role, "role">;
def AMP_PhaseAttr : AMP_EnumAttr<AMP_Phase, "phase">;
def AMP_StepKindAttr : AMP_EnumAttr<AMP_StepKind, "step_kind">;
def AMP_PolicyClassAttr : AMP_EnumAttr<AMP_PolicyClass, "policy_class">;
def AMP_NumericClassAttr : AMP_EnumAttr<AMP_NumericClass, "numeric_class">;
def AMP_EntryCastAttr : AMP_EnumAttr<AMP_EntryCast, "entry_cast">;
def AMP_CastOriginAttr : AMP_EnumAttr<AMP_CastOrigin, "cast_origin">;
def AMP_OverflowAttr : AMP_EnumAttr<AMP_Overflow, "overflow">;
def AMP_ScalerKindAttr : AMP_EnumAttr<AMP_ScalerKind, "scaler_kind">;
def AMP_ParityAttr : AMP_EnumAttr<AMP_Parity, "parity">;

//===----------------------------------------------------------------------===//
// #amp.numerics
//===----------------------------------------------------------------------===//

def AMP_NumericsAttr : AMP_Attr<"Numerics", "numerics"> {
  let summary = "precision contract of an accumulating op";
  let description = [{
    States how an op that accumulates (contraction, reduction, norm, softmax,
    loss, cotangent sum) computes, independently of the types it loads and
    stores:

    - `lhs`, `rhs`: the precision at which an operand enters the multiplier; its
      storage type unless stated (`tf32`, `bf16x3`). A reduction has no `rhs`.
    - `accumulate`: the accumulator's type. Must be written where an operand is
      narrower than f32.
    - `order`: `any`, `sequential` or `blocked<k>`.
    - `subnormals`: `any`, `preserve` or `flush`.
    - `excess`: `none` or `allow`.

    The result's type is the one rounding at the end. All parameters are by
    keyword and optional. Rewrites keep the attribute **equal**; a lowering may
    choose any implementation that refines it.

    ```mlir
    #amp.numerics<accumulate = f32>
    #amp.numerics<lhs = bf16x3, rhs = bf16x3, accumulate = f32, order = blocked<128>>
    ```
  }];
  let parameters = (ins
    OptionalParameter<"::mlir::amp::OperandPrecision">:$lhs,
    OptionalParameter<"::mlir::amp::OperandPrecision">:$rhs,
    OptionalParameter<"::mlir::Type">:$accumulate,
    DefaultValuedParameter<"::mlir::amp::AccumulationOrder",
                           "::mlir::amp::AccumulationOrder()">:$order,
    DefaultValuedParameter<"::mlir::amp::Subnormals",
                           "::mlir::amp::Subnormals::any">:$subnormals,
    DefaultValuedParameter<"::mlir::amp::Excess",
                           "::mlir::amp::Excess::none">:$excess);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "::mlir::Type":$accumulate), [{
    return $_get($_ctxt, OperandPrecision(), OperandPrecision(), accumulate,
                 AccumulationOrder(), Subnormals::any, Excess::none);
  }]>];
  let extraClassDeclaration = [{
    /// The contract of every accumulation this project emits by default: f32
    /// accumulator, any order, one rounding at the end.
    static NumericsAttr getF32(::mlir::MLIRContext *context);
    /// The accumulator's type, f32 where it isn't stated.
    ::mlir::Type getAccumulateOrF32() const;
  }];
}

//===----------------------------------------------------------------------===//
// #amp.decision
//===----------------------------------------------------------------------===//

def AMP_DecisionAttr : AMP_Attr<"Decision", "decision"> {
  let summary = "why an op has the precision it has";
  let description = [{
    Metadata of a `FusedLoc`: the rule that decided, where that rule was written,
    what else was possible, and the accumulator contract decided on (which
    `-amp-verify` compares with the op's in every later stage). Lives in locations
    because rewrites keep them.

    ```mlir
    loc(fused<#amp.decision<rule = "lower_precision_fp", source = "cpu-f16">>["m.mlir":3:8])
    ```
  }];
  let parameters = (ins
    "::mlir::StringAttr":$rule,
    "::mlir::StringAttr":$source,
    OptionalParameter<"::mlir::ArrayAttr">:$alternatives,
    OptionalParameter<"::mlir::amp::NumericsAttr">:$numerics);
  let assemblyFormat = "`<` struct(params) `>`";
}

//===----------------------------------------------------------------------===//
// State manifest
//===----------------------------------------------------------------------===//

def AMP_BufferAttr : AMP_Attr<"Buffer", "buffer"> {
  let summary = "one donated state buffer of the step functions";
  let description = [{
    The module attribute `amp.buffers` is an array of these. Buffer i is argument
    i and result i of every function with an `amp.step_kind`, except `count`
    and `forward`, which take the same leading arguments but return no state.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::amp::Role":$role,
                        "::mlir::RankedTensorType":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}

def AMP_StateAttr : AMP_Attr<"State", "state"> {
  let summary = "one named piece of training state";
  let description = [{
    The module attribute `amp.state` is an array of these: the manifest that
    checkpoints, reports and drivers key on. A state lies in buffer `buffer` from
    element `offset` on, in row-major order of `type`.

    `init` is a scalar typed attribute (fill value), or the unit attribute
    when the driver supplies the value (parameters).
  }];
  let parameters = (ins
    "::mlir::StringAttr":$name,
    "::mlir::amp::Role":$role,
    "::mlir::RankedTensorType":$type,
    "::mlir::Attribute":$init,
    "::mlir::StringAttr":$group,
    OptionalParameter<"::mlir::StringAttr">:$of,
    "int64_t":$buffer,
    "int64_t":$offset);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // AMP_DIALECT_AMP_IR_AMPATTRS_TD
