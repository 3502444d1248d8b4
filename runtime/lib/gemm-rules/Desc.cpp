//===- Desc.cpp - Reading of GEMM descriptors --------------------------------
//===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every back end asks of a descriptor, and what a descriptor asks for.
//
//===----------------------------------------------------------------------===//

#include "Desc.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace amp_rt {

// Generated code writes the struct as a constant, and plans are found by its
// bytes: 8 + 20 * 4 + 12 * 8 + 2 * 4 bytes, no padding.
static_assert(sizeof(amp_rt_gemm_desc) == 192);
static_assert(offsetof(amp_rt_gemm_desc, batch) == 88);
static_assert(offsetof(amp_rt_gemm_desc, alpha) == 184);

int32_t Message::refuse(int32_t status, const char *format, ...) const {
  if (size == 0)
    return status;
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, size, format, args);
  va_end(args);
  return status;
}

//===----------------------------------------------------------------------===//
// Names and queries
//===----------------------------------------------------------------------===//

const char *typeName(int32_t dtype) {
  static const char *const names[] = {"none", "f32", "f16",    "bf16",
                                      "tf32", "f64", "e4m3fn", "e5m2",
                                      "i1",   "i8",  "i32",    "i64"};
  return dtype > 0 && dtype <= AMP_RT_DTYPE_I64 ? names[dtype] : names[0];
}

size_t typeSize(int32_t dtype) {
  static const unsigned char sizes[] = {0, 4, 2, 2, 0, 8, 1, 1, 1, 1, 4, 8};
  return dtype > 0 && dtype <= AMP_RT_DTYPE_I64 ? sizes[dtype] : 0;
}

const char *epilogueName(int32_t epilogue) {
  static const char *const names[] = {
      "none",      "bias",        "relu",          "bias_relu", "relu_aux",
      "gelu_tanh", "gelu_aux",    "bias_grad_lhs", "drelu",     "drelu_bgrad",
      "dgelu",     "dgelu_bgrad", "bias_grad_rhs"};
  return epilogue >= 0 && epilogue <= AMP_RT_EPILOGUE_BIAS_GRAD_RHS
             ? names[epilogue]
             : "unknown";
}

bool isF8(int32_t dtype) {
  return dtype == AMP_RT_DTYPE_E4M3FN || dtype == AMP_RT_DTYPE_E5M2;
}

bool embeds(int32_t from, int32_t to) {
  if (from == to || to == AMP_RT_DTYPE_F32)
    return true;
  if (to == AMP_RT_DTYPE_TF32)
    return from != AMP_RT_DTYPE_F32;
  if (to == AMP_RT_DTYPE_BF16 || to == AMP_RT_DTYPE_F16)
    return isF8(from);
  return false;
}

bool hasBias(const amp_rt_gemm_desc &desc) {
  switch (desc.epilogue) {
  case AMP_RT_EPILOGUE_BIAS:
  case AMP_RT_EPILOGUE_BIAS_RELU:
    return true;
  case AMP_RT_EPILOGUE_RELU_AUX:
  case AMP_RT_EPILOGUE_GELU_TANH:
  case AMP_RT_EPILOGUE_GELU_AUX:
    return desc.bias_type != AMP_RT_DTYPE_NONE;
  }
  return false;
}

bool hasReluMask(const amp_rt_gemm_desc &desc) {
  return desc.epilogue == AMP_RT_EPILOGUE_RELU_AUX ||
         desc.epilogue == AMP_RT_EPILOGUE_DRELU ||
         desc.epilogue == AMP_RT_EPILOGUE_DRELU_BGRAD;
}

bool hasGeluAux(const amp_rt_gemm_desc &desc) {
  return desc.epilogue == AMP_RT_EPILOGUE_GELU_AUX ||
         desc.epilogue == AMP_RT_EPILOGUE_DGELU ||
         desc.epilogue == AMP_RT_EPILOGUE_DGELU_BGRAD;
}

bool hasBiasGrad(const amp_rt_gemm_desc &desc) {
  return desc.epilogue == AMP_RT_EPILOGUE_BIAS_GRAD_LHS ||
         desc.epilogue == AMP_RT_EPILOGUE_BIAS_GRAD_RHS ||
         desc.epilogue == AMP_RT_EPILOGUE_DRELU_BGRAD ||
         desc.epilogue == AMP_RT_EPILOGUE_DGELU_BGRAD;
}

int64_t biasGradSize(const amp_rt_gemm_desc &desc) {
  return desc.epilogue == AMP_RT_EPILOGUE_BIAS_GRAD_LHS ? desc.m : desc.n;
}

bool usesTF32(const amp_rt_gemm_desc &desc) {
  return desc.lhs_type == AMP_RT_DTYPE_F32 &&
         desc.rhs_type == AMP_RT_DTYPE_F32 &&
         desc.lhs_compute == AMP_RT_DTYPE_TF32 &&
         desc.rhs_compute == AMP_RT_DTYPE_TF32;
}

void collapseBatch(amp_rt_gemm_desc &d) {
  if (d.batch <= 1 || d.transpose_lhs ||
      d.lhs_scale_mode > AMP_RT_SCALE_TENSOR || d.rhs_batch_stride != 0 ||
      d.lhs_batch_stride != d.m * d.lhs_ld ||
      d.out_batch_stride != d.m * d.out_ld ||
      d.aux_batch_stride != (d.aux_ld ? d.m * d.aux_ld : 0))
    return;
  d.m *= d.batch;
  d.batch = 1;
}

void describeGemm(const amp_rt_gemm_desc &d, char *buffer, size_t size) {
  int length = std::snprintf(
      buffer, size,
      "%s%s x %s%s -> %s of %lldx%lldx%lldx%lld (batch x m x n x k)",
      typeName(d.lhs_type), d.transpose_lhs ? "^T" : "", typeName(d.rhs_type),
      d.transpose_rhs ? "^T" : "", typeName(d.out_type), (long long)d.batch,
      (long long)d.m, (long long)d.n, (long long)d.k);
  if (d.epilogue != AMP_RT_EPILOGUE_NONE && length > 0 && size_t(length) < size)
    std::snprintf(buffer + length, size - length, ", epilogue %s",
                  epilogueName(d.epilogue));
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

#define AMP_RT_BAD_DESC(...)                                                   \
  message.refuse(AMP_RT_INVALID_ARGUMENT, __VA_ARGS__)

/// A value of an enum in [0, max].
static int32_t checkEnum(const Message &message, const char *field,
                         int32_t value, int32_t max) {
  if (value >= 0 && value <= max)
    return AMP_RT_OK;
  return AMP_RT_BAD_DESC("'%s' expects a value from 0 to %d, but got %d; see "
                         "the enums in amp-rt/gemm.h",
                         field, max, value);
}

static int32_t checkStorageType(const Message &message, const char *field,
                                int32_t type) {
  if (typeSize(type) != 0)
    return AMP_RT_OK;
  return AMP_RT_BAD_DESC("'%s' expects a storage type, but got %s (%d); use "
                         "for example AMP_RT_DTYPE_F32",
                         field, typeName(type), type);
}

/// A matrix of rows x cols: fills in a leading dimension of 0, and checks that
/// rows do not overlap and that the whole batch is addressable.
static int32_t checkLayout(const Message &message, const char *name,
                           int64_t rows, int64_t cols, int64_t batch,
                           bool broadcast, int64_t &ld, int64_t stride) {
  if (ld == 0)
    ld = cols > 0 ? cols : 1;
  if (ld < cols)
    return AMP_RT_BAD_DESC("'%s_ld' expects at least %lld (the length of a "
                           "stored row) or 0, but got %lld; set it to the row "
                           "pitch in elements",
                           name, (long long)cols, (long long)ld);
  int64_t last = 0, matrix = 0, whole = 0;
  if (rows > 0 && cols > 0) {
    if (__builtin_mul_overflow(rows - 1, ld, &last) ||
        __builtin_add_overflow(last, cols, &matrix))
      matrix = -1;
  }
  if (matrix < 0 ||
      (batch > 0 && __builtin_mul_overflow(batch, stride, &whole)) ||
      __builtin_add_overflow(whole, matrix, &whole) || whole > INT64_MAX / 16)
    return AMP_RT_BAD_DESC("the matrix '%s' of %lld x %lld with batch %lld is "
                           "too large to address; check the sizes",
                           name, (long long)rows, (long long)cols,
                           (long long)batch);
  if (stride < 0 || (stride == 0 && batch > 1 && !broadcast) ||
      (stride > 0 && batch > 1 && !broadcast && stride < matrix))
    return AMP_RT_BAD_DESC("'%s_batch_stride' expects at least %lld%s, but got "
                           "%lld; set it to the distance of two matrices in "
                           "elements",
                           name, (long long)matrix,
                           broadcast ? " or 0 to use one matrix for all" : "",
                           (long long)stride);
  return AMP_RT_OK;
}

static int32_t checkEnums(const Message &message, const amp_rt_gemm_desc &d) {
  struct {
    const char *field;
    int32_t value, max;
  } enums[] = {
      {"order", d.order, AMP_RT_ORDER_BLOCKED},
      {"subnormals", d.subnormals, AMP_RT_SUBNORMALS_FLUSH},
      {"excess", d.excess, AMP_RT_EXCESS_ALLOW},
      {"transpose_lhs", d.transpose_lhs, 1},
      {"transpose_rhs", d.transpose_rhs, 1},
      {"epilogue", d.epilogue, AMP_RT_EPILOGUE_BIAS_GRAD_RHS},
      {"lhs_scale_mode", d.lhs_scale_mode, AMP_RT_SCALE_BLOCK32},
      {"rhs_scale_mode", d.rhs_scale_mode, AMP_RT_SCALE_BLOCK32},
      {"out_scale_mode", d.out_scale_mode, AMP_RT_SCALE_BLOCK32},
      {"out_amax", d.out_amax, 1},
      {"bias_grad_type", d.bias_grad_type, AMP_RT_DTYPE_I64},
      {"lhs_compute", d.lhs_compute, AMP_RT_DTYPE_I64},
      {"rhs_compute", d.rhs_compute, AMP_RT_DTYPE_I64},
      {"accumulate_type", d.accumulate_type, AMP_RT_DTYPE_I64},
  };
  for (const auto &e : enums)
    if (int32_t status = checkEnum(message, e.field, e.value, e.max))
      return status;
  if ((d.order == AMP_RT_ORDER_BLOCKED) != (d.order_block > 0) ||
      d.order_block < 0)
    return AMP_RT_BAD_DESC("'order_block' expects %s, but got %d; it belongs "
                           "to AMP_RT_ORDER_BLOCKED",
                           d.order == AMP_RT_ORDER_BLOCKED ? "at least 1" : "0",
                           d.order_block);
  return AMP_RT_OK;
}

static int32_t checkTypes(const Message &message, const amp_rt_gemm_desc &d) {
  if (int32_t status = checkStorageType(message, "lhs_type", d.lhs_type))
    return status;
  if (int32_t status = checkStorageType(message, "rhs_type", d.rhs_type))
    return status;
  if (int32_t status = checkStorageType(message, "out_type", d.out_type))
    return status;
  bool wantsBias = d.epilogue == AMP_RT_EPILOGUE_BIAS ||
                   d.epilogue == AMP_RT_EPILOGUE_BIAS_RELU;
  if (wantsBias)
    if (int32_t status = checkStorageType(message, "bias_type", d.bias_type))
      return status;
  if (!wantsBias && d.bias_type != AMP_RT_DTYPE_NONE && !hasBias(d))
    return AMP_RT_BAD_DESC("'bias_type' expects none with an epilogue that "
                           "adds no bias, but got %s; use AMP_RT_EPILOGUE_BIAS "
                           "or clear it",
                           typeName(d.bias_type));
  if (!std::isfinite(d.alpha) || !std::isfinite(d.beta))
    return AMP_RT_BAD_DESC("'%s' expects a finite number, but got %g; set "
                           "alpha to 1 and beta to 0 for a plain product",
                           std::isfinite(d.alpha) ? "beta" : "alpha",
                           double(std::isfinite(d.alpha) ? d.beta : d.alpha));
  return AMP_RT_OK;
}

/// Completes the fields of aux and bias_grad, and checks them.
static int32_t checkEpilogue(const Message &message, amp_rt_gemm_desc &d) {
  bool mask = hasReluMask(d), gelu = hasGeluAux(d);
  if (mask && d.aux_type == AMP_RT_DTYPE_I1)
    d.aux_type = AMP_RT_DTYPE_NONE;
  if (!gelu && d.aux_type != AMP_RT_DTYPE_NONE)
    return AMP_RT_BAD_DESC("'aux_type' expects %s, but got %s; it belongs to "
                           "the epilogues with gelu that write or read aux",
                           mask ? "none or i1 for the mask of relu" : "none",
                           typeName(d.aux_type));
  if (gelu && d.aux_type == AMP_RT_DTYPE_NONE)
    d.aux_type = d.out_type;
  if (gelu)
    if (int32_t status = checkStorageType(message, "aux_type", d.aux_type))
      return status;
  if (!mask && !gelu) {
    d.aux_ld = d.aux_batch_stride = 0;
  } else {
    int64_t unit = mask ? 128 : 8;
    if (d.aux_ld == 0 && d.n <= INT64_MAX - unit)
      d.aux_ld = (d.n + unit - 1) / unit * unit;
    if (d.aux_ld < d.n || d.aux_ld % unit != 0)
      return AMP_RT_BAD_DESC("'aux_ld' expects a multiple of %lld of at least "
                             "%lld, or 0, but got %lld; it counts %s",
                             (long long)unit, (long long)d.n,
                             (long long)d.aux_ld, mask ? "bits" : "elements");
    int64_t matrix = 0;
    if (__builtin_mul_overflow(d.m, d.aux_ld, &matrix))
      matrix = INT64_MAX;
    if (d.aux_batch_stride == 0 && d.batch > 1)
      d.aux_batch_stride = matrix;
    if (d.batch > 1 &&
        (d.aux_batch_stride < matrix || d.aux_batch_stride % unit != 0))
      return AMP_RT_BAD_DESC("'aux_batch_stride' expects a multiple of %lld of "
                             "at least %lld, or 0, but got %lld; it counts %s",
                             (long long)unit, (long long)matrix,
                             (long long)d.aux_batch_stride,
                             mask ? "bits" : "elements");
  }
  if (!hasBiasGrad(d)) {
    if (d.bias_grad_type == AMP_RT_DTYPE_NONE)
      return AMP_RT_OK;
    return AMP_RT_BAD_DESC("'bias_grad_type' expects none with an epilogue "
                           "that writes no bias gradient, but got %s; clear it",
                           typeName(d.bias_grad_type));
  }
  if (d.bias_grad_type == AMP_RT_DTYPE_NONE)
    d.bias_grad_type = d.out_type;
  if (d.batch > 1)
    return AMP_RT_BAD_DESC("'batch' expects 1 with an epilogue that writes a "
                           "bias gradient, but got %lld; fold the batch into "
                           "the rows, or sum in a separate loop",
                           (long long)d.batch);
  return checkStorageType(message, "bias_grad_type", d.bias_grad_type);
}

static int32_t checkShape(const Message &message, amp_rt_gemm_desc &d) {
  struct {
    const char *field;
    int64_t value;
  } sizes[] = {{"batch", d.batch}, {"m", d.m}, {"n", d.n}, {"k", d.k}};
  for (const auto &s : sizes)
    if (s.value < 0)
      return AMP_RT_BAD_DESC("'%s' expects 0 or more, but got %lld; a dynamic "
                             "size must be known here",
                             s.field, (long long)s.value);
  if (int32_t status =
          checkLayout(message, "lhs", d.transpose_lhs ? d.k : d.m,
                      d.transpose_lhs ? d.m : d.k, d.batch, /*broadcast=*/true,
                      d.lhs_ld, d.lhs_batch_stride))
    return status;
  if (int32_t status =
          checkLayout(message, "rhs", d.transpose_rhs ? d.n : d.k,
                      d.transpose_rhs ? d.k : d.n, d.batch, /*broadcast=*/true,
                      d.rhs_ld, d.rhs_batch_stride))
    return status;
  if (int32_t status =
          checkLayout(message, "out", d.m, d.n, d.batch, /*broadcast=*/false,
                      d.out_ld, d.out_batch_stride))
    return status;
  return checkEpilogue(message, d);
}

int32_t completeGemmDesc(const amp_rt_gemm_desc *desc, amp_rt_gemm_desc &full,
                         const Message &message) {
  if (!desc)
    return AMP_RT_BAD_DESC("expects a descriptor, but got null; pass one");
  if (desc->struct_size < sizeof(uint64_t) || desc->struct_size > sizeof(full))
    return AMP_RT_BAD_DESC("'struct_size' of the descriptor expects up to %zu, "
                           "but got %llu; set it to sizeof(amp_rt_gemm_desc), "
                           "or use the runtime that the caller was built for",
                           sizeof(full), (unsigned long long)desc->struct_size);
  std::memset(&full, 0, sizeof(full));
  std::memcpy(&full, desc, desc->struct_size);
  full.struct_size = sizeof(full);
  if (int32_t status = checkEnums(message, full))
    return status;
  if (int32_t status = checkTypes(message, full))
    return status;
  return checkShape(message, full);
}

} // namespace amp_rt
