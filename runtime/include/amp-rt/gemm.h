//===- gemm.h - Matrix multiplication ---------------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The GEMM entry points: what is computed, in which types, at which numerics
// and with which epilogue is a sized plain-old-data descriptor that generated
// code keeps as a constant; the pointers are a second struct.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_GEMM_H
#define AMP_RT_GEMM_H

#include "amp-rt/status.h"

/// Element types. 0 stands for "not given" where a type is optional.
enum amp_rt_dtype {
  AMP_RT_DTYPE_NONE = 0,
  AMP_RT_DTYPE_F32 = 1,
  AMP_RT_DTYPE_F16 = 2,
  AMP_RT_DTYPE_BF16 = 3,
  /// 19 significant bits in a 32-bit word; a compute type, not a storage type.
  AMP_RT_DTYPE_TF32 = 4,
  AMP_RT_DTYPE_F64 = 5,
  AMP_RT_DTYPE_E4M3FN = 6,
  AMP_RT_DTYPE_E5M2 = 7,
  AMP_RT_DTYPE_I1 = 8,
  AMP_RT_DTYPE_I8 = 9,
  AMP_RT_DTYPE_I32 = 10,
  AMP_RT_DTYPE_I64 = 11
};

/// The order in which products are accumulated.
enum amp_rt_order {
  AMP_RT_ORDER_ANY = 0,
  /// One accumulator, k ascending, every product and every sum rounded to f32.
  AMP_RT_ORDER_SEQUENTIAL = 1,
  /// Sequential partial sums over `order_block` consecutive k, added in order.
  AMP_RT_ORDER_BLOCKED = 2
};

/// What happens to subnormal operands and results of the multiplier.
enum amp_rt_subnormals {
  AMP_RT_SUBNORMALS_ANY = 0,
  AMP_RT_SUBNORMALS_PRESERVE = 1,
  AMP_RT_SUBNORMALS_FLUSH = 2
};

/// Whether a wider computation than the stated one is a refinement of it.
enum amp_rt_excess { AMP_RT_EXCESS_NONE = 0, AMP_RT_EXCESS_ALLOW = 1 };

/// What is applied to x = alpha * op(lhs) * op(rhs) + beta * out in f32, before
/// the one rounding. Where "a bias" is said, it is added when `bias_type` is
/// given.
enum amp_rt_epilogue {
  AMP_RT_EPILOGUE_NONE = 0,
  /// x + bias.
  AMP_RT_EPILOGUE_BIAS = 1,
  AMP_RT_EPILOGUE_RELU = 2,
  /// relu(x + bias).
  AMP_RT_EPILOGUE_BIAS_RELU = 3,
  /// relu(x), with a bias; writes the mask to `aux`.
  AMP_RT_EPILOGUE_RELU_AUX = 4,
  /// The tanh form of gelu, with a bias.
  AMP_RT_EPILOGUE_GELU_TANH = 5,
  /// The same; writes x (with the bias) to `aux`.
  AMP_RT_EPILOGUE_GELU_AUX = 6,
  /// out = x, and bias_grad[i] = sum over k of op(lhs)[i][k]: m elements, as
  /// for a weight gradient whose lhs is the gradient of the output.
  AMP_RT_EPILOGUE_BIAS_GRAD_LHS = 7,
  /// x where the mask in `aux` is 1, else 0.
  AMP_RT_EPILOGUE_DRELU = 8,
  /// The same, and bias_grad[j] = sum over i of the result: n elements.
  AMP_RT_EPILOGUE_DRELU_BGRAD = 9,
  /// x times the slope of gelu (tanh) at what `aux` holds.
  AMP_RT_EPILOGUE_DGELU = 10,
  /// The same, and bias_grad[j] = sum over i of the result: n elements.
  AMP_RT_EPILOGUE_DGELU_BGRAD = 11,
  /// out = x, and bias_grad[j] = sum over k of op(rhs)[k][j]: n elements.
  AMP_RT_EPILOGUE_BIAS_GRAD_RHS = 12
};

/// How a scale pointer is read.
enum amp_rt_scale_mode {
  AMP_RT_SCALE_NONE = 0,
  /// One f32 for the tensor.
  AMP_RT_SCALE_TENSOR = 1,
  /// One f32 per row of the operand.
  AMP_RT_SCALE_ROW = 2,
  /// One e8m0 scale per 32 elements along k.
  AMP_RT_SCALE_BLOCK32 = 3
};

/// Describes, for every b < batch,
///   out[b] = epilogue(alpha * op(lhs[b]) * op(rhs[b]) + beta * out[b] + bias)
/// with op(lhs) of m x k, op(rhs) of k x n and out of m x n, all row-major.
/// Accumulation is in f32; the result is rounded to `out_type` exactly once.
/// `beta` multiplies the previous content of out; with beta = 0 out is not
/// read. NaN propagates through relu. m, n or batch = 0 is a no-op; k = 0 gives
/// epilogue(beta * out + bias).
///
/// `aux` is what the epilogue writes (RELU_AUX, GELU_AUX) or reads (DRELU,
/// DGELU), and has m rows like out:
///   relu: bits, `aux_ld` of them per row, a multiple of 128 (0: n rounded up).
///     Bit b of byte j is column 8 * j + b, and 1 where x > 0 (0 for NaN).
///     `aux_type` is 0 or I1. What the bits past column n hold is not defined.
///   gelu: elements of `aux_type` (0: out_type), `aux_ld` of them per row, a
///     multiple of 8 (0: n rounded up).
/// `aux_batch_stride` counts bits or elements likewise, a multiple of 128 or 8
/// (0: m * aux_ld). The memory of aux is 16-byte aligned.
///
/// `bias_grad` is overwritten with sums in f32 (in any order) that are rounded
/// once to `bias_grad_type` (0: out_type). It needs batch = 1. The sums of
/// DRELU_BGRAD and DGELU_BGRAD are of the result before or after its rounding.
///
/// Scales (narrow types): with s_l and s_r read through lhs_scale and
/// rhs_scale, x = alpha * s_l * s_r * op(lhs) * op(rhs) + beta * out; the
/// result is multiplied by out_scale after the epilogue, and out_amax receives
/// max |.| of what stands before that multiplication. A result that exceeds the
/// range of an f8 out_type becomes its largest finite value.
///
/// The struct has no padding, so its bytes are its identity. Fields past
/// `struct_size` read as 0.
typedef struct amp_rt_gemm_desc {
  uint64_t struct_size;
  /// enum amp_rt_dtype. bias_type is 0 when there is none; for aux_type see
  /// above.
  int32_t lhs_type;
  int32_t rhs_type;
  int32_t out_type;
  int32_t bias_type;
  int32_t aux_type;
  /// f32, or 0 for f32.
  int32_t accumulate_type;
  /// The type at which an operand enters the multiplier (rounded to nearest
  /// even when that is narrower); 0 is its storage type.
  int32_t lhs_compute;
  int32_t rhs_compute;
  /// enum amp_rt_order, and the block length when it is blocked (else 0).
  int32_t order;
  int32_t order_block;
  /// enum amp_rt_subnormals, enum amp_rt_excess.
  int32_t subnormals;
  int32_t excess;
  /// 1 when the operand is stored transposed: lhs as k x m, rhs as n x k.
  int32_t transpose_lhs;
  int32_t transpose_rhs;
  /// enum amp_rt_epilogue.
  int32_t epilogue;
  /// enum amp_rt_scale_mode per tensor; out_amax = 1 asks for max |out|.
  int32_t lhs_scale_mode;
  int32_t rhs_scale_mode;
  int32_t out_scale_mode;
  int32_t out_amax;
  /// enum amp_rt_dtype, for the epilogues that write bias_grad.
  int32_t bias_grad_type;
  int64_t batch;
  int64_t m;
  int64_t n;
  int64_t k;
  /// Elements from one stored row to the next; 0 is the stored row's length.
  int64_t lhs_ld;
  int64_t rhs_ld;
  int64_t out_ld;
  int64_t aux_ld;
  /// Elements from one matrix of the batch to the next; 0 uses one matrix for
  /// all (legal for lhs and rhs; out needs its own matrices when batch > 1).
  int64_t lhs_batch_stride;
  int64_t rhs_batch_stride;
  int64_t out_batch_stride;
  int64_t aux_batch_stride;
  float alpha;
  float beta;
} amp_rt_gemm_desc;

/// The pointers of one call. What the descriptor does not name may be null.
/// `bias` has n elements and is added to every row. out overlaps no input.
typedef struct amp_rt_gemm_args {
  uint64_t struct_size;
  const void *lhs;
  const void *rhs;
  const void *bias;
  void *out;
  void *aux;
  /// For back ends that take scratch memory from the caller; may be null, and
  /// the CPU does not use it.
  void *workspace;
  const void *lhs_scale;
  const void *rhs_scale;
  const void *out_scale;
  float *out_amax;
  void *bias_grad;
} amp_rt_gemm_args;

AMP_RT_BEGIN_DECLS

struct amp_rt_context;

/// Makes what amp_rt_gemm needs for `desc` and keeps it in the context, keyed
/// by the descriptor's content, so that no call in a step creates a primitive
/// or allocates. Call it at load time; calling it again is cheap.
AMP_RT_EXPORT int32_t amp_rt_gemm_prepare(
    struct amp_rt_context *ctx, const amp_rt_gemm_desc *desc) AMP_RT_NOEXCEPT;

/// Runs one GEMM (prepares it first when that was not done).
AMP_RT_EXPORT int32_t amp_rt_gemm(struct amp_rt_context *ctx,
                                  const amp_rt_gemm_desc *desc,
                                  const amp_rt_gemm_args *args) AMP_RT_NOEXCEPT;

/// How `desc` is executed, for reports: the name of the library's
/// implementation and what is widened around it, such as
/// "brg:avx512_core_bf16" or "widen+brg:avx512_core". Prepares it when that was
/// not done. Returns null when that fails; valid as long as the context.
AMP_RT_EXPORT const char *
amp_rt_gemm_path(struct amp_rt_context *ctx,
                 const amp_rt_gemm_desc *desc) AMP_RT_NOEXCEPT;

/// "f32", "bf16", ...; "none" for what is no element type. Never null.
AMP_RT_EXPORT const char *amp_rt_dtype_name(int32_t dtype) AMP_RT_NOEXCEPT;

/// Bytes of one element; 0 for what is no storage type.
AMP_RT_EXPORT size_t amp_rt_dtype_size(int32_t dtype) AMP_RT_NOEXCEPT;

AMP_RT_END_DECLS

#endif // AMP_RT_GEMM_H
