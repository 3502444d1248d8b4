//===- DirectLt.h - cuBLASLt without the runtime ----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The peer of the GEMM table: one product by cublasLtMatmul on a stream of its
// own, with the algorithm that the heuristic puts first. Built without CUDA
// headers it says so.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DEVICE_DIRECTLT_H
#define AMP_DEVICE_DIRECTLT_H

#include "amp-rt/gemm.h"

#include <memory>
#include <string>

namespace device {

/// The driver and cuBLASLt, opened by themselves.
class DirectLt {
public:
  /// Null, with the reason, when a library or a device is missing.
  static std::unique_ptr<DirectLt> create(std::string &reason);
  ~DirectLt();

  /// Prepares the product that `desc` describes (no epilogue, batch of 1, dense
  /// rows) on device memory. False, with the reason, when the library refuses.
  bool prepare(const amp_rt_gemm_desc &desc, const amp_rt_gemm_args &args,
               void *workspace, size_t workspaceBytes, std::string &reason);
  /// Microseconds per call over `calls` calls, by events; negative on failure.
  double time(int calls);
  /// The library's version, such as 130002.
  size_t getVersion() const;
  std::string getDeviceName() const;

private:
  DirectLt();
  struct State;
  std::unique_ptr<State> state;
};

} // namespace device

#endif // AMP_DEVICE_DIRECTLT_H
