//===- CheckGemms.cpp - GEMMs against the rules of a target -----*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// -amprt-check-gemms: asks the runtime's own table of rules about each GEMM, so
// that the compiler refuses exactly what the runtime would.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMPRT/Transforms/Passes.h"

#include "amp/Conversion/Utils/GemmDescription.h"

namespace mlir::amprt {
#define GEN_PASS_DEF_CHECKGEMMSPASS
#include "amp/Dialect/AMPRT/Transforms/Passes.h.inc"
} // namespace mlir::amprt

using namespace mlir;
using namespace mlir::amprt;

namespace {
struct CheckGemmsPass : amprt::impl::CheckGemmsPassBase<CheckGemmsPass> {
  using CheckGemmsPassBase::CheckGemmsPassBase;

  void runOnOperation() override {
    std::string bad;
    FailureOr<SmallVector<int32_t>> numbers = amp::parseGemmArchs(archs, bad);
    if (failed(numbers)) {
      emitError(getOperation()->getLoc())
          << "'" << getArgument() << "' expects architectures such as sm_90, "
          << "but got '" << bad << "'";
      return signalPassFailure();
    }
    // Every GEMM is looked at, so that one run names all of them; for each the
    // first architecture that refuses it is enough.
    bool legal = true;
    getOperation()->walk([&](GemmOp gemm) {
      FailureOr<amp_rt_gemm_desc> desc = amp::describeGemm(gemm);
      std::string why;
      if (succeeded(desc) && failed(amp::checkGemm(*desc, *numbers, why)))
        gemm.emitOpError(why);
      legal &= succeeded(desc) && why.empty();
    });
    if (!legal)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
