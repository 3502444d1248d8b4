//===- Library.cpp - The runtime's calls, on a library of choice ----------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands in for the runtime's context, which needs a back end.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <map>

using namespace amp_rt;
using namespace amp_rt::cuda;

amp_rt_context::amp_rt_context(const amp_rt_context_options &opts)
    : options(opts) {}

int32_t amp_rt_context::fail(int32_t newStatus, const char *, int,
                             const char *format, ...) {
  if (status)
    return status;
  status = newStatus;
  va_list args;
  va_start(args, format);
  std::vsnprintf(message, sizeof(message), format, args);
  va_end(args);
  return status;
}

namespace lt_tests {

amp_rt_context &context() {
  static amp_rt_context_options options = {};
  static amp_rt_context ctx(options);
  return ctx;
}

/// Opens the library that a name in the environment asks for.
static CublasLt *open(const char *file) {
  if (file)
    setenv("AMP_CUBLASLT", file, 1);
  else
    unsetenv("AMP_CUBLASLT");
  auto *lt = new CublasLt;
  if (lt->open(context())) {
    delete lt;
    return nullptr;
  }
  return lt;
}

LtTarget emulated(int32_t arch) {
  // What the emulated library's handle takes its device from.
  setenv("AMP_EMULATOR_ARCH", std::to_string(arch).c_str(), 1);
  static CublasLt *lt = open(AMP_EMULATED_CUBLASLT);
  EXPECT_NE(lt, nullptr) << context().message;
  static std::map<int32_t, LtHandle> handles;
  LtHandle &handle = handles[arch];
  if (!handle.get())
    EXPECT_EQ(lt->cublasLtCreate(handle.out(*lt)), CUBLAS_STATUS_SUCCESS);
  return {context(),    nullptr, nullptr,        *lt,
          handle.get(), arch,    size_t(4) << 20};
}

const CublasLt *real(std::string &reason) {
  static CublasLt *lt = open(nullptr);
  if (!lt)
    reason = context().message;
  context().status = AMP_RT_OK;
  return lt;
}

void *findAddress(const CublasLt &lt, const char *name) {
  void *library = dlopen(lt.path().c_str(), RTLD_NOW | RTLD_NOLOAD);
  return library ? dlsym(library, name) : nullptr;
}

amp_rt_gemm_desc product(int32_t lhs, int32_t rhs, int32_t out, int64_t m,
                         int64_t n, int64_t k) {
  amp_rt_gemm_desc d = {};
  d.struct_size = sizeof(d);
  d.lhs_type = lhs;
  d.rhs_type = rhs;
  d.out_type = out;
  d.transpose_rhs = 1;
  d.batch = 1;
  d.m = m;
  d.n = n;
  d.k = k;
  d.alpha = 1.0f;
  return d;
}

amp_rt_gemm_desc completed(const amp_rt_gemm_desc &desc) {
  char text[256] = "";
  amp_rt_gemm_desc full = {};
  EXPECT_EQ(completeGemmDesc(&desc, full, Message{text, sizeof(text)}),
            AMP_RT_OK)
      << text;
  return full;
}

} // namespace lt_tests
