//===- Policy.cpp - Autocast policies -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMP/Transforms/Policy.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SHA1.h"

using namespace mlir;
using namespace mlir::amp;

// Defines kBuiltinPolicies.
#include "BuiltinPolicies.inc"

ArrayRef<std::pair<StringLiteral, StringLiteral>> amp::getBuiltinPolicies() {
  return kBuiltinPolicies;
}

/// The policy's text without locations, hashed: 16 hexadecimal digits.
static std::string hashPolicy(PolicyOp op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  // Whatever -mlir-print-debuginfo and its like ask for.
  OpPrintingFlags flags;
  flags.useLocalScope().enableDebugInfo(false).printGenericOpForm(false);
  op->print(stream, flags);
  std::array<uint8_t, 20> digest =
      llvm::SHA1::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(ArrayRef(digest).take_front(8), /*LowerCase=*/true);
}

/// The `amp.name` of the function argument that `value` is, looking through
/// casts and single-operand movement; empty if there is none.
static StringRef getParameterName(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto numeric = dyn_cast<NumericOpInterface>(op);
    bool passes = isa<CastOp>(op) ||
                  (numeric && op->getNumOperands() == 1 &&
                   numeric.getNumericClass() == NumericClass::movement);
    if (!passes)
      return {};
    value = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function)
    return {};
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    kNameAttrName);
  return name ? name.getValue() : StringRef();
}

bool Policy::Rule::matches(NumericOpInterface op) const {
  StringRef opName = op->getName().getStringRef();
  bool hasNames = !names.empty() || !prefixes.empty();
  if (hasNames && !names.contains(opName) &&
      llvm::none_of(prefixes, [&](StringRef prefix) {
        return opName.starts_with(prefix);
      }))
    return false;
  if (!classes.empty() && !llvm::is_contained(classes, op.getNumericClass()))
    return false;
  if (phase) {
    auto attribute = op->getAttrOfType<PhaseAttr>("phase");
    // A forward contraction is stamped by autodiff only; before it, it is
    // fprop.
    Phase actual = attribute ? attribute.getValue() : Phase::fprop;
    if (actual != *phase)
      return false;
  }
  if (!pattern)
    return true;
  llvm::Regex regex(*pattern);
  for (Value operand : op->getOperands())
    if (StringRef name = getParameterName(operand);
        !name.empty() && regex.match(name))
      return true;
  // Names only: a pattern on the text of a location would also match its file.
  return op->getLoc()
      ->walk([&](Location location) {
        auto named = dyn_cast<NameLoc>(location);
        return named && regex.match(named.getName().getValue())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

Policy::Verdict Policy::verdictOf(const Rule &rule) {
  return {rule.policyClass, stringifyPolicyClass(rule.policyClass),
          rule.advice};
}

Policy::Verdict Policy::classify(NumericOpInterface op) const {
  for (const Rule &rule : rules)
    if (rule.operandRole.empty() && rule.matches(op))
      return verdictOf(rule);
  return {};
}

Policy::Verdict Policy::classify(NumericOpInterface op, unsigned index) const {
  StringRef role = op.getOperandRole(index);
  for (const Rule &rule : rules)
    if ((rule.operandRole.empty() || role == rule.operandRole) &&
        rule.matches(op))
      return verdictOf(rule);
  return {};
}

/// The policy op of name `name`: the module's own, else a built-in one, parsed
/// into `storage`.
static PolicyOp findPolicy(ModuleOp module, StringRef name,
                           OwningOpRef<ModuleOp> &storage) {
  if (auto own =
          dyn_cast_or_null<PolicyOp>(SymbolTable::lookupSymbolIn(module, name)))
    return own;
  for (auto [builtinName, source] : getBuiltinPolicies()) {
    if (builtinName != name)
      continue;
    storage = parseSourceString<ModuleOp>(source, module.getContext(), name);
    if (storage)
      return dyn_cast_or_null<PolicyOp>(
          SymbolTable::lookupSymbolIn(*storage, name));
  }
  return {};
}

FailureOr<std::unique_ptr<Policy>> Policy::resolve(ModuleOp module,
                                                   StringRef name) {
  OwningOpRef<ModuleOp> storage;
  PolicyOp op = findPolicy(module, name, storage);
  if (!op) {
    // At the location: the module itself would be printed below the error.
    InFlightDiagnostic diagnostic = mlir::emitError(module.getLoc())
                                    << "unknown policy '" << name
                                    << "'; expects one of ";
    llvm::interleaveComma(getBuiltinPolicies(), diagnostic, [&](auto &entry) {
      diagnostic << "'" << entry.first << "'";
    });
    diagnostic << ", or an 'amp.policy' of that name in the module";
    return diagnostic;
  }
  auto policy = std::make_unique<Policy>();
  policy->name = name.str();
  policy->lowType = cast<FloatType>(op.getLowType());
  policy->hash = hashPolicy(op);
  for (RuleOp ruleOp : op.getBody().getOps<RuleOp>()) {
    Rule rule;
    rule.policyClass = ruleOp.getPolicyClass();
    if (auto ops = ruleOp.getOps()) {
      for (StringRef opName : ops->getAsValueRange<StringAttr>()) {
        if (opName.consume_back("*"))
          rule.prefixes.push_back(opName.str());
        else
          rule.names.insert(opName);
      }
    }
    if (auto classes = ruleOp.getClasses())
      for (auto classAttr : classes->getAsRange<NumericClassAttr>())
        rule.classes.push_back(classAttr.getValue());
    rule.operandRole = ruleOp.getOperand().value_or("").str();
    rule.phase = ruleOp.getPhase();
    if (auto pattern = ruleOp.getNamePattern()) {
      std::string error;
      if (!llvm::Regex(*pattern).isValid(error))
        return ruleOp.emitOpError("expects a regular expression as "
                                  "'name_pattern', but got '")
               << *pattern << "': " << error;
      rule.pattern = pattern->str();
    }
    rule.advice = ruleOp.getAdvice().value_or("").str();
    policy->rules.push_back(std::move(rule));
  }
  return policy;
}
