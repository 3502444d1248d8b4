//===- GemmDescription.h - What the runtime is asked for -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `amprt.gemm` as the runtime's descriptor. Users need the runtime's include
// directory, which the library that has these functions passes on.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_UTILS_GEMMDESCRIPTION_H
#define AMP_CONVERSION_UTILS_GEMMDESCRIPTION_H

#include "amp-rt/gemm.h"
#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h"

namespace mlir::amp {

/// What the runtime is asked for by `gemm`, on static tensors or memrefs. Fails
/// with an error at `gemm` where the runtime has no such GEMM at all; whether a
/// target can run it is not checked.
FailureOr<amp_rt_gemm_desc> describeGemm(amprt::GemmOp gemm);

/// What `amp_rt_gemm_args::aux` points to: the epilogue's operand or its second
/// out; null if it has none.
Value getGemmAux(amprt::GemmOp gemm);

/// What `amp_rt_gemm_args::bias_grad` points to; null if there is none.
Value getGemmBiasGrad(amprt::GemmOp gemm);

/// The numbers of architectures named as in `sm_80+sm_90a`, in one name or in
/// several. Fails with the part that names none in `bad`.
FailureOr<SmallVector<int32_t>> parseGemmArchs(ArrayRef<std::string> names,
                                               std::string &bad);

/// Whether each of `archs` can run `desc`, by the runtime's table of rules
/// (`amp-rt/gemm_rules.h`); `why` gets the message of the first that can't.
LogicalResult checkGemm(const amp_rt_gemm_desc &desc, ArrayRef<int32_t> archs,
                        std::string &why);

} // namespace mlir::amp

#endif // AMP_CONVERSION_UTILS_GEMMDESCRIPTION_H
