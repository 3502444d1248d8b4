//===- Product.h - What the library is asked to compute ---------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call of cublasLtMatmul, read back from its descriptors, in the library's
// own terms: column-major, A times B.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_CUBLASLT_PRODUCT_H
#define AMP_EMULATOR_CUBLASLT_PRODUCT_H

#include <cublasLt.h>

#include <cstdint>
#include <string>

namespace amp_emulator {

struct Matrix {
  uint32_t type = 0;
  int32_t order = 0;
  uint64_t rows = 0, cols = 0;
  int64_t ld = 0;
  int32_t batch = 1;
  int64_t stride = 0;
};

/// Everything that decides the result but the contents of memory.
struct Product {
  Matrix a, b, c, d;
  int32_t compute = 0, scaleType = 0, pointerMode = 0;
  int32_t transA = 0, transB = 0, transC = 0;
  uint32_t epilogue = 0;
  void *bias = nullptr;
  int32_t biasType = -1;
  int64_t biasStride = 0;
  void *aux = nullptr;
  int64_t auxLd = 0, auxStride = 0;
  int32_t auxType = -1;
  const void *aScale = nullptr, *bScale = nullptr, *cScale = nullptr,
             *dScale = nullptr;
  void *amaxD = nullptr;
  int8_t fastAccum = 0;
  int32_t aScaleMode = 0, bScaleMode = 0, dScaleMode = 0;

  // Of a call only.
  float alpha = 1.0f, beta = 0.0f;
  const void *aData = nullptr, *bData = nullptr, *cData = nullptr;
  void *dData = nullptr;
  /// Sums are cut into `splits` along k, and kept in D's type in between when
  /// the algorithm reduces in the output type.
  int32_t splits = 1;
  bool reducesInOutputType = false;

  uint64_t m() const { return d.rows; }
  uint64_t n() const { return d.cols; }
  uint64_t k() const { return transA == CUBLAS_OP_N ? a.cols : a.rows; }

  bool addsBias() const {
    return (epilogue & CUBLASLT_EPILOGUE_BIAS) && epilogue < 256;
  }
  bool writesBias() const {
    return (epilogue & 16) || epilogue == CUBLASLT_EPILOGUE_BGRADA ||
           epilogue == CUBLASLT_EPILOGUE_BGRADB;
  }
  bool hasAux() const { return (epilogue & 128) != 0; }
  /// The aux of relu is a mask of bits.
  bool hasMask() const { return hasAux() && (epilogue & (2 | 8)); }
  uint64_t biasLength() const {
    return epilogue == CUBLASLT_EPILOGUE_BGRADB ? n() : m();
  }
};

/// Reads all attributes back.
cublasStatus_t readProduct(cublasLtMatmulDesc_t op, cublasLtMatrixLayout_t a,
                           cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                           cublasLtMatrixLayout_t d, Product &product);

/// Why a device of this architecture does not compute the product: a documented
/// or observed rule. Success when it does.
cublasStatus_t checkProduct(const Product &product, int arch,
                            std::string &reason);

/// As checkProduct, with data: null or misaligned pointers, memory that is not
/// the device's.
cublasStatus_t checkData(const Product &product,
                         bool (*isAllocated)(const void *pointer, size_t bytes),
                         std::string &reason);

/// Computes it.
void execute(const Product &product);

} // namespace amp_emulator

#endif // AMP_EMULATOR_CUBLASLT_PRODUCT_H
