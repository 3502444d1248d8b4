//===- Execute.cpp - The product itself -----------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums in f64 and rounds once, unless the algorithm was chosen to reduce in the
// output type. Written from the library's documentation, in its terms.
//
//===----------------------------------------------------------------------===//

#include "Product.h"
#include "SmallFloats.h"

#include <algorithm>
#include <vector>

namespace amp_emulator {

namespace {

/// Where element (row, k) of a block-scaled operand has its e8m0 scale: tiles
/// of 128 rows and 4 blocks of 32.
int64_t blockScaleIndex(int64_t row, int64_t k, int64_t length) {
  int64_t block = k / 32, blocks = ((length + 31) / 32 + 3) / 4;
  int64_t tile = row / 128 * blocks + block / 4;
  return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + block % 4;
}

class Execution {
public:
  explicit Execution(const Product &p) : p(p) {
    formatOf(int(p.a.type), aFormat);
    formatOf(int(p.b.type), bFormat);
    formatOf(int(p.c.type), cFormat);
    formatOf(int(p.d.type), dFormat);
    formatOf(p.biasType < 0 ? int(p.d.type) : p.biasType, biasFormat);
    formatOf(p.auxType < 0 ? int(p.d.type) : p.auxType, auxFormat);
  }

  void run() {
    if (p.amaxD)
      *static_cast<float *>(p.amaxD) = 0.0f;
    for (int32_t batch = 0; batch < p.d.batch; ++batch)
      runMatrix(batch);
  }

private:
  void runMatrix(int64_t batch) {
    m = int64_t(p.m());
    n = int64_t(p.n());
    k = int64_t(p.k());
    loadOperands(batch);
    multiply();
    std::vector<double> result(size_t(m * n));
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i)
        result[size_t(j * m + i)] = element(batch, i, j);
    writeBiasGradient(batch, result);
    write(batch, result);
  }

  /// op(A) by rows and op(B) by columns, scaled and as the multiplier sees
  /// them.
  void loadOperands(int64_t batch) {
    aValues.resize(size_t(m * k));
    bValues.resize(size_t(n * k));
    for (int64_t i = 0; i < m; ++i)
      for (int64_t l = 0; l < k; ++l) {
        int64_t at = p.transA == CUBLAS_OP_N ? i + l * p.a.ld : l + i * p.a.ld;
        aValues[size_t(i * k + l)] =
            operand(p.aData, batch * p.a.stride + at, aFormat, p.aScale,
                    p.aScaleMode, i, l);
      }
    for (int64_t j = 0; j < n; ++j)
      for (int64_t l = 0; l < k; ++l) {
        int64_t at = p.transB == CUBLAS_OP_N ? l + j * p.b.ld : j + l * p.b.ld;
        bValues[size_t(j * k + l)] =
            operand(p.bData, batch * p.b.stride + at, bFormat, p.bScale,
                    p.bScaleMode, j, l);
      }
  }

  double operand(const void *data, int64_t at, const Format &format,
                 const void *scale, int32_t mode, int64_t outer, int64_t l) {
    double value = load(data, at, format);
    if (p.compute == CUBLAS_COMPUTE_32F_FAST_TF32)
      value = roundToTF32(value);
    if (!scale)
      return value;
    if (mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0) {
      uint8_t bits =
          static_cast<const uint8_t *>(scale)[blockScaleIndex(outer, l, k)];
      return bits == 255 ? NAN : std::ldexp(value, int(bits) - 127);
    }
    bool outerVector = mode == CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
    return value * static_cast<const float *>(scale)[outerVector ? outer : 0];
  }

  void multiply() {
    sums.assign(size_t(m * n), 0.0);
    int64_t splits = std::max<int64_t>(1, p.splits);
    int64_t part = (k + splits - 1) / splits;
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) {
        const double *a = &aValues[size_t(i * k)];
        const double *b = &bValues[size_t(j * k)];
        double total = 0.0;
        for (int64_t begin = 0; begin < k; begin += part) {
          double sum = 0.0;
          for (int64_t l = begin; l < std::min(k, begin + part); ++l)
            sum += a[l] * b[l];
          if (p.reducesInOutputType)
            sum = decode(encode(sum, dFormat), dFormat);
          total += sum;
        }
        sums[size_t(j * m + i)] = total;
      }
  }

  double element(int64_t batch, int64_t i, int64_t j) {
    double x = double(p.alpha) * sums[size_t(j * m + i)];
    if (p.beta != 0.0f) {
      double scale = p.cScale ? *static_cast<const float *>(p.cScale) : 1.0;
      x += double(p.beta) * scale *
           load(p.cData, batch * p.c.stride + i + j * p.c.ld, cFormat);
    }
    if (p.addsBias())
      x += load(p.bias, batch * p.biasStride + i, biasFormat);
    int64_t auxAt = batch * p.auxStride + i + j * p.auxLd;
    if (p.epilogue == CUBLASLT_EPILOGUE_DRELU ||
        p.epilogue == CUBLASLT_EPILOGUE_DRELU_BGRAD)
      return maskBit(auxAt) ? x : 0.0;
    if (p.epilogue == CUBLASLT_EPILOGUE_DGELU ||
        p.epilogue == CUBLASLT_EPILOGUE_DGELU_BGRAD)
      return x * geluSlope(load(p.aux, auxAt, auxFormat));
    if (p.epilogue < 256 && (p.epilogue & CUBLASLT_EPILOGUE_RELU)) {
      if (p.hasAux())
        setMaskBit(auxAt, x > 0.0);
      return std::isnan(x) || x > 0.0 ? x : 0.0;
    }
    if (p.epilogue < 256 && (p.epilogue & CUBLASLT_EPILOGUE_GELU)) {
      if (p.hasAux())
        store(p.aux, auxAt, x, auxFormat);
      return 0.5 * x * (1.0 + std::tanh(geluInner(x)));
    }
    return x;
  }

  static double geluInner(double x) {
    return std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x);
  }
  static double geluSlope(double x) {
    double t = std::tanh(geluInner(x));
    double slope = std::sqrt(2.0 / M_PI) * (1.0 + 3 * 0.044715 * x * x);
    return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * slope;
  }

  bool maskBit(int64_t at) const {
    return static_cast<const uint8_t *>(p.aux)[at / 8] >> (at % 8) & 1;
  }
  void setMaskBit(int64_t at, bool value) {
    auto &byte = static_cast<uint8_t *>(p.aux)[at / 8];
    auto bit = uint8_t(1u << (at % 8));
    byte = uint8_t(value ? byte | bit : byte & ~bit);
  }

  void writeBiasGradient(int64_t batch, const std::vector<double> &result) {
    if (!p.writesBias())
      return;
    bool ofA = p.epilogue == CUBLASLT_EPILOGUE_BGRADA;
    bool ofB = p.epilogue == CUBLASLT_EPILOGUE_BGRADB;
    for (int64_t i = 0; i < int64_t(p.biasLength()); ++i) {
      double sum = 0.0;
      if (ofA || ofB)
        for (int64_t l = 0; l < k; ++l)
          sum += (ofA ? aValues : bValues)[size_t(i * k + l)];
      else
        for (int64_t j = 0; j < n; ++j)
          sum += result[size_t(j * m + i)];
      store(p.bias, batch * p.biasStride + i, sum, biasFormat);
    }
  }

  void write(int64_t batch, const std::vector<double> &result) {
    double scale = p.dScale ? *static_cast<const float *>(p.dScale) : 1.0;
    double amax = 0.0;
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) {
        double x = result[size_t(j * m + i)];
        if (std::fabs(x) > amax)
          amax = std::fabs(x);
        store(p.dData, batch * p.d.stride + i + j * p.d.ld, x * scale, dFormat);
      }
    if (p.amaxD) {
      auto &stored = *static_cast<float *>(p.amaxD);
      stored = std::max(stored, float(amax));
    }
  }

  const Product &p;
  Format aFormat = {}, bFormat = {}, cFormat = {}, dFormat = {};
  Format biasFormat = {}, auxFormat = {};
  int64_t m = 0, n = 0, k = 0;
  std::vector<double> aValues, bValues, sums;
};

} // namespace

void execute(const Product &product) { Execution(product).run(); }

} // namespace amp_emulator
