//===- Library.h - The runtime's calls, on a library of choice --*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the runtime that talks to cuBLASLt, without a driver: on the real
// library (descriptors only) or on the emulated one (products too, on host
// memory).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_CUBLASLT_TESTS_LIBRARY_H
#define AMP_EMULATOR_CUBLASLT_TESTS_LIBRARY_H

#include "GemmPlan.h"

#include <gtest/gtest.h>

#include <string>

namespace lt_tests {

/// A context that only keeps its error.
amp_rt_context &context();

/// The emulated library; with `arch` as its device.
amp_rt::cuda::LtTarget emulated(int32_t arch = 90);

/// The real library. Null where there is none; `reason` says so.
const amp_rt::cuda::CublasLt *real(std::string &reason);

/// A function of the opened library that the runtime itself does not call.
template <typename Function>
Function *find(const amp_rt::cuda::CublasLt &lt, const char *name);
void *findAddress(const amp_rt::cuda::CublasLt &lt, const char *name);
template <typename Function>
Function *find(const amp_rt::cuda::CublasLt &lt, const char *name) {
  return reinterpret_cast<Function *>(findAddress(lt, name));
}

/// A product of the given types: lhs x rhs^T, dense.
amp_rt_gemm_desc product(int32_t lhs, int32_t rhs, int32_t out, int64_t m,
                         int64_t n, int64_t k);

/// The complete descriptor.
amp_rt_gemm_desc completed(const amp_rt_gemm_desc &desc);

} // namespace lt_tests

#endif // AMP_EMULATOR_CUBLASLT_TESTS_LIBRARY_H
