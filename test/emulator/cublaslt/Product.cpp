//===- Product.cpp - Reading a product back -------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Through the same entries that a program could read with.
//
//===----------------------------------------------------------------------===//

#include "Product.h"
#include "Descriptors.h"

namespace amp_emulator {

static cublasStatus_t readMatrix(cublasLtMatrixLayout_t layout, Matrix &m) {
  if (!layout)
    return CUBLAS_STATUS_INVALID_VALUE;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  auto read = [&](cublasLtMatrixLayoutAttribute_t attribute, auto &value) {
    if (!status)
      status = descriptors().cublasLtMatrixLayoutGetAttribute(
          layout, attribute, &value, sizeof(value), nullptr);
  };
  read(CUBLASLT_MATRIX_LAYOUT_TYPE, m.type);
  read(CUBLASLT_MATRIX_LAYOUT_ORDER, m.order);
  read(CUBLASLT_MATRIX_LAYOUT_ROWS, m.rows);
  read(CUBLASLT_MATRIX_LAYOUT_COLS, m.cols);
  read(CUBLASLT_MATRIX_LAYOUT_LD, m.ld);
  read(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, m.batch);
  read(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, m.stride);
  return status;
}

static cublasStatus_t readOperation(cublasLtMatmulDesc_t op, Product &p) {
  if (!op)
    return CUBLAS_STATUS_INVALID_VALUE;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  auto read = [&](cublasLtMatmulDescAttributes_t attribute, auto &value) {
    if (!status)
      status = descriptors().cublasLtMatmulDescGetAttribute(
          op, attribute, &value, sizeof(value), nullptr);
  };
  read(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, p.compute);
  read(CUBLASLT_MATMUL_DESC_SCALE_TYPE, p.scaleType);
  read(CUBLASLT_MATMUL_DESC_POINTER_MODE, p.pointerMode);
  read(CUBLASLT_MATMUL_DESC_TRANSA, p.transA);
  read(CUBLASLT_MATMUL_DESC_TRANSB, p.transB);
  read(CUBLASLT_MATMUL_DESC_TRANSC, p.transC);
  read(CUBLASLT_MATMUL_DESC_EPILOGUE, p.epilogue);
  read(CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
  read(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, p.biasType);
  read(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, p.biasStride);
  read(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, p.aux);
  read(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, p.auxLd);
  read(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, p.auxStride);
  read(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, p.auxType);
  read(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, p.aScale);
  read(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, p.bScale);
  read(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, p.cScale);
  read(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, p.dScale);
  read(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, p.amaxD);
  read(CUBLASLT_MATMUL_DESC_FAST_ACCUM, p.fastAccum);
  read(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, p.aScaleMode);
  read(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, p.bScaleMode);
  read(CUBLASLT_MATMUL_DESC_D_SCALE_MODE, p.dScaleMode);
  return status;
}

cublasStatus_t readProduct(cublasLtMatmulDesc_t op, cublasLtMatrixLayout_t a,
                           cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                           cublasLtMatrixLayout_t d, Product &product) {
  cublasStatus_t status = readOperation(op, product);
  if (!status)
    status = readMatrix(a, product.a);
  if (!status)
    status = readMatrix(b, product.b);
  if (!status)
    status = readMatrix(c, product.c);
  if (!status)
    status = readMatrix(d, product.d);
  return status;
}

} // namespace amp_emulator
