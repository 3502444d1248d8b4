//===- Check.cpp - Test and listing of the GEMM rules ---------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the tables; see gemm_rules.h.
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include <cstdarg>
#include <cstdio>

using namespace amp_rt;

static const char *statusName(int32_t status) {
  static const char *const names[] = {"documented", "observed", "assumed"};
  return names[status];
}

static bool applies(const Rule &rule, const Problem &p) {
  return (rule.types.contains(p.desc.lhs_type) ||
          rule.types.contains(p.desc.rhs_type)) &&
         rule.archs.contains(p.arch) &&
         rule.epilogues.contains(p.desc.epilogue);
}

int32_t amp_rt_gemm_check(const amp_rt_gemm_desc *desc, int32_t arch,
                          char *text, size_t size) noexcept {
  Message message{text, size};
  if (size)
    text[0] = '\0';
  amp_rt_gemm_desc full;
  if (int32_t status = completeGemmDesc(desc, full, message))
    return status;
  Problem problem{full, arch};
  for (size_t i = 0; i < numGemmRules; ++i) {
    const Rule &rule = gemmRules[i];
    char got[160] = "";
    if (!rule.holds || !applies(rule, problem) ||
        rule.holds(problem, Message{got, sizeof(got)}))
      continue;
    char name[160];
    describeGemm(full, name, sizeof(name));
    return message.refuse(AMP_RT_UNSUPPORTED,
                          "rule %s (%s) refuses %s on sm_%d: expects %s, but "
                          "got %s; %s",
                          rule.id, statusName(rule.status), name, arch,
                          rule.text, got, rule.remedy);
  }
  return AMP_RT_OK;
}

const amp_rt_gemm_rule *amp_rt_gemm_rule_at(size_t index) noexcept {
  if (index >= numGemmRules)
    return nullptr;
  static thread_local amp_rt_gemm_rule shown;
  const Rule &r = gemmRules[index];
  shown = {r.id,         r.status,     r.holds ? 1 : 0,
           r.types.text, r.archs.text, r.epilogues.text,
           r.text,       r.remedy,     r.source};
  return &shown;
}

//===----------------------------------------------------------------------===//
// Listing
//===----------------------------------------------------------------------===//

namespace {
/// Appends to a buffer of limited size and counts what would have been written.
struct Writer {
  char *buffer;
  size_t size;
  size_t length = 0;

  void print(const char *format, ...) __attribute__((format(printf, 2, 3))) {
    va_list args;
    va_start(args, format);
    bool fits = length < size;
    int written = std::vsnprintf(fits ? buffer + length : nullptr,
                                 fits ? size - length : 0, format, args);
    va_end(args);
    length += written > 0 ? size_t(written) : 0;
  }
};
} // namespace

size_t amp_rt_gemm_rules_markdown(char *buffer, size_t size) noexcept {
  Writer w{buffer, size};
  w.print("# GEMM rules\n\n"
          "What a product obeys to run on cuBLASLt. The compiler "
          "(`-amprt-check-gemms`) and the CUDA back end test the rules marked "
          "*yes*; the others say what the library or the runtime does. Written "
          "by `amp-opt --amp-gemm-rules`.\n\n"
          "Layouts are row-major: the library's A is rhs, its B is lhs, its "
          "rows are n.\n\n"
          "| Rule | Status | Tested | Types | Architectures | Epilogues | "
          "Expects | Remedy | Source |\n"
          "|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < numGemmRules; ++i) {
    const Rule &r = gemmRules[i];
    w.print("| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.id,
            statusName(r.status), r.holds ? "yes" : "no", r.types.text,
            r.archs.text, r.epilogues.text, r.text, *r.remedy ? r.remedy : "-",
            r.source);
  }
  w.print("\n## Types\n\n| lhs | rhs | out | bias | gelu aux | bias gradient | "
          "Status |\n|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < numGemmTypes; ++i) {
    const TypeRow &t = gemmTypes[i];
    w.print("| %s | %s | %s | %s | %s | %s | %s |\n", typeName(t.lhs),
            typeName(t.rhs), typeName(t.out), t.bias.text, t.aux.text,
            t.biasGrad.text, statusName(t.status));
  }
  w.print("\n## Scale modes\n\n| Mode | cublasLtMatmulMatrixScale_t | "
          "Architectures | cuBLAS | Status |\n|---|---|---|---|---|\n");
  for (size_t i = 0; i < numGemmScales; ++i) {
    const ScaleRow &s = gemmScales[i];
    w.print("| %s | %s | %s | %s | %s |\n", s.name, s.libraryName, s.archs.text,
            s.cublas, statusName(s.status));
  }
  return w.length;
}
