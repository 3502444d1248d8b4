//===- AgreementTest.cpp - The rules against the emulated library ---------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulated library has its own copy of what is documented and observed. On
// random products the two agree: what the table lets through the library takes,
// and what the table refuses for a documented or observed rule of the library
// it refuses too.
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include "amp-rt/gemm_rules.h"

#include <map>
#include <random>
#include <set>

using namespace amp_rt;
using namespace amp_rt::cuda;
using namespace lt_tests;

namespace {

/// Rules of ours that the library knows nothing of: promises about numerics,
/// and what a descriptor cannot be translated to.
bool isOurs(const std::string &rule) {
  static const std::set<std::string> ours = {"A1", "T4", "N1", "N2",
                                             "N3", "S1", "L5", "L6"};
  return ours.count(rule) != 0;
}

struct Random {
  std::mt19937 engine{20240229};
  int64_t below(int64_t n) {
    return std::uniform_int_distribution<int64_t>(0, n - 1)(engine);
  }
  template <typename T, size_t N> T of(const T (&values)[N]) {
    return values[below(N)];
  }
};

amp_rt_gemm_desc randomProduct(Random &random) {
  static const int32_t types[] = {AMP_RT_DTYPE_F32, AMP_RT_DTYPE_F16,
                                  AMP_RT_DTYPE_BF16, AMP_RT_DTYPE_E4M3FN,
                                  AMP_RT_DTYPE_E5M2};
  static const int64_t sizes[] = {16, 32, 64, 128, 24, 7};
  int32_t lhs = random.of(types);
  // Mostly pairs that have a chance.
  int32_t rhs = random.below(4) ? (isF8(lhs) ? types[3 + random.below(2)] : lhs)
                                : random.of(types);
  amp_rt_gemm_desc d =
      product(lhs, rhs, random.below(3) ? random.of(types) : lhs,
              random.of(sizes), random.of(sizes), random.of(sizes));
  if (random.below(3) == 0) {
    d.transpose_lhs = int32_t(random.below(2));
    d.transpose_rhs = int32_t(random.below(2));
  }
  d.epilogue = int32_t(random.below(13));
  if (hasBias(d) ||
      (random.below(2) && (d.epilogue == AMP_RT_EPILOGUE_RELU_AUX ||
                           d.epilogue == AMP_RT_EPILOGUE_GELU_TANH ||
                           d.epilogue == AMP_RT_EPILOGUE_GELU_AUX)))
    d.bias_type = random.below(2) ? d.out_type : random.of(types);
  if (random.below(3) == 0 && hasGeluAux(d))
    d.aux_type = random.of(types);
  if (random.below(3) == 0 && hasBiasGrad(d))
    d.bias_grad_type = random.of(types);
  if (isF8(lhs) && isF8(rhs))
    d.lhs_scale_mode = d.rhs_scale_mode = int32_t(random.below(4));
  if (isF8(d.out_type))
    d.out_scale_mode = int32_t(random.below(2));
  d.beta = random.below(3) ? 0.0f : 1.0f;
  if (random.below(4) == 0)
    d.lhs_ld = (d.transpose_lhs ? d.m : d.k) + random.of(sizes);
  return d;
}

/// Describes the product to the emulated library whatever the table says, by
/// taking the table's architecture to be one that lets more through.
cublasStatus_t ask(const LtTarget &target, const GemmPlan &plan) {
  cublasLtMatmulHeuristicResult_t result;
  int count = 0;
  const LtProblem &p = plan.problem;
  return target.lt.cublasLtMatmulAlgoGetHeuristic(
      target.handle, p.op.get(), p.a.get(), p.b.get(), p.c.get(), p.d.get(),
      p.preference.get(), 1, &result, &count);
}

TEST(Agreement, OnRandomProducts) {
  testing::internal::CaptureStderr();
  Random random;
  std::map<std::string, int> refusals;
  int legal = 0;
  for (int i = 0; i < 20000; ++i) {
    static const int32_t archs[] = {80, 89, 90, 100, 120};
    int32_t arch = random.of(archs);
    amp_rt_gemm_desc d = randomProduct(random);
    char text[600];
    int32_t status = amp_rt_gemm_check(&d, arch, text, sizeof(text));
    if (status == AMP_RT_INVALID_ARGUMENT)
      continue;
    LtTarget target = emulated(arch);
    GemmPlan plan;
    PlanKey key = {completed(d), Alignments()};
    context().status = AMP_RT_OK;
    ASSERT_EQ(describeUnchecked(target, key, plan), AMP_RT_OK)
        << context().message;
    cublasStatus_t answer = ask(target, plan);
    if (status == AMP_RT_OK) {
      ++legal;
      char name[192];
      describeGemm(key.desc, name, sizeof(name));
      EXPECT_EQ(answer, CUBLAS_STATUS_SUCCESS) << name << " on sm_" << arch;
      continue;
    }
    std::string rule = std::string(text).substr(5);
    rule.resize(rule.find(' '));
    ++refusals[rule];
    if (!isOurs(rule))
      EXPECT_NE(answer, CUBLAS_STATUS_SUCCESS) << text;
  }
  testing::internal::GetCapturedStderr();
  // The sample is worth something.
  EXPECT_GT(legal, 1000);
  for (const char *rule : {"L1", "L2", "L6", "L7", "L10", "L17", "S2", "T1",
                           "T2", "T3", "T5", "L11"})
    EXPECT_GT(refusals[rule], 3) << rule;
}

} // namespace
