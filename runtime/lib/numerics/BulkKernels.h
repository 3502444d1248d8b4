//===- BulkKernels.h - Table of array kernels of one instruction set -*- C++
//-*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// BulkKernels.cpp is compiled once per instruction set and defines one table;
// Bulk.cpp picks a table when it is first needed.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_NUMERICS_BULKKERNELS_H
#define AMP_RT_LIB_NUMERICS_BULKKERNELS_H

#include "amp-rt/numerics.h"

namespace amp_rt::numerics {

struct BulkKernels {
  const char *instructionSet;
  /// Encode; true if an element overflowed in the sense of `Overflow::Error`
  /// (under any policy).
  bool (*narrowF32)(const float *source, void *target, size_t count,
                    const FloatFormat &format, const ConvertOptions &options);
  bool (*narrowF64)(const double *source, void *target, size_t count,
                    const FloatFormat &format, const ConvertOptions &options);
  /// Decode.
  void (*widenF32)(const void *source, float *target, size_t count,
                   const FloatFormat &format, bool flushSubnormals);
  void (*widenF64)(const void *source, double *target, size_t count,
                   const FloatFormat &format, bool flushSubnormals);
};

#if defined(__x86_64__)
extern const BulkKernels kBulkKernelsV3;
extern const BulkKernels kBulkKernelsV4;
#else
extern const BulkKernels kBulkKernelsGeneric;
#endif

} // namespace amp_rt::numerics

#endif // AMP_RT_LIB_NUMERICS_BULKKERNELS_H
