//===- ReplayColumnsTest.cpp - Tests of the comparison with a record ------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplayColumns.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::training;

static constexpr double inf = std::numeric_limits<double>::infinity();

/// Whether two rows agree at 1e-3 with parameters up to 1.
static bool agree(const ReplayRow &got, const ReplayRow &want) {
  ReplayComparison comparison(1e-3);
  comparison.compareRow(0, got, want, 1.0f);
  return comparison.agrees();
}

static ReplayRow makeRow() {
  ReplayRow row;
  row.loss = 2;
  row.scale = 8;
  row.gradNorm = 1;
  row.maxUpdate = 0.5;
  row.outDType = "torch.float16";
  return row;
}

TEST(ReplayColumnsTest, RelativeColumns) {
  ReplayRow row = makeRow();
  EXPECT_TRUE(agree(row, makeRow()));
  row.loss = 2.0019;
  EXPECT_TRUE(agree(row, makeRow()));
  row.loss = 2.0021;
  EXPECT_FALSE(agree(row, makeRow()));
}

TEST(ReplayColumnsTest, ExactColumns) {
  ReplayRow row = makeRow();
  row.scale = std::nextafter(8.0, 9.0);
  EXPECT_FALSE(agree(row, makeRow()));
  row = makeRow();
  row.finite = false;
  EXPECT_FALSE(agree(row, makeRow()));
  row = makeRow();
  row.outDType = "torch.float32";
  EXPECT_FALSE(agree(row, makeRow()));
}

TEST(ReplayColumnsTest, NonFiniteValuesEqualThemselvesOnly) {
  for (double value : {inf, double(NAN)}) {
    ReplayRow row = makeRow(), want = makeRow();
    row.gradNorm = want.gradNorm = value;
    EXPECT_TRUE(agree(row, want));
    row.gradNorm = 1;
    EXPECT_FALSE(agree(row, want));
    EXPECT_FALSE(agree(want, row));
  }
  ReplayRow row = makeRow(), want = makeRow();
  row.loss = inf;
  want.loss = -inf;
  EXPECT_FALSE(agree(row, want));
}

TEST(ReplayColumnsTest, UpdatesMayBeOffByUlpsOfTheParameters) {
  ReplayRow row = makeRow(), want = makeRow();
  want.maxUpdate = 0;
  row.maxUpdate = std::ldexp(4.0, -23);
  EXPECT_TRUE(agree(row, want));
  row.maxUpdate = std::ldexp(5.0, -23);
  EXPECT_FALSE(agree(row, want));
}

TEST(ReplayColumnsTest, FinalIsRelativeToTheLargestElement) {
  ReplayComparison close(1e-3), far(1e-3);
  ReplayArray want{{2}, {10, 0.001}};
  close.compareFinal("w", {10.0f, 0.0109f}, want);
  EXPECT_TRUE(close.agrees());
  far.compareFinal("w", {10.0f, 0.0112f}, want);
  ASSERT_FALSE(far.agrees());
  EXPECT_EQ(
      far.getMismatches().front().rfind("final 'w': expects final 0.001", 0),
      0u);
}
