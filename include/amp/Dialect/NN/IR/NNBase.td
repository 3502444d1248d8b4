//===- NNBase.td - Base classes of the nn ops -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all ops of the dialect share: shape inference, numeric facts as template
// parameters (class, operand roles), accumulator contract.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_NN_IR_NNBASE_TD
#define AMP_DIALECT_NN_IR_NNBASE_TD

include "amp/Dialect/NN/IR/NNDialect.td"
include "amp/Dialect/AMP/IR/AMPAttrs.td"
include "amp/Interfaces/NumericOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def NN_Float : RankedTensorOf<[AnyFloat]>;
def NN_Int : RankedTensorOf<[AnySignlessInteger]>;
def NN_Bool : RankedTensorOf<[I1]>;
def NN_Tensor : RankedTensorOf<[AnyFloat, AnySignlessInteger]>;
def NN_Scalar : 0DTensorOf<[AnyFloat]>;
def NN_ScalarF32 : 0DTensorOf<[F32]>;
def NN_ScalarI64 : 0DTensorOf<[I64]>;

/// The declared result shapes are compatible with the inferred ones
/// (`inferReturnTypeComponents`); element types are the op's own business.
def NN_ResultShapes : NativeOpTrait<"HasInferredResultShapes"> {
  let cppNamespace = "::mlir::nn";
}

/// An op with numeric facts. `numericClass` is the kind of computation;
/// `operandRoles` names the operands in ODS order (the last name repeats for
/// variadics).
class NN_Op<string mnemonic, string numericClass, list<string> operandRoles,
            list<Trait> traits = []>
    : Op<NN_Dialect, mnemonic, !listconcat([Pure, NN_ResultShapes,
        InferShapedTypeOpAdaptor,
        NumericOpInterface], traits)> {
  /// Extra methods of NumericOpInterface an op overrides.
  code numericDeclarations = "";
  code extraDeclarations = "";
  let extraClassDeclaration = [{
    ::mlir::amp::NumericClass getNumericClass() {
      return ::mlir::amp::NumericClass::}] # numericClass # [{;
    }
    ::llvm::StringRef getOperandRole(unsigned index) {
      static constexpr const char *roles[] = {}] # !interleave(
        !foreach(role, operandRoles, "\"" # role # "\""), ", ") # "}" # [{;
      constexpr unsigned last = sizeof(roles) / sizeof(roles[0]) - 1;
      return roles[index < last ? index : last];
    }
  }] # numericDeclarations # extraDeclarations;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

/// An op whose operands and result have one shape, and one element type where
/// floating.
class NN_ElementwiseOp<string mnemonic, string numericClass, list<string> operandRoles,
                       list<Trait> traits = []>
    : NN_Op<mnemonic, numericClass, operandRoles, !listconcat([Elementwise], traits)> {
  let numericDeclarations = [{
    bool requiresSameOperandTypes() { return true; }
  }];
}

class NN_UnaryOp<string mnemonic, string numericClass, list<Trait> traits = []>
    : NN_ElementwiseOp<mnemonic, numericClass, ["input"],
        !listconcat([AllTypesMatch<["input", "result"]>], traits)> {
  let arguments = (ins NN_Float:$input);
  let results = (outs NN_Float:$result);
}

class NN_BinaryOp<string mnemonic, string numericClass = "elementwise", list<Trait> traits = []>
    : NN_ElementwiseOp<mnemonic, numericClass, ["lhs", "rhs"],
        !listconcat([AllTypesMatch<["lhs", "rhs", "result"]>], traits)> {
  let arguments = (ins NN_Float:$lhs, NN_Float:$rhs);
  let results = (outs NN_Float:$result);
}

/// Derivative of a unary op: from the cotangent and the value that PyTorch saves
/// (`saved`: the input or the result), f32 inside, one rounding.
class NN_UnaryGradOp<string mnemonic, string savedName>
    : NN_ElementwiseOp<mnemonic, "elementwise", ["cotangent", "saved"],
        [AllTypesMatch<["cotangent", savedName, "result"]>]> {
  let results = (outs NN_Float:$result);
}

class NN_ReduceOp<string mnemonic, list<Trait> traits = []>
    : NN_Op<mnemonic, "reduction", ["input"], traits> {
  let arguments = (ins NN_Float:$input, DenseI64ArrayAttr:$dims, UnitAttr:$keepdims,
                       OptionalAttr<AMP_NumericsAttr>:$numerics);
  let results = (outs NN_Float:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // AMP_DIALECT_NN_IR_NNBASE_TD
