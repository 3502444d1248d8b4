//===- gemm_rules.h - Which GEMMs cuBLASLt executes -------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of rules that a GEMM obeys to run on cuBLASLt with what its
// descriptor promises. The compiler asks it for every architecture of a
// program, and the CUDA back end before it calls the library. Needs no CUDA.
//
// Layouts are row-major here and column-major in the library: it computes
// out^T = rhs^T lhs^T, so that its A is rhs, its B is lhs, its rows are n and
// its columns m. Rules are written in the descriptor's terms.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_GEMM_RULES_H
#define AMP_RT_GEMM_RULES_H

#include "amp-rt/gemm.h"

/// How well founded a rule is.
enum amp_rt_rule_status {
  /// NVIDIA's documentation or header says so.
  AMP_RT_RULE_DOCUMENTED = 0,
  /// A library that calls cuBLASLt keeps to it.
  AMP_RT_RULE_OBSERVED = 1,
  /// Nobody promises the opposite.
  AMP_RT_RULE_ASSUMED = 2
};

/// One row of the table. All strings are constants.
typedef struct amp_rt_gemm_rule {
  const char *id;
  /// enum amp_rt_rule_status.
  int32_t status;
  /// 1 when amp_rt_gemm_check tests it; 0 for what the descriptor cannot say or
  /// the runtime always does.
  int32_t checked;
  /// To what it applies.
  const char *types;
  const char *archs;
  const char *epilogues;
  /// What is expected, and what to do where it does not hold.
  const char *text;
  const char *remedy;
  const char *source;
} amp_rt_gemm_rule;

AMP_RT_BEGIN_DECLS

/// Row `index` of the table, valid until the next call of the thread; null past
/// the end.
AMP_RT_EXPORT const amp_rt_gemm_rule *
amp_rt_gemm_rule_at(size_t index) AMP_RT_NOEXCEPT;

/// Whether cuBLASLt executes `desc` on sm_<arch> (80, 89, 90, 100, ...).
/// AMP_RT_OK; AMP_RT_INVALID_ARGUMENT for a descriptor that no back end takes;
/// AMP_RT_UNSUPPORTED with the rule's id, what is expected, what was got and
/// the remedy in `message`. `message` may be null when size is 0.
AMP_RT_EXPORT int32_t amp_rt_gemm_check(const amp_rt_gemm_desc *desc,
                                        int32_t arch, char *message,
                                        size_t size) AMP_RT_NOEXCEPT;

/// The whole table, with those of types and scale modes, as Markdown. Writes at
/// most `size` bytes with the terminator and returns the length of it all.
AMP_RT_EXPORT size_t amp_rt_gemm_rules_markdown(char *buffer,
                                                size_t size) AMP_RT_NOEXCEPT;

AMP_RT_END_DECLS

#endif // AMP_RT_GEMM_RULES_H
