//===- NumericOpInterface.td - What a policy needs to know of an op -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface through which autocast, verification and reports see an op. A
// project with its own dialect plugs in by implementing this one interface.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_INTERFACES_NUMERICOPINTERFACE_TD
#define AMP_INTERFACES_NUMERICOPINTERFACE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/Interfaces.td"

def NumericOpInterface : OpInterface<"NumericOpInterface"> {
  let cppNamespace = "::mlir::amp";
  let description = [{
    States the numeric facts of an op: what kind of computation it is, what each
    operand is to it, which operands a policy may cast, its accumulator contract,
    and how it looks with other element types.
  }];
  let methods = [
    InterfaceMethod<"The kind of computation, stated by the op's definition.",
      "::mlir::amp::NumericClass", "getNumericClass">,
    InterfaceMethod<[{
        The name of operand `index` in policies and reports: `input`, `weight`,
        `bias`, `lhs`, `rhs`, `target`, `cotangent`, `saved`, `denominator`, ...
      }],
      "::llvm::StringRef", "getOperandRole", (ins "unsigned":$index)>,
    InterfaceMethod<[{
        Whether a policy may cast operand `index`. The default is: a floating
        tensor that is not f64. Ops exclude operands whose format is part of their
        meaning (a loss denominator).
      }],
      "bool", "isCastable", (ins "unsigned":$index), "", [{
        return ::mlir::amp::detail::isCastableByDefault($_op, index);
      }]>,
    InterfaceMethod<"The accumulator contract, null if none is stated or the op "
                    "does not accumulate.",
      "::mlir::amp::NumericsAttr", "getNumericsOrNull", (ins), "", [{
        return ::mlir::amp::detail::getNumericsAttrOrNull($_op);
      }]>,
    InterfaceMethod<"Whether the op accumulates, i.e. has a `numerics` attribute.",
      "bool", "accumulates", (ins), "", [{
        return ::mlir::amp::detail::hasNumericsAttr($_op);
      }]>,
    InterfaceMethod<"Sets the accumulator contract of an op that accumulates.",
      "void", "setNumericsContract",
      (ins "::mlir::amp::NumericsAttr":$numerics), "", [{
        ::mlir::amp::detail::setNumericsAttr($_op, numerics);
      }]>,
    InterfaceMethod<[{
        The element types of the results when the operands have the element types
        `operands` (null for a non-tensor operand): the op's native promotion,
        before any policy. The default gives each floating result the widest
        floating type among the castable operands, and keeps other results.
      }],
      "::llvm::SmallVector<::mlir::Type>", "inferResultElementTypes",
      (ins "::mlir::ArrayRef<::mlir::Type>":$operands), "", [{
        return ::mlir::amp::detail::inferResultElementTypesByDefault($_op, operands);
      }]>,
    InterfaceMethod<[{
        Whether all castable operands must have one element type (elementwise ops).
        Native promotion then casts them to the widest; a rank-0 operand, also
        seen through a broadcast, does not widen a tensor of rank > 0.
      }],
      "bool", "requiresSameOperandTypes", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
        How a common factor of the operands passes to the results, for the
        loss-scale analysis. The default follows from class and operand roles: a
        contraction multiplies, a move or a reduction is additive, an op of a
        cotangent is linear in it, a comparison compares, the rest is not linear.
      }],
      "::mlir::amp::ScaleTransfer", "getScaleTransfer", (ins), "", [{
        return ::mlir::amp::detail::getScaleTransferByDefault($_op);
      }]>,
    InterfaceMethod<[{
        A copy of the op with other operands and result types; attributes,
        regions and location are kept. Inserted at the builder's position.
      }],
      "::mlir::Operation *", "rebuild",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands,
           "::mlir::TypeRange":$results), "", [{
        return ::mlir::amp::detail::rebuildByDefault($_op, builder, operands, results);
      }]>
  ];
}

#endif // AMP_INTERFACES_NUMERICOPINTERFACE_TD
