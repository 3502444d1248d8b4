//===- PythonJSONTest.cpp - Tests of Python's JSON dialect ----------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Support/PythonJSON.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir::amp;

static std::string roundTrip(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = parsePythonJSON(text);
  if (!value)
    return "error: " + llvm::toString(value.takeError());
  std::string result;
  llvm::raw_string_ostream os(result);
  printPythonJSON(os, *value);
  return result;
}

TEST(PythonJSONTest, NonFiniteNumbers) {
  EXPECT_EQ(roundTrip("[Infinity, -Infinity, NaN, 1.5]"),
            "[Infinity,-Infinity,NaN,1.5]");
  EXPECT_EQ(roundTrip("{\"2\": Infinity}"), "{\"2\":Infinity}");
  llvm::Expected<llvm::json::Value> value = parsePythonJSON("-Infinity");
  ASSERT_TRUE(static_cast<bool>(value));
  EXPECT_TRUE(std::isinf(*value->getAsNumber()) && *value->getAsNumber() < 0);
}

TEST(PythonJSONTest, StringsKeepTheirText) {
  EXPECT_EQ(roundTrip(R"({"NaN":"Infinity and \"NaN\"","a\\":"-Infinity"})"),
            R"({"NaN":"Infinity and \"NaN\"","a\\":"-Infinity"})");
  // A string that looks like the marker of the rewriting stays a string.
  EXPECT_EQ(roundTrip(R"(["non-finite:NaN",NaN])"),
            R"(["non-finite:NaN",NaN])");
}

TEST(PythonJSONTest, MalformedTextIsAnError) {
  for (const char *text :
       {"", "{", "[NaN", "[Infinity5]", "[xNaN]", "{\"a\":}"})
    EXPECT_EQ(roundTrip(text).rfind("error: ", 0), 0u) << text;
}

TEST(PythonJSONTest, DoublesSurvive) {
  EXPECT_EQ(roundTrip("[1.0876181125640869,0.1,1e-300]").find("error"),
            std::string::npos);
  llvm::Expected<llvm::json::Value> value = parsePythonJSON(roundTrip("0.1"));
  ASSERT_TRUE(static_cast<bool>(value));
  EXPECT_EQ(*value->getAsNumber(), 0.1);
}
