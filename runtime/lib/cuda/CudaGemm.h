//===- CudaGemm.h - GEMMs on cuBLASLt ---------------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the CUDA back end that plans and runs products.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_CUDA_CUDAGEMM_H
#define AMP_RT_LIB_CUDA_CUDAGEMM_H

#include "amp-rt/gemm.h"

#include <cstdint>
#include <memory>
#include <string>

namespace amp_rt::cuda {

class CudaBackend;

/// Owned by the back end, made after the device and destroyed before it. A
/// failure is reported in the back end's context.
class CudaGemm {
public:
  virtual ~CudaGemm() = default;
  /// Opens the library and makes its handle.
  virtual int32_t initialize() = 0;
  /// As Backend's functions of these names. While CudaBackend::isRecording(),
  /// run only issues work on the back end's stream: everything is prepared.
  virtual int32_t prepareGemm(const amp_rt_gemm_desc &desc) = 0;
  virtual int32_t runGemm(const amp_rt_gemm_desc &desc,
                          const amp_rt_gemm_args &args) = 0;
  virtual const char *gemmPath(const amp_rt_gemm_desc &desc) = 0;
  /// "cuBLASLt 13.0.2", for amp_rt_runtime_info.
  virtual std::string describe() const = 0;
};

std::unique_ptr<CudaGemm> createCudaGemm(CudaBackend &backend);

} // namespace amp_rt::cuda

#endif // AMP_RT_LIB_CUDA_CUDAGEMM_H
