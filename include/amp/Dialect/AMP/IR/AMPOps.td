//===- AMPOps.td - Operations of the precision dialect -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_IR_AMPOPS_TD
#define AMP_DIALECT_AMP_IR_AMPOPS_TD

include "amp/Dialect/AMP/IR/AMPDialect.td"
include "amp/Dialect/AMP/IR/AMPAttrs.td"
include "amp/Interfaces/LossScaleOpInterface.td"
include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CastInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class AMP_Op<string mnemonic, list<Trait> traits = []>
    : Op<AMP_Dialect, mnemonic, traits>;

def AMP_ScalarF32 : 0DTensorOf<[F32]>;
def AMP_ScalarI1 : 0DTensorOf<[I1]>;
def AMP_ScalarI64 : 0DTensorOf<[I64]>;
def AMP_ScalarAny : 0DTensorOf<[AnyType]>;
def AMP_FloatTensor : RankedTensorOf<[AnyFloat]>;
def AMP_F32Tensor : RankedTensorOf<[F32]>;

//===----------------------------------------------------------------------===//
// Policies
//===----------------------------------------------------------------------===//

def AMP_PolicyOp : AMP_Op<"policy", [Symbol, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "an autocast policy: which op runs at which precision";
  let description = [{
    A policy is data. It names the low type and holds rules; the first rule that
    matches an op decides, ops that no rule names are `native`.

    ```mlir
    amp.policy @"cpu-f16" low = f16 {
      amp.rule lower_precision_fp ["nn.linear", "nn.matmul"]
      amp.rule fp32 ["nn.mse_loss", "nn.cross_entropy"]
    }
    ```

    A rule may name ops that do not exist in this version: they never match, and
    say what the policy will do with them.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<AnyFloat>:$low_type,
                       OptionalAttr<StrAttr>:$description);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `low` `=` $low_type attr-dict-with-keyword $body
  }];
}

def AMP_RuleOp : AMP_Op<"rule", [HasParent<"::mlir::amp::PolicyOp">]> {
  let summary = "one rule of a policy";
  let description = [{
    Assigns `policy_class` to the ops it selects. All given selectors must match:
    `ops` (op names; `*` at the end matches a prefix), `classes` (numeric
    classes), `operand` (an operand role: the rule then decides for that operand
    alone), `phase`, `name_pattern` (a regular expression searched in the
    `amp.name` of each parameter the op reads, and in the names, not the files, of
    its location). `advice` is printed for banned ops, which need it.
    `sources` names the foreign ops (PyTorch's) the rule was taken from.

    ```mlir
    amp.rule fp32 ["nn.linear"] {name_pattern = "^head"}
    amp.rule banned ["nn.exp"] {advice = "use nn.softmax"}
    ```
  }];
  let arguments = (ins
    AMP_PolicyClassAttr:$policy_class,
    OptionalAttr<StrArrayAttr>:$ops,
    OptionalAttr<TypedArrayAttrBase<AMP_NumericClassAttr, "numeric classes">>:$classes,
    OptionalAttr<StrAttr>:$operand,
    OptionalAttr<AMP_PhaseAttr>:$phase,
    OptionalAttr<StrAttr>:$name_pattern,
    OptionalAttr<StrAttr>:$advice,
    OptionalAttr<StrArrayAttr>:$sources);
  let assemblyFormat = [{
    custom<PolicyClass>($policy_class) ($ops^)? attr-dict
  }];
  let hasVerifier = 1;
}

def AMP_AutocastRegionOp : AMP_Op<"autocast_region", [
    SingleBlockImplicitTerminator<"::mlir::amp::YieldOp">,
    RecursiveMemoryEffects, NoRegionArguments,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "a part of a graph with its own autocast setting";
  let description = [{
    `enabled` switches the enclosing policy on or off for the ops inside, `policy`
    replaces it. `entry_cast` says what a disabled region does to low-precision
    values that enter: `keep` (as PyTorch: they stay low) or `f32`. The region
    reads values from above. `-amp-autocast` inlines it.

    ```mlir
    %r = amp.autocast_region enabled = false entry_cast = f32 -> tensor<4xf32> {
      %s = nn.softmax %x {dim = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
      amp.yield %s : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins BoolAttr:$enabled, OptionalAttr<FlatSymbolRefAttr>:$policy,
                       DefaultValuedAttr<AMP_EntryCastAttr, "EntryCast::keep">:$entry_cast);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `enabled` `=` $enabled (`policy` `=` $policy^)? custom<EntryCastClause>($entry_cast)
    (`->` type($results)^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def AMP_YieldOp : AMP_Op<"yield", [Pure, ReturnLike, Terminator,
    ParentOneOf<["::mlir::amp::AutocastRegionOp", "::mlir::amp::GuardedUpdateOp"]>]> {
  let summary = "ends a region of the amp dialect";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ /* yields nothing */ }]>];
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

def AMP_CastOp : AMP_Op<"cast", [Pure, SameOperandsAndResultShape, Elementwise,
    Scalarizable, Vectorizable, Tensorizable, DeclareOpInterfaceMethods<CastOpInterface>,
    DeclareOpInterfaceMethods<LossScaleOpInterface>]> {
  let summary = "a float-to-float conversion";
  let description = [{
    Every float-to-float conversion of a graph. `origin` says who asked for it: a
    cast of origin `user` is never folded away, nor is a round trip through a
    narrower type of any origin. `rounding` is arith's enumeration (nearest even
    unless stated), `overflow` says what a finite value beyond the target's range
    becomes. The conversion is exact in the sense of one rounding, subnormals
    kept.

    ```mlir
    %y = amp.cast %x policy : tensor<4xf32> to tensor<4xf16>
    ```
  }];
  let arguments = (ins TensorOf<[AnyFloat]>:$input,
    DefaultValuedAttr<AMP_CastOriginAttr, "CastOrigin::user">:$origin,
    OptionalAttr<Arith_RoundingModeAttr>:$rounding,
    DefaultValuedAttr<AMP_OverflowAttr, "Overflow::ieee">:$overflow);
  let results = (outs TensorOf<[AnyFloat]>:$output);
  let assemblyFormat = [{
    $input custom<CastOriginKeyword>($origin) attr-dict `:` type($input) `to` type($output)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Type":$elementType,
                   CArg<"CastOrigin", "CastOrigin::policy">:$origin)>];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Loss scaling
//===----------------------------------------------------------------------===//

def AMP_ScalerOp : AMP_Op<"scaler", [Symbol]> {
  let summary = "a loss scaler: its constants";
  let description = [{
    The state (scale, growth tracker) is data of the step; this symbol holds what
    does not change. Growth: after `interval` finite steps in a row the scale is
    multiplied by `growth`, unless that is not finite or exceeds `cap`. Backoff: a
    non-finite step multiplies it by `backoff`, never below `floor`.

    ```mlir
    amp.scaler @main dynamic {initial = 65536.0 : f32, growth = 2.0 : f32, backoff = 0.5 : f32, interval = 2000 : i64}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    AMP_ScalerKindAttr:$kind,
    DefaultValuedAttr<F32Attr, "65536.0f">:$initial,
    DefaultValuedAttr<F32Attr, "2.0f">:$growth,
    DefaultValuedAttr<F32Attr, "0.5f">:$backoff,
    DefaultValuedAttr<I64Attr, "2000">:$interval,
    DefaultValuedAttr<F32Attr, "0.0f">:$floor,
    OptionalAttr<F32Attr>:$cap);
  let assemblyFormat = "$sym_name custom<ScalerKindKeyword>($kind) attr-dict";
  let hasVerifier = 1;
}

def AMP_ScaleLossOp : AMP_Op<"scale_loss", [Pure, AllTypesMatch<["loss", "result"]>,
    DeclareOpInterfaceMethods<LossScaleOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "multiplies the loss (or its cotangent seed) by the scale";
  let description = [{
    The result carries the scaler's symbol to the power 1 in the loss-scale
    analysis of `-amp-verify`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$scaler, AMP_ScalarF32:$loss, AMP_ScalarF32:$scale);
  let results = (outs AMP_ScalarF32:$result);
  let assemblyFormat = "$scaler `(` $loss `,` $scale `)` attr-dict `:` functional-type(operands, results)";
}

def AMP_UnscaleGradsOp : AMP_Op<"unscale_grads", [Pure,
    DeclareOpInterfaceMethods<LossScaleOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "divides gradients by the scale, once, in f32";
  let description = [{
    result[i] = f32(gradients[i]) * f32(1/f64(scale)). The inverse scale is
    computed in f64 and rounded once. Takes one power of the scaler away.
  }];
  let arguments = (ins FlatSymbolRefAttr:$scaler, AMP_ScalarF32:$scale,
                       Variadic<AMP_FloatTensor>:$gradients);
  let results = (outs Variadic<AMP_F32Tensor>:$results);
  let assemblyFormat = [{
    $scaler `(` $scale `)` $gradients attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def AMP_GlobalNormOp : AMP_Op<"global_norm", [Pure,
    DeclareOpInterfaceMethods<LossScaleOpInterface>]> {
  let summary = "the 2-norm over all gradients together";
  let description = [{
    sqrt(sum over all gradients and elements of g^2), f32, in a fixed order that
    does not depend on the number of threads. `sum_of_squares` is the value
    before the root, accumulated as `numerics` says.
  }];
  let arguments = (ins Variadic<AMP_FloatTensor>:$gradients,
                       OptionalAttr<AMP_NumericsAttr>:$numerics);
  let results = (outs AMP_ScalarF32:$norm);
  let assemblyFormat = "$gradients attr-dict `:` functional-type($gradients, results)";
}

def AMP_FoundInfOp : AMP_Op<"found_inf", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<LossScaleOpInterface>]> {
  let summary = "whether any gradient, or their norm, is not finite";
  let description = [{
    True when an element of `gradients` or the `norm` is infinite or NaN. Under
    `parity = pytorch` it reads the scaled gradients and no norm.
  }];
  let arguments = (ins Variadic<AMP_FloatTensor>:$gradients, Optional<AMP_ScalarF32>:$norm);
  let results = (outs AMP_ScalarI1:$found);
  let assemblyFormat = [{
    $gradients (`norm` `(` $norm^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
}

def AMP_ZeroShareOp : AMP_Op<"zero_share", [Pure,
    DeclareOpInterfaceMethods<LossScaleOpInterface>]> {
  let summary = "share of gradient elements that are exactly zero";
  let description = [{
    (count of zeros) / (count of elements) over all gradients; `elements` states
    the count where the operands are packed buffers with padding.
  }];
  let arguments = (ins Variadic<AMP_FloatTensor>:$gradients, OptionalAttr<I64Attr>:$elements);
  let results = (outs AMP_ScalarF32:$share);
  let assemblyFormat = "$gradients attr-dict `:` functional-type($gradients, results)";
}

def AMP_ClipByGlobalNormOp : AMP_Op<"clip_by_global_norm", [Pure,
    DeclareOpInterfaceMethods<LossScaleOpInterface>]> {
  let summary = "scales gradients down to a largest global norm";
  let description = [{
    result[i] = gradients[i] * min(1, max_norm / (norm + epsilon)). The gradients
    must be unscaled: `-amp-verify` rejects any other order.
  }];
  let arguments = (ins AMP_ScalarF32:$norm, Variadic<AMP_F32Tensor>:$gradients,
                       F32Attr:$max_norm, DefaultValuedAttr<F32Attr, "1.0e-6f">:$epsilon);
  let results = (outs Variadic<AMP_F32Tensor>:$results);
  let assemblyFormat = [{
    `norm` `(` $norm `)` $gradients attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def AMP_UpdateScaleOp : AMP_Op<"update_scale", [Pure,
    DeclareOpInterfaceMethods<LossScaleOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "moves scale and growth tracker after a step";
  let description = [{
    found_inf: scale := max(backoff * scale, floor), tracker := 0. Otherwise
    tracker += 1; when tracker >= interval (`==` under `exact_interval`, as
    PyTorch does): scale := growth * scale if that is finite and at most
    `cap`, tracker := 0. A static scaler returns its state unchanged.
  }];
  let arguments = (ins FlatSymbolRefAttr:$scaler, AMP_ScalarF32:$scale,
                       AMP_ScalarI64:$tracker, AMP_ScalarI1:$found_inf,
                       UnitAttr:$exact_interval);
  let results = (outs AMP_ScalarF32:$new_scale, AMP_ScalarI64:$new_tracker);
  let assemblyFormat = [{
    $scaler `(` $scale `,` $tracker `,` $found_inf `)` attr-dict
    `:` functional-type(operands, results)
  }];
}

def AMP_GuardedUpdateOp : AMP_Op<"guarded_update", [NoMemoryEffect, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<LossScaleOpInterface>, SingleBlock, RecursivelySpeculatable]> {
  let summary = "an elementwise state update that a flag can hold back";
  let description = [{
    `states` holds K states for each of the P gradients, state-major: state k of
    parameter p is `states[k*P + p]`. The region is the update of one element. Its
    arguments are the K state elements, the gradient's element and the scalars;
    it yields the K new state elements. With `skip` present and true the
    old elements are returned bit for bit: the select is inside the loop.

    ```mlir
    %p1, %m1 = amp.guarded_update skip(%found) states(%p, %m) gradients(%g) scalars(%lr)
        : (tensor<i1>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>)
        -> (tensor<8xf32>, tensor<8xf32>) {
    ^bb0(%p0: f32, %m0: f32, %g0: f32, %lr0: f32):
      ...
      amp.yield %p2, %m2 : f32, f32
    }
    ```
  }];
  let arguments = (ins Optional<AMP_ScalarI1>:$skip, Variadic<AMP_FloatTensor>:$states,
                       Variadic<AMP_FloatTensor>:$gradients, Variadic<AMP_ScalarAny>:$scalars,
                       OptionalAttr<StrAttr>:$group);
  let results = (outs Variadic<AMP_FloatTensor>:$results);
  let regions = (region SizedRegion<1>:$update);
  let assemblyFormat = [{
    (`skip` `(` $skip^ `)`)? `states` `(` $states `)` `gradients` `(` $gradients `)`
    (`scalars` `(` $scalars^ `)`)? attr-dict `:` functional-type(operands, results) $update
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// P: number of parameters (gradients).
    unsigned getNumParameters() { return getGradients().size(); }
    /// K: number of states of one parameter.
    unsigned getNumStates() {
      return getGradients().empty() ? 0 : getStates().size() / getGradients().size();
    }
  }];
}

#endif // AMP_DIALECT_AMP_IR_AMPOPS_TD
