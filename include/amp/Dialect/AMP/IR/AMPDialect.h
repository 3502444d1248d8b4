//===- AMPDialect.h - The precision dialect -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_IR_AMPDIALECT_H
#define AMP_DIALECT_AMP_IR_AMPDIALECT_H

#include "amp/Dialect/AMP/IR/AMPAttrs.h"
#include "amp/Interfaces/LossScaleOpInterface.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "amp/Dialect/AMP/IR/AMPDialect.h.inc"

#define GET_OP_CLASSES
#include "amp/Dialect/AMP/IR/AMPOps.h.inc"

namespace mlir::amp {

/// Names of the attributes that the dialect puts on functions, their arguments
/// and results, and on modules.
inline constexpr StringLiteral kRoleAttrName = "amp.role";
inline constexpr StringLiteral kNameAttrName = "amp.name";
inline constexpr StringLiteral kStateAttrName = "amp.state";
inline constexpr StringLiteral kBuffersAttrName = "amp.buffers";
/// The scalers (dictionary: name to integer power) that an argument or result
/// carries: a gradient buffer between micro-batches is still scaled.
inline constexpr StringLiteral kScalePowerAttrName = "amp.scale_power";
inline constexpr StringLiteral kStepKindAttrName = "amp.step_kind";
inline constexpr StringLiteral kParityAttrName = "amp.parity";
/// The name of the policy a module was autocast with, and its hash.
inline constexpr StringLiteral kPolicyAttrName = "amp.policy";
inline constexpr StringLiteral kPolicyHashAttrName = "amp.policy_hash";

/// The module's parity, `none` where the attribute is absent.
Parity getParity(Operation *op);

} // namespace mlir::amp

#endif // AMP_DIALECT_AMP_IR_AMPDIALECT_H
