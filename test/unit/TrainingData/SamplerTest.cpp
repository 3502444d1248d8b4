//===- SamplerTest.cpp - Shuffling and initial parameters ------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties of the generator and of permutations, resuming at every position,
// and frozen values that every platform must reproduce.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"
#include "amp/TrainingData/EpochSampler.h"
#include "amp/TrainingData/InitializeParameters.h"
#include "amp/TrainingData/Random.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::amp;

static EpochSampler makeSampler(int64_t rows, SamplerOptions options,
                                SamplerCursor cursor) {
  llvm::Expected<EpochSampler> sampler =
      EpochSampler::create(rows, options, cursor);
  if (!sampler)
    llvm::report_fatal_error(sampler.takeError());
  return std::move(*sampler);
}

TEST(RandomTest, FrozenValues) {
  // Computed by hand from the formula in Random.h (a Python script of five
  // lines).
  RandomStream random(7, 3);
  EXPECT_EQ(random.next(), 10978643091081676416u);
  EXPECT_EQ(random.next(), 15747516487456092485u);
  EXPECT_EQ(RandomStream(7, 3, 1).next(), 15747516487456092485u);
  EXPECT_EQ(getEpochPermutation(1, 2, 8),
            (std::vector<int64_t>{0, 2, 7, 3, 1, 4, 5, 6}));
}

TEST(RandomTest, BoundedDrawsAreUniform) {
  // 60,000 draws of 6: each count is 10,000 +- 5 sigma (sigma = 91).
  RandomStream random(1, 0);
  std::vector<int> counts(6);
  for (int i = 0; i < 60000; ++i)
    ++counts[random.nextBelow(6)];
  for (int count : counts)
    EXPECT_NEAR(count, 10000, 456);
  // With 3/4 of 2^64 as the bound, two in four products would fall on a
  // multiple of 3 without redrawing: a half instead of a third, +- 5 sigma
  // (sigma = 67).
  uint64_t bound = (uint64_t(1) << 63) + (uint64_t(1) << 62);
  int multiples = 0;
  for (int i = 0; i < 20000; ++i) {
    uint64_t value = random.nextBelow(bound);
    ASSERT_LT(value, bound);
    multiples += value % 3 == 0;
  }
  EXPECT_NEAR(multiples, 20000 / 3, 333);
  EXPECT_EQ(random.nextBelow(1), 0u);
}

TEST(RandomTest, StreamsDiffer) {
  EXPECT_NE(RandomStream(0, 1).next(), RandomStream(1, 0).next());
  EXPECT_NE(RandomStream(0, 0).next(), RandomStream(0, 1).next());
  EXPECT_NE(RandomStream(0, 0).next(), RandomStream(1, 0).next());
}

TEST(SamplerTest, PermutationsAreUniform) {
  // All 24 orders of four rows over 24,000 epochs: 1000 each +- 5 sigma (31).
  std::map<std::vector<int64_t>, int> counts;
  for (int64_t epoch = 0; epoch < 24000; ++epoch)
    ++counts[getEpochPermutation(5, epoch, 4)];
  ASSERT_EQ(counts.size(), 24u);
  for (const auto &[order, count] : counts)
    EXPECT_NEAR(count, 1000, 155);
}

TEST(SamplerTest, AnEpochHandsOutEachRowOnce) {
  EpochSampler sampler = makeSampler(103, {10, /*dropLast=*/false}, {42, 0, 0});
  EXPECT_EQ(sampler.getBatchesPerEpoch(), 11);
  std::vector<int64_t> previous;
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<int64_t> rows;
    for (int64_t batch = 0; batch < 11; ++batch) {
      ArrayRef<int64_t> next = sampler.next();
      EXPECT_EQ(next.size(), batch == 10 ? 3u : 10u);
      rows.insert(rows.end(), next.begin(), next.end());
    }
    EXPECT_EQ(sampler.getCursor().epoch, epoch + 1);
    EXPECT_EQ(sampler.getCursor().position, 0);
    EXPECT_NE(rows, previous);
    previous = rows;
    llvm::sort(rows);
    for (int64_t i = 0; i < 103; ++i)
      EXPECT_EQ(rows[i], i);
  }
}

TEST(SamplerTest, DropsTheLastShortBatch) {
  EpochSampler sampler = makeSampler(103, {10, /*dropLast=*/true}, {42, 0, 0});
  EXPECT_EQ(sampler.getBatchesPerEpoch(), 10);
  for (int i = 0; i < 25; ++i)
    EXPECT_EQ(sampler.next().size(), 10u);
  EXPECT_EQ(sampler.getCursor().epoch, 2);
  EXPECT_EQ(sampler.getCursor().position, 50);
}

TEST(SamplerTest, ResumesAtEveryPosition) {
  for (bool dropLast : {false, true}) {
    SamplerOptions options{7, dropLast};
    EpochSampler whole = makeSampler(30, options, {9, 0, 0});
    for (int stop = 0; stop < 12; ++stop) {
      EpochSampler resumed = makeSampler(30, options, whole.getCursor());
      EpochSampler reference = makeSampler(30, options, {9, 0, 0});
      for (int i = 0; i < stop; ++i)
        (void)reference.next();
      for (int i = 0; i < 9; ++i)
        EXPECT_EQ(resumed.next().vec(), reference.next().vec());
      EXPECT_EQ(resumed.getCursor(), reference.getCursor());
      (void)whole.next();
    }
  }
}

TEST(SamplerTest, KeepsTheOrderWithoutShuffling) {
  EpochSampler sampler =
      makeSampler(5, {2, false, /*shuffle=*/false}, {1, 0, 0});
  EXPECT_EQ(sampler.next().vec(), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(sampler.next().vec(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(sampler.next().vec(), (std::vector<int64_t>{4}));
  EXPECT_EQ(sampler.next().vec(), (std::vector<int64_t>{0, 1}));
}

TEST(SamplerTest, RefusesWhatDoesNotFit) {
  EXPECT_EQ(message(EpochSampler::create(10, {0}, {})),
            "expects a batch of at least one row, but got 0");
  EXPECT_EQ(message(EpochSampler::create(0, {4}, {})),
            "expects data with at least one row, but got none");
  EXPECT_EQ(message(EpochSampler::create(10, {16}, {})),
            "expects at least one batch of 16 rows, but the data has 10: use a "
            "smaller "
            "batch");
  EXPECT_EQ(message(EpochSampler::create(10, {2}, {0, 0, 11})),
            "expects a data cursor within 10 rows, but got epoch 0, position "
            "11: is this "
            "the data of the checkpoint?");
}

TEST(SamplerTest, SplitsIntoMicroBatches) {
  SmallVector<RowRange> ranges = splitRows(10, 4);
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges[1].begin, 4);
  EXPECT_EQ(ranges[2].end, 10);
  EXPECT_EQ(ranges[2].size(), 2);
  EXPECT_TRUE(splitRows(0, 4).empty());
}

static NamedTensor parameter(const char *name, ArrayRef<int64_t> shape) {
  return {name, HostTensor::zeros(DType::F32, shape)};
}

TEST(InitializeParametersTest, BoundsByFanIn) {
  std::vector<NamedTensor> parameters = {
      parameter("fc.weight", {40, 25}), parameter("fc.bias", {400}),
      parameter("norm.weight", {3}),    parameter("norm.bias", {3}),
      parameter("w1", {50, 4, 4}),      parameter("b1", {50}),
      parameter("temperature", {})};
  ASSERT_EQ(message(initializeParameters(parameters, 11)), "");
  auto check = [&](size_t index, double bound) {
    double largest = 0, sum = 0;
    std::vector<float> values = getValues<float>(parameters[index].tensor);
    for (float value : values) {
      largest = std::max(largest, std::fabs(static_cast<double>(value)));
      sum += value;
    }
    EXPECT_LE(largest, bound * (1 + 0x1p-24));
    // With n draws the largest magnitude falls below 0.8 of the bound with
    // probability 0.8^n; the mean has sigma bound / sqrt(3 n), here 5 of them.
    EXPECT_GT(largest, 0.8 * bound);
    EXPECT_NEAR(sum / values.size(), 0,
                5 * bound / std::sqrt(3.0 * values.size()));
  };
  check(0, 0.2);
  check(1, 0.2);
  EXPECT_EQ(getValues<float>(parameters[2].tensor),
            (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(getValues<float>(parameters[3].tensor),
            (std::vector<float>{0, 0, 0}));
  check(4, 0.25);
  check(5, 0.25);
  EXPECT_EQ(getValues<float>(parameters[6].tensor), (std::vector<float>{0}));
}

TEST(InitializeParametersTest, DependsOnSeedAndNameOnly) {
  std::vector<NamedTensor> one = {parameter("a.weight", {4, 4}),
                                  parameter("b.weight", {4, 4})};
  std::vector<NamedTensor> other = {parameter("b.weight", {4, 4})};
  ASSERT_EQ(message(initializeParameters(one, 3)), "");
  ASSERT_EQ(message(initializeParameters(other, 3)), "");
  EXPECT_EQ(one[1].tensor, other[0].tensor);
  EXPECT_NE(one[0].tensor.data, one[1].tensor.data);
  ASSERT_EQ(message(initializeParameters(other, 4)), "");
  EXPECT_NE(one[1].tensor.data, other[0].tensor.data);
}

TEST(InitializeParametersTest, RefusesHalfPrecision) {
  std::vector<NamedTensor> parameters = {
      {"w", HostTensor::zeros(DType::BF16, {2, 2})}};
  EXPECT_EQ(message(initializeParameters(parameters, 1)),
            "cannot initialise parameter 'w': expects element type F32 or F64, "
            "but got BF16");
}
