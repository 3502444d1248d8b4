//===- GemmRun.cpp - Execution of planned GEMMs ---------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a plan: conversions, primitive, rounding; and the plain loops for a
// stated accumulation order or no product at all. Compiled without contraction
// into fused multiply-adds, since the loops promise every rounding.
//
//===----------------------------------------------------------------------===//

#include "Convert.h"
#include "Epilogue.h"
#include "GemmPlan.h"

#include <algorithm>

namespace amp_rt::cpu {

template <typename T> static T *partOf(char *scratch, const ScratchPart &part) {
  return reinterpret_cast<T *>(scratch + part.offset);
}

/// What the primitive or loop reads: the operand itself, or its conversion.
static const void *ready(amp_rt_context &ctx, const OperandPlan &operand,
                         const void *source, char *scratch) {
  if (!operand.scratch)
    return source;
  char *target = partOf<char>(scratch, operand.scratch);
  convertOperand(ctx, operand, source, target);
  return target;
}

//===----------------------------------------------------------------------===//
// Primitive
//===----------------------------------------------------------------------===//

static dnnl_status_t setPointer(const Memory &memory, const void *pointer) {
  return memory ? dnnl_memory_set_data_handle(memory.get(),
                                              const_cast<void *>(pointer))
                : dnnl_success;
}

static int32_t runPrimitive(amp_rt_context &ctx, const DnnlObjects &dnnl,
                            const GemmPlan &plan, const amp_rt_gemm_args &args,
                            char *scratch) {
  const amp_rt_gemm_desc &d = plan.desc;
  const void *lhs = ready(ctx, plan.lhs, args.lhs, scratch);
  const void *rhs = ready(ctx, plan.rhs, args.rhs, scratch);
  const void *bias = ready(ctx, plan.bias, args.bias, scratch);
  float *wide = plan.wideOut ? partOf<float>(scratch, plan.wideOut) : nullptr;
  if (wide && d.beta != 0.0f)
    widenMatrices(ctx, plan.out, d.out_type, args.out, wide);

  dnnl_status_t status = setPointer(plan.lhsMemory, lhs);
  if (!status)
    status = setPointer(plan.rhsMemory, rhs);
  if (!status)
    status = setPointer(plan.biasMemory, bias);
  if (!status)
    status = setPointer(plan.scaleMemory, &d.alpha);
  if (!status)
    status = setPointer(plan.outMemory, wide ? wide : args.out);
  if (!status)
    status = setPointer(plan.scratchMemory,
                        partOf<char>(scratch, plan.primitiveScratch));
  if (!status)
    status = dnnl_primitive_execute(plan.primitive.get(), dnnl.stream.get(),
                                    plan.numExecArgs, plan.execArgs.data());
  if (!status)
    status = dnnl_stream_wait(dnnl.stream.get());
  if (status)
    return AMP_RT_FAIL(ctx, AMP_RT_INTERNAL,
                       "oneDNN fails to run '%s': %s; the result is undefined, "
                       "report it",
                       plan.path.c_str(), statusText(status));
  if (needsFinish(d))
    finishEpilogue(ctx, plan, args, wide);
  if (wide)
    roundMatrices(ctx, plan.out, d.out_type, plan.reluAfter, wide, args.out);
  else if (plan.reluAfter)
    reluMatrices(ctx, plan.out, d.out_type, args.out);
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Operands and target of the plain loops, all f32.
struct LoopArgs {
  const GemmPlan &plan;
  const float *lhs = nullptr;
  const float *rhs = nullptr;
  const float *bias = nullptr;
  float *old = nullptr;
  float *wide = nullptr;
};

/// Columns that are accumulated together; each has its own accumulator.
static constexpr int64_t kColumns = 256;

/// sum[j] += lhs[k] * rhs[k][j] for k in [begin, end), in this order.
static void accumulate(const float *lhs, int64_t lhsStep, const float *rhs,
                       int64_t rhsStep, int64_t rhsColumn, int64_t begin,
                       int64_t end, int64_t columns, float *sum) {
  for (int64_t k = begin; k < end; ++k) {
    float a = lhs[k * lhsStep];
    const float *b = rhs + k * rhsStep;
    if (rhsColumn == 1)
      for (int64_t j = 0; j < columns; ++j)
        sum[j] += a * b[j];
    else
      for (int64_t j = 0; j < columns; ++j)
        sum[j] += a * b[j * rhsColumn];
  }
}

/// Rows [begin, end) of the product over all matrices of the batch.
static void multiplyRows(void *captures, int64_t begin, int64_t end) {
  const auto &loop = *static_cast<const LoopArgs *>(captures);
  const GemmPlan &plan = loop.plan;
  const amp_rt_gemm_desc &d = plan.desc;
  Layout lhs = plan.lhs.scratch ? plan.lhs.layout.compact() : plan.lhs.layout;
  Layout rhs = plan.rhs.scratch ? plan.rhs.layout.compact() : plan.rhs.layout;
  int64_t rows = plan.out.rows, n = plan.out.cols;
  int64_t block = d.order == AMP_RT_ORDER_BLOCKED ? d.order_block : d.k;
  for (int64_t at = begin; at < end; ++at) {
    int64_t row = at % rows, matrix = at / rows;
    const float *a =
        loop.lhs + matrix * lhs.stride + row * (d.transpose_lhs ? 1 : lhs.ld);
    const float *b = loop.rhs + matrix * rhs.stride;
    for (int64_t j = 0; j < n; j += kColumns) {
      int64_t columns = std::min(kColumns, n - j);
      float total[kColumns] = {0};
      for (int64_t k = 0; k < d.k; k += block) {
        float sum[kColumns] = {0};
        accumulate(a, d.transpose_lhs ? lhs.ld : 1,
                   b + j * (d.transpose_rhs ? rhs.ld : 1),
                   d.transpose_rhs ? 1 : rhs.ld, d.transpose_rhs ? rhs.ld : 1,
                   k, std::min(d.k, k + block), columns, sum);
        for (int64_t i = 0; i < columns; ++i)
          total[i] += sum[i];
      }
      std::copy(total, total + columns, loop.wide + at * n + j);
    }
  }
}

/// wide = gelu(alpha * wide + beta * old + bias) on rows [begin, end).
static void finishRows(void *captures, int64_t begin, int64_t end) {
  const auto &loop = *static_cast<const LoopArgs *>(captures);
  const amp_rt_gemm_desc &d = loop.plan.desc;
  int64_t n = loop.plan.out.cols;
  for (int64_t at = begin * n; at < end * n; ++at) {
    float value = d.alpha * loop.wide[at];
    if (loop.old)
      value += d.beta * loop.old[at];
    if (loop.bias)
      value += loop.bias[at % n];
    if (d.epilogue == AMP_RT_EPILOGUE_GELU_TANH)
      value = geluTanh(value);
    loop.wide[at] = value;
  }
}

static int32_t runLoops(amp_rt_context &ctx, const GemmPlan &plan,
                        const amp_rt_gemm_args &args, char *scratch) {
  const amp_rt_gemm_desc &d = plan.desc;
  LoopArgs loop{plan};
  loop.wide = partOf<float>(scratch, plan.wideOut);
  if (hasBias(d))
    loop.bias =
        static_cast<const float *>(ready(ctx, plan.bias, args.bias, scratch));
  int64_t rows = plan.out.batch * plan.out.rows;
  if (plan.kind == GemmKind::Ordered) {
    loop.lhs =
        static_cast<const float *>(ready(ctx, plan.lhs, args.lhs, scratch));
    loop.rhs =
        static_cast<const float *>(ready(ctx, plan.rhs, args.rhs, scratch));
    amp_rt_parallel_for(&ctx, multiplyRows, &loop, rows, 1);
  } else {
    std::fill(loop.wide, loop.wide + plan.out.numElements(), 0.0f);
  }
  if (plan.oldOut) {
    loop.old = partOf<float>(scratch, plan.oldOut);
    widenMatrices(ctx, plan.out, d.out_type, args.out, loop.old);
  }
  amp_rt_parallel_for(&ctx, finishRows, &loop, rows, 16);
  if (needsFinish(d))
    finishEpilogue(ctx, plan, args, loop.wide);
  roundMatrices(ctx, plan.out, d.out_type, plan.reluAfter, loop.wide, args.out);
  return AMP_RT_OK;
}

int32_t runGemmPlan(amp_rt_context &ctx, const DnnlObjects &dnnl,
                    const GemmPlan &plan, const amp_rt_gemm_args &args,
                    char *scratch) {
  switch (plan.kind) {
  case GemmKind::Empty:
    return AMP_RT_OK;
  case GemmKind::NoProduct:
  case GemmKind::Ordered:
    return runLoops(ctx, plan, args, scratch);
  case GemmKind::Primitive:
    return runPrimitive(ctx, dnnl, plan, args, scratch);
  }
  return AMP_RT_OK;
}

} // namespace amp_rt::cpu
