//===- Pool.h - Device memory -----------------------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The context's own memory pool: blocks are taken and given back in the order
// of the stream, and what the pool has from the driver stays with it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_CUDA_POOL_H
#define AMP_RT_LIB_CUDA_POOL_H

#include "Driver.h"

#include <unordered_map>

namespace amp_rt::cuda {

class CudaBackend;

class Pool {
public:
  explicit Pool(CudaBackend &backend) : backend(backend) {}
  /// Frees every block that is left. The stream is idle then.
  ~Pool();

  int32_t initialize(CUdevice device);

  /// Null after a reported failure.
  void *allocate(size_t bytes);
  void deallocate(void *ptr);
  void reservedBytes(uint64_t &current, uint64_t &peak) const;

private:
  CudaBackend &backend;
  CUmemoryPool pool = nullptr;
  std::unordered_map<void *, size_t> blocks;
};

} // namespace amp_rt::cuda

#endif // AMP_RT_LIB_CUDA_POOL_H
