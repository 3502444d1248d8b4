//===- Store.cpp - Descriptors without the real library -------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes by number, with the size and default that cublasLt.h documents;
// another attribute or size is an invalid value, as in the real library.
//
//===----------------------------------------------------------------------===//

#include "Descriptors.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <string>

namespace amp_emulator {

namespace {
struct Attribute {
  int id;
  size_t size;
  int64_t initial;
};

/// One descriptor, whatever it describes.
struct Object {
  std::map<int, std::string> values;

  template <size_t N> explicit Object(const Attribute (&attributes)[N]) {
    for (const Attribute &a : attributes)
      values[a.id] =
          std::string(reinterpret_cast<const char *>(&a.initial), a.size);
  }
  template <typename T> void put(int id, T value) {
    values[id] =
        std::string(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  cublasStatus_t set(int id, const void *buffer, size_t size) {
    auto found = values.find(id);
    if (found == values.end() || !buffer || size != found->second.size())
      return CUBLAS_STATUS_INVALID_VALUE;
    found->second.assign(static_cast<const char *>(buffer), size);
    return CUBLAS_STATUS_SUCCESS;
  }
  cublasStatus_t get(int id, void *buffer, size_t size, size_t *written) const {
    auto found = values.find(id);
    if (found == values.end() || (size == 0 && !written))
      return CUBLAS_STATUS_INVALID_VALUE;
    if (written)
      *written = found->second.size();
    if (size == 0)
      return CUBLAS_STATUS_SUCCESS;
    if (!buffer || size != found->second.size())
      return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(buffer, found->second.data(), size);
    return CUBLAS_STATUS_SUCCESS;
  }
};
} // namespace

static constexpr Attribute kDescAttributes[] = {
    {CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, 4, CUBLAS_COMPUTE_32F},
    {CUBLASLT_MATMUL_DESC_SCALE_TYPE, 4, CUDA_R_32F},
    {CUBLASLT_MATMUL_DESC_POINTER_MODE, 4, CUBLASLT_POINTER_MODE_HOST},
    {CUBLASLT_MATMUL_DESC_TRANSA, 4, CUBLAS_OP_N},
    {CUBLASLT_MATMUL_DESC_TRANSB, 4, CUBLAS_OP_N},
    {CUBLASLT_MATMUL_DESC_TRANSC, 4, CUBLAS_OP_N},
    {CUBLASLT_MATMUL_DESC_EPILOGUE, 4, CUBLASLT_EPILOGUE_DEFAULT},
    {CUBLASLT_MATMUL_DESC_BIAS_POINTER, 8, 0},
    {CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, 8, 0},
    {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, 8, 0},
    {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, 8, 0},
    {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, 8, 0},
    {CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, 8, 0},
    {CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, 8, 0},
    {CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, 8, 0},
    {CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, 8, 0},
    {CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, 8, 0},
    {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, 4, -1},
    {CUBLASLT_MATMUL_DESC_FAST_ACCUM, 1, 0},
    {CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, 4, -1},
    {CUBLASLT_MATMUL_DESC_A_SCALE_MODE, 4, 0},
    {CUBLASLT_MATMUL_DESC_B_SCALE_MODE, 4, 0},
    {CUBLASLT_MATMUL_DESC_D_SCALE_MODE, 4, 0},
};
static constexpr Attribute kLayoutAttributes[] = {
    {CUBLASLT_MATRIX_LAYOUT_TYPE, 4, 0},
    {CUBLASLT_MATRIX_LAYOUT_ORDER, 4, CUBLASLT_ORDER_COL},
    {CUBLASLT_MATRIX_LAYOUT_ROWS, 8, 0},
    {CUBLASLT_MATRIX_LAYOUT_COLS, 8, 0},
    {CUBLASLT_MATRIX_LAYOUT_LD, 8, 0},
    {CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 4, 1},
    {CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 8, 0},
};
static constexpr Attribute kPreferenceAttributes[] = {
    {CUBLASLT_MATMUL_PREF_SEARCH_MODE, 4, CUBLASLT_SEARCH_BEST_FIT},
    {CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 8, 0},
    {CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, 4,
     CUBLASLT_REDUCTION_SCHEME_MASK},
    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 4, 256},
    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 4, 256},
    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 4, 256},
    {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 4, 256},
    {CUBLASLT_MATMUL_PREF_IMPL_MASK, 8, -1},
};

template <typename Handle> static Object *object(Handle handle) {
  return reinterpret_cast<Object *>(handle);
}
template <typename Handle> static cublasStatus_t destroy(Handle handle) {
  delete object(handle);
  return CUBLAS_STATUS_SUCCESS;
}
template <typename Handle, typename Id>
static cublasStatus_t set(Handle handle, Id id, const void *buffer,
                          size_t size) {
  return object(handle)->set(id, buffer, size);
}
template <typename Handle, typename Id>
static cublasStatus_t get(Handle handle, Id id, void *buffer, size_t size,
                          size_t *written) {
  return object(handle)->get(id, buffer, size, written);
}

static cublasStatus_t createDesc(cublasLtMatmulDesc_t *result,
                                 cublasComputeType_t compute,
                                 cudaDataType_t scale) {
  auto *made = new Object(kDescAttributes);
  made->put(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, int32_t(compute));
  made->put(CUBLASLT_MATMUL_DESC_SCALE_TYPE, int32_t(scale));
  *result = reinterpret_cast<cublasLtMatmulDesc_t>(made);
  return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t createLayout(cublasLtMatrixLayout_t *result,
                                   cudaDataType_t type, uint64_t rows,
                                   uint64_t cols, int64_t ld) {
  auto *made = new Object(kLayoutAttributes);
  made->put(CUBLASLT_MATRIX_LAYOUT_TYPE, uint32_t(type));
  made->put(CUBLASLT_MATRIX_LAYOUT_ROWS, rows);
  made->put(CUBLASLT_MATRIX_LAYOUT_COLS, cols);
  made->put(CUBLASLT_MATRIX_LAYOUT_LD, ld);
  *result = reinterpret_cast<cublasLtMatrixLayout_t>(made);
  return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t createPreference(cublasLtMatmulPreference_t *result) {
  *result = reinterpret_cast<cublasLtMatmulPreference_t>(
      new Object(kPreferenceAttributes));
  return CUBLAS_STATUS_SUCCESS;
}

Descriptors ownDescriptors() {
  Descriptors own;
  own.cublasLtMatmulDescCreate = createDesc;
  own.cublasLtMatmulDescDestroy = destroy;
  own.cublasLtMatmulDescSetAttribute = set;
  own.cublasLtMatmulDescGetAttribute = get;
  own.cublasLtMatrixLayoutCreate = createLayout;
  own.cublasLtMatrixLayoutDestroy = destroy;
  own.cublasLtMatrixLayoutSetAttribute = set;
  own.cublasLtMatrixLayoutGetAttribute = get;
  own.cublasLtMatmulPreferenceCreate = createPreference;
  own.cublasLtMatmulPreferenceDestroy = destroy;
  own.cublasLtMatmulPreferenceSetAttribute = set;
  own.cublasLtMatmulPreferenceGetAttribute = get;
  return own;
}

} // namespace amp_emulator
