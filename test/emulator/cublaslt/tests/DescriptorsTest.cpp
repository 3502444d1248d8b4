//===- DescriptorsTest.cpp - Descriptors of the real cuBLASLt, read back --===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime says about a product is what the library then holds: every
// attribute is written through the real library and read from it. Runs without
// a device; skips, with the reason, where the library is not installed.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#include <cstring>

using namespace amp_rt;
using namespace amp_rt::cuda;
using namespace lt_tests;

namespace {

constexpr int32_t F32 = AMP_RT_DTYPE_F32, F16 = AMP_RT_DTYPE_F16,
                  BF16 = AMP_RT_DTYPE_BF16, E4M3 = AMP_RT_DTYPE_E4M3FN,
                  E5M2 = AMP_RT_DTYPE_E5M2;

class Descriptors : public testing::Test {
protected:
  void SetUp() override {
    std::string reason;
    lt = real(reason);
    if (!lt)
      GTEST_SKIP() << reason;
    getDesc = find<decltype(::cublasLtMatmulDescGetAttribute)>(
        *lt, "cublasLtMatmulDescGetAttribute");
    getLayout = find<decltype(::cublasLtMatrixLayoutGetAttribute)>(
        *lt, "cublasLtMatrixLayoutGetAttribute");
    getPreference = find<decltype(::cublasLtMatmulPreferenceGetAttribute)>(
        *lt, "cublasLtMatmulPreferenceGetAttribute");
    ASSERT_TRUE(getDesc && getLayout && getPreference) << lt->path();
  }

  GemmPlan describe(const amp_rt_gemm_desc &desc, int32_t arch = 90) {
    GemmPlan plan;
    PlanKey key = {completed(desc), Alignments()};
    LtTarget target = {context(), nullptr, nullptr, *lt, nullptr, arch, 1024};
    EXPECT_EQ(describeProblem(target, key, plan), AMP_RT_OK)
        << context().message;
    context().status = AMP_RT_OK;
    return plan;
  }

  template <typename T>
  T desc(const GemmPlan &plan, cublasLtMatmulDescAttributes_t attribute) {
    T value{};
    EXPECT_EQ(getDesc(plan.problem.op.get(), attribute, &value, sizeof(value),
                      nullptr),
              CUBLAS_STATUS_SUCCESS)
        << attribute;
    return value;
  }
  template <typename T>
  T layout(const LtLayout &matrix, cublasLtMatrixLayoutAttribute_t attribute) {
    T value{};
    EXPECT_EQ(
        getLayout(matrix.get(), attribute, &value, sizeof(value), nullptr),
        CUBLAS_STATUS_SUCCESS)
        << attribute;
    return value;
  }
  template <typename T>
  T preference(const GemmPlan &plan,
               cublasLtMatmulPreferenceAttributes_t attribute) {
    T value{};
    EXPECT_EQ(getPreference(plan.problem.preference.get(), attribute, &value,
                            sizeof(value), nullptr),
              CUBLAS_STATUS_SUCCESS)
        << attribute;
    return value;
  }

  void expectLayout(const LtLayout &matrix, uint32_t type, uint64_t rows,
                    uint64_t cols, int64_t ld, int32_t batch, int64_t stride) {
    EXPECT_EQ(layout<uint32_t>(matrix, CUBLASLT_MATRIX_LAYOUT_TYPE), type);
    EXPECT_EQ(layout<int32_t>(matrix, CUBLASLT_MATRIX_LAYOUT_ORDER),
              CUBLASLT_ORDER_COL);
    EXPECT_EQ(layout<uint64_t>(matrix, CUBLASLT_MATRIX_LAYOUT_ROWS), rows);
    EXPECT_EQ(layout<uint64_t>(matrix, CUBLASLT_MATRIX_LAYOUT_COLS), cols);
    EXPECT_EQ(layout<int64_t>(matrix, CUBLASLT_MATRIX_LAYOUT_LD), ld);
    EXPECT_EQ(layout<int32_t>(matrix, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT),
              batch);
    EXPECT_EQ(
        layout<int64_t>(matrix, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET),
        stride);
  }

  const CublasLt *lt = nullptr;
  decltype(::cublasLtMatmulDescGetAttribute) *getDesc = nullptr;
  decltype(::cublasLtMatrixLayoutGetAttribute) *getLayout = nullptr;
  decltype(::cublasLtMatmulPreferenceGetAttribute) *getPreference = nullptr;
};

/// lhs x rhs^T with a bias: their A is rhs, transposed; their rows are n.
TEST_F(Descriptors, ForwardOfALinearLayer) {
  amp_rt_gemm_desc d = product(F16, F16, F16, 64, 10, 128);
  d.epilogue = AMP_RT_EPILOGUE_BIAS;
  d.bias_type = F16;
  d.out_ld = 16;
  GemmPlan plan = describe(d);
  EXPECT_EQ(desc<int32_t>(plan, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE),
            CUBLAS_COMPUTE_32F);
  EXPECT_EQ(desc<int32_t>(plan, CUBLASLT_MATMUL_DESC_SCALE_TYPE), CUDA_R_32F);
  EXPECT_EQ(desc<int32_t>(plan, CUBLASLT_MATMUL_DESC_TRANSA), CUBLAS_OP_T);
  EXPECT_EQ(desc<int32_t>(plan, CUBLASLT_MATMUL_DESC_TRANSB), CUBLAS_OP_N);
  EXPECT_EQ(desc<uint32_t>(plan, CUBLASLT_MATMUL_DESC_EPILOGUE),
            uint32_t(CUBLASLT_EPILOGUE_BIAS));
  EXPECT_EQ(desc<int32_t>(plan, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE),
            CUDA_R_16F);
  EXPECT_EQ(desc<int8_t>(plan, CUBLASLT_MATMUL_DESC_FAST_ACCUM), 0);
  expectLayout(plan.problem.a, CUDA_R_16F, 128, 10, 128, 1, 0);
  expectLayout(plan.problem.b, CUDA_R_16F, 128, 64, 128, 1, 0);
  expectLayout(plan.problem.c, CUDA_R_16F, 10, 64, 16, 1, 0);
  expectLayout(plan.problem.d, CUDA_R_16F, 10, 64, 16, 1, 0);
}

/// One rounding: no partial sums in a narrow result type.
TEST_F(Descriptors, Preference) {
  for (int32_t out : {BF16, F32}) {
    GemmPlan plan = describe(product(BF16, BF16, out, 8, 8, 8));
    EXPECT_EQ(
        preference<uint64_t>(plan, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES),
        1024u);
    auto schemes =
        preference<uint32_t>(plan, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
    EXPECT_FALSE(schemes & CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE);
    EXPECT_TRUE(schemes & CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
    EXPECT_EQ((schemes & CUBLASLT_REDUCTION_SCHEME_INPLACE) != 0, out == F32);
    for (auto attribute : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                           CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                           CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                           CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      EXPECT_EQ(preference<uint32_t>(plan, attribute), 16u);
  }
}

TEST_F(Descriptors, EveryEpilogue) {
  struct {
    int32_t epilogue;
    bool bias;
    uint32_t expected;
  } cases[] = {
      {AMP_RT_EPILOGUE_NONE, false, CUBLASLT_EPILOGUE_DEFAULT},
      {AMP_RT_EPILOGUE_BIAS, true, CUBLASLT_EPILOGUE_BIAS},
      {AMP_RT_EPILOGUE_RELU, false, CUBLASLT_EPILOGUE_RELU},
      {AMP_RT_EPILOGUE_BIAS_RELU, true, CUBLASLT_EPILOGUE_RELU_BIAS},
      {AMP_RT_EPILOGUE_RELU_AUX, false, CUBLASLT_EPILOGUE_RELU_AUX},
      {AMP_RT_EPILOGUE_RELU_AUX, true, CUBLASLT_EPILOGUE_RELU_AUX_BIAS},
      {AMP_RT_EPILOGUE_GELU_TANH, false, CUBLASLT_EPILOGUE_GELU},
      {AMP_RT_EPILOGUE_GELU_TANH, true, CUBLASLT_EPILOGUE_GELU_BIAS},
      {AMP_RT_EPILOGUE_GELU_AUX, false, CUBLASLT_EPILOGUE_GELU_AUX},
      {AMP_RT_EPILOGUE_GELU_AUX, true, CUBLASLT_EPILOGUE_GELU_AUX_BIAS},
      {AMP_RT_EPILOGUE_BIAS_GRAD_LHS, false, CUBLASLT_EPILOGUE_BGRADB},
      {AMP_RT_EPILOGUE_BIAS_GRAD_RHS, false, CUBLASLT_EPILOGUE_BGRADA},
      {AMP_RT_EPILOGUE_DRELU, false, CUBLASLT_EPILOGUE_DRELU},
      {AMP_RT_EPILOGUE_DRELU_BGRAD, false, CUBLASLT_EPILOGUE_DRELU_BGRAD},
      {AMP_RT_EPILOGUE_DGELU, false, CUBLASLT_EPILOGUE_DGELU},
      {AMP_RT_EPILOGUE_DGELU_BGRAD, false, CUBLASLT_EPILOGUE_DGELU_BGRAD},
  };
  for (const auto &c : cases) {
    SCOPED_TRACE(epilogueName(c.epilogue));
    amp_rt_gemm_desc d = product(BF16, BF16, BF16, 16, 130, 32);
    d.epilogue = c.epilogue;
    d.bias_type = c.bias ? BF16 : 0;
    GemmPlan plan = describe(d);
    EXPECT_EQ(desc<uint32_t>(plan, CUBLASLT_MATMUL_DESC_EPILOGUE), c.expected);
    amp_rt_gemm_desc full = completed(d);
    if (!hasReluMask(full) && !hasGeluAux(full))
      continue;
    EXPECT_EQ(desc<int64_t>(plan, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD),
              hasReluMask(full) ? 256 : 136);
    // Its alignment counts before it is known.
    EXPECT_NE(desc<void *>(plan, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER),
              nullptr);
  }
}

TEST_F(Descriptors, TF32OnlyWhereSaid) {
  amp_rt_gemm_desc d = product(F32, F32, F32, 8, 8, 8);
  EXPECT_EQ(desc<int32_t>(describe(d), CUBLASLT_MATMUL_DESC_COMPUTE_TYPE),
            CUBLAS_COMPUTE_32F);
  d.lhs_compute = d.rhs_compute = AMP_RT_DTYPE_TF32;
  EXPECT_EQ(desc<int32_t>(describe(d), CUBLASLT_MATMUL_DESC_COMPUTE_TYPE),
            CUBLAS_COMPUTE_32F_FAST_TF32);
}

TEST_F(Descriptors, F8WithScales) {
  amp_rt_gemm_desc d = product(E4M3, E5M2, E4M3, 16, 32, 64);
  d.lhs_scale_mode = d.rhs_scale_mode = d.out_scale_mode = AMP_RT_SCALE_TENSOR;
  d.out_amax = 1;
  GemmPlan plan = describe(d);
  expectLayout(plan.problem.a, CUDA_R_8F_E5M2, 64, 32, 64, 1, 0);
  expectLayout(plan.problem.b, CUDA_R_8F_E4M3, 64, 16, 64, 1, 0);
  // C may not be f8.
  expectLayout(plan.problem.c, CUDA_R_16BF, 32, 16, 32, 1, 0);
  expectLayout(plan.problem.d, CUDA_R_8F_E4M3, 32, 16, 32, 1, 0);
  EXPECT_EQ(desc<int8_t>(plan, CUBLASLT_MATMUL_DESC_FAST_ACCUM), 0);

  d = product(E4M3, E4M3, BF16, 32, 32, 64);
  d.lhs_scale_mode = d.rhs_scale_mode = AMP_RT_SCALE_BLOCK32;
  plan = describe(d, 100);
  for (auto attribute :
       {CUBLASLT_MATMUL_DESC_A_SCALE_MODE, CUBLASLT_MATMUL_DESC_B_SCALE_MODE})
    EXPECT_EQ(desc<int32_t>(plan, attribute),
              CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0);
}

TEST_F(Descriptors, Batches) {
  amp_rt_gemm_desc d = product(F32, F32, F32, 4, 8, 16);
  d.batch = 3;
  d.transpose_lhs = 1;
  d.lhs_batch_stride = 64;
  d.rhs_batch_stride = 128;
  d.out_batch_stride = 40;
  GemmPlan plan = describe(d);
  expectLayout(plan.problem.a, CUDA_R_32F, 16, 8, 16, 3, 128);
  expectLayout(plan.problem.b, CUDA_R_32F, 4, 16, 4, 3, 64);
  expectLayout(plan.problem.d, CUDA_R_32F, 8, 4, 8, 3, 40);
  // One rhs for all of a dense batch is one product.
  d.transpose_lhs = 0;
  d.rhs_batch_stride = 0;
  d.out_batch_stride = 32;
  plan = describe(d);
  expectLayout(plan.problem.b, CUDA_R_32F, 16, 12, 16, 1, 0);
  expectLayout(plan.problem.d, CUDA_R_32F, 8, 12, 8, 1, 0);
}

/// Why we check layouts: the library takes one whose columns overlap.
TEST_F(Descriptors, LibraryTakesOverlappingColumns) {
  LtLayout matrix;
  EXPECT_EQ(
      lt->cublasLtMatrixLayoutCreate(matrix.out(*lt), CUDA_R_32F, 8, 8, 4),
      CUBLAS_STATUS_SUCCESS);
}

} // namespace
