//===- Constants.cpp - Constants in device memory ---------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr int64_t blockThreads = 128;
static constexpr int64_t warpThreads = 32;

/// `values` in one dimension, as they lie in memory.
static DenseElementsAttr flatten(DenseElementsAttr values) {
  auto type = cast<ShapedType>(values.getType());
  Type memory = getMemoryType(type.getElementType());
  auto flat = RankedTensorType::get({type.getNumElements()}, memory);
  if (memory == type.getElementType())
    return values.reshape(flat);
  SmallVector<APInt> bytes;
  for (bool bit : values.getValues<bool>())
    bytes.push_back(APInt(8, bit));
  return DenseElementsAttr::get(flat, bytes);
}

EmittedGPUKernel amp::emitConstantKernel(memref::GlobalOp global,
                                         StringRef name,
                                         gpu::GPUModuleOp kernels) {
  OpBuilder builder(kernels.getBodyRegion());
  Location loc = global.getLoc();
  DenseElementsAttr values =
      flatten(cast<DenseElementsAttr>(*global.getInitialValue()));
  auto shape = cast<ShapedType>(values.getType());
  int64_t count = shape.getNumElements();
  auto type = MemRefType::get({count}, shape.getElementType());
  std::string dataName = (name + "_values").str();
  memref::GlobalOp::create(builder, loc, dataName,
                           builder.getStringAttr("private"), type, values,
                           /*constant=*/true,
                           /*alignment=*/builder.getI64IntegerAttr(16));

  builder.setInsertionPointToEnd(kernels.getBody());
  int64_t threads =
      std::min<int64_t>(blockThreads, llvm::alignTo(count, warpThreads));
  int64_t blocks = llvm::divideCeil(count, threads);
  auto function = gpu::GPUFuncOp::create(builder, loc, name,
                                         builder.getFunctionType({type}, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  function.setKnownBlockSizeAttr(
      builder.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  function.setArgAttr(0, LLVM::LLVMDialect::getNoAliasAttrName(),
                      builder.getUnitAttr());
  builder.setInsertionPointToEnd(&function.getBody().front());
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value size = arith::ConstantIndexOp::create(builder, loc, threads);
  Value end = arith::ConstantIndexOp::create(builder, loc, count);
  Value first = arith::MulIOp::create(builder, loc, block, size);
  Value index = arith::AddIOp::create(builder, loc, first, thread);
  Value isInside = arith::CmpIOp::create(builder, loc,
                                         arith::CmpIPredicate::ult, index, end);
  auto ifOp =
      scf::IfOp::create(builder, loc, isInside, /*withElseRegion=*/false);
  gpu::ReturnOp::create(builder, loc);
  builder.setInsertionPoint(ifOp.thenBlock()->getTerminator());
  Value data = memref::GetGlobalOp::create(builder, loc, type, dataName);
  Value value = memref::LoadOp::create(builder, loc, data, index);
  memref::StoreOp::create(builder, loc, value, function.getArgument(0), index);

  EmittedGPUKernel emitted;
  emitted.launches.push_back({function, blocks, threads});
  emitted.bufferTypes.push_back(type);
  return emitted;
}
