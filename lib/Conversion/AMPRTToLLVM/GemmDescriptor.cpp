//===- GemmDescriptor.cpp - amp_rt_gemm_desc as an LLVM constant *- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The struct is written out field by field, so that its text in the IR can be
// read. The assertions below fail when the header's layout moves away from the
// type used here.
//
//===----------------------------------------------------------------------===//

#include "GemmDescriptor.h"

#include "amp/Conversion/Utils/GemmDescription.h"

#include "mlir/IR/Builders.h"
#include <cstddef>
#include <cstring>

using namespace mlir;
using namespace mlir::amp;

static constexpr unsigned numInts = 20, numLongs = 12;
static_assert(offsetof(amp_rt_gemm_desc, lhs_type) == 8,
              "ints follow the size");
static_assert(offsetof(amp_rt_gemm_desc, batch) == 8 + 4 * numInts,
              "the number of int fields changed");
static_assert(offsetof(amp_rt_gemm_desc, alpha) ==
                  8 + 4 * numInts + 8 * numLongs,
              "the number of long fields changed");
static_assert(sizeof(amp_rt_gemm_desc) == 8 + 4 * numInts + 8 * numLongs + 8,
              "alpha and beta end the struct");
static_assert(offsetof(amp_rt_gemm_args, lhs) == 8 * GemmDescriptors::lhs &&
                  offsetof(amp_rt_gemm_args, rhs) == 8 * GemmDescriptors::rhs &&
                  offsetof(amp_rt_gemm_args, bias) ==
                      8 * GemmDescriptors::bias &&
                  offsetof(amp_rt_gemm_args, out) == 8 * GemmDescriptors::out &&
                  offsetof(amp_rt_gemm_args, aux) == 8 * GemmDescriptors::aux &&
                  offsetof(amp_rt_gemm_args, bias_grad) ==
                      8 * GemmDescriptors::biasGrad &&
                  sizeof(amp_rt_gemm_args) == 8 * GemmDescriptors::numFields,
              "the fields of amp_rt_gemm_args moved");

LLVM::LLVMStructType GemmDescriptors::getArgsType(MLIRContext *context) {
  SmallVector<Type> types{IntegerType::get(context, 64)};
  types.append(numFields - 1, LLVM::LLVMPointerType::get(context));
  return LLVM::LLVMStructType::getLiteral(context, types);
}

FailureOr<LLVM::GlobalOp> GemmDescriptors::get(amprt::GemmOp gemm) {
  FailureOr<amp_rt_gemm_desc> desc = describeGemm(gemm);
  if (failed(desc))
    return failure();
  auto *bytes = reinterpret_cast<const char *>(&*desc);
  LLVM::GlobalOp &global = globals[StringRef(bytes, sizeof *desc)];
  if (global)
    return global;

  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  // {i64, [ints], [longs], [alpha, beta]}: the layout of the C struct.
  auto read = [&](auto example, size_t offset, unsigned count) {
    SmallVector<decltype(example)> values(count);
    std::memcpy(values.data(), bytes + offset, count * sizeof example);
    return values;
  };
  SmallVector<int32_t> ints = read(int32_t(), 8, numInts);
  SmallVector<int64_t> longs = read(int64_t(), 8 + 4 * numInts, numLongs);
  float factors[] = {desc->alpha, desc->beta};
  auto vector = [](int64_t size, Type element) {
    return RankedTensorType::get({size}, element);
  };
  TypedAttr fields[] = {
      b.getI64IntegerAttr(desc->struct_size),
      DenseElementsAttr::get(vector(numInts, b.getI32Type()), ArrayRef(ints)),
      DenseElementsAttr::get(vector(numLongs, b.getI64Type()), ArrayRef(longs)),
      DenseElementsAttr::get(vector(2, b.getF32Type()), ArrayRef(factors))};
  Type types[] = {b.getI64Type(),
                  LLVM::LLVMArrayType::get(b.getI32Type(), numInts),
                  LLVM::LLVMArrayType::get(b.getI64Type(), numLongs),
                  LLVM::LLVMArrayType::get(b.getF32Type(), 2)};
  auto type = LLVM::LLVMStructType::getLiteral(module.getContext(), types);
  std::string name = "gemm_" + std::to_string(globals.size() - 1);
  global = LLVM::GlobalOp::create(b, gemm.getLoc(), type, /*isConstant=*/true,
                                  LLVM::Linkage::Internal, name, Attribute());
  Block *block = b.createBlock(&global.getInitializerRegion());
  b.setInsertionPointToEnd(block);
  Value value = LLVM::UndefOp::create(b, gemm.getLoc(), type);
  for (unsigned i = 0; i < std::size(fields); ++i) {
    Value constant =
        LLVM::ConstantOp::create(b, gemm.getLoc(), types[i], fields[i]);
    value = LLVM::InsertValueOp::create(b, gemm.getLoc(), value, constant,
                                        static_cast<int64_t>(i));
  }
  LLVM::ReturnOp::create(b, gemm.getLoc(), value);
  return global;
}
