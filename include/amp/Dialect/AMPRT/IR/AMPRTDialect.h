//===- AMPRTDialect.h - Calls into the runtime -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMPRT_IR_AMPRTDIALECT_H
#define AMP_DIALECT_AMPRT_IR_AMPRTDIALECT_H

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h.inc"
#include "amp/Dialect/AMPRT/IR/AMPRTEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "amp/Dialect/AMPRT/IR/AMPRTAttrs.h.inc"
#define GET_OP_CLASSES
#include "amp/Dialect/AMPRT/IR/AMPRTOps.h.inc"

namespace mlir::amprt {
/// Bytes that a dense static tensor or memref takes: whole bytes per element,
/// so that an i1 occupies one.
int64_t getByteSize(ShapedType type);

/// What an epilogue takes and gives beside the product; see `amprt.gemm`.
struct EpilogueOperands {
  enum class Bias { none, optional, required };
  /// The second tensor that an epilogue reads (`aux`) or gives (`outs`). Sums
  /// have one element per row or per column of the product.
  enum class Extra { none, mask, preActivation, rowSums, columnSums };
  Bias bias = Bias::none;
  Extra aux = Extra::none;
  Extra out = Extra::none;

  static EpilogueOperands get(Epilogue epilogue);
};

/// Bytes of a row of the bit mask of a matrix of `columns` columns.
int64_t getMaskRowBytes(int64_t columns);
} // namespace mlir::amprt

#endif // AMP_DIALECT_AMPRT_IR_AMPRTDIALECT_H
