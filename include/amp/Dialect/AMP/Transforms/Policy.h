//===- Policy.h - Autocast policies -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looking a policy up by name (the module's own, then the built-in ones) and
// asking it about an op.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMP_TRANSFORMS_POLICY_H
#define AMP_DIALECT_AMP_TRANSFORMS_POLICY_H

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Interfaces/NumericOpInterface.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

namespace mlir::amp {

/// The name and MLIR source of each built-in policy, sorted by name. The
/// sources are the files of share/policies, embedded at build time.
ArrayRef<std::pair<StringLiteral, StringLiteral>> getBuiltinPolicies();

/// A policy, resolved for queries. Borrows nothing from the module it was found
/// in: it stays valid while that module is rewritten.
class Policy {
public:
  /// What a policy says of one operand or of a whole op.
  struct Verdict {
    PolicyClass policyClass = PolicyClass::native;
    /// Text for the provenance of a decision: the class, or 'native'.
    StringRef rule = "native";
    /// Only for banned ops.
    StringRef advice;
  };

  /// Finds `name` in `module` or among the built-in policies. Emits an error
  /// that lists the known names when there is none.
  static FailureOr<std::unique_ptr<Policy>> resolve(ModuleOp module,
                                                    StringRef name);

  /// What the first matching rule says of `op`.
  Verdict classify(NumericOpInterface op) const;
  /// What the first matching rule says of operand `index`; rules without an
  /// operand selector apply to all operands.
  Verdict classify(NumericOpInterface op, unsigned index) const;

  StringRef getName() const { return name; }
  FloatType getLowType() const { return lowType; }
  /// A hash of the policy's text: the same policy has the same hash wherever it
  /// was found.
  StringRef getHash() const { return hash; }

private:
  struct Rule {
    PolicyClass policyClass;
    llvm::StringSet<> names;
    SmallVector<std::string> prefixes;
    SmallVector<NumericClass> classes;
    std::string operandRole;
    std::optional<Phase> phase;
    std::optional<std::string> pattern;
    std::string advice;

    bool matches(NumericOpInterface op) const;
  };
  static Verdict verdictOf(const Rule &rule);

  std::string name;
  std::string hash;
  FloatType lowType;
  std::vector<Rule> rules;
};

} // namespace mlir::amp

#endif // AMP_DIALECT_AMP_TRANSFORMS_POLICY_H
