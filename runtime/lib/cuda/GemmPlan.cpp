//===- GemmPlan.cpp - Description of a GEMM to cuBLASLt -------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GemmPlan.h. What is set here is what the library computes: the numerics
// of a descriptor become compute type, reduction schemes and the slow f8
// accumulator.
//
//===----------------------------------------------------------------------===//

#include "GemmPlan.h"
#include "amp-rt/gemm_rules.h"

#include <algorithm>

namespace amp_rt::cuda {

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

static int32_t statusOf(cublasStatus_t status) {
  switch (status) {
  case CUBLAS_STATUS_SUCCESS:
    return AMP_RT_OK;
  case CUBLAS_STATUS_ALLOC_FAILED:
    return AMP_RT_OUT_OF_MEMORY;
  case CUBLAS_STATUS_NOT_SUPPORTED:
  case CUBLAS_STATUS_ARCH_MISMATCH:
    return AMP_RT_UNSUPPORTED;
  default:
    return AMP_RT_INTERNAL;
  }
}

static const char *remedyOf(cublasStatus_t status) {
  switch (status) {
  case CUBLAS_STATUS_ALLOC_FAILED:
    return "free memory";
  case CUBLAS_STATUS_NOT_SUPPORTED:
  case CUBLAS_STATUS_ARCH_MISMATCH:
    return "the library has no algorithm for it here: compile with "
           "epilogues=none, or pad the sizes to multiples of 8 (16 for f8)";
  case CUBLAS_STATUS_EXECUTION_FAILED:
    return "an earlier kernel may be at fault: run under compute-sanitizer";
  default:
    return "report it with AMP_RT_TRACE";
  }
}

int32_t checkLt(const LtTarget &target, const amp_rt_gemm_desc &desc,
                cublasStatus_t status, const char *entry) {
  if (status == CUBLAS_STATUS_SUCCESS)
    return AMP_RT_OK;
  char name[192];
  describeGemm(desc, name, sizeof(name));
  bool injected = target.ctx.calls.lastWasInjected();
  // The library sees only that its kernel was not taken; the driver knows
  // whether the device is lost, and then says so itself.
  if (status == CUBLAS_STATUS_EXECUTION_FAILED && !injected && target.askDevice)
    if (int32_t lost = target.askDevice(target.backend))
      return lost;
  return AMP_RT_FAIL(target.ctx, statusOf(status),
                     "%s fails for %s on sm_%d: %s%s; %s", entry, name,
                     target.arch, statusText(status).c_str(),
                     injected ? ", an injected fault" : "", remedyOf(status));
}

/// Calls an entry of the library; returns from the function on failure.
#define AMP_LT(entry, args)                                                    \
  do {                                                                         \
    if (int32_t failed = checkLt(target, desc, target.lt.entry args, #entry))  \
      return failed;                                                           \
  } while (false)

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static cudaDataType_t cudaType(int32_t type) {
  switch (type) {
  case AMP_RT_DTYPE_F16:
    return CUDA_R_16F;
  case AMP_RT_DTYPE_BF16:
    return CUDA_R_16BF;
  case AMP_RT_DTYPE_E4M3FN:
    return CUDA_R_8F_E4M3;
  case AMP_RT_DTYPE_E5M2:
    return CUDA_R_8F_E5M2;
  default:
    return CUDA_R_32F;
  }
}

static cublasLtEpilogue_t ltEpilogue(const amp_rt_gemm_desc &d) {
  bool bias = hasBias(d);
  switch (d.epilogue) {
  case AMP_RT_EPILOGUE_BIAS:
    return CUBLASLT_EPILOGUE_BIAS;
  case AMP_RT_EPILOGUE_RELU:
    return CUBLASLT_EPILOGUE_RELU;
  case AMP_RT_EPILOGUE_BIAS_RELU:
    return CUBLASLT_EPILOGUE_RELU_BIAS;
  case AMP_RT_EPILOGUE_RELU_AUX:
    return bias ? CUBLASLT_EPILOGUE_RELU_AUX_BIAS : CUBLASLT_EPILOGUE_RELU_AUX;
  case AMP_RT_EPILOGUE_GELU_TANH:
    return bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
  case AMP_RT_EPILOGUE_GELU_AUX:
    return bias ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS : CUBLASLT_EPILOGUE_GELU_AUX;
  // Their B is lhs: its sums along k have one element per column of theirs.
  case AMP_RT_EPILOGUE_BIAS_GRAD_LHS:
    return CUBLASLT_EPILOGUE_BGRADB;
  case AMP_RT_EPILOGUE_BIAS_GRAD_RHS:
    return CUBLASLT_EPILOGUE_BGRADA;
  case AMP_RT_EPILOGUE_DRELU:
    return CUBLASLT_EPILOGUE_DRELU;
  case AMP_RT_EPILOGUE_DRELU_BGRAD:
    return CUBLASLT_EPILOGUE_DRELU_BGRAD;
  case AMP_RT_EPILOGUE_DGELU:
    return CUBLASLT_EPILOGUE_DGELU;
  case AMP_RT_EPILOGUE_DGELU_BGRAD:
    return CUBLASLT_EPILOGUE_DGELU_BGRAD;
  default:
    return CUBLASLT_EPILOGUE_DEFAULT;
  }
}

static int32_t ltScaleMode(int32_t mode) {
  switch (mode) {
  case AMP_RT_SCALE_ROW:
    return CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
  case AMP_RT_SCALE_BLOCK32:
    return CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0;
  default:
    return CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
  }
}

static uint8_t alignmentOf(const void *pointer) {
  auto address = reinterpret_cast<uintptr_t>(pointer) | 16;
  return uint8_t(address & -address);
}

Alignments Alignments::of(const amp_rt_gemm_args &args) {
  Alignments found;
  found.lhs = alignmentOf(args.lhs);
  found.rhs = alignmentOf(args.rhs);
  found.out = alignmentOf(args.out);
  found.bias = std::min(alignmentOf(args.bias), alignmentOf(args.bias_grad));
  found.aux = alignmentOf(args.aux);
  return found;
}

//===----------------------------------------------------------------------===//
// Description
//===----------------------------------------------------------------------===//

template <typename T>
static int32_t setOp(const LtTarget &target, const amp_rt_gemm_desc &desc,
                     const LtDesc &op, cublasLtMatmulDescAttributes_t attribute,
                     T value) {
  AMP_LT(cublasLtMatmulDescSetAttribute,
         (op.get(), attribute, &value, sizeof(value)));
  return AMP_RT_OK;
}

/// A stored row-major matrix, which the library sees as `cols` x `rows` in
/// columns.
static int32_t makeLayout(const LtTarget &target, const amp_rt_gemm_desc &desc,
                          LtLayout &layout, int32_t type, int64_t rows,
                          int64_t cols, int64_t ld, int64_t stride) {
  AMP_LT(cublasLtMatrixLayoutCreate, (layout.out(target.lt), cudaType(type),
                                      uint64_t(cols), uint64_t(rows), ld));
  if (desc.batch == 1)
    return AMP_RT_OK;
  auto batch = int32_t(desc.batch);
  AMP_LT(cublasLtMatrixLayoutSetAttribute,
         (layout.get(), CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
          sizeof(batch)));
  AMP_LT(cublasLtMatrixLayoutSetAttribute,
         (layout.get(), CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
          sizeof(stride)));
  return AMP_RT_OK;
}

static int32_t makeLayouts(const LtTarget &target, GemmPlan &plan) {
  const amp_rt_gemm_desc &d = plan.desc;
  LtProblem &p = plan.problem;
  int32_t status =
      makeLayout(target, d, p.a, d.rhs_type, d.transpose_rhs ? d.n : d.k,
                 d.transpose_rhs ? d.k : d.n, d.rhs_ld, d.rhs_batch_stride);
  if (!status)
    status =
        makeLayout(target, d, p.b, d.lhs_type, d.transpose_lhs ? d.k : d.m,
                   d.transpose_lhs ? d.m : d.k, d.lhs_ld, d.lhs_batch_stride);
  // C is out itself, but not in f8, which C may not have (it is not read).
  int32_t cType = d.out_type;
  if (isF8(cType))
    cType =
        d.bias_type == AMP_RT_DTYPE_F16 ? AMP_RT_DTYPE_F16 : AMP_RT_DTYPE_BF16;
  if (!status)
    status = makeLayout(target, d, p.c, cType, d.m, d.n, d.out_ld,
                        d.out_batch_stride);
  if (!status)
    status = makeLayout(target, d, p.d, d.out_type, d.m, d.n, d.out_ld,
                        d.out_batch_stride);
  return status;
}

/// Pointers count for their alignment when algorithms are looked for.
static const void *pointerAligned(uint8_t bytes) {
  return reinterpret_cast<const void *>(uintptr_t(1 << 20) + bytes);
}

static int32_t setEpilogue(const LtTarget &target, GemmPlan &plan) {
  const amp_rt_gemm_desc &d = plan.desc;
  const LtDesc &op = plan.problem.op;
  int32_t status =
      setOp(target, d, op, CUBLASLT_MATMUL_DESC_EPILOGUE, ltEpilogue(d));
  if (!status && (hasBias(d) || hasBiasGrad(d))) {
    int32_t type = hasBias(d) ? d.bias_type : d.bias_grad_type;
    status = setOp(target, d, op, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE,
                   int32_t(cudaType(type)));
    if (!status)
      status = setOp(target, d, op, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                     pointerAligned(plan.key.alignments.bias));
  }
  if (!status && (hasReluMask(d) || hasGeluAux(d))) {
    status =
        setOp(target, d, op, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, d.aux_ld);
    if (!status)
      status = setOp(target, d, op, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER,
                     pointerAligned(plan.key.alignments.aux));
    if (!status && d.batch > 1)
      status =
          setOp(target, d, op, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE,
                d.aux_batch_stride);
    if (!status && hasGeluAux(d) && d.aux_type != d.out_type)
      status = setOp(target, d, op, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE,
                     int32_t(cudaType(d.aux_type)));
  }
  return status;
}

static int32_t setScales(const LtTarget &target, GemmPlan &plan) {
  const amp_rt_gemm_desc &d = plan.desc;
  const LtDesc &op = plan.problem.op;
  struct {
    int32_t mode;
    cublasLtMatmulDescAttributes_t attribute;
  } scales[] = {{d.rhs_scale_mode, CUBLASLT_MATMUL_DESC_A_SCALE_MODE},
                {d.lhs_scale_mode, CUBLASLT_MATMUL_DESC_B_SCALE_MODE},
                {d.out_scale_mode, CUBLASLT_MATMUL_DESC_D_SCALE_MODE}};
  // The mode of one scale per tensor is the default, which 12.1 knows too.
  for (const auto &s : scales)
    if (s.mode > AMP_RT_SCALE_TENSOR)
      if (int32_t status =
              setOp(target, d, op, s.attribute, ltScaleMode(s.mode)))
        return status;
  return AMP_RT_OK;
}

static int32_t makePreference(const LtTarget &target, GemmPlan &plan) {
  const amp_rt_gemm_desc &desc = plan.desc;
  const Alignments &align = plan.key.alignments;
  LtPreference &preference = plan.problem.preference;
  AMP_LT(cublasLtMatmulPreferenceCreate, (preference.out(target.lt)));
  auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
    return checkLt(target, desc,
                   target.lt.cublasLtMatmulPreferenceSetAttribute(
                       preference.get(), attribute, &value, sizeof(value)),
                   "cublasLtMatmulPreferenceSetAttribute");
  };
  // One rounding: partial sums are kept in f32. In place they are of the
  // result's type.
  uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  if (desc.out_type == AMP_RT_DTYPE_F32)
    schemes |= CUBLASLT_REDUCTION_SCHEME_INPLACE;
  int32_t status = set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                       uint64_t(target.workspaceBytes));
  if (!status)
    status = set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, schemes);
  if (!status)
    status =
        set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, uint32_t(align.rhs));
  if (!status)
    status =
        set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, uint32_t(align.lhs));
  if (!status)
    status =
        set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, uint32_t(align.out));
  if (!status)
    status =
        set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, uint32_t(align.out));
  return status;
}

/// A product of zeros in the place of none: both operands are one block of
/// zeros, the same for every matrix of the batch.
static void useZeros(GemmPlan &plan) {
  amp_rt_gemm_desc &d = plan.desc;
  plan.kind = GemmKind::Zeros;
  d.k = 16;
  d.lhs_ld = d.transpose_lhs ? d.m : d.k;
  d.rhs_ld = d.transpose_rhs ? d.k : d.n;
  d.lhs_batch_stride = d.rhs_batch_stride = 0;
  plan.zeroBytes = size_t(std::max(d.m * int64_t(typeSize(d.lhs_type)),
                                   d.n * int64_t(typeSize(d.rhs_type))) *
                          d.k);
}

int32_t describeProblem(const LtTarget &target, const PlanKey &key,
                        GemmPlan &plan) {
  char message[600];
  if (int32_t status =
          amp_rt_gemm_check(&key.desc, target.arch, message, sizeof(message)))
    return AMP_RT_FAIL(target.ctx, status, "amp_rt_gemm: %s", message);
  return describeUnchecked(target, key, plan);
}

int32_t describeUnchecked(const LtTarget &target, const PlanKey &key,
                          GemmPlan &plan) {
  plan.key = key;
  plan.desc = key.desc;
  amp_rt_gemm_desc &desc = plan.desc;
  if (desc.batch == 0 || desc.m == 0 || desc.n == 0)
    return AMP_RT_OK;
  plan.kind = GemmKind::Product;
  collapseBatch(desc);
  if (desc.k == 0)
    useZeros(plan);
  if (desc.batch > INT32_MAX)
    return AMP_RT_FAIL(target.ctx, AMP_RT_UNSUPPORTED,
                       "amp_rt_gemm: 'batch' expects at most %d, but got %lld; "
                       "split it",
                       INT32_MAX, (long long)desc.batch);
  LtDesc &op = plan.problem.op;
  // 32F is at least f32 everywhere; TF32 only where both operands may be.
  AMP_LT(cublasLtMatmulDescCreate,
         (op.out(target.lt),
          usesTF32(desc) ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
          CUDA_R_32F));
  int32_t transA = desc.transpose_rhs ? CUBLAS_OP_T : CUBLAS_OP_N,
          transB = desc.transpose_lhs ? CUBLAS_OP_T : CUBLAS_OP_N;
  int32_t status = setOp(target, desc, op, CUBLASLT_MATMUL_DESC_TRANSA, transA);
  if (!status)
    status = setOp(target, desc, op, CUBLASLT_MATMUL_DESC_TRANSB, transB);
  if (!status)
    status = setEpilogue(target, plan);
  if (!status)
    status = setScales(target, plan);
  if (!status)
    status = makeLayouts(target, plan);
  if (!status)
    status = makePreference(target, plan);
  return status;
}

} // namespace amp_rt::cuda
