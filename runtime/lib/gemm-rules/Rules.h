//===- Rules.h - Rows of the GEMM rules -------------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shape of the tables in RuleTable.cpp. Every row carries what it applies
// to and its status; the code that reads rows knows no rule.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_GEMMRULES_RULES_H
#define AMP_RT_LIB_GEMMRULES_RULES_H

#include "Desc.h"
#include "amp-rt/gemm_rules.h"

namespace amp_rt {

/// A set of small numbers, with its name in the listing.
struct Set {
  uint32_t mask;
  const char *text;
  bool contains(int32_t value) const {
    return value >= 0 && value < 32 && (mask >> value & 1);
  }
};

/// Architectures in [first, last] and [first2, last2].
struct Archs {
  int32_t first, last, first2, last2;
  const char *text;
  bool contains(int32_t arch) const {
    return (arch >= first && arch <= last) || (arch >= first2 && arch <= last2);
  }
};

/// A complete descriptor on an architecture.
struct Problem {
  const amp_rt_gemm_desc &desc;
  int32_t arch;
};

struct Rule {
  const char *id;
  int32_t status;
  /// Of the operands: it applies when either's type is in the set.
  Set types;
  Archs archs;
  Set epilogues;
  const char *text;
  const char *remedy;
  const char *source;
  /// Whether the rule holds; if not, what was got instead. Null for a rule that
  /// is not checked.
  bool (*holds)(const Problem &problem, const Message &got);
};

/// Legal types beside a pair of operand types and an out type.
struct TypeRow {
  int32_t lhs, rhs, out;
  Set bias, aux, biasGrad;
  int32_t status;
};

/// Where a scale mode of an operand exists.
struct ScaleRow {
  int32_t mode;
  const char *name;
  const char *libraryName;
  Archs archs;
  const char *cublas;
  int32_t status;
};

extern const Rule gemmRules[];
extern const size_t numGemmRules;
extern const TypeRow gemmTypes[];
extern const size_t numGemmTypes;
extern const ScaleRow gemmScales[];
extern const size_t numGemmScales;

/// The row of a problem's types; null when there is none.
const TypeRow *findTypes(const amp_rt_gemm_desc &desc);

} // namespace amp_rt

#endif // AMP_RT_LIB_GEMMRULES_RULES_H
