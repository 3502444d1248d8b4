//===- NNDialect.cpp - The tensor-graph dialect -----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of the dialect's ops and attributes, and the promises of the
// interfaces that other libraries implement as external models.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/NN/IR/NNDialect.h"

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Interfaces/InlineAnywhere.h"
#include "amp/Interfaces/ReferenceOpInterface.h"
#include "amp/Interfaces/VJPOpInterface.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::nn;

#include "amp/Dialect/NN/IR/NNDialect.cpp.inc"
#include "amp/Dialect/NN/IR/NNEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "amp/Dialect/NN/IR/NNAttrs.cpp.inc"

void NNDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "amp/Dialect/NN/IR/NNOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "amp/Dialect/NN/IR/NNAttrs.cpp.inc"
      >();
  addInterfaces<amp::InlineAnywhereInterface>();
  declareExternalInterfaces();
}

void NNDialect::declareExternalInterfaces() {
  // VJP: the ops through which a cotangent flows.
  declarePromisedInterfaces<
      amp::VJPOpInterface, LinearOp, MatmulOp, AddOp, SubOp, MulOp, DivOp,
      MaximumOp, NegOp, AbsOp, ExpOp, LogOp, SqrtOp, RsqrtOp, TanhOp, SigmoidOp,
      ReluOp, SiluOp, GeluOp, SelectOp, ReduceSumOp, ReduceMeanOp, ReduceMaxOp,
      SoftmaxOp, LogSoftmaxOp, CrossEntropyOp, MSELossOp, ReshapeOp,
      TransposeOp, BroadcastOp, OptimizationBarrierOp, AddNOp>();
  declarePromisedInterfaces<amp::ReferenceOpInterface,
#define GET_OP_LIST
#include "amp/Dialect/NN/IR/NNOps.cpp.inc"
                            >();
}

Operation *NNDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}
