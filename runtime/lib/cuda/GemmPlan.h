//===- GemmPlan.h - How one GEMM is executed by cuBLASLt --------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan is made once per descriptor and alignment of the pointers: the
// library's objects that describe the product, and the algorithm that runs it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_CUDA_GEMMPLAN_H
#define AMP_RT_LIB_CUDA_GEMMPLAN_H

#include "CublasLt.h"

#include <array>
#include <vector>

namespace amp_rt::cuda {

/// Bytes to which the pointers of a call are aligned, each at most 16.
struct Alignments {
  uint8_t lhs = 16, rhs = 16, out = 16, bias = 16, aux = 16;
  uint8_t reserved[3] = {};

  static Alignments of(const amp_rt_gemm_args &args);
};

/// What tells plans of a context apart; has no padding.
struct PlanKey {
  amp_rt_gemm_desc desc;
  Alignments alignments;
};
static_assert(sizeof(PlanKey) == sizeof(amp_rt_gemm_desc) + 8);

/// One of the ways in which the library can run a product.
struct Algorithm {
  cublasLtMatmulAlgo_t value = {};
  size_t workspaceBytes = 0;
};

/// What the library is told about a product. Row-major matrices are
/// column-major ones transposed: its A is rhs, its B is lhs.
struct LtProblem {
  LtDesc op;
  LtLayout a, b, c, d;
  LtPreference preference;
};

enum class GemmKind {
  /// Nothing to do: m, n or batch is 0.
  Empty,
  /// A product of the operands.
  Product,
  /// k is 0: a product of zeros, for the sake of beta and the epilogue.
  Zeros,
};

struct GemmPlan {
  /// As it was asked for, and as the library sees it.
  PlanKey key = {};
  amp_rt_gemm_desc desc = {};
  GemmKind kind = GemmKind::Empty;
  LtProblem problem;
  Algorithm algorithm;
  std::string path;
  /// For Zeros: bytes that both operands are read from.
  size_t zeroBytes = 0;
  void *zeros = nullptr;
};

/// What plans are made for.
struct LtTarget {
  amp_rt_context &ctx;
  /// Asked after a failure of the device whether it is lost; may be null.
  int32_t (*askDevice)(void *backend);
  void *backend;
  const CublasLt &lt;
  cublasLtHandle_t handle;
  int32_t arch;
  size_t workspaceBytes;
};

/// Checks the rules of the architecture and describes the product; everything
/// but the algorithm.
int32_t describeProblem(const LtTarget &target, const PlanKey &key,
                        GemmPlan &plan);
/// The same without asking the rules.
int32_t describeUnchecked(const LtTarget &target, const PlanKey &key,
                          GemmPlan &plan);

/// The library's proposals, best first: at least one, at most `count`.
int32_t findAlgorithms(const LtTarget &target, const GemmPlan &plan,
                       size_t count, std::vector<Algorithm> &found);

/// Whether the library takes `algorithm` for this product, with its workspace.
bool acceptsAlgorithm(const LtTarget &target, const GemmPlan &plan,
                      Algorithm &algorithm);

void setAlgorithm(const LtTarget &target, GemmPlan &plan,
                  const Algorithm &algorithm);

/// Issues the product on the stream.
int32_t runAlgorithm(const LtTarget &target, const GemmPlan &plan,
                     const amp_rt_gemm_args &args, const Algorithm &algorithm,
                     void *workspace, cudaStream_t stream);

/// Reports a status of the library with the product and a remedy. Success is
/// passed on as AMP_RT_OK.
int32_t checkLt(const LtTarget &target, const amp_rt_gemm_desc &desc,
                cublasStatus_t status, const char *entry);

} // namespace amp_rt::cuda

#endif // AMP_RT_LIB_CUDA_GEMMPLAN_H
