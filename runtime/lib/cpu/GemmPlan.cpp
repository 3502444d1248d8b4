//===- GemmPlan.cpp - Choice of the primitive of a GEMM -------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides what runs for a descriptor. Candidates in the order of preference:
//   1. a primitive on 16-bit operands that writes the result's type itself;
//   2. the same writing f32, rounded once by the numerics library;
//   3. operands widened exactly to f32, an f32 primitive, one rounding.
// The first that oneDNN has an optimised implementation for on this CPU is
// taken. All accumulate in f32.
//
//===----------------------------------------------------------------------===//

#include "GemmPlan.h"
#include "Convert.h"
#include "Epilogue.h"

#include <cstring>

namespace amp_rt::cpu {

#define AMP_RT_UNSUPPORTED_GEMM(...)                                           \
  AMP_RT_FAIL(ctx, AMP_RT_UNSUPPORTED, "amp_rt_gemm: " __VA_ARGS__)

//===----------------------------------------------------------------------===//
// What this back end implements
//===----------------------------------------------------------------------===//

static int32_t checkSupported(amp_rt_context &ctx, const amp_rt_gemm_desc &d) {
  struct {
    const char *field;
    int32_t type;
    bool optional;
  } types[] = {{"lhs_type", d.lhs_type, false},
               {"rhs_type", d.rhs_type, false},
               {"out_type", d.out_type, false},
               {"bias_type", d.bias_type, true},
               {"aux_type", d.aux_type, true},
               {"bias_grad_type", d.bias_grad_type, true}};
  for (const auto &t : types)
    if (!widensToF32(t.type) && !(t.optional && t.type == AMP_RT_DTYPE_NONE))
      return AMP_RT_UNSUPPORTED_GEMM(
          "'%s' expects f32, f16, bf16, e4m3fn or e5m2 on the CPU, but got %s; "
          "convert the tensor before the product",
          t.field, amp_rt_dtype_name(t.type));
  if (d.accumulate_type != AMP_RT_DTYPE_NONE &&
      d.accumulate_type != AMP_RT_DTYPE_F32)
    return AMP_RT_UNSUPPORTED_GEMM(
        "'accumulate_type' expects f32 on the CPU, but got %s; accumulate in "
        "f32, which refines the narrower types",
        amp_rt_dtype_name(d.accumulate_type));
  struct {
    const char *field;
    int32_t type;
  } computes[] = {{"lhs_compute", d.lhs_compute},
                  {"rhs_compute", d.rhs_compute}};
  for (const auto &c : computes)
    if (c.type != AMP_RT_DTYPE_NONE && !isRoundable(c.type))
      return AMP_RT_UNSUPPORTED_GEMM(
          "'%s' expects a float type of at most 32 bits on the CPU, but got "
          "%s; leave it 0 for the storage type",
          c.field, amp_rt_dtype_name(c.type));
  if (d.lhs_scale_mode || d.rhs_scale_mode || d.out_scale_mode || d.out_amax)
    return AMP_RT_UNSUPPORTED_GEMM(
        "scales and amax are not implemented on the CPU; multiply by the scale "
        "in alpha or in a separate loop");
  if (d.subnormals == AMP_RT_SUBNORMALS_FLUSH)
    return AMP_RT_UNSUPPORTED_GEMM(
        "'subnormals' = flush is not implemented on the CPU; use any or "
        "preserve");
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// Types and layouts
//===----------------------------------------------------------------------===//

static OperandPlan makeOperand(int32_t storage, int32_t compute,
                               const Layout &layout) {
  OperandPlan operand;
  operand.layout = layout;
  operand.storage = storage;
  bool rounds = compute != AMP_RT_DTYPE_NONE && !embeds(storage, compute);
  operand.compute = rounds ? compute : storage;
  operand.core = AMP_RT_DTYPE_F32;
  return operand;
}

static void setLayouts(GemmPlan &plan, const amp_rt_gemm_desc &d) {
  auto layout = [&](bool transposed, int64_t rows, int64_t cols, int64_t ld,
                    int64_t stride) {
    int64_t batch = stride == 0 ? 1 : d.batch;
    return Layout{batch, transposed ? cols : rows, transposed ? rows : cols, ld,
                  batch > 1 ? stride : 0};
  };
  plan.lhs = makeOperand(
      d.lhs_type, d.lhs_compute,
      layout(d.transpose_lhs, d.m, d.k, d.lhs_ld, d.lhs_batch_stride));
  plan.rhs = makeOperand(
      d.rhs_type, d.rhs_compute,
      layout(d.transpose_rhs, d.k, d.n, d.rhs_ld, d.rhs_batch_stride));
  plan.out = {d.batch, d.m, d.n, d.out_ld,
              d.batch > 1 ? d.out_batch_stride : 0};
  plan.aux = {d.batch, d.m, d.n, d.aux_ld,
              d.batch > 1 ? d.aux_batch_stride : 0};
  if (hasBias(d))
    plan.bias =
        makeOperand(d.bias_type, AMP_RT_DTYPE_NONE, Layout{1, 1, d.n, d.n, 0});
}

/// Reserves scratch memory in whole cache lines.
static ScratchPart reserve(GemmPlan &plan, size_t bytes) {
  ScratchPart part{plan.scratchBytes, bytes};
  plan.scratchBytes += (bytes + 63) / 64 * 64;
  return part;
}

static void reserveOperand(GemmPlan &plan, OperandPlan &operand) {
  if (operand.storage != AMP_RT_DTYPE_NONE && operand.isConverted())
    operand.scratch = reserve(plan, operand.layout.numElements() *
                                        amp_rt_dtype_size(operand.core));
}

//===----------------------------------------------------------------------===//
// One candidate
//===----------------------------------------------------------------------===//

/// The types that a primitive is asked for.
struct Candidate {
  int32_t operands;
  int32_t out;
  int32_t bias;
};

static dnnl_data_type_t dnnlType(int32_t type) {
  switch (type) {
  case AMP_RT_DTYPE_BF16:
    return dnnl_bf16;
  case AMP_RT_DTYPE_F16:
    return dnnl_f16;
  default:
    return dnnl_f32;
  }
}

/// A descriptor of the matrices as the primitive sees them, transposed or not.
static dnnl_status_t makeDesc(MemoryDesc &desc, const Layout &l, int32_t type,
                              bool transposed, bool batched) {
  dnnl_dims_t dims, strides;
  int at = 0;
  if (batched) {
    dims[at] = l.batch;
    strides[at++] = l.batch > 1 ? l.stride : l.rows * l.ld;
  }
  dims[at] = transposed ? l.cols : l.rows;
  strides[at++] = transposed ? 1 : l.ld;
  dims[at] = transposed ? l.rows : l.cols;
  strides[at++] = transposed ? l.ld : 1;
  return dnnl_memory_desc_create_with_strides(desc.out(), at, dims,
                                              dnnlType(type), strides);
}

/// Post-ops in order: the old out, gelu. relu runs outside.
static dnnl_status_t makePostOps(PostOps &ops, const amp_rt_gemm_desc &d) {
  dnnl_status_t status = dnnl_post_ops_create(ops.out());
  if (!status && d.beta != 0.0f)
    status =
        dnnl_post_ops_append_sum(ops.get(), d.beta, 0, dnnl_data_type_undef);
  if (!status && d.epilogue == AMP_RT_EPILOGUE_GELU_TANH)
    status = dnnl_post_ops_append_eltwise(ops.get(), dnnl_eltwise_gelu_tanh,
                                          0.0f, 0.0f);
  return status;
}

/// The pieces of a primitive while it is made.
struct PrimitiveParts {
  MemoryDesc lhs, rhs, bias, scale, out;
  PrimitiveDesc primitive;
};

static Layout coreLayout(const OperandPlan &operand) {
  return operand.isConverted() ? operand.layout.compact() : operand.layout;
}

static dnnl_status_t describe(const DnnlObjects &dnnl, const GemmPlan &plan,
                              const amp_rt_gemm_desc &d, const Candidate &c,
                              PrimitiveParts &parts) {
  bool batched = d.batch > 1;
  bool direct = c.out == d.out_type && !needsFinish(d);
  Layout out = direct ? plan.out : plan.out.compact();
  PostOps ops;
  PrimitiveAttr attr;
  dnnl_status_t status = makeDesc(parts.lhs, coreLayout(plan.lhs), c.operands,
                                  d.transpose_lhs, batched);
  if (!status)
    status = makeDesc(parts.rhs, coreLayout(plan.rhs), c.operands,
                      d.transpose_rhs, batched);
  if (!status)
    status = makeDesc(parts.out, out, c.out, false, batched);
  if (!status && hasBias(d))
    status =
        makeDesc(parts.bias, coreLayout(plan.bias), c.bias, false, batched);
  if (!status)
    status = makePostOps(ops, d);
  if (!status)
    status = dnnl_primitive_attr_create(attr.out());
  if (!status)
    status = dnnl_primitive_attr_set_post_ops(attr.get(), ops.get());
  if (!status)
    status = dnnl_primitive_attr_set_scratchpad_mode(attr.get(),
                                                     dnnl_scratchpad_mode_user);
  // f32 means f32, whatever the library's default or environment says.
  if (!status)
    status = dnnl_primitive_attr_set_fpmath_mode(attr.get(),
                                                 dnnl_fpmath_mode_strict);
  // alpha is a scale and not a post-op: a scale leaves the bias alone.
  if (!status && d.alpha != 1.0f)
    status = dnnl_primitive_attr_set_scales_mask(attr.get(), DNNL_ARG_SRC, 0);
  if (!status && d.alpha != 1.0f) {
    const dnnl_dims_t one = {1};
    status = dnnl_memory_desc_create_with_tag(parts.scale.out(), 1, one,
                                              dnnl_f32, dnnl_a);
  }
  if (status)
    return status;
  return dnnl_matmul_primitive_desc_create(
      parts.primitive.out(), dnnl.engine.get(), parts.lhs.get(),
      parts.rhs.get(), parts.bias.get(), parts.out.get(), attr.get());
}

static const char *implementationName(const PrimitiveDesc &desc) {
  const char *name = "";
  dnnl_primitive_desc_query(desc.get(), dnnl_query_impl_info_str, 0,
                            static_cast<void *>(&name));
  return name;
}

/// Makes the primitive and its memory objects, whose pointers are set per call.
static dnnl_status_t finish(const DnnlObjects &dnnl,
                            const PrimitiveParts &parts, GemmPlan &plan) {
  auto memory = [&](Memory &memory, const_dnnl_memory_desc_t desc, int arg) {
    dnnl_status_t status = dnnl_memory_create(
        memory.out(), desc, dnnl.engine.get(), DNNL_MEMORY_NONE);
    plan.execArgs[plan.numExecArgs++] = {arg, memory.get()};
    return status;
  };
  const_dnnl_memory_desc_t scratch = dnnl_primitive_desc_query_md(
      parts.primitive.get(), dnnl_query_scratchpad_md, 0);
  plan.primitiveScratch = reserve(plan, dnnl_memory_desc_get_size(scratch));
  dnnl_status_t status =
      dnnl_primitive_create(plan.primitive.out(), parts.primitive.get());
  if (!status)
    status = memory(plan.lhsMemory, parts.lhs.get(), DNNL_ARG_SRC);
  if (!status)
    status = memory(plan.rhsMemory, parts.rhs.get(), DNNL_ARG_WEIGHTS);
  if (!status)
    status = memory(plan.outMemory, parts.out.get(), DNNL_ARG_DST);
  if (!status && parts.bias)
    status = memory(plan.biasMemory, parts.bias.get(), DNNL_ARG_BIAS);
  if (!status && parts.scale)
    status = memory(plan.scaleMemory, parts.scale.get(),
                    DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC);
  if (!status)
    status = memory(plan.scratchMemory, scratch, DNNL_ARG_SCRATCHPAD);
  return status;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// The 16-bit type that both operands' values fit in, or f32.
static int32_t narrowCore(const GemmPlan &plan, const amp_rt_gemm_desc &d) {
  // The 16-bit dot products of the CPU flush subnormals.
  if (d.subnormals == AMP_RT_SUBNORMALS_PRESERVE)
    return AMP_RT_DTYPE_F32;
  for (int32_t type : {AMP_RT_DTYPE_BF16, AMP_RT_DTYPE_F16})
    if (embeds(plan.lhs.compute, type) && embeds(plan.rhs.compute, type))
      return type;
  return AMP_RT_DTYPE_F32;
}

static void setPath(GemmPlan &plan, const char *implementation) {
  bool widens = plan.lhs.isConverted() || plan.rhs.isConverted();
  plan.path = widens ? "widen+" : "";
  plan.path += implementation;
  if (plan.wideOut)
    plan.path += "+round";
  if (plan.reluAfter)
    plan.path += "+relu";
  if (needsFinish(plan.desc))
    plan.path += std::string("+") + epilogueName(plan.desc.epilogue);
}

static int32_t choosePrimitive(amp_rt_context &ctx, const DnnlObjects &dnnl,
                               const amp_rt_gemm_desc &d, GemmPlan &plan) {
  int32_t narrow = narrowCore(plan, d);
  dnnl_status_t last = dnnl_unimplemented;
  for (int32_t core : {narrow, int32_t(AMP_RT_DTYPE_F32)}) {
    for (int32_t out : {d.out_type, int32_t(AMP_RT_DTYPE_F32)}) {
      for (int32_t bias : {d.bias_type, int32_t(AMP_RT_DTYPE_F32)}) {
        bool outFits = out == AMP_RT_DTYPE_F32 || out == core;
        bool biasFits = bias == AMP_RT_DTYPE_F32 || !hasBias(d) || bias == core;
        if (needsFinish(d) && out != AMP_RT_DTYPE_F32)
          outFits = false;
        if (!outFits || !biasFits)
          continue;
        plan.lhs.core = plan.rhs.core = core;
        plan.bias.core = bias;
        PrimitiveParts parts;
        last = describe(dnnl, plan, d, Candidate{core, out, bias}, parts);
        if (last)
          continue;
        // A reference loop in a narrow type is slower than the detour.
        const char *name = implementationName(parts.primitive);
        if (core != AMP_RT_DTYPE_F32 && std::strncmp(name, "ref", 3) == 0)
          continue;
        reserveOperand(plan, plan.lhs);
        reserveOperand(plan, plan.rhs);
        reserveOperand(plan, plan.bias);
        if (out != d.out_type || needsFinish(d))
          plan.wideOut = reserve(plan, plan.out.numElements() * sizeof(float));
        setPath(plan, name);
        last = finish(dnnl, parts, plan);
        if (!last)
          return AMP_RT_OK;
        return AMP_RT_FAIL(ctx, AMP_RT_INTERNAL,
                           "oneDNN fails to make '%s' for a GEMM of "
                           "%lldx%lldx%lldx%lld: %s; free memory, or report it",
                           name, (long long)d.batch, (long long)d.m,
                           (long long)d.n, (long long)d.k, statusText(last));
      }
    }
  }
  return AMP_RT_FAIL(ctx, AMP_RT_INTERNAL,
                     "oneDNN has no f32 product of %lldx%lldx%lldx%lld: %s; "
                     "report it with AMP_RT_VERBOSE=1",
                     (long long)d.batch, (long long)d.m, (long long)d.n,
                     (long long)d.k, statusText(last));
}

/// Plans that accumulate in plain loops over f32 matrices.
static void planLoops(const amp_rt_gemm_desc &d, GemmPlan &plan) {
  if (plan.kind == GemmKind::Ordered) {
    reserveOperand(plan, plan.lhs);
    reserveOperand(plan, plan.rhs);
  }
  plan.bias.core = AMP_RT_DTYPE_F32;
  reserveOperand(plan, plan.bias);
  plan.wideOut = reserve(plan, plan.out.numElements() * sizeof(float));
  if (d.beta != 0.0f)
    plan.oldOut = reserve(plan, plan.out.numElements() * sizeof(float));
  plan.path = plan.kind == GemmKind::NoProduct  ? "no product"
              : d.order == AMP_RT_ORDER_BLOCKED ? "blocked loop"
                                                : "sequential loop";
}

int32_t makeGemmPlan(amp_rt_context &ctx, const DnnlObjects &dnnl,
                     const amp_rt_gemm_desc &desc, GemmPlan &plan) {
  if (int32_t status = checkSupported(ctx, desc))
    return status;
  plan.desc = desc;
  if (desc.batch == 0 || desc.m == 0 || desc.n == 0) {
    plan.kind = GemmKind::Empty;
    plan.path = "empty";
    return AMP_RT_OK;
  }
  amp_rt_gemm_desc d = desc;
  collapseBatch(d);
  setLayouts(plan, d);
  plan.reluAfter = d.epilogue == AMP_RT_EPILOGUE_RELU ||
                   d.epilogue == AMP_RT_EPILOGUE_BIAS_RELU;
  if (d.k == 0 || d.order != AMP_RT_ORDER_ANY) {
    plan.kind = d.k == 0 ? GemmKind::NoProduct : GemmKind::Ordered;
    planLoops(d, plan);
    return AMP_RT_OK;
  }
  plan.kind = GemmKind::Primitive;
  return choosePrimitive(ctx, dnnl, d, plan);
}

} // namespace amp_rt::cpu
