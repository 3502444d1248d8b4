//===- ScalePower.cpp - Powers of loss scales -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Interfaces/ScalePower.h"

#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::amp;

ScalePower ScalePower::of(StringAttr scaler, int64_t numerator) {
  ScalePower power;
  power.add(scaler, numerator, 1);
  return power;
}

void ScalePower::add(StringAttr scaler, int64_t numerator,
                     int64_t denominator) {
  auto *it =
      llvm::lower_bound(factors, scaler, [](const Factor &f, StringAttr s) {
        return f.scaler.getValue() < s.getValue();
      });
  if (it == factors.end() || it->scaler != scaler)
    it = factors.insert(it, Factor{scaler, 0, 1});
  int64_t sum = it->numerator * denominator + numerator * it->denominator;
  int64_t common = it->denominator * denominator;
  if (sum == 0) {
    factors.erase(it);
    return;
  }
  int64_t divisor = std::gcd(sum, common);
  it->numerator = sum / divisor;
  it->denominator = common / divisor;
}

ScalePower ScalePower::times(const ScalePower &other) const {
  if (isAnyPower || other.isAnyPower)
    return any();
  ScalePower product = *this;
  for (const Factor &factor : other.factors)
    product.add(factor.scaler, factor.numerator, factor.denominator);
  return product;
}

ScalePower ScalePower::raisedTo(int64_t numerator, int64_t denominator) const {
  if (isAnyPower)
    return any();
  ScalePower power;
  for (const Factor &factor : factors) {
    int64_t n = factor.numerator * numerator;
    int64_t d = factor.denominator * denominator;
    power.add(factor.scaler, d < 0 ? -n : n, d < 0 ? -d : d);
  }
  return power;
}

std::optional<ScalePower> ScalePower::join(const ScalePower &a,
                                           const ScalePower &b) {
  if (a.isAnyPower)
    return b;
  if (b.isAnyPower || a == b)
    return a;
  return std::nullopt;
}

void ScalePower::print(raw_ostream &os) const {
  if (isAnyPower) {
    os << "any power";
    return;
  }
  if (factors.empty()) {
    os << "no scale";
    return;
  }
  llvm::interleave(
      factors, os,
      [&](const Factor &factor) {
        os << '@' << factor.scaler.getValue() << '^' << factor.numerator;
        if (factor.denominator != 1)
          os << '/' << factor.denominator;
      },
      " ");
}

std::string ScalePower::str() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  print(stream);
  return text;
}
