//===- DirectMatmul.h - One oneDNN matmul without the runtime ---*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The peer of the GEMM benchmark: the matmul primitive that a program written
// against oneDNN would create for the same descriptor, executed directly.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_BENCH_DIRECTMATMUL_H
#define AMP_RT_BENCH_DIRECTMATMUL_H

#include "../lib/cpu/Dnnl.h"
#include "amp-rt/gemm.h"

#include <string>

namespace amp_rt::bench {

/// A matmul primitive with its memory objects; reads and writes the buffers it
/// was made on.
class DirectMatmul {
public:
  /// Makes the primitive at exactly the types of `desc` (no scales, no batch).
  /// False when oneDNN has no optimised implementation for them.
  bool create(const amp_rt_gemm_desc &desc, void *lhs, void *rhs, void *bias,
              void *out);

  void run();

  /// The name of oneDNN's implementation.
  const std::string &getPath() const { return path; }

private:
  cpu::Engine engine;
  cpu::Stream stream;
  cpu::Primitive primitive;
  cpu::Memory lhsMemory, rhsMemory, biasMemory, outMemory;
  dnnl_exec_arg_t execArgs[4] = {};
  int numExecArgs = 0;
  std::string path;
};

} // namespace amp_rt::bench

#endif // AMP_RT_BENCH_DIRECTMATMUL_H
