//===- RulesTest.cpp - Tests of the GEMM rules ----------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every rule that is checked is broken by one change to a legal product, and
// the refusal names it; what is legal on one architecture is not on another.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/gemm_rules.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr int32_t F32 = AMP_RT_DTYPE_F32, F16 = AMP_RT_DTYPE_F16,
                  BF16 = AMP_RT_DTYPE_BF16, E4M3 = AMP_RT_DTYPE_E4M3FN,
                  E5M2 = AMP_RT_DTYPE_E5M2, TF32 = AMP_RT_DTYPE_TF32;

/// lhs x rhs^T, both contiguous along k.
amp_rt_gemm_desc product(int32_t lhs, int32_t rhs, int32_t out) {
  amp_rt_gemm_desc d = {};
  d.struct_size = sizeof(d);
  d.lhs_type = lhs;
  d.rhs_type = rhs;
  d.out_type = out;
  d.transpose_rhs = 1;
  d.batch = 1;
  d.m = 24;
  d.n = 32;
  d.k = 64;
  d.alpha = 1.0f;
  return d;
}

/// The id of the rule that refuses, "" for a legal product, or the message of a
/// bad descriptor.
std::string refusedBy(const amp_rt_gemm_desc &d, int32_t arch,
                      std::string *text = nullptr) {
  char message[512];
  int32_t status = amp_rt_gemm_check(&d, arch, message, sizeof(message));
  if (text)
    *text = message;
  if (status == AMP_RT_OK)
    return "";
  std::string all = message;
  if (status == AMP_RT_INVALID_ARGUMENT)
    return all;
  EXPECT_EQ(all.rfind("rule ", 0), 0u) << all;
  EXPECT_NE(all.find("; "), std::string::npos) << all;
  return all.substr(5, all.find(' ', 5) - 5);
}

using Change = std::function<void(amp_rt_gemm_desc &)>;

struct Broken {
  const char *rule;
  int32_t arch;
  amp_rt_gemm_desc legal;
  Change change;
};

void setGelu(amp_rt_gemm_desc &d, int32_t aux) {
  d.epilogue = AMP_RT_EPILOGUE_GELU_AUX;
  d.aux_type = aux;
}

std::vector<Broken> brokenProducts() {
  amp_rt_gemm_desc half = product(F16, F16, F32), full = product(F32, F32, F32),
                   f8 = product(E4M3, E4M3, BF16),
                   narrow = product(E4M3, E5M2, E4M3);
  amp_rt_gemm_desc block = f8;
  block.lhs_scale_mode = block.rhs_scale_mode = AMP_RT_SCALE_BLOCK32;
#define CHANGE(statement) [](amp_rt_gemm_desc &d) { statement; }
  return {
      {"T1", 90, half, CHANGE(d.rhs_type = BF16)},
      {"T1", 90, half, CHANGE(d.out_type = BF16)},
      {"T1", 90, full, CHANGE(d.out_type = F16)},
      {"T1", 90, f8, CHANGE(d.lhs_type = d.rhs_type = E5M2)},
      {"T1", 90, f8, CHANGE(d.out_type = E5M2)},
      {"T1", 90, full, CHANGE(d.lhs_type = AMP_RT_DTYPE_F64)},
      {"T4", 90, half, CHANGE(d.accumulate_type = F16)},
      {"N1", 90, half, CHANGE(d.order = AMP_RT_ORDER_SEQUENTIAL)},
      {"N1", 90, half,
       CHANGE((d.order = AMP_RT_ORDER_BLOCKED, d.order_block = 8))},
      {"N2", 90, half, CHANGE(d.subnormals = AMP_RT_SUBNORMALS_PRESERVE)},
      {"N2", 90, half, CHANGE(d.subnormals = AMP_RT_SUBNORMALS_FLUSH)},
      {"N3", 90, full, CHANGE(d.lhs_compute = d.rhs_compute = BF16)},
      {"N3", 90, full, CHANGE(d.lhs_compute = TF32)},
      {"N3", 90, half, CHANGE(d.rhs_compute = E4M3)},
      {"T2", 90, half,
       CHANGE((d.epilogue = AMP_RT_EPILOGUE_BIAS, d.bias_type = F16))},
      {"L7", 90, f8,
       CHANGE((d.epilogue = AMP_RT_EPILOGUE_BIAS, d.bias_type = F32))},
      {"L11", 90, narrow, CHANGE(setGelu(d, E4M3))},
      {"T3", 90, half, CHANGE(setGelu(d, F16))},
      {"T5", 90, half,
       CHANGE((d.epilogue = AMP_RT_EPILOGUE_BIAS_GRAD_LHS,
               d.bias_grad_type = F16))},
      {"L1", 89, f8, CHANGE(d.transpose_rhs = 0)},
      {"L1", 90, f8, CHANGE(d.transpose_lhs = 1)},
      {"L1", 120, f8, CHANGE(d.transpose_rhs = 0)},
      {"L2", 90, f8, CHANGE(d.k = 72)},
      {"L2", 90, f8, CHANGE(d.n = 36)},
      {"L2", 90, narrow, CHANGE(d.n = 40)},
      {"L2", 90, f8, CHANGE(d.lhs_ld = 72)},
      {"L17", 80, product(F16, F16, BF16),
       CHANGE((d.lhs_type = d.rhs_type = E4M3))},
      {"A1", 75, half, CHANGE((void)d)},
      {"S1", 90, half, CHANGE(d.lhs_scale_mode = AMP_RT_SCALE_TENSOR)},
      {"S2", 89, f8,
       CHANGE(d.lhs_scale_mode = d.rhs_scale_mode = AMP_RT_SCALE_ROW)},
      {"S2", 90, f8,
       CHANGE(d.lhs_scale_mode = d.rhs_scale_mode = AMP_RT_SCALE_BLOCK32)},
      {"S2", 100, block, CHANGE(d.rhs_scale_mode = AMP_RT_SCALE_TENSOR)},
      {"L5", 90, f8, CHANGE(d.out_scale_mode = AMP_RT_SCALE_TENSOR)},
      {"L5", 90, half, CHANGE(d.out_amax = 1)},
      {"L6", 90, narrow, CHANGE(d.beta = 1.0f)},
      {"L10", 90, f8, CHANGE(d.epilogue = AMP_RT_EPILOGUE_DRELU)},
      {"L10", 90, f8, CHANGE(d.epilogue = AMP_RT_EPILOGUE_BIAS_GRAD_RHS)},
      {"L10", 100, block, CHANGE(d.epilogue = AMP_RT_EPILOGUE_RELU)},
      {"L15", 100, block, CHANGE(d.k = 48)},
  };
#undef CHANGE
}

TEST(GemmRules, EachRefusesWithItsName) {
  std::set<std::string> seen;
  for (const Broken &b : brokenProducts()) {
    amp_rt_gemm_desc d = b.legal;
    if (std::string(b.rule) != "A1" && std::string(b.rule) != "L17")
      EXPECT_EQ(refusedBy(d, b.arch), "") << b.rule;
    b.change(d);
    std::string text;
    EXPECT_EQ(refusedBy(d, b.arch, &text), b.rule) << text;
    seen.insert(b.rule);
  }
  // A rule that is checked but never broken here would prove nothing.
  for (size_t i = 0; const amp_rt_gemm_rule *rule = amp_rt_gemm_rule_at(i); ++i)
    if (rule->checked)
      EXPECT_TRUE(seen.count(rule->id)) << rule->id;
}

TEST(GemmRules, Legal) {
  for (int32_t arch : {80, 89, 90, 100, 120})
    for (bool lhs : {false, true})
      for (bool rhs : {false, true})
        for (auto [type, out] :
             {std::pair(F32, F32), std::pair(F16, F16), std::pair(F16, F32),
              std::pair(BF16, BF16), std::pair(BF16, F32)}) {
          for (int32_t e = 0; e <= AMP_RT_EPILOGUE_BIAS_GRAD_RHS; ++e) {
            amp_rt_gemm_desc d = product(type, type, out);
            d.transpose_lhs = lhs;
            d.transpose_rhs = rhs;
            d.m = 3, d.n = 5, d.k = 7;
            d.beta = 1.0f;
            d.epilogue = e;
            if (e == AMP_RT_EPILOGUE_BIAS || e == AMP_RT_EPILOGUE_BIAS_RELU)
              d.bias_type = out;
            EXPECT_EQ(refusedBy(d, arch), "");
          }
        }
}

/// f8 contiguous along n is refused where the units read k only.
TEST(GemmRules, NotTNOnBlackwell) {
  amp_rt_gemm_desc d = product(E4M3, E5M2, F32);
  d.transpose_rhs = 0;
  EXPECT_EQ(refusedBy(d, 90), "L1");
  EXPECT_EQ(refusedBy(d, 100), "");
  EXPECT_EQ(refusedBy(d, 103), "");
  EXPECT_EQ(refusedBy(d, 121), "L1");
}

TEST(GemmRules, TF32OnlyWhereBothSaySo) {
  amp_rt_gemm_desc d = product(F32, F32, F32);
  d.lhs_compute = d.rhs_compute = TF32;
  EXPECT_EQ(refusedBy(d, 90), "");
  d.rhs_compute = F32;
  EXPECT_EQ(refusedBy(d, 90), "N3");
  // A wider computation is then what was asked for.
  d.excess = AMP_RT_EXCESS_ALLOW;
  EXPECT_EQ(refusedBy(d, 90), "");
}

/// cuBLASLt takes a leading dimension that is shorter than a row; we do not.
TEST(GemmRules, LayoutsAreValidated) {
  amp_rt_gemm_desc d = product(F32, F32, F32);
  d.out_ld = 31;
  EXPECT_NE(refusedBy(d, 90).find("'out_ld' expects at least 32"),
            std::string::npos);
}

TEST(GemmRules, MessageIsCut) {
  amp_rt_gemm_desc d = product(F32, F32, F16);
  char small[16];
  EXPECT_EQ(amp_rt_gemm_check(&d, 90, small, sizeof(small)),
            AMP_RT_UNSUPPORTED);
  EXPECT_EQ(std::string(small), "rule T1 (docume");
  EXPECT_EQ(amp_rt_gemm_check(&d, 90, nullptr, 0), AMP_RT_UNSUPPORTED);
}

TEST(GemmRules, IdsAreUniqueAndListed) {
  std::string page(amp_rt_gemm_rules_markdown(nullptr, 0), '\0');
  EXPECT_EQ(amp_rt_gemm_rules_markdown(page.data(), page.size() + 1),
            page.size());
  std::set<std::string> ids;
  for (size_t i = 0; const amp_rt_gemm_rule *rule = amp_rt_gemm_rule_at(i);
       ++i) {
    EXPECT_TRUE(ids.insert(rule->id).second) << rule->id;
    EXPECT_NE(page.find("| " + std::string(rule->id) + " |"),
              std::string::npos);
    // A refusal ends in what to do.
    if (rule->checked)
      EXPECT_STRNE(rule->remedy, "") << rule->id;
  }
  for (int i = 1; i <= 18; ++i)
    EXPECT_TRUE(ids.count("L" + std::to_string(i))) << i;
}

} // namespace
