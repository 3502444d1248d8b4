//===- GemmDescriptor.cpp - amp_rt_gemm_desc as an LLVM constant *- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The struct is filled in C++ from the runtime's header and then written out
// field by field, so that its text in the IR can be read. The assertions below
// fail when the header's layout moves away from the type used here.
//
//===----------------------------------------------------------------------===//

#include "GemmDescriptor.h"

#include "amp-rt/gemm.h"

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

static int32_t getDType(Type type) {
  if (type.isF32())
    return AMP_RT_DTYPE_F32;
  if (type.isF16())
    return AMP_RT_DTYPE_F16;
  if (type.isBF16())
    return AMP_RT_DTYPE_BF16;
  if (type.isTF32())
    return AMP_RT_DTYPE_TF32;
  if (type.isF64())
    return AMP_RT_DTYPE_F64;
  if (isa<Float8E4M3FNType>(type))
    return AMP_RT_DTYPE_E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return AMP_RT_DTYPE_E5M2;
  return AMP_RT_DTYPE_NONE;
}

static int32_t getEpilogue(amprt::Epilogue epilogue) {
  switch (epilogue) {
  case amprt::Epilogue::none:
    return AMP_RT_EPILOGUE_NONE;
  case amprt::Epilogue::bias:
    return AMP_RT_EPILOGUE_BIAS;
  case amprt::Epilogue::relu:
    return AMP_RT_EPILOGUE_RELU;
  case amprt::Epilogue::bias_relu:
    return AMP_RT_EPILOGUE_BIAS_RELU;
  case amprt::Epilogue::gelu_tanh:
  case amprt::Epilogue::bias_gelu_tanh: // told apart by bias_type
    return AMP_RT_EPILOGUE_GELU_TANH;
  }
  llvm_unreachable("unknown epilogue");
}

static void setNumerics(amp_rt_gemm_desc &desc, NumericsAttr numerics) {
  if (Type accumulate = numerics.getAccumulate())
    desc.accumulate_type = getDType(accumulate);
  if (numerics.getLhs())
    desc.lhs_compute = getDType(numerics.getLhs().type);
  if (numerics.getRhs())
    desc.rhs_compute = getDType(numerics.getRhs().type);
  switch (numerics.getOrder().kind) {
  case AccumulationOrder::Kind::any:
    desc.order = AMP_RT_ORDER_ANY;
    break;
  case AccumulationOrder::Kind::sequential:
    desc.order = AMP_RT_ORDER_SEQUENTIAL;
    break;
  case AccumulationOrder::Kind::blocked:
    desc.order = AMP_RT_ORDER_BLOCKED;
    desc.order_block = numerics.getOrder().block;
    break;
  }
  switch (numerics.getSubnormals()) {
  case Subnormals::any:
    desc.subnormals = AMP_RT_SUBNORMALS_ANY;
    break;
  case Subnormals::preserve:
    desc.subnormals = AMP_RT_SUBNORMALS_PRESERVE;
    break;
  case Subnormals::flush:
    desc.subnormals = AMP_RT_SUBNORMALS_FLUSH;
    break;
  }
  desc.excess = numerics.getExcess() == Excess::allow ? AMP_RT_EXCESS_ALLOW
                                                      : AMP_RT_EXCESS_NONE;
}

static FailureOr<amp_rt_gemm_desc> describe(amprt::GemmOp gemm) {
  amp_rt_gemm_desc desc;
  std::memset(&desc, 0, sizeof desc);
  desc.struct_size = sizeof desc;
  auto lhs = cast<MemRefType>(gemm.getLhs().getType());
  auto rhs = cast<MemRefType>(gemm.getRhs().getType());
  auto out = cast<MemRefType>(gemm.getOut().getType());
  desc.lhs_type = getDType(lhs.getElementType());
  desc.rhs_type = getDType(rhs.getElementType());
  desc.out_type = getDType(out.getElementType());
  if (gemm.getBias())
    desc.bias_type =
        getDType(cast<MemRefType>(gemm.getBias().getType()).getElementType());
  if (!desc.lhs_type || !desc.rhs_type || !desc.out_type ||
      (gemm.getBias() && !desc.bias_type))
    return gemm.emitOpError("expects float element types, but got ")
           << lhs << ", " << rhs << " and " << out;
  NumericsAttr numerics = gemm.getNumerics();
  for (OperandPrecision precision : {numerics.getLhs(), numerics.getRhs()})
    if (precision && precision.components != 1)
      return gemm.emitOpError("expects operands of one component, but got ")
             << precision.components << ": the CPU runtime has no split GEMM";
  setNumerics(desc, numerics);
  desc.transpose_lhs = gemm.getTransposeLhs();
  desc.transpose_rhs = gemm.getTransposeRhs();
  desc.epilogue = getEpilogue(gemm.getEpilogue());
  unsigned rank = out.getRank();
  desc.batch = rank == 3 ? out.getDimSize(0) : 1;
  desc.m = out.getDimSize(rank - 2);
  desc.n = out.getDimSize(rank - 1);
  desc.k = lhs.getDimSize(gemm.getTransposeLhs() ? rank - 2 : rank - 1);
  // With one matrix the strides are never used.
  if (desc.batch > 1) {
    if (lhs.getDimSize(0) != 1)
      desc.lhs_batch_stride = desc.m * desc.k;
    if (rhs.getDimSize(0) != 1)
      desc.rhs_batch_stride = desc.k * desc.n;
    desc.out_batch_stride = desc.m * desc.n;
  }
  desc.alpha = gemm.getAlpha().convertToFloat();
  desc.beta = gemm.getBeta().convertToFloat();
  return desc;
}

LLVM::LLVMStructType GemmDescriptors::getArgsType(MLIRContext *context) {
  SmallVector<Type> types{IntegerType::get(context, 64)};
  types.append(numFields - 1, LLVM::LLVMPointerType::get(context));
  return LLVM::LLVMStructType::getLiteral(context, types);
}

FailureOr<LLVM::GlobalOp> GemmDescriptors::get(amprt::GemmOp gemm) {
  FailureOr<amp_rt_gemm_desc> desc = describe(gemm);
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
