//===- NNDialect.td - The tensor-graph dialect -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_NN_IR_NNDIALECT_TD
#define AMP_DIALECT_NN_IR_NNDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"

def NN_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::mlir::nn";
  let summary = "What a model computes";
  let description = [{
    A small tensor-graph dialect on ranked tensors, at the level at which precision
    policy and derivatives are stated. Pure SSA, explicit broadcasts, operands of
    one type unless an op says otherwise; leading dimensions may be dynamic.
    Semantics follow PyTorch where the op has its name.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::amp::AMPDialect"];
  let extraClassDeclaration = [{
    /// Promises the interfaces that other libraries implement (VJP, reference).
    void declareExternalInterfaces();
  }];
}

class NN_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::mlir::nn";
}
class NN_EnumAttr<EnumInfo enum, string attrMnemonic>
    : EnumAttr<NN_Dialect, enum, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def NN_Reduction : NN_I32Enum<"Reduction", "how a loss reduces its elements", [
  I32EnumAttrCase<"mean", 0>, I32EnumAttrCase<"sum", 1>]>;
def NN_ReductionAttr : NN_EnumAttr<NN_Reduction, "reduction">;

def NN_GeluKind : NN_I32Enum<"GeluKind", "which gelu", [
  I32EnumAttrCase<"erf", 0>, I32EnumAttrCase<"tanh", 1>]>;
def NN_GeluKindAttr : NN_EnumAttr<NN_GeluKind, "gelu">;

def NN_Predicate : NN_I32Enum<"Predicate", "comparison predicate; NaN compares unequal", [
  I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>, I32EnumAttrCase<"lt", 2>,
  I32EnumAttrCase<"le", 3>, I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]>;
def NN_PredicateAttr : NN_EnumAttr<NN_Predicate, "predicate">;

#endif // AMP_DIALECT_NN_IR_NNDIALECT_TD
