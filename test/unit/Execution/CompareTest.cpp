//===- CompareTest.cpp - Tests of tensor comparison and encodings ---------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/Compare.h"
#include "amp/Execution/TensorValues.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::amp;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static const double quietNaN = std::nan("");

namespace {
class CompareTest : public ::testing::Test {
protected:
  ReferenceTensor make(ArrayRef<double> values, Type type) {
    ReferenceTensor tensor;
    tensor.type = RankedTensorType::get({int64_t(values.size())}, type);
    tensor.floats.assign(values.begin(), values.end());
    return tensor;
  }
  Comparison compare(double got, double want, Tolerance tolerance = {}) {
    return compareTensors(make({got}, f32), make({want}, f32), tolerance);
  }

  MLIRContext context;
  Builder builder{&context};
  FloatType f16 = builder.getF16Type(), bf16 = builder.getBF16Type(),
            f32 = builder.getF32Type(), f64 = builder.getF64Type();
};
} // namespace

TEST_F(CompareTest, UlpIsOfTheResultsFormat) {
  EXPECT_EQ(ulpDistance(1.0, 1.0 + 0x1p-10, f16), 1);
  EXPECT_EQ(ulpDistance(1.0, 1.0 + 0x1p-10, f32), 0x1p13);
  EXPECT_EQ(ulpDistance(1.0, 1.0 + 0x1p-7, bf16), 1);
  EXPECT_EQ(ulpDistance(1.0, 1.0 + 0x1p-52, f64), 1);
  // Below a power of two values lie twice as close.
  EXPECT_EQ(ulpDistance(1.0, 1.0 - 0x1p-11, f16), 1);
}

TEST_F(CompareTest, UlpCrossesZeroAndSubnormals) {
  EXPECT_EQ(ulpDistance(0.0, -0.0, f16), 0);
  EXPECT_EQ(ulpDistance(0.0, 0x1p-24, f16), 1);
  EXPECT_EQ(ulpDistance(-0x1p-24, 0x1p-24, f16), 2);
  EXPECT_EQ(ulpDistance(0.0, 0x1p-149, f32), 1);
}

TEST_F(CompareTest, NonFiniteValuesAreEqualToThemselvesOnly) {
  Tolerance loose;
  loose.ulp = 1e18;
  loose.relative = infinity;
  EXPECT_EQ(compare(quietNaN, quietNaN).failures, 0);
  EXPECT_EQ(compare(infinity, infinity).failures, 0);
  EXPECT_EQ(compare(infinity, -infinity, loose).failures, 1);
  EXPECT_EQ(compare(quietNaN, 1.0, loose).failures, 1);
  EXPECT_EQ(compare(3.4e38f, infinity, loose).failures, 1);
}

TEST_F(CompareTest, AnElementPassesByAnyStatedBound) {
  double next = 1.0 + 0x1p-23;
  EXPECT_EQ(compare(next, 1.0).failures, 1);
  EXPECT_EQ(compare(next, 1.0, {1.0, std::nullopt, std::nullopt}).failures, 0);
  EXPECT_EQ(compare(next, 1.0, {0.0, std::nullopt, std::nullopt}).failures, 1);
  EXPECT_EQ(compare(next, 1.0, {0.0, 1e-6, std::nullopt}).failures, 0);
  EXPECT_EQ(compare(1e-3f, 0.0, {std::nullopt, 1.0, std::nullopt}).failures, 1);
  EXPECT_EQ(compare(1e-3f, 0.0, {std::nullopt, std::nullopt, 2e-3}).failures,
            0);
}

TEST_F(CompareTest, ReportsTheLargestDifferenceAndTheWorstElement) {
  Comparison result = compareTensors(make({1.0, 2.5, 100.5}, f32),
                                     make({1.0, 2.0, 100.0}, f32), {});
  EXPECT_EQ(result.failures, 2);
  EXPECT_EQ(result.worst, 1);
  EXPECT_EQ(result.absolute, 0.5);
  EXPECT_EQ(result.relative, 0.25);
  EXPECT_EQ(formatIndex({2, 3}, 5), "[1, 2]");
}

TEST_F(CompareTest, EveryEncodingOfNarrowFormatsSurvives) {
  for (DType dtype :
       {DType::F16, DType::BF16, DType::F8_E4M3, DType::F8_E5M2}) {
    unsigned bytes = getDTypeSize(dtype);
    int64_t count = int64_t(1) << (8 * bytes);
    HostTensor tensor = HostTensor::zeros(dtype, {count});
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(tensor.data.data() + i * bytes, &i, bytes);
    ReferenceTensor values = toReference(tensor, &context);
    llvm::Expected<HostTensor> back = toHost(values);
    ASSERT_TRUE(bool(back));
    // NaN payloads aside.
    for (int64_t i = 0; i < count; ++i)
      if (!std::isnan(values.floats[i]))
        ASSERT_EQ(std::memcmp(tensor.data.data() + i * bytes,
                              back->data.data() + i * bytes, bytes),
                  0)
            << "encoding " << i << " of " << getDTypeName(dtype).str();
  }
}

TEST_F(CompareTest, IntegersKeepSignAndBooleansAreZeroOrOne) {
  HostTensor integers = HostTensor::zeros(DType::I8, {2});
  integers.data = {char(0xFF), 0x7F};
  EXPECT_EQ(toReference(integers, &context).integers,
            (SmallVector<int64_t, 0>{-1, 127}));
  HostTensor flags = HostTensor::zeros(DType::BOOL, {2});
  flags.data = {2, 0};
  EXPECT_EQ(toReference(flags, &context).integers,
            (SmallVector<int64_t, 0>{1, 0}));
}

TEST_F(CompareTest, PrintsTheShortestTextThatReadsBack) {
  EXPECT_EQ(formatElement(make({0.1f}, f32), 0), "0.1");
  EXPECT_EQ(formatElement(make({0x1.998p-4}, f16), 0), "0.1");
  EXPECT_EQ(formatElement(make({75000.0}, f32), 0), "75000");
  EXPECT_EQ(formatElement(make({-0.0}, f32), 0), "-0");
  EXPECT_EQ(formatElement(make({-infinity}, f32), 0), "-inf");
}

TEST_F(CompareTest, RandomTensorsDependOnTheSeedAlone) {
  RankedTensorType type = RankedTensorType::get({ShapedType::kDynamic, 2}, f16);
  std::optional<HostTensor> a = makeRandomTensor(type, 3, 7),
                            b = makeRandomTensor(type, 3, 7),
                            c = makeRandomTensor(type, 3, 8);
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ(a->shape, (SmallVector<int64_t>{3, 2}));
  EXPECT_TRUE(*a == *b);
  EXPECT_FALSE(*a == *c);
  EXPECT_FALSE(makeRandomTensor(
      RankedTensorType::get({1}, builder.getIndexType()), 1, 1));
}
