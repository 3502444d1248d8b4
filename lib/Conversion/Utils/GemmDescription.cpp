//===- GemmDescription.cpp - What the runtime is asked for -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `amprt.gemm` in the terms of the runtime's header, for code generation and
// for checks of what a target can run.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Utils/GemmDescription.h"

#include "amp-rt/gemm_rules.h"

#include <cstring>

using namespace mlir;
using namespace mlir::amp;

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
  case amprt::Epilogue::relu_aux:
    return AMP_RT_EPILOGUE_RELU_AUX;
  case amprt::Epilogue::gelu_aux:
    return AMP_RT_EPILOGUE_GELU_AUX;
  case amprt::Epilogue::bias_grad_lhs:
    return AMP_RT_EPILOGUE_BIAS_GRAD_LHS;
  case amprt::Epilogue::bias_grad_rhs:
    return AMP_RT_EPILOGUE_BIAS_GRAD_RHS;
  case amprt::Epilogue::drelu:
    return AMP_RT_EPILOGUE_DRELU;
  case amprt::Epilogue::drelu_bgrad:
    return AMP_RT_EPILOGUE_DRELU_BGRAD;
  case amprt::Epilogue::dgelu:
    return AMP_RT_EPILOGUE_DGELU;
  case amprt::Epilogue::dgelu_bgrad:
    return AMP_RT_EPILOGUE_DGELU_BGRAD;
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

/// The tensor in which the epilogue keeps `wanted`; null if there is none.
static Value getExtra(amprt::GemmOp gemm,
                      amprt::EpilogueOperands::Extra wanted) {
  auto operands = amprt::EpilogueOperands::get(gemm.getEpilogue());
  if (operands.aux == wanted)
    return gemm.getAux();
  return operands.out == wanted ? gemm.getExtraOut() : Value();
}

Value amp::getGemmAux(amprt::GemmOp gemm) {
  using Extra = amprt::EpilogueOperands::Extra;
  Value mask = getExtra(gemm, Extra::mask);
  return mask ? mask : getExtra(gemm, Extra::preActivation);
}

Value amp::getGemmBiasGrad(amprt::GemmOp gemm) {
  using Extra = amprt::EpilogueOperands::Extra;
  Value sums = getExtra(gemm, Extra::rowSums);
  return sums ? sums : getExtra(gemm, Extra::columnSums);
}

FailureOr<amp_rt_gemm_desc> amp::describeGemm(amprt::GemmOp gemm) {
  amp_rt_gemm_desc desc;
  std::memset(&desc, 0, sizeof desc);
  desc.struct_size = sizeof desc;
  auto lhs = cast<ShapedType>(gemm.getLhs().getType());
  auto rhs = cast<ShapedType>(gemm.getRhs().getType());
  auto out = cast<ShapedType>(gemm.getOut().getType());
  desc.lhs_type = getDType(lhs.getElementType());
  desc.rhs_type = getDType(rhs.getElementType());
  desc.out_type = getDType(out.getElementType());
  if (gemm.getBias())
    desc.bias_type =
        getDType(cast<ShapedType>(gemm.getBias().getType()).getElementType());
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
  // The mask's rows are as long as the default of aux_ld says.
  if (Value input =
          getExtra(gemm, amprt::EpilogueOperands::Extra::preActivation)) {
    desc.aux_type =
        getDType(cast<ShapedType>(input.getType()).getElementType());
    desc.aux_ld = desc.n;
  }
  if (Value sums = getGemmBiasGrad(gemm))
    desc.bias_grad_type =
        getDType(cast<ShapedType>(sums.getType()).getElementType());
  desc.alpha = gemm.getAlpha().convertToFloat();
  desc.beta = gemm.getBeta().convertToFloat();
  return desc;
}

FailureOr<SmallVector<int32_t>> amp::parseGemmArchs(ArrayRef<std::string> names,
                                                    std::string &bad) {
  SmallVector<int32_t> archs;
  for (StringRef text : names) {
    SmallVector<StringRef> parts;
    text.split(parts, '+');
    for (StringRef part : parts) {
      int32_t number = 0;
      StringRef rest = part;
      if (!rest.consume_front("sm_") || rest.consumeInteger(10, number) ||
          (!rest.empty() && rest != "a" && rest != "f")) {
        bad = part.str();
        return failure();
      }
      archs.push_back(number);
    }
  }
  return archs;
}

LogicalResult amp::checkGemm(const amp_rt_gemm_desc &desc,
                             ArrayRef<int32_t> archs, std::string &why) {
  for (int32_t arch : archs) {
    char message[768];
    if (amp_rt_gemm_check(&desc, arch, message, sizeof message) == AMP_RT_OK)
      continue;
    why = message;
    return failure();
  }
  return success();
}
