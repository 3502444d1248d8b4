//===- Dnnl.h - Handles of the oneDNN C API ---------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Move-only owners of oneDNN objects. The C API is used because it throws
// nothing, and because executing through it allocates nothing of ours.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_CPU_DNNL_H
#define AMP_RT_LIB_CPU_DNNL_H

#include <oneapi/dnnl/dnnl.h>

#include <utility>

namespace amp_rt::cpu {

/// Owns one oneDNN object.
template <typename Handle, dnnl_status_t (*Destroy)(Handle)> class Owner {
public:
  Owner() = default;
  Owner(Owner &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)) {}
  Owner &operator=(Owner &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Owner() {
    if (handle)
      Destroy(handle);
  }

  Handle get() const { return handle; }
  explicit operator bool() const { return handle != nullptr; }
  /// For a creating call; the owner must be empty.
  Handle *out() { return &handle; }

private:
  Handle handle = nullptr;
};

using Engine = Owner<dnnl_engine_t, dnnl_engine_destroy>;
using Stream = Owner<dnnl_stream_t, dnnl_stream_destroy>;
using MemoryDesc = Owner<dnnl_memory_desc_t, dnnl_memory_desc_destroy>;
using Memory = Owner<dnnl_memory_t, dnnl_memory_destroy>;
using PostOps = Owner<dnnl_post_ops_t, dnnl_post_ops_destroy>;
using PrimitiveAttr = Owner<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy>;
using PrimitiveDesc = Owner<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy>;
using Primitive = Owner<dnnl_primitive_t, dnnl_primitive_destroy>;

/// "out of memory", "unimplemented", ...; never null.
inline const char *statusText(dnnl_status_t status) {
  switch (status) {
  case dnnl_success:
    return "success";
  case dnnl_out_of_memory:
    return "out of memory";
  case dnnl_invalid_arguments:
    return "invalid arguments";
  case dnnl_unimplemented:
    return "unimplemented";
  case dnnl_runtime_error:
    return "runtime error";
  default:
    return "an unexpected status";
  }
}

} // namespace amp_rt::cpu

#endif // AMP_RT_LIB_CPU_DNNL_H
