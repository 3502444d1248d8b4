//===- CudaGemmTest.cpp - Products on cuBLASLt ----------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What only the device's library has: algorithms and the file of measured ones,
// the calls that a product makes, f8 with scales, and failures of the library.
//
//===----------------------------------------------------------------------===//

#include "CudaSupport.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace cts;

namespace {
class CudaGemmTest : public CudaSuite {};

constexpr int32_t BF16 = AMP_RT_DTYPE_BF16;

GemmCase smallCase() {
  GemmCase c;
  c.lhs = c.rhs = c.out = BF16;
  c.m = 24;
  c.n = 40;
  c.k = 64;
  return c;
}

/// Creates a context in an environment; the error's text where it fails.
int32_t create(amp_rt_context **ctx, std::string &message) {
  amp_rt_context_options options = {};
  options.struct_size = sizeof(options);
  options.backend = AMP_RT_BACKEND_CUDA;
  options.user = &message;
  options.on_error = [](void *user, int32_t, const char *text) {
    *static_cast<std::string *>(user) = text;
  };
  return amp_rt_context_create(&options, ctx);
}

std::string contentOf(const std::string &path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The file of AMP_RT_PLAN_FILE while it lives.
struct PlanFile {
  std::string path = testing::TempDir() + "amp-rt-cts-plans.txt";
  PlanFile() {
    std::remove(path.c_str());
    setenv("AMP_RT_PLAN_FILE", path.c_str(), 1);
  }
  ~PlanFile() {
    unsetenv("AMP_RT_PLAN_FILE");
    std::remove(path.c_str());
  }
};
} // namespace

/// Prepared, a product is one call of the library and the setting of what its
/// epilogue points to; nothing is looked for and nothing allocated.
TEST_F(CudaGemmTest, CallsOfAProduct) {
  Trace trace;
  Context ctx;
  GemmCase c = smallCase();
  c.epilogue = AMP_RT_EPILOGUE_BIAS;
  c.bias = BF16;
  GemmRun run(c);
  ASSERT_EQ(amp_rt_gemm_prepare(ctx, &run.desc), AMP_RT_OK) << ctx.error();
  Mirror mirror(ctx, run);
  mirror.upload();
  EXPECT_EQ(trace.count("cublasLtMatmulAlgoGetHeuristic"), 1u);
  trace.clear();
  amp_rt_gemm_args args = mirror.args();
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(amp_rt_gemm(ctx, &run.desc, &args), AMP_RT_OK) << ctx.error();
  EXPECT_EQ(trace.count("cublasLtMatmul"), 3u);
  EXPECT_EQ(trace.count("cublasLtMatmulDescSetAttribute"), 3u);
  EXPECT_EQ(trace.lines().size() - trace.count("cuCtxSetCurrent"), 6u);
  EXPECT_TRUE(contains(amp_rt_gemm_path(ctx, &run.desc), "cublasLt:algo"));
}

/// All products of a context share one workspace.
TEST_F(CudaGemmTest, OneWorkspace) {
  Context ctx;
  uint64_t before = ctx.memory().live_bytes;
  GemmCase c = smallCase();
  GemmRun first(c);
  ASSERT_EQ(amp_rt_gemm_prepare(ctx, &first.desc), AMP_RT_OK);
  uint64_t workspace = ctx.memory().live_bytes - before;
  EXPECT_GT(workspace, 0u);
  c.k = 128;
  GemmRun second(c);
  ASSERT_EQ(amp_rt_gemm_prepare(ctx, &second.desc), AMP_RT_OK);
  EXPECT_EQ(ctx.memory().live_bytes - before, workspace);
}

/// Pointers that are aligned to their elements only have a plan of their own.
TEST_F(CudaGemmTest, MisalignedPointers) {
  Context ctx;
  GemmCase c = smallCase();
  c.n = 33;
  GemmRun run(c, 4);
  size_t bytes = run.lhs.bytes.size();
  void *block = amp_rt_alloc(ctx, bytes + 16);
  auto *lhs = static_cast<char *>(block) + 2;
  ASSERT_EQ(amp_rt_upload(ctx, lhs, run.lhs.data(), bytes), AMP_RT_OK);
  {
    Mirror mirror(ctx, run);
    mirror.upload();
    amp_rt_gemm_args args = mirror.args();
    args.lhs = lhs;
    EXPECT_EQ(amp_rt_gemm(ctx, &run.desc, &args), AMP_RT_OK) << ctx.error();
    mirror.download();
  }
  EXPECT_TRUE(run.check());
  amp_rt_free(ctx, block);
}

/// e4m3fn x e5m2 with dequantising scales, a scaled f8 result and its amax,
/// which is that of the values before their scale (rule L5b).
TEST_F(CudaGemmTest, F8Scales) {
  Context ctx;
  for (int32_t out :
       {int32_t(AMP_RT_DTYPE_F32), BF16, int32_t(AMP_RT_DTYPE_E4M3FN)}) {
    SCOPED_TRACE(amp_rt_dtype_name(out));
    GemmCase c;
    c.lhs = AMP_RT_DTYPE_E4M3FN;
    c.rhs = AMP_RT_DTYPE_E5M2;
    c.out = out;
    c.transposeRhs = true;
    c.m = 16;
    c.n = 48;
    c.k = 96;
    GemmRun run(c, 11);
    bool f8 = amp_rt_dtype_size(out) == 1;
    const float factors[] = {0.25f, 8.0f, 0.5f, -1.0f};
    void *scales = uploadBytes(ctx, factors, sizeof(factors));
    auto *at = static_cast<float *>(scales);
    run.desc.lhs_scale_mode = run.desc.rhs_scale_mode = AMP_RT_SCALE_TENSOR;
    run.args.lhs_scale = at;
    run.args.rhs_scale = at + 1;
    if (f8) {
      run.desc.out_scale_mode = AMP_RT_SCALE_TENSOR;
      run.desc.out_amax = 1;
      run.args.out_scale = at + 2;
      run.args.out_amax = at + 3;
    }
    int32_t status = run.run(ctx);
    std::vector<float> after = downloadFloats(ctx, scales, 4);
    amp_rt_free(ctx, scales);
    if (status == AMP_RT_UNSUPPORTED && contains(ctx.error(), "rule L17"))
      GTEST_SKIP() << ctx.error();
    ASSERT_EQ(status, AMP_RT_OK) << ctx.error();
    double largest = 0.0, slack = 0.0;
    for (int64_t m = 0; m < c.m; ++m)
      for (int64_t n = 0; n < c.n; ++n) {
        double sum = 0.0, magnitude = 0.0;
        for (int64_t k = 0; k < c.k; ++k) {
          double product = run.lhs.get(size_t(run.lhsIndex(0, m, k))) *
                           run.rhs.get(size_t(run.rhsIndex(0, k, n))) * 2.0;
          sum += product;
          magnitude += std::fabs(product);
        }
        // The f8 accumulator keeps at least 14 bits in between (L9).
        double error = std::ldexp(magnitude, -13);
        largest = std::fmax(largest, std::fabs(sum));
        slack = std::fmax(slack, error);
        double factor = f8 ? double(factors[2]) : 1.0;
        double bound =
            error * factor + halfUlp(std::fabs(sum * factor) + error, out);
        EXPECT_NEAR(run.out.get(size_t(run.outIndex(0, m, n))), sum * factor,
                    bound);
      }
    if (f8)
      EXPECT_NEAR(after[3], largest, slack);
  }
}

/// The file keeps what was measured, and the next context looks for nothing.
TEST_F(CudaGemmTest, MeasuredPlans) {
  PlanFile file;
  GemmCase c = smallCase();
  for (int round = 0; round < 2; ++round) {
    Trace trace;
    Context ctx;
    GemmRun run(c, 5);
    ASSERT_EQ(amp_rt_gemm_prepare(ctx, &run.desc), AMP_RT_OK) << ctx.error();
    EXPECT_EQ(trace.count("cublasLtMatmulAlgoGetHeuristic"),
              round == 0 ? 1u : 0u);
    EXPECT_EQ(trace.count("cublasLtMatmulAlgoCheck"), round == 0 ? 0u : 1u);
    if (round == 0)
      EXPECT_GT(trace.count("cublasLtMatmul"), 1u);
    EXPECT_EQ(run.run(ctx), AMP_RT_OK) << ctx.error();
    EXPECT_TRUE(run.check());
  }
  std::string text = contentOf(file.path);
  EXPECT_EQ(text.rfind("amp-rt plans 1\nbf16,bf16,bf16,none,", 0), 0u) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
}

/// What is no file of plans is one warning; products are right all the same.
TEST_F(CudaGemmTest, CorruptPlanFile) {
  PlanFile file;
  std::ofstream(file.path) << "amp-rt plans 1\nnonsense\n";
  testing::internal::CaptureStderr();
  {
    Context ctx;
    GemmRun run(smallCase(), 6);
    EXPECT_EQ(run.run(ctx), AMP_RT_OK) << ctx.error();
    EXPECT_TRUE(run.check());
  }
  std::string warning = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(contains(warning, "amp-rt warning: the plan file '")) << warning;
  EXPECT_TRUE(contains(warning, "line 2")) << warning;
  EXPECT_TRUE(contains(contentOf(file.path), " sm_")) << contentOf(file.path);
}

/// A failure of the library names the call, the product, the status and a way
/// out, and leaves the context usable.
TEST_F(CudaGemmTest, FailuresNameTheProduct) {
  Context ctx;
  const struct {
    const char *site;
    int32_t status;
    const char *name;
  } cases[] = {
      {"cublasLtMatmul:1:15", AMP_RT_UNSUPPORTED,
       "CUBLAS_STATUS_NOT_SUPPORTED"},
      {"cublasLtMatmul:1:13", AMP_RT_INTERNAL,
       "CUBLAS_STATUS_EXECUTION_FAILED"},
      {"cublasLtMatmul:1:3", AMP_RT_OUT_OF_MEMORY,
       "CUBLAS_STATUS_ALLOC_FAILED"},
  };
  for (const auto &c : cases) {
    setenv("AMP_RT_INJECT", c.site, 1);
    amp_rt_context *faulty = nullptr;
    std::string message;
    ASSERT_EQ(create(&faulty, message), AMP_RT_OK) << message;
    unsetenv("AMP_RT_INJECT");
    GemmRun run(smallCase(), 7);
    EXPECT_EQ(run.run(faulty), c.status) << message;
    for (const char *part :
         {"cublasLtMatmul fails for bf16 x bf16 -> bf16 of 1x24x40x64", c.name,
          " on sm_", "; "})
      EXPECT_TRUE(contains(message, part)) << message;
    amp_rt_clear_error(faulty);
    EXPECT_EQ(run.run(faulty), AMP_RT_OK) << message;
    EXPECT_TRUE(run.check());
    amp_rt_context_destroy(faulty);
  }
}

/// A library that is no cuBLASLt is named, with a few of what it lacks.
TEST_F(CudaGemmTest, OtherLibrary) {
  setenv("AMP_CUBLASLT", "libcuda.so.1", 1);
  amp_rt_context *ctx = nullptr;
  std::string message;
  EXPECT_EQ(create(&ctx, message), AMP_RT_UNSUPPORTED);
  unsetenv("AMP_CUBLASLT");
  EXPECT_EQ(ctx, nullptr);
  for (const char *part :
       {"the library 'libcuda.so.1' lacks cublasLtCreate, ", " and ",
        " more functions; set AMP_CUBLASLT to a cuBLASLt 12.1 or newer"})
    EXPECT_TRUE(contains(message, part)) << message;
}

TEST_F(CudaGemmTest, LibraryNotFound) {
  setenv("AMP_CUBLASLT", "/nowhere/libcublasLt.so.13", 1);
  amp_rt_context *ctx = nullptr;
  std::string message;
  EXPECT_EQ(create(&ctx, message), AMP_RT_UNSUPPORTED);
  unsetenv("AMP_CUBLASLT");
  EXPECT_EQ(ctx, nullptr);
  for (const char *part :
       {"cuBLASLt is not found", "AMP_CUBLASLT=/nowhere/libcublasLt.so.13",
        "; run ./dev setup --cuda"})
    EXPECT_TRUE(contains(message, part)) << message;
}
