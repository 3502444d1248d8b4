//===- EpilogueRules.cpp - What -amprt-fuse-epilogues may do -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names to flags, and the table of rules that the runtime has too.
//
//===----------------------------------------------------------------------===//

#include "EpilogueRules.h"

#include "amp-rt/gemm_rules.h"
#include "amp/Conversion/Utils/GemmDescription.h"

using namespace mlir;
using namespace mlir::amp;

static constexpr std::pair<StringLiteral, EpilogueFamily> kFamilies[] = {
    {"relu", EpilogueFamily::relu},          {"drelu", EpilogueFamily::drelu},
    {"gelu", EpilogueFamily::gelu},          {"dgelu", EpilogueFamily::dgelu},
    {"bias-grad", EpilogueFamily::biasGrad},
};

/// The rule that relu keeps NaN has this id in the runtime's table.
static constexpr StringLiteral kNaNRule = "E3";

/// Whether more than an assumption says that the library's relu keeps NaN.
static bool isNaNRuleKnown() {
  for (size_t i = 0; const amp_rt_gemm_rule *rule = amp_rt_gemm_rule_at(i); ++i)
    if (rule->id == kNaNRule)
      return rule->status != AMP_RT_RULE_ASSUMED;
  return false;
}

FailureOr<EpilogueRules>
EpilogueRules::create(ArrayRef<std::string> families,
                      ArrayRef<std::string> archs, NaNRelu nanRelu,
                      function_ref<LogicalResult(const Twine &)> onError) {
  EpilogueRules rules;
  for (StringRef name : families) {
    if (name == "none")
      continue;
    const auto *known = llvm::find_if(
        kFamilies, [&](const auto &pair) { return pair.first == name; });
    if (known == std::end(kFamilies)) {
      (void)onError("expects epilogues among relu, drelu, gelu, dgelu, "
                    "bias-grad and none, but got '" +
                    name + "'");
      return failure();
    }
    rules.families |= 1u << static_cast<unsigned>(known->second);
  }
  if (families.empty())
    rules.families = ~0u;
  std::string bad;
  FailureOr<SmallVector<int32_t>> numbers = parseGemmArchs(archs, bad);
  if (failed(numbers)) {
    (void)onError("expects architectures such as sm_90, but got '" + bad + "'");
    return failure();
  }
  rules.archs = *numbers;
  rules.nanIsKept = nanRelu == NaNRelu::assumePropagates ||
                    (nanRelu == NaNRelu::byStatus && isNaNRuleKnown());
  return rules;
}

bool EpilogueRules::allow(amprt::GemmOp gemm, std::string &why) const {
  if (archs.empty())
    return true;
  FailureOr<amp_rt_gemm_desc> desc = describeGemm(gemm);
  if (failed(desc)) {
    why = "the runtime has no such product";
    return false;
  }
  return succeeded(checkGemm(*desc, archs, why));
}
