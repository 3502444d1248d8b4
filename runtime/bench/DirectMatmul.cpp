//===- DirectMatmul.cpp - One oneDNN matmul without the runtime -----------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain row-major operands, a transposed one described by its strides; bias
// and relu as the library offers them.
//
//===----------------------------------------------------------------------===//

#include "DirectMatmul.h"

namespace amp_rt::bench {

using namespace cpu;

static dnnl_data_type_t getDnnlType(int32_t dtype) {
  switch (dtype) {
  case AMP_RT_DTYPE_F16:
    return dnnl_f16;
  case AMP_RT_DTYPE_BF16:
    return dnnl_bf16;
  default:
    return dnnl_f32;
  }
}

static bool describe(MemoryDesc &desc, int32_t dtype, int64_t rows,
                     int64_t cols, bool transposed) {
  dnnl_dims_t dims = {rows, cols};
  dnnl_dims_t strides = {transposed ? 1 : cols, transposed ? rows : 1};
  return dnnl_memory_desc_create_with_strides(
             desc.out(), 2, dims, getDnnlType(dtype), strides) == dnnl_success;
}

bool DirectMatmul::create(const amp_rt_gemm_desc &d, void *lhs, void *rhs,
                          void *bias, void *out) {
  bool hasBias = d.bias_type != AMP_RT_DTYPE_NONE;
  MemoryDesc lhsDesc, rhsDesc, biasDesc, outDesc;
  if (dnnl_engine_create(engine.out(), dnnl_cpu, 0) != dnnl_success ||
      dnnl_stream_create(stream.out(), engine.get(),
                         dnnl_stream_default_flags) != dnnl_success ||
      !describe(lhsDesc, d.lhs_type, d.m, d.k, d.transpose_lhs) ||
      !describe(rhsDesc, d.rhs_type, d.k, d.n, d.transpose_rhs) ||
      !describe(outDesc, d.out_type, d.m, d.n, false) ||
      (hasBias && !describe(biasDesc, d.bias_type, 1, d.n, false)))
    return false;

  PrimitiveAttr attr;
  PostOps postOps;
  if (dnnl_primitive_attr_create(attr.out()) != dnnl_success ||
      dnnl_post_ops_create(postOps.out()) != dnnl_success)
    return false;
  if (d.epilogue == AMP_RT_EPILOGUE_RELU ||
      d.epilogue == AMP_RT_EPILOGUE_BIAS_RELU)
    dnnl_post_ops_append_eltwise(postOps.get(), dnnl_eltwise_relu, 0, 0);
  dnnl_primitive_attr_set_post_ops(attr.get(), postOps.get());

  PrimitiveDesc desc;
  if (dnnl_matmul_primitive_desc_create(
          desc.out(), engine.get(), lhsDesc.get(), rhsDesc.get(),
          hasBias ? biasDesc.get() : nullptr, outDesc.get(),
          attr.get()) != dnnl_success)
    return false;
  const char *name = nullptr;
  dnnl_primitive_desc_query(desc.get(), dnnl_query_impl_info_str, 0, &name);
  path = name ? name : "";
  // The library's reference loops are no peer for a measurement.
  if (path.rfind("ref", 0) == 0)
    return false;
  if (dnnl_primitive_create(primitive.out(), desc.get()) != dnnl_success)
    return false;

  auto bind = [&](int index, Memory &memory, const MemoryDesc &memoryDesc,
                  void *data) {
    bool made = dnnl_memory_create(memory.out(), memoryDesc.get(), engine.get(),
                                   data) == dnnl_success;
    execArgs[numExecArgs++] = {index, memory.get()};
    return made;
  };
  return bind(DNNL_ARG_SRC, lhsMemory, lhsDesc, lhs) &&
         bind(DNNL_ARG_WEIGHTS, rhsMemory, rhsDesc, rhs) &&
         (!hasBias || bind(DNNL_ARG_BIAS, biasMemory, biasDesc, bias)) &&
         bind(DNNL_ARG_DST, outMemory, outDesc, out);
}

void DirectMatmul::run() {
  dnnl_primitive_execute(primitive.get(), stream.get(), numExecArgs, execArgs);
  dnnl_stream_wait(stream.get());
}

} // namespace amp_rt::bench
