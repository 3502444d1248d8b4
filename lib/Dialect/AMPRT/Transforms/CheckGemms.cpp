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

#include "amp-rt/gemm_rules.h"
#include "amp/Conversion/Utils/GemmDescription.h"

namespace mlir::amprt {
#define GEN_PASS_DEF_CHECKGEMMSPASS
#include "amp/Dialect/AMPRT/Transforms/Passes.h.inc"
} // namespace mlir::amprt

using namespace mlir;
using namespace mlir::amprt;

/// The number in "sm_90" or "sm_90a"; 0 for another text.
static int32_t parseArch(StringRef name) {
  int32_t number = 0;
  if (!name.consume_front("sm_") || name.consumeInteger(10, number))
    return 0;
  return name.empty() || name == "a" || name == "f" ? number : 0;
}

static LogicalResult checkGemm(GemmOp gemm, int32_t arch) {
  FailureOr<amp_rt_gemm_desc> desc = amp::describeGemm(gemm);
  if (failed(desc))
    return failure();
  char message[768];
  if (amp_rt_gemm_check(&*desc, arch, message, sizeof message) == AMP_RT_OK)
    return success();
  return gemm.emitOpError(message);
}

namespace {
struct CheckGemmsPass : amprt::impl::CheckGemmsPassBase<CheckGemmsPass> {
  using CheckGemmsPassBase::CheckGemmsPassBase;

  void runOnOperation() override {
    SmallVector<int32_t> numbers;
    for (const std::string &name : archs) {
      numbers.push_back(parseArch(name));
      if (numbers.back() == 0) {
        emitError(getOperation()->getLoc())
            << "'" << getArgument()
            << "' expects architectures such as sm_90, but got '" << name
            << "'";
        return signalPassFailure();
      }
    }
    // Every GEMM is looked at, so that one run names all of them; for each the
    // first architecture that refuses it is enough.
    bool legal = true;
    getOperation()->walk([&](GemmOp gemm) {
      for (int32_t number : numbers)
        if (failed(checkGemm(gemm, number))) {
          legal = false;
          break;
        }
    });
    if (!legal)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
