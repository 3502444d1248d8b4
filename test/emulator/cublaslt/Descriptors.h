//===- Descriptors.h - Where descriptors live -------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creating, setting, reading and destroying descriptors: by the real cuBLASLt,
// which does this without a device, or by a store of our own.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_CUBLASLT_DESCRIPTORS_H
#define AMP_EMULATOR_CUBLASLT_DESCRIPTORS_H

#include <cublasLt.h>

namespace amp_emulator {

struct Descriptors {
#define AMP_EMULATOR_FORWARDED(X)                                              \
  X(cublasLtMatmulDescCreate)                                                  \
  X(cublasLtMatmulDescDestroy)                                                 \
  X(cublasLtMatmulDescSetAttribute)                                            \
  X(cublasLtMatmulDescGetAttribute)                                            \
  X(cublasLtMatrixLayoutCreate)                                                \
  X(cublasLtMatrixLayoutDestroy)                                               \
  X(cublasLtMatrixLayoutSetAttribute)                                          \
  X(cublasLtMatrixLayoutGetAttribute)                                          \
  X(cublasLtMatmulPreferenceCreate)                                            \
  X(cublasLtMatmulPreferenceDestroy)                                           \
  X(cublasLtMatmulPreferenceSetAttribute)                                      \
  X(cublasLtMatmulPreferenceGetAttribute)
#define AMP_EMULATOR_FIELD(name) decltype(&::name) name = nullptr;
  AMP_EMULATOR_FORWARDED(AMP_EMULATOR_FIELD)
#undef AMP_EMULATOR_FIELD
  /// The real library's version; 0 for the store.
  size_t version = 0;
};

/// The real library's functions where it is found: AMP_EMULATOR_CUBLASLT (a
/// file, or `none` for the store), CUDA_PATH, CUDA_HOME, CUDA_ROOT, wheels in
/// VIRTUAL_ENV and in the .venv above this file, /usr/local/cuda. Decided once.
const Descriptors &descriptors();

/// The store of our own.
Descriptors ownDescriptors();

} // namespace amp_emulator

#endif // AMP_EMULATOR_CUBLASLT_DESCRIPTORS_H
