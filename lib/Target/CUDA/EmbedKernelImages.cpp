//===- EmbedKernelImages.cpp - The image as data of the host -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Target/CUDA/EmbedKernelImages.h"

#include "amp-rt/device.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <cstddef>

using namespace mlir;
using namespace mlir::amp;

static_assert(offsetof(amp_rt_image, data) == 8 &&
                  offsetof(amp_rt_image, bytes) == 16 &&
                  offsetof(amp_rt_image, description) == 24 &&
                  sizeof(amp_rt_image) == 32,
              "the fields of amp_rt_image moved");

/// What the image is aligned to: a fatbin holds ELF files.
static constexpr int64_t kImageAlignment = 16;

static LLVM::GlobalOp createBytes(OpBuilder &b, Location loc, StringRef name,
                                  StringRef bytes, int64_t alignment) {
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  return LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                LLVM::Linkage::Internal, name,
                                b.getStringAttr(bytes), alignment);
}

static LogicalResult embed(ModuleOp module, gpu::BinaryOp binary) {
  auto object = binary.getObjects().size() == 1
                    ? dyn_cast<gpu::ObjectAttr>(binary.getObjects()[0])
                    : gpu::ObjectAttr();
  auto contents = object && object.getProperties()
                      ? object.getProperties().getAs<StringAttr>("contents")
                      : StringAttr();
  if (!contents)
    return binary.emitOpError("expects one object with 'contents', as "
                              "-amprt-assemble-kernels makes it");
  Location loc = binary.getLoc();
  std::string name = (binary.getName() + ".image").str();
  OpBuilder b(binary);
  StringRef bytes = object.getObject().getValue();
  LLVM::GlobalOp data =
      createBytes(b, loc, name, bytes.str() + '\0', kImageAlignment);
  LLVM::GlobalOp text = createBytes(b, loc, name + ".contents",
                                    contents.getValue().str() + '\0', 1);
  Type i64 = b.getI64Type();
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {i64, ptr, i64, ptr});
  auto desc = module.lookupSymbol<LLVM::GlobalOp>(name + ".desc");
  if (!desc)
    desc = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                  LLVM::Linkage::Internal, name + ".desc",
                                  Attribute());
  desc.setLinkage(LLVM::Linkage::Internal);
  b.createBlock(&desc.getInitializerRegion());
  Value fields[] = {
      LLVM::ConstantOp::create(b, loc, i64,
                               b.getI64IntegerAttr(sizeof(amp_rt_image))),
      LLVM::AddressOfOp::create(b, loc, data),
      LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(bytes.size())),
      LLVM::AddressOfOp::create(b, loc, text)};
  Value value = LLVM::UndefOp::create(b, loc, type);
  for (auto [index, field] : llvm::enumerate(fields))
    value = LLVM::InsertValueOp::create(b, loc, value, field, index);
  LLVM::ReturnOp::create(b, loc, value);
  binary.erase();
  return success();
}

LogicalResult amp::embedKernelImages(ModuleOp module) {
  for (auto binary : llvm::make_early_inc_range(module.getOps<gpu::BinaryOp>()))
    if (failed(embed(module, binary)))
      return failure();
  for (auto global : module.getOps<LLVM::GlobalOp>())
    if (global.getName().ends_with(".image.desc") &&
        global.getInitializerRegion().empty())
      return global.emitOpError("expects a gpu.binary to give it its value, "
                                "but the module has none");
  return success();
}
