//===- CublasLt.h - cuBLASLt, opened at run time ----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The symbol table of libcublasLt and owners of its objects. A binary that
// holds this runs without the library, and says where it was looked for.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_CUDA_CUBLASLT_H
#define AMP_RT_LIB_CUDA_CUBLASLT_H

#include "../common/Context.h"
#include "Entry.h"

#include <cublasLt.h>

#include <string>
#include <utility>

namespace amp_rt::cuda {

struct CublasLt {
  CublasLt() = default;
  CublasLt(const CublasLt &) = delete;
  CublasLt &operator=(const CublasLt &) = delete;

  /// Opens the library and finds every symbol, or fails in the context with
  /// the places that were looked at. AMP_CUBLASLT names a file; otherwise the
  /// loader's path, CUDA_PATH, CUDA_HOME, CUDA_ROOT, CONDA_PREFIX, the nvidia-*
  /// wheels of VIRTUAL_ENV, of the .venv above the runtime, of ~/.local and of
  /// /usr/local, and /usr/local/cuda are tried in this order. The library stays
  /// open.
  int32_t open(amp_rt_context &ctx);

  /// "13.1.0", and where it lies.
  std::string version() const;
  size_t versionNumber() const { return number; }
  const std::string &path() const { return file; }

#define AMP_LT_ENTRY(name) Entry<decltype(::name)> name;
#include "CublasLtSymbols.def"

private:
  size_t number = 0;
  std::string file;
};

/// "not supported (CUBLAS_STATUS_NOT_SUPPORTED, 15)", for messages.
std::string statusText(cublasStatus_t status);

/// Owns one object of the library.
template <typename Handle, Entry<cublasStatus_t(Handle)> CublasLt::*Destroy>
class LtOwner {
public:
  LtOwner() = default;
  LtOwner(LtOwner &&other) noexcept
      : library(other.library), handle(std::exchange(other.handle, nullptr)) {}
  LtOwner &operator=(LtOwner &&other) noexcept {
    std::swap(library, other.library);
    std::swap(handle, other.handle);
    return *this;
  }
  ~LtOwner() {
    if (handle)
      (library->*Destroy)(handle);
  }

  Handle get() const { return handle; }
  /// For a creating call; the owner must be empty.
  Handle *out(const CublasLt &lt) {
    library = &lt;
    return &handle;
  }

private:
  const CublasLt *library = nullptr;
  Handle handle = nullptr;
};

using LtHandle = LtOwner<cublasLtHandle_t, &CublasLt::cublasLtDestroy>;
using LtDesc =
    LtOwner<cublasLtMatmulDesc_t, &CublasLt::cublasLtMatmulDescDestroy>;
using LtLayout =
    LtOwner<cublasLtMatrixLayout_t, &CublasLt::cublasLtMatrixLayoutDestroy>;
using LtPreference = LtOwner<cublasLtMatmulPreference_t,
                             &CublasLt::cublasLtMatmulPreferenceDestroy>;

} // namespace amp_rt::cuda

#endif // AMP_RT_LIB_CUDA_CUBLASLT_H
