//===- GemmRules.h - The rules of GEMMs, listed -----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `amp-opt --amp-gemm-rules`: the table that -amprt-check-gemms and the CUDA
// back end ask, as Markdown (docs/generated/GemmRules.md).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_SUPPORT_GEMMRULES_H
#define AMP_SUPPORT_GEMMRULES_H

namespace mlir::amp {

/// Adds `--amp-gemm-rules` to the command line; called before it is parsed.
void registerGemmRulesOption();

/// After the command line is parsed: prints the table if it was asked for, and
/// returns whether it was.
bool runGemmRules();

} // namespace mlir::amp

#endif // AMP_SUPPORT_GEMMRULES_H
