//===- GemmRun.cpp - Choice of an algorithm and its execution -------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of GemmPlan.h that come after the description.
//
//===----------------------------------------------------------------------===//

#include "GemmPlan.h"

namespace amp_rt::cuda {

//===----------------------------------------------------------------------===//
// Algorithms
//===----------------------------------------------------------------------===//

int32_t findAlgorithms(const LtTarget &target, const GemmPlan &plan,
                       size_t count, std::vector<Algorithm> &found) {
  const LtProblem &p = plan.problem;
  std::vector<cublasLtMatmulHeuristicResult_t> results(count);
  int returned = 0;
  cublasStatus_t status = target.lt.cublasLtMatmulAlgoGetHeuristic(
      target.handle, p.op.get(), p.a.get(), p.b.get(), p.c.get(), p.d.get(),
      p.preference.get(), int(count), results.data(), &returned);
  found.clear();
  if (status == CUBLAS_STATUS_SUCCESS)
    for (int i = 0; i < returned; ++i)
      if (results[i].state == CUBLAS_STATUS_SUCCESS &&
          results[i].workspaceSize <= target.workspaceBytes)
        found.push_back({results[i].algo, results[i].workspaceSize});
  if (status == CUBLAS_STATUS_SUCCESS && found.empty())
    status = CUBLAS_STATUS_NOT_SUPPORTED;
  return checkLt(target, plan.key.desc, status,
                 "cublasLtMatmulAlgoGetHeuristic");
}

bool acceptsAlgorithm(const LtTarget &target, const GemmPlan &plan,
                      Algorithm &algorithm) {
  const LtProblem &p = plan.problem;
  cublasLtMatmulHeuristicResult_t result = {};
  if (target.lt.cublasLtMatmulAlgoCheck(target.handle, p.op.get(), p.a.get(),
                                        p.b.get(), p.c.get(), p.d.get(),
                                        &algorithm.value, &result) ||
      result.workspaceSize > target.workspaceBytes)
    return false;
  algorithm.workspaceBytes = result.workspaceSize;
  return true;
}

void setAlgorithm(const LtTarget &target, GemmPlan &plan,
                  const Algorithm &algorithm) {
  plan.algorithm = algorithm;
  auto read = [&](cublasLtMatmulAlgoConfigAttributes_t attribute) {
    int32_t value = 0;
    size_t written = 0;
    // Only for the report: a failure leaves 0.
    target.lt.cublasLtMatmulAlgoConfigGetAttribute(
        &plan.algorithm.value, attribute, &value, sizeof(value), &written);
    return std::to_string(value);
  };
  plan.path = "cublasLt:algo" + read(CUBLASLT_ALGO_CONFIG_ID) + ",tile" +
              read(CUBLASLT_ALGO_CONFIG_TILE_ID) + ",stages" +
              read(CUBLASLT_ALGO_CONFIG_STAGES_ID) + ",split" +
              read(CUBLASLT_ALGO_CONFIG_SPLITK_NUM) + ",workspace" +
              std::to_string(algorithm.workspaceBytes);
  if (plan.kind == GemmKind::Zeros)
    plan.path += ",zeros";
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

static int32_t setPointers(const LtTarget &target, const GemmPlan &plan,
                           const amp_rt_gemm_args &args) {
  const amp_rt_gemm_desc &d = plan.desc;
  struct {
    bool isUsed;
    cublasLtMatmulDescAttributes_t attribute;
    const void *pointer;
  } pointers[] = {
      {hasBias(d), CUBLASLT_MATMUL_DESC_BIAS_POINTER, args.bias},
      {hasBiasGrad(d), CUBLASLT_MATMUL_DESC_BIAS_POINTER, args.bias_grad},
      {hasReluMask(d) || hasGeluAux(d),
       CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, args.aux},
      {d.rhs_scale_mode != 0, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER,
       args.rhs_scale},
      {d.lhs_scale_mode != 0, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER,
       args.lhs_scale},
      {d.out_scale_mode != 0, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER,
       args.out_scale},
      {d.out_amax != 0, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, args.out_amax},
  };
  for (const auto &p : pointers)
    if (p.isUsed)
      if (int32_t status = checkLt(target, plan.key.desc,
                                   target.lt.cublasLtMatmulDescSetAttribute(
                                       plan.problem.op.get(), p.attribute,
                                       &p.pointer, sizeof(p.pointer)),
                                   "cublasLtMatmulDescSetAttribute"))
        return status;
  return AMP_RT_OK;
}

int32_t runAlgorithm(const LtTarget &target, const GemmPlan &plan,
                     const amp_rt_gemm_args &args, const Algorithm &algorithm,
                     void *workspace, cudaStream_t stream) {
  if (int32_t status = setPointers(target, plan, args))
    return status;
  const LtProblem &p = plan.problem;
  bool zeros = plan.kind == GemmKind::Zeros;
  return checkLt(target, plan.key.desc,
                 target.lt.cublasLtMatmul(
                     target.handle, p.op.get(), &plan.desc.alpha,
                     zeros ? plan.zeros : args.rhs, p.a.get(),
                     zeros ? plan.zeros : args.lhs, p.b.get(), &plan.desc.beta,
                     args.out, p.c.get(), args.out, p.d.get(), &algorithm.value,
                     algorithm.workspaceBytes ? workspace : nullptr,
                     algorithm.workspaceBytes, stream),
                 "cublasLtMatmul");
}

} // namespace amp_rt::cuda
