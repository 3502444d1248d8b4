//===- Trace.h - The calls that a step makes --------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a trace is active, every launch and GEMM that compiled code issues is
// noted, and goes on to the runtime. The programs are linked with
// --wrap=amp_rt_launch and --wrap=amp_rt_gemm for this.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DEVICE_TRACE_H
#define AMP_DEVICE_TRACE_H

#include "amp-rt/amp_rt.h"

#include <vector>

namespace device {

struct LaunchCall {
  const amp_rt_launch_desc *desc;
  std::vector<void *> pointers;
};

struct GemmCall {
  const amp_rt_gemm_desc *desc;
  amp_rt_gemm_args args;

  double getFlops() const {
    return 2.0 * double(desc->batch) * double(desc->m) * double(desc->n) *
           double(desc->k);
  }
};

/// Active from construction to destruction; one at a time.
class Trace {
public:
  Trace();
  ~Trace();
  Trace(const Trace &) = delete;
  Trace &operator=(const Trace &) = delete;

  double getFlops() const;
  /// The runtime may call what it records twice: keeps one of the two.
  void dropRehearsal();

  std::vector<LaunchCall> launches;
  std::vector<GemmCall> gemms;
};

} // namespace device

#endif // AMP_DEVICE_TRACE_H
