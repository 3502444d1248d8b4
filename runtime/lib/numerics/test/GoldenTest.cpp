//===- GoldenTest.cpp - Conversions against golden bits ---------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f32 to f16, bf16, E4M3FN and E5M2 as numpy and ml_dtypes round them; the file
// is made by scripts/goldens/make_numerics_goldens.py. NaN compares as NaN.
//
//===----------------------------------------------------------------------===//

#include "amp-rt/numerics.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

using namespace amp_rt::numerics;

TEST(NumericsGolden, FromF32) {
  std::ifstream file(AMP_RT_NUMERICS_TEST_DATA "/numerics-golden.txt");
  ASSERT_TRUE(file) << "cannot open the golden file";
  const Format columns[] = {Format::F16, Format::BF16, Format::F8E4M3FN,
                            Format::F8E5M2};
  std::string line;
  unsigned inputs = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#')
      continue;
    ++inputs;
    std::istringstream fields(line);
    uint32_t source;
    ASSERT_TRUE(fields >> std::hex >> source) << line;
    float value;
    std::memcpy(&value, &source, sizeof value);
    for (Format format : columns) {
      SCOPED_TRACE(getFormat(format).name);
      uint32_t want;
      ASSERT_TRUE(fields >> std::hex >> want) << line;
      uint32_t got = fromF32(value, format);
      double wantValue = toF64(want, format);
      if (std::isnan(wantValue)) {
        ASSERT_TRUE(std::isnan(toF64(got, format))) << line;
      } else {
        ASSERT_EQ(got, want) << line;
      }
      // From f64 the same, as the value is.
      if (!std::isnan(value)) {
        ASSERT_EQ(fromF64(value, format), got) << line;
      }
    }
  }
  EXPECT_GT(inputs, 7000u);
}
