//===- ScalePower.h - Powers of loss scales -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of the loss-scale analysis: which power of which scaler a value
// carries. A gradient of S*loss carries S^1, an unscaled one S^0, a square S^2,
// its root S^1 again: powers are rational.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_INTERFACES_SCALEPOWER_H
#define AMP_INTERFACES_SCALEPOWER_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::amp {

/// How an op's result depends on a common positive factor of its operands.
enum class ScaleTransfer {
  /// All operands carry one power, the result too: sums, maximum, select,
  /// moves.
  additive,
  /// Powers add up: products and contractions (a bias carries the product's).
  multiplicative,
  /// lhs / rhs: powers subtract.
  quotient,
  /// Half of the operand's power.
  root,
  /// Minus half of the operand's power.
  inverseRoot,
  /// Linear in the first operand; the others must carry no scale.
  linearInFirst,
  /// The first operand's power; the others only supply a shape.
  first,
  /// Operands carry one power, the result none.
  comparison,
  /// No operand may carry a scale.
  nonlinear,
};

/// A product of rational powers of scalers, or "any power" (the value is 0 or
/// infinite, and stays so when multiplied).
class ScalePower {
public:
  /// Power 0 of every scaler.
  ScalePower() = default;
  static ScalePower any() {
    ScalePower power;
    power.isAnyPower = true;
    return power;
  }
  static ScalePower of(StringAttr scaler, int64_t numerator = 1);

  bool isAny() const { return isAnyPower; }
  bool isNone() const { return !isAnyPower && factors.empty(); }
  bool operator==(const ScalePower &other) const {
    return isAnyPower == other.isAnyPower && factors == other.factors;
  }
  bool operator!=(const ScalePower &other) const { return !(*this == other); }

  /// The power of a product of two values.
  ScalePower times(const ScalePower &other) const;
  /// This power multiplied by numerator/denominator (-1: the reciprocal).
  ScalePower raisedTo(int64_t numerator, int64_t denominator = 1) const;
  /// The power of a sum of two values, or nothing when they differ.
  static std::optional<ScalePower> join(const ScalePower &a,
                                        const ScalePower &b);

  void print(raw_ostream &os) const;
  std::string str() const;

private:
  struct Factor {
    StringAttr scaler;
    int64_t numerator;
    int64_t denominator;
    bool operator==(const Factor &other) const {
      return scaler == other.scaler && numerator == other.numerator &&
             denominator == other.denominator;
    }
  };
  void add(StringAttr scaler, int64_t numerator, int64_t denominator);

  bool isAnyPower = false;
  /// Sorted by the scaler's name, reduced fractions, none is zero.
  SmallVector<Factor, 1> factors;
};

} // namespace mlir::amp

#endif // AMP_INTERFACES_SCALEPOWER_H
