//===- Refusals.cpp - What the library refuses ----------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Documented and observed rules only, in the library's terms, written without
// the runtime's table: where the two differ, a test that runs here fails.
//
//===----------------------------------------------------------------------===//

#include "Product.h"
#include "SmallFloats.h"

#include <algorithm>

namespace amp_emulator {

namespace {
/// Collects the first violated rule.
struct Verdict {
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  std::string &reason;

  /// Expects `holds`; otherwise the call gives `failure`.
  void expect(bool holds, cublasStatus_t failure, const char *what) {
    if (holds || status)
      return;
    status = failure;
    reason = what;
  }
  void valid(bool holds, const char *what) {
    expect(holds, CUBLAS_STATUS_INVALID_VALUE, what);
  }
  void supported(bool holds, const char *what) {
    expect(holds, CUBLAS_STATUS_NOT_SUPPORTED, what);
  }
};
} // namespace

static void checkLayout(Verdict &v, const Matrix &m, const Product &p) {
  Format format;
  v.supported(formatOf(int(m.type), format), "an element type");
  v.supported(m.order == CUBLASLT_ORDER_COL, "an order of elements");
  v.valid(m.rows > 0 && m.cols > 0, "an empty matrix");
  v.valid(m.ld >= int64_t(m.rows), "a leading dimension below the rows");
  v.valid(m.batch == p.d.batch, "batch counts that differ");
}

static void checkShapes(Verdict &v, const Product &p) {
  for (const Matrix *m : {&p.a, &p.b, &p.c, &p.d})
    checkLayout(v, *m, p);
  bool nA = p.transA == CUBLAS_OP_N, nB = p.transB == CUBLAS_OP_N;
  v.valid((nA ? p.a.rows : p.a.cols) == p.m(), "rows of A and D");
  v.valid((nB ? p.b.cols : p.b.rows) == p.n(), "columns of B and D");
  v.valid((nB ? p.b.rows : p.b.cols) == p.k(), "the inner sizes");
  v.valid(p.c.rows == p.d.rows && p.c.cols == p.d.cols, "the shape of C");
  v.supported(p.transC == CUBLAS_OP_N, "a transposed C");
  v.valid(p.d.batch >= 1, "the batch count");
  v.valid(p.d.batch == 1 || p.d.stride >= int64_t((p.d.cols - 1) * p.d.ld +
                                                  int64_t(p.d.rows)),
          "matrices of D that overlap");
}

static void checkTypes(Verdict &v, const Product &p) {
  auto a = int(p.a.type), b = int(p.b.type), c = int(p.c.type),
       d = int(p.d.type);
  v.supported(p.compute == CUBLAS_COMPUTE_32F ||
                  p.compute == CUBLAS_COMPUTE_32F_PEDANTIC ||
                  p.compute == CUBLAS_COMPUTE_32F_FAST_TF32,
              "a compute type");
  v.supported(p.compute != CUBLAS_COMPUTE_32F_FAST_TF32 || a == CUDA_R_32F,
              "TF32 of operands that are not f32");
  v.supported(p.scaleType == CUDA_R_32F, "a scale type");
  v.supported(p.pointerMode == CUBLASLT_POINTER_MODE_HOST, "a pointer mode");
  if (isF8(a) || isF8(b)) {
    v.supported(isF8(a) && isF8(b), "f8 with another type");
    v.supported(a != CUDA_R_8F_E5M2 || b != CUDA_R_8F_E5M2, "E5M2 by E5M2");
    v.supported(d != CUDA_R_8F_E5M2 || a == CUDA_R_8F_E5M2 ||
                    b == CUDA_R_8F_E5M2,
                "E4M3 by E4M3 to E5M2");
    v.supported(isF8(d) ? c == CUDA_R_16F || c == CUDA_R_16BF : c == d,
                "the type of C");
    return;
  }
  v.supported(a == b, "operand types that differ");
  v.supported(d == a || d == CUDA_R_32F, "the type of D");
  v.supported(c == d, "the type of C");
}

static void checkF8(Verdict &v, const Product &p, int arch) {
  if (!isF8(int(p.a.type)))
    return;
  v.expect(arch >= 89, CUBLAS_STATUS_ARCH_MISMATCH, "f8 below sm_89");
  bool anyLayout = (arch >= 100 && arch < 120) || arch >= 130;
  v.supported(anyLayout || (p.transA == CUBLAS_OP_T && p.transB == CUBLAS_OP_N),
              "f8 that is not TN");
  Format out;
  formatOf(int(p.d.type), out);
  v.supported(p.k() % 16 == 0, "k in f8");
  v.supported(p.a.ld % 16 == 0 && p.b.ld % 16 == 0,
              "a leading dimension in f8");
  v.supported(p.m() * uint64_t(out.bytes) % 16 == 0, "rows of D in f8");
  v.supported(p.d.ld * out.bytes % 16 == 0, "the leading dimension of D");
  v.supported(!isF8(int(p.d.type)) || p.beta == 0.0f, "beta with D in f8");
  for (int32_t mode : {p.aScaleMode, p.bScaleMode}) {
    v.supported(mode == CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F ||
                    (mode == CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F &&
                     arch == 90) ||
                    (mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0 &&
                     arch >= 100 && arch < 120),
                "a scale mode");
  }
  v.supported(p.aScaleMode == p.bScaleMode, "scale modes that differ");
  v.supported(p.dScaleMode == CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F,
              "the scale mode of D");
  // Epilogues that libraries use with f8.
  static const uint32_t tensor[] = {
      CUBLASLT_EPILOGUE_DEFAULT,  CUBLASLT_EPILOGUE_BIAS,
      CUBLASLT_EPILOGUE_RELU,     CUBLASLT_EPILOGUE_RELU_BIAS,
      CUBLASLT_EPILOGUE_GELU,     CUBLASLT_EPILOGUE_GELU_BIAS,
      CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
      CUBLASLT_EPILOGUE_DGELU,    CUBLASLT_EPILOGUE_DGELU_BGRAD,
      CUBLASLT_EPILOGUE_BGRADB};
  v.supported(std::find(std::begin(tensor), std::end(tensor), p.epilogue) !=
                  std::end(tensor),
              "an epilogue with f8");
  if (p.aScaleMode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0) {
    v.supported(p.epilogue == CUBLASLT_EPILOGUE_DEFAULT ||
                    p.epilogue == CUBLASLT_EPILOGUE_BIAS ||
                    p.epilogue == CUBLASLT_EPILOGUE_DGELU,
                "an epilogue with block scales");
    v.supported(p.k() % 32 == 0, "k with block scales");
  }
}

static void checkScales(Verdict &v, const Product &p) {
  bool f8 = isF8(int(p.a.type));
  v.valid(f8 || (!p.aScale && !p.bScale), "a scale of an operand not in f8");
  v.valid(!p.cScale, "a scale of C");
  bool f8Out = isF8(int(p.d.type));
  v.valid(f8Out || (!p.dScale && !p.amaxD), "scale or amax of D not in f8");
  v.supported(f8 || p.fastAccum == 0, "fast accumulation without f8");
}

static void checkEpilogue(Verdict &v, const Product &p) {
  static const uint32_t known[] = {
      CUBLASLT_EPILOGUE_DEFAULT,   CUBLASLT_EPILOGUE_RELU,
      CUBLASLT_EPILOGUE_RELU_AUX,  CUBLASLT_EPILOGUE_BIAS,
      CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_RELU_AUX_BIAS,
      CUBLASLT_EPILOGUE_DRELU,     CUBLASLT_EPILOGUE_DRELU_BGRAD,
      CUBLASLT_EPILOGUE_GELU,      CUBLASLT_EPILOGUE_GELU_AUX,
      CUBLASLT_EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
      CUBLASLT_EPILOGUE_DGELU,     CUBLASLT_EPILOGUE_DGELU_BGRAD,
      CUBLASLT_EPILOGUE_BGRADA,    CUBLASLT_EPILOGUE_BGRADB};
  v.valid(std::find(std::begin(known), std::end(known), p.epilogue) !=
              std::end(known),
          "an epilogue");
  auto d = int(p.d.type);
  bool f8 = isF8(int(p.a.type));
  if (p.addsBias() || p.writesBias()) {
    v.valid(p.bias != nullptr, "no bias pointer");
    int bias = p.biasType < 0 ? d : p.biasType;
    bool narrow = bias == CUDA_R_16F || bias == CUDA_R_16BF;
    if (!f8)
      v.supported(bias == d || (p.addsBias() && d == CUDA_R_32F &&
                                bias == int(p.a.type) && bias == CUDA_R_16BF),
                  "the type of the bias");
    else if (d == CUDA_R_16F || d == CUDA_R_16BF)
      v.supported(bias == d, "the type of the bias");
    else
      v.supported(isF8(d) ? narrow : bias == CUDA_R_16BF,
                  "the type of the bias");
  }
  if (!p.hasAux())
    return;
  int64_t unit = p.hasMask() ? 128 : 8;
  v.valid(p.aux != nullptr, "no aux pointer");
  v.valid(p.auxLd % unit == 0 && p.auxLd >= int64_t(p.m()),
          "the leading dimension of aux");
  v.valid(p.auxStride % unit == 0, "the batch stride of aux");
  v.valid(p.d.batch == 1 || p.auxStride >= p.auxLd * int64_t(p.n()),
          "matrices of aux that overlap");
  if (!p.hasMask()) {
    int aux = p.auxType < 0 ? d : p.auxType;
    v.supported(isF8(d) ? aux == CUDA_R_16F || aux == CUDA_R_16BF : aux == d,
                "the type of aux");
  }
}

cublasStatus_t checkProduct(const Product &p, int arch, std::string &reason) {
  Verdict v{CUBLAS_STATUS_SUCCESS, reason};
  checkShapes(v, p);
  checkTypes(v, p);
  checkF8(v, p, arch);
  checkScales(v, p);
  checkEpilogue(v, p);
  return v.status;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

static size_t bytesOf(const Matrix &m) {
  Format format;
  formatOf(int(m.type), format);
  return size_t((m.batch - 1) * m.stride + int64_t(m.cols - 1) * m.ld +
                int64_t(m.rows)) *
         size_t(format.bytes);
}

static bool isAligned(const void *pointer, uintptr_t bytes) {
  return reinterpret_cast<uintptr_t>(pointer) % bytes == 0;
}

cublasStatus_t checkData(const Product &p,
                         bool (*isAllocated)(const void *, size_t),
                         std::string &reason) {
  Verdict v{CUBLAS_STATUS_SUCCESS, reason};
  v.valid(p.aData && p.bData && p.cData && p.dData, "a null matrix");
  if (isF8(int(p.a.type)))
    for (const void *data : {p.aData, p.bData, (const void *)p.dData})
      v.valid(isAligned(data, 16), "a matrix of f8 not aligned to 16 bytes");
  v.valid(!p.hasAux() || isAligned(p.aux, 16), "aux not aligned to 16 bytes");
  Format bias, aux;
  formatOf(p.biasType < 0 ? int(p.d.type) : p.biasType, bias);
  formatOf(p.auxType < 0 ? int(p.d.type) : p.auxType, aux);
  int64_t auxCount = (p.d.batch - 1) * p.auxStride +
                     int64_t(p.n() - 1) * p.auxLd + int64_t(p.m());
  struct {
    bool isUsed;
    const void *data;
    size_t bytes;
    const char *what;
  } blocks[] = {
      {true, p.aData, bytesOf(p.a), "A outside of the device's memory"},
      {true, p.bData, bytesOf(p.b), "B outside of the device's memory"},
      {p.beta != 0.0f, p.cData, bytesOf(p.c),
       "C outside of the device's memory"},
      {true, p.dData, bytesOf(p.d), "D outside of the device's memory"},
      {p.addsBias() || p.writesBias(), p.bias,
       size_t(p.biasLength()) * size_t(bias.bytes),
       "the bias outside of the device's memory"},
      {p.hasAux(), p.aux,
       p.hasMask() ? size_t(auxCount + 7) / 8
                   : size_t(auxCount) * size_t(aux.bytes),
       "aux outside of the device's memory"},
      {p.aScale != nullptr, p.aScale, 1, "a scale outside of memory"},
      {p.bScale != nullptr, p.bScale, 1, "a scale outside of memory"},
      {p.dScale != nullptr, p.dScale, sizeof(float),
       "a scale outside of memory"},
      {p.amaxD != nullptr, p.amaxD, sizeof(float), "amax outside of memory"},
  };
  for (const auto &b : blocks)
    if (b.isUsed && !v.status)
      v.expect(isAllocated(b.data, b.bytes), CUBLAS_STATUS_EXECUTION_FAILED,
               b.what);
  return v.status;
}

} // namespace amp_emulator
