//===- ProductsTest.cpp - Products of the emulated library ----------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime asks cuBLASLt for, computed by the emulated library on host
// memory and checked by the conformance suite's reference. Swapped operands,
// epilogues and layouts meet here for the first time; no driver is needed.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "Library.h"

#include <cmath>
#include <cstdlib>

using namespace amp_rt;
using namespace amp_rt::cuda;
using namespace lt_tests;

namespace {

constexpr int32_t F32 = AMP_RT_DTYPE_F32, F16 = AMP_RT_DTYPE_F16,
                  BF16 = AMP_RT_DTYPE_BF16, E4M3 = AMP_RT_DTYPE_E4M3FN,
                  E5M2 = AMP_RT_DTYPE_E5M2;

/// Memory for algorithms that need it, aligned as the runtime's.
void *workspace() {
  static void *block = std::aligned_alloc(256, size_t(4) << 20);
  return block;
}

/// Runs the product with the proposal of this number.
int32_t run(cts::GemmRun &r, const LtTarget &target, size_t proposal = 0) {
  context().status = AMP_RT_OK;
  GemmPlan plan;
  PlanKey key = {completed(r.desc), Alignments::of(r.args)};
  if (int32_t status = describeProblem(target, key, plan))
    return status;
  std::vector<Algorithm> found;
  if (int32_t status = findAlgorithms(target, plan, 8, found))
    return status;
  return runAlgorithm(target, plan, r.args, found.at(proposal), workspace(),
                      nullptr);
}

void expectProduct(const cts::GemmCase &c, unsigned seed,
                   const LtTarget &target, size_t proposal = 0) {
  SCOPED_TRACE(cts::toString(c));
  cts::GemmRun r(c, seed);
  ASSERT_EQ(run(r, target, proposal), AMP_RT_OK) << context().message;
  EXPECT_TRUE(r.check());
}

TEST(Products, EveryEpilogueAndLayout) {
  const int64_t shapes[][3] = {
      {7, 13, 9}, {33, 130, 17}, {1, 24, 40}, {23, 1, 12}, {4, 64, 1}};
  const int32_t types[][2] = {
      {F32, F32}, {F16, F16}, {F16, F32}, {BF16, BF16}, {BF16, F32}};
  LtTarget target = emulated();
  unsigned seed = 0;
  for (const auto &type : types)
    for (int32_t epilogue = 0; epilogue <= AMP_RT_EPILOGUE_BIAS_GRAD_RHS;
         ++epilogue)
      for (int variant = 0; variant < 16; ++variant) {
        cts::GemmCase c;
        c.lhs = c.rhs = type[0];
        c.out = type[1];
        c.epilogue = epilogue;
        bool always = epilogue == AMP_RT_EPILOGUE_BIAS ||
                      epilogue == AMP_RT_EPILOGUE_BIAS_RELU;
        bool may = epilogue == AMP_RT_EPILOGUE_RELU_AUX ||
                   epilogue == AMP_RT_EPILOGUE_GELU_AUX ||
                   epilogue == AMP_RT_EPILOGUE_GELU_TANH;
        if (always || (may && variant % 2))
          c.bias = type[1];
        c.transposeLhs = variant & 1;
        c.transposeRhs = variant & 2;
        c.batching = cts::GemmRun(c).hasBiasGrad()
                         ? cts::Batching::Single
                         : cts::Batching(variant >> 2);
        c.beta = seed % 3 ? 0.0f : 0.5f;
        c.alpha = seed % 4 ? 1.0f : -1.5f;
        c.padding = seed % 5 == 0 ? 3 : 0;
        const int64_t *shape = shapes[seed % 5];
        c.m = shape[0];
        c.n = shape[1];
        c.k = shape[2];
        ASSERT_NO_FATAL_FAILURE(expectProduct(c, ++seed, target));
      }
}

/// A proposal that splits k keeps its partial sums in f32.
TEST(Products, EveryProposal) {
  LtTarget target = emulated();
  for (int32_t out : {F16, F32}) {
    cts::GemmCase c;
    c.lhs = c.rhs = F16;
    c.out = out;
    c.m = 9;
    c.n = 24;
    c.k = 100;
    GemmPlan plan;
    cts::GemmRun r(c);
    PlanKey key = {completed(r.desc), Alignments()};
    ASSERT_EQ(describeProblem(target, key, plan), AMP_RT_OK);
    std::vector<Algorithm> found;
    ASSERT_EQ(findAlgorithms(target, plan, 8, found), AMP_RT_OK);
    ASSERT_EQ(found.size(), 2u);
    for (size_t proposal = 0; proposal < found.size(); ++proposal)
      ASSERT_NO_FATAL_FAILURE(expectProduct(c, 3, target, proposal));
  }
}

/// f8 operands with dequantising scales, an f8 result with its scale, and the
/// largest value before that scale.
TEST(Products, F8Scales) {
  LtTarget target = emulated();
  for (int32_t out : {F32, BF16, E4M3}) {
    cts::GemmCase c;
    c.lhs = E4M3;
    c.rhs = E5M2;
    c.out = out;
    c.transposeRhs = true;
    c.m = 16;
    c.n = 32;
    c.k = 64;
    cts::GemmRun r(c, 5);
    float lhsScale = 0.25f, rhsScale = 4.0f, outScale = 0.5f, amax = -1.0f;
    r.desc.lhs_scale_mode = r.desc.rhs_scale_mode = AMP_RT_SCALE_TENSOR;
    r.args.lhs_scale = &lhsScale;
    r.args.rhs_scale = &rhsScale;
    if (out == E4M3) {
      r.desc.out_scale_mode = AMP_RT_SCALE_TENSOR;
      r.desc.out_amax = 1;
      r.args.out_scale = &outScale;
      r.args.out_amax = &amax;
    }
    ASSERT_EQ(run(r, target), AMP_RT_OK) << context().message;
    double largest = 0.0;
    for (int64_t m = 0; m < c.m; ++m)
      for (int64_t n = 0; n < c.n; ++n) {
        double sum = 0.0;
        for (int64_t k = 0; k < c.k; ++k)
          sum +=
              r.lhs.get(r.lhsIndex(0, m, k)) * r.rhs.get(r.rhsIndex(0, k, n));
        largest = std::fmax(largest, std::fabs(sum));
        double expected = out == E4M3 ? sum * outScale : sum;
        EXPECT_EQ(r.out.get(size_t(r.outIndex(0, m, n))),
                  cts::decode(cts::encode(expected, out), out));
      }
    if (out == E4M3)
      EXPECT_EQ(amax, float(largest));
  }
}

/// One scale per row of each operand, on sm_90.
TEST(Products, RowScales) {
  LtTarget target = emulated(90);
  cts::GemmCase c;
  c.lhs = c.rhs = E4M3;
  c.out = F32;
  c.transposeRhs = true;
  c.m = 16;
  c.n = 32;
  c.k = 32;
  cts::GemmRun r(c, 6);
  std::vector<float> lhsScale(16), rhsScale(32);
  for (size_t i = 0; i < 32; ++i)
    (i < 16 ? lhsScale[i] : rhsScale[i - 16]) = std::ldexp(1.0f, int(i) - 8);
  for (size_t i = 16; i < 32; ++i)
    rhsScale[i] = 3.0f;
  r.desc.lhs_scale_mode = r.desc.rhs_scale_mode = AMP_RT_SCALE_ROW;
  r.args.lhs_scale = lhsScale.data();
  r.args.rhs_scale = rhsScale.data();
  ASSERT_EQ(run(r, target), AMP_RT_OK) << context().message;
  for (int64_t m = 0; m < c.m; ++m)
    for (int64_t n = 0; n < c.n; ++n) {
      double sum = 0.0;
      for (int64_t k = 0; k < c.k; ++k)
        sum += r.lhs.get(r.lhsIndex(0, m, k)) * r.rhs.get(r.rhsIndex(0, k, n));
      double expected = sum * lhsScale[size_t(m)] * rhsScale[size_t(n)];
      EXPECT_NEAR(r.out.get(size_t(r.outIndex(0, m, n))), expected,
                  std::ldexp(std::fabs(expected), -23));
    }
}

/// tf32 rounds operands, and only where it is asked for.
TEST(Products, TF32) {
  LtTarget target = emulated();
  for (bool tf32 : {false, true}) {
    cts::GemmCase c;
    c.m = c.n = c.k = 1;
    cts::GemmRun r(c);
    r.lhs.set(0, 1.0 + std::ldexp(1.0, -20));
    r.rhs.set(0, 1.0);
    if (tf32)
      r.desc.lhs_compute = r.desc.rhs_compute = AMP_RT_DTYPE_TF32;
    ASSERT_EQ(run(r, target), AMP_RT_OK) << context().message;
    EXPECT_EQ(r.out.get(0), tf32 ? 1.0 : 1.0 + std::ldexp(1.0, -20));
  }
}

//===----------------------------------------------------------------------===//
// What the emulated library refuses
//===----------------------------------------------------------------------===//

/// An algorithm that was chosen for aligned pointers, given others.
TEST(Products, MisalignedPointer) {
  LtTarget target = emulated();
  cts::GemmCase c;
  c.lhs = c.rhs = c.out = BF16;
  c.m = c.n = c.k = 8;
  cts::GemmRun r(c);
  r.args.lhs = static_cast<const char *>(r.args.lhs) + 2;
  // Chosen for what is passed, it runs.
  EXPECT_EQ(run(r, target), AMP_RT_OK) << context().message;
  GemmPlan plan;
  ASSERT_EQ(describeProblem(target, {completed(r.desc), Alignments()}, plan),
            AMP_RT_OK);
  std::vector<Algorithm> found;
  ASSERT_EQ(findAlgorithms(target, plan, 1, found), AMP_RT_OK);
  testing::internal::CaptureStderr();
  EXPECT_EQ(runAlgorithm(target, plan, r.args, found[0], workspace(), nullptr),
            AMP_RT_INTERNAL);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("less aligned"),
            std::string::npos);
  EXPECT_NE(std::string(context().message)
                .find("cublasLtMatmul fails for bf16 x bf16"),
            std::string::npos)
      << context().message;
  context().status = AMP_RT_OK;
}

/// A second rounding is what a program gets that does not rule it out; the
/// runtime does. Here it is asked for, to show that the check can fail.
TEST(Products, ReductionInTheOutputTypeShows) {
  LtTarget target = emulated();
  cts::GemmCase c;
  c.lhs = c.rhs = c.out = BF16;
  c.m = c.n = 16;
  c.k = 256;
  cts::GemmRun r(c, 9);
  GemmPlan plan;
  ASSERT_EQ(describeProblem(target, {completed(r.desc), Alignments()}, plan),
            AMP_RT_OK);
  uint32_t all = CUBLASLT_REDUCTION_SCHEME_MASK;
  ASSERT_EQ(target.lt.cublasLtMatmulPreferenceSetAttribute(
                plan.problem.preference.get(),
                CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &all, sizeof(all)),
            CUBLAS_STATUS_SUCCESS);
  std::vector<Algorithm> found;
  ASSERT_EQ(findAlgorithms(target, plan, 1, found), AMP_RT_OK);
  ASSERT_EQ(runAlgorithm(target, plan, r.args, found[0], workspace(), nullptr),
            AMP_RT_OK);
  EXPECT_FALSE(r.check());
}

/// beta comes with the call: the library refuses it there, the table before.
TEST(Products, NoAccumulationIntoF8) {
  LtTarget target = emulated(90);
  cts::GemmCase c;
  c.lhs = c.rhs = c.out = E4M3;
  c.transposeRhs = true;
  c.m = c.n = c.k = 16;
  c.beta = 1.0f;
  cts::GemmRun r(c);
  context().status = AMP_RT_OK;
  EXPECT_EQ(run(r, target), AMP_RT_UNSUPPORTED);
  EXPECT_NE(std::string(context().message).find("rule L6"), std::string::npos);
  context().status = AMP_RT_OK;
  GemmPlan plan;
  ASSERT_EQ(describeUnchecked(target, {completed(r.desc), Alignments()}, plan),
            AMP_RT_OK);
  std::vector<Algorithm> found;
  ASSERT_EQ(findAlgorithms(target, plan, 1, found), AMP_RT_OK);
  testing::internal::CaptureStderr();
  EXPECT_EQ(runAlgorithm(target, plan, r.args, found[0], workspace(), nullptr),
            AMP_RT_UNSUPPORTED);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("beta with D in f8"),
            std::string::npos);
  context().status = AMP_RT_OK;
}

/// The rule comes before the library.
TEST(Products, RulesComeFirst) {
  LtTarget target = emulated(90);
  cts::GemmCase c;
  c.lhs = c.rhs = E4M3;
  c.out = F32;
  c.m = 16;
  c.n = 32;
  c.k = 32;
  cts::GemmRun r(c);
  context().status = AMP_RT_OK;
  EXPECT_EQ(run(r, target), AMP_RT_UNSUPPORTED);
  EXPECT_NE(std::string(context().message)
                .find("rule L1 (documented) refuses "
                      "e4m3fn x e4m3fn -> f32"),
            std::string::npos)
      << context().message;
  context().status = AMP_RT_OK;
}

} // namespace
