//===- Harness.h - Conformance suite support --------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contexts of the back end under test, number formats in plain f64 arithmetic,
// and one GEMM with its reference and error bound. Shares no code with the
// runtime: everything goes through the C ABI.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_CTS_HARNESS_H
#define AMP_RT_CTS_HARNESS_H

#include "amp-rt/amp_rt.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace cts {

/// The back end under test (an enum amp_rt_backend), set by the command line.
extern int32_t backendUnderTest;

/// Owns a context of the back end under test and records its error callbacks.
class Context {
public:
  explicit Context(int32_t numThreads = 0);
  ~Context() { amp_rt_context_destroy(ctx); }
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  operator amp_rt_context *() const { return ctx; }
  int32_t status() const { return amp_rt_last_status(ctx); }
  std::string error() const { return amp_rt_last_error(ctx); }
  amp_rt_memory memory() const;

  /// What on_error was called with.
  std::vector<std::string> reported;

private:
  amp_rt_context *ctx = nullptr;
};

/// The fixture of all tests; skips, with the reason, where the back end has no
/// device on this machine.
class Suite : public testing::Test {
protected:
  void SetUp() override;
};

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The value of an encoding.
double decode(uint32_t bits, int32_t dtype);

/// The nearest encoding of a finite value, ties to even; overflow gives inf, or
/// NaN in e4m3fn.
uint32_t encode(double value, int32_t dtype);

/// Half of the gap between neighbours at |value|.
double halfUlp(double value, int32_t dtype);

/// An array of encoded values.
struct Array {
  int32_t dtype = AMP_RT_DTYPE_NONE;
  std::vector<unsigned char> bytes;

  Array() = default;
  Array(int32_t dtype, size_t count)
      : dtype(dtype), bytes(count * amp_rt_dtype_size(dtype)) {}

  void *data() { return bytes.data(); }
  const void *data() const { return bytes.data(); }
  uint32_t bits(size_t i) const;
  void setBits(size_t i, uint32_t value);
  double get(size_t i) const { return decode(bits(i), dtype); }
  void set(size_t i, double value) { setBits(i, encode(value, dtype)); }
};

//===----------------------------------------------------------------------===//
// GEMM
//===----------------------------------------------------------------------===//

/// How the matrices of a batch lie.
enum class Batching { Single, Strided, SharedRhs, SharedLhs };

/// One product: what is asked for, beside the data.
struct GemmCase {
  int32_t lhs = AMP_RT_DTYPE_F32;
  int32_t rhs = AMP_RT_DTYPE_F32;
  int32_t out = AMP_RT_DTYPE_F32;
  int32_t bias = AMP_RT_DTYPE_NONE;
  int32_t epilogue = AMP_RT_EPILOGUE_NONE;
  /// Of the values of gelu in aux; none is the type of out.
  int32_t aux = AMP_RT_DTYPE_NONE;
  /// none is the type of out.
  int32_t biasGrad = AMP_RT_DTYPE_NONE;
  bool transposeLhs = false;
  bool transposeRhs = false;
  Batching batching = Batching::Single;
  int64_t m = 1, n = 1, k = 1;
  float alpha = 1.0f, beta = 0.0f;
  /// Unused elements at the end of each stored row and matrix.
  int64_t padding = 0;
};

class Mirror;

/// A case with its descriptor, data and pointers. The values are random; all
/// that is padding, and out when it is not read, holds NaN or a marker.
struct GemmRun {
  explicit GemmRun(const GemmCase &c, unsigned seed = 1);

  /// Runs the product on the host's arrays. On a device their content goes to
  /// the mirror before, one of this call unless there is one, and what is
  /// written comes back after.
  int32_t run(amp_rt_context *ctx) { return run(ctx, desc); }
  int32_t run(amp_rt_context *ctx, const amp_rt_gemm_desc &other);
  /// Checks out, and the aux and bias gradient that the epilogue writes,
  /// against f64 under the error model, and that the padding of out was left
  /// alone.
  testing::AssertionResult check() const;

  int64_t lhsIndex(int64_t b, int64_t m, int64_t k) const;
  int64_t rhsIndex(int64_t b, int64_t k, int64_t n) const;
  int64_t outIndex(int64_t b, int64_t m, int64_t n) const;
  /// Of a bit for the mask of relu, of an element for gelu.
  int64_t auxIndex(int64_t b, int64_t m, int64_t n) const;
  bool maskBit(int64_t b, int64_t m, int64_t n) const;

  bool hasMask() const;
  bool hasGeluValues() const;
  bool hasBiasGrad() const;

  GemmCase c;
  amp_rt_gemm_desc desc = {};
  amp_rt_gemm_args args = {};
  Array lhs, rhs, bias, out, oldOut, aux, biasGrad;
  Mirror *mirror = nullptr;

private:
  void makeExtras(std::mt19937 &random);
};

/// A run's arrays in the context's memory, while it lives. Only a device needs
/// one; on the CPU the arrays are their own mirror.
class Mirror {
public:
  Mirror(amp_rt_context *ctx, GemmRun &run);
  ~Mirror();
  Mirror(const Mirror &) = delete;
  Mirror &operator=(const Mirror &) = delete;

  void upload();
  void download();
  /// The run's pointers, those into its arrays replaced.
  amp_rt_gemm_args args() const;

private:
  amp_rt_context *ctx;
  GemmRun &run;
  std::vector<std::pair<Array *, void *>> blocks;
};

/// Context memory with a host vector's content, and back.
void *uploadBytes(amp_rt_context *ctx, const void *data, size_t bytes);
std::vector<unsigned char> downloadBytes(amp_rt_context *ctx, const void *block,
                                         size_t bytes);

/// For SCOPED_TRACE.
std::string toString(const GemmCase &c);

/// Whether a device refused a product by a rule of its library, which the error
/// names; the error is then cleared. Never on the CPU.
bool refusedByRule(amp_rt_context *ctx, int32_t status);

} // namespace cts

#endif // AMP_RT_CTS_HARNESS_H
