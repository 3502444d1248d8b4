//===- Driver.h - The CUDA driver, opened at run time -----------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The symbol table of libcuda.so.1. A binary that holds this runs without a
// driver, and says what is missing when a device is asked for.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_CUDA_DRIVER_H
#define AMP_RT_LIB_CUDA_DRIVER_H

#include "../common/Context.h"
#include "Entry.h"

#include <cuda.h>
#include <string>

namespace amp_rt::cuda {

struct Driver {
  Driver() = default;
  Driver(const Driver &) = delete;
  Driver &operator=(const Driver &) = delete;

  /// Opens the library and finds every symbol, or fails in the context. The
  /// library stays open: kernels of the driver may outlive a context.
  int32_t open(amp_rt_context &ctx);

#define AMP_CU_ENTRY(name) Entry<decltype(::name)> name;
#include "DriverSymbols.def"
};

/// "out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2)", for messages; a fixed table,
/// since a driver in trouble need not be asked.
std::string statusText(CUresult status);

/// Whether the device or its context is beyond use after this status.
bool isDeviceLost(CUresult status);

} // namespace amp_rt::cuda

#endif // AMP_RT_LIB_CUDA_DRIVER_H
