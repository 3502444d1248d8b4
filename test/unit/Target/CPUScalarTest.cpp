//===- CPUScalarTest.cpp - Casts and functions, executed --------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled casts against APFloat, bit for bit (NaN payloads apart), and
// transcendental functions against the C library in f64, in ulp.
//
//===----------------------------------------------------------------------===//

#include "CPUHarness.h"

#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

using namespace mlir::amp::test;
using llvm::APFloat;

/// A kernel that applies `body` (scalar IR from %a to %r) to n elements.
static std::string makeUnary(int n, const std::string &from,
                             const std::string &to, const std::string &body) {
  std::string size = std::to_string(n);
  std::string in = "tensor<" + size + "x" + from + ">";
  std::string out = "tensor<" + size + "x" + to + ">";
  return "#id = affine_map<(d0) -> (d0)>\nfunc.func @f(%x: " + in + ") -> " +
         out + " {\n  %e = tensor.empty() : " + out +
         "\n  %k = amprt.kernel <elementwise> ins(%x : " + in +
         ") outs(%e : " + out + ") {\n  ^bb0(%i: " + in + ", %o: " + out +
         "):\n    %g = linalg.generic {indexing_maps = [#id, #id], "
         "iterator_types = [\"parallel\"]} ins(%i : " +
         in + ") outs(%o : " + out + ") {\n    ^bb1(%a: " + from +
         ", %b: " + to + "):\n" + body + "\n      linalg.yield %r : " + to +
         "\n    } -> " + out + "\n    amprt.yield %g : " + out + "\n  } -> " +
         out + "\n  return %k : " + out + "\n}\n";
}

static uint64_t convert(double value, const llvm::fltSemantics &to) {
  APFloat result(value);
  bool losesInfo;
  result.convert(to, APFloat::rmNearestTiesToEven, &losesInfo);
  return result.bitcastToAPInt().getZExtValue();
}

static bool isNaN16(uint16_t bits, const llvm::fltSemantics &semantics) {
  return APFloat(semantics, llvm::APInt(16, bits)).isNaN();
}

/// f32 inputs that matter for a 16-bit target: for every 16-bit pattern its
/// value, the midpoint to the next one, and the f32 neighbours of both.
static std::vector<float> makeInputs(const llvm::fltSemantics &semantics) {
  std::vector<float> inputs;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    APFloat value(semantics, llvm::APInt(16, bits));
    APFloat next(semantics, llvm::APInt(16, (bits + 1) & 0xFFFF));
    if (value.isNaN())
      continue;
    double exact = value.convertToDouble(), after = next.convertToDouble();
    float nearest = static_cast<float>(exact);
    float middle = static_cast<float>((exact + after) / 2);
    for (float x : {nearest, middle}) {
      inputs.push_back(x);
      inputs.push_back(std::nextafter(x, INFINITY));
      inputs.push_back(std::nextafter(x, -INFINITY));
    }
  }
  inputs.push_back(NAN);
  inputs.push_back(3e38f);
  inputs.push_back(0x1p-149f);
  return inputs;
}

static void checkTruncation(const std::string &type,
                            const llvm::fltSemantics &semantics) {
  std::vector<float> inputs = makeInputs(semantics);
  Compiled compiled(makeUnary(inputs.size(), "f32", type,
                              "      %r = arith.truncf %a : f32 to " + type));
  auto memory = compiled.allocate("f");
  std::memcpy(memory[0].as<void>(), inputs.data(), inputs.size() * 4);
  compiled.run("f", memory);
  for (size_t i = 0; i < inputs.size(); ++i) {
    uint16_t actual = memory[1].as<uint16_t>()[i];
    if (std::isnan(inputs[i]))
      ASSERT_TRUE(isNaN16(actual, semantics));
    else
      ASSERT_EQ(actual, convert(inputs[i], semantics)) << inputs[i];
  }
}

TEST(CPUCast, F32ToF16) { checkTruncation("f16", APFloat::IEEEhalf()); }
TEST(CPUCast, F32ToBF16) { checkTruncation("bf16", APFloat::BFloat()); }

static void checkExtension(const std::string &type,
                           const llvm::fltSemantics &semantics) {
  Compiled compiled(makeUnary(
      65536, type, "f32", "      %r = arith.extf %a : " + type + " to f32"));
  auto memory = compiled.allocate("f");
  for (unsigned bits = 0; bits < 0x10000; ++bits)
    memory[0].as<uint16_t>()[bits] = bits;
  compiled.run("f", memory);
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    APFloat value(semantics, llvm::APInt(16, bits));
    float actual = memory[1].as<float>()[bits];
    if (value.isNaN())
      ASSERT_TRUE(std::isnan(actual)) << bits;
    else
      ASSERT_EQ(actual, value.convertToDouble()) << bits;
  }
}

TEST(CPUCast, F16ToF32) { checkExtension("f16", APFloat::IEEEhalf()); }
TEST(CPUCast, BF16ToF32) { checkExtension("bf16", APFloat::BFloat()); }

/// No double rounding: every midpoint of the target, moved by one ulp of f64,
/// which f32 can't see.
static void checkFromDouble(const std::string &type,
                            const llvm::fltSemantics &semantics) {
  std::vector<double> inputs;
  for (float x : makeInputs(semantics))
    for (double towards : {-HUGE_VAL, 0.0, HUGE_VAL})
      inputs.push_back(std::nextafter(double(x), towards));
  inputs.push_back(1 + 0x1p-8 + 0x1p-26);
  inputs.push_back(1e300);
  inputs.push_back(-1e-300);
  inputs.push_back(0.0);
  Compiled compiled(makeUnary(inputs.size(), "f64", type,
                              "      %r = arith.truncf %a : f64 to " + type));
  auto memory = compiled.allocate("f");
  std::memcpy(memory[0].as<void>(), inputs.data(), inputs.size() * 8);
  compiled.run("f", memory);
  for (size_t i = 0; i < inputs.size(); ++i) {
    uint16_t actual = memory[1].as<uint16_t>()[i];
    if (std::isnan(inputs[i]))
      ASSERT_TRUE(isNaN16(actual, semantics));
    else
      ASSERT_EQ(actual, convert(inputs[i], semantics)) << inputs[i];
  }
}

TEST(CPUCast, F64ToF16) { checkFromDouble("f16", APFloat::IEEEhalf()); }
TEST(CPUCast, F64ToBF16) { checkFromDouble("bf16", APFloat::BFloat()); }

/// A sum of narrow values is rounded, also where another op follows at once:
/// (2048 + 1) + 1 is 2048 in f16, and 256 + 1 + 1 is 256 in bf16.
TEST(CPUCast, NarrowArithmeticRoundsEachOp) {
  for (bool half : {true, false}) {
    std::string type = half ? "f16" : "bf16";
    Compiled compiled(
        makeUnary(100, type, type,
                  "      %one = arith.constant 1.0 : " + type +
                      "\n      %0 = arith.addf %a, %one : " + type +
                      "\n      %r = arith.addf %0, %one : " + type));
    auto memory = compiled.allocate("f");
    uint16_t big = convert(half ? 2048 : 256,
                           half ? APFloat::IEEEhalf() : APFloat::BFloat());
    for (int i = 0; i < 100; ++i)
      memory[0].as<uint16_t>()[i] = big;
    compiled.run("f", memory);
    for (int i = 0; i < 100; ++i)
      ASSERT_EQ(memory[1].as<uint16_t>()[i], big) << type;
  }
}

/// A round trip through f16 that a user wrote rounds.
TEST(CPUCast, RoundTripStays) {
  Compiled compiled(makeUnary(100, "f32", "f32",
                              "      %0 = arith.truncf %a : f32 to f16\n"
                              "      %r = arith.extf %0 : f16 to f32"));
  auto memory = compiled.allocate("f");
  for (int i = 0; i < 100; ++i)
    memory[0].as<float>()[i] = 1.0001f;
  compiled.run("f", memory);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(memory[1].as<float>()[i], 1.0f);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static double ulpError(float actual, double expected) {
  float rounded = static_cast<float>(expected);
  if (std::isnan(expected) || std::isinf(rounded))
    return (std::isnan(expected) ? std::isnan(actual) : actual == rounded)
               ? 0
               : INFINITY;
  int exponent;
  std::frexp(std::max(std::fabs(expected), 0x1p-126), &exponent);
  return std::fabs(actual - expected) / std::ldexp(1.0, exponent - 24);
}

/// The largest error in ulp over a sample of the range, special values
/// included.
static void checkFunction(const std::string &op, double (*function)(double),
                          float low, float high, double bound) {
  constexpr int n = 20000;
  Compiled compiled(
      makeUnary(n, "f32", "f32", "      %r = " + op + " %a : f32"));
  auto memory = compiled.allocate("f");
  float *x = memory[0].as<float>();
  std::mt19937 rng(3);
  std::uniform_real_distribution<float> uniform(low, high);
  for (int i = 0; i < n; ++i)
    x[i] = uniform(rng);
  float special[] = {0.0f, -0.0f, INFINITY, NAN, 1.0f, low, high};
  std::memcpy(x, special, sizeof special);
  compiled.run("f", memory);
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    float actual = memory[1].as<float>()[i];
    double error = ulpError(actual, function(x[i]));
    EXPECT_LE(error, bound) << op << " at " << x[i];
    if (function(x[i]) == 0)
      EXPECT_EQ(std::signbit(actual), std::signbit(function(x[i]))) << op;
    worst = std::max(worst, error);
  }
  ::testing::Test::RecordProperty("worst_ulp", std::to_string(worst));
}

// Bounds: the measured largest errors of cpu-notes, rounded up.
TEST(CPUFunction, Exp) { checkFunction("math.exp", std::exp, -87, 88, 1.5); }
TEST(CPUFunction, ExpOverflow) {
  checkFunction("math.exp", std::exp, 89, 1000, 1.5);
}
TEST(CPUFunction, Log) {
  checkFunction("math.log", std::log, 1e-30f, 1e30f, 1.5);
}
TEST(CPUFunction, LogOfSubnormals) {
  checkFunction("math.log", std::log, 0x1p-149f, 0x1p-125f, 1.5);
}
/// The polynomial flushes results below the normal range: error at most the
/// least normal number.
TEST(CPUFunction, ExpUnderflow) {
  checkFunction("math.exp", std::exp, -120, -87.4f, 0x1p23);
}
TEST(CPUFunction, LogNearOne) {
  checkFunction("math.log", std::log, 0.5f, 2, 1.5);
}
TEST(CPUFunction, Tanh) { checkFunction("math.tanh", std::tanh, -9, 9, 5); }
TEST(CPUFunction, Erf) { checkFunction("math.erf", std::erf, -5, 5, 5); }
TEST(CPUFunction, Rsqrt) {
  checkFunction(
      "math.rsqrt", [](double x) { return 1 / std::sqrt(x); }, 1e-30f, 1e30f,
      1.5);
}
TEST(CPUFunction, SqrtIsExact) {
  checkFunction("math.sqrt", std::sqrt, 0, 1e30f, 0.5000001);
}
TEST(CPUFunction, Expm1) {
  checkFunction("math.expm1", std::expm1, -10, 10, 4);
}
TEST(CPUFunction, Log1p) { checkFunction("math.log1p", std::log1p, 0, 10, 4); }
