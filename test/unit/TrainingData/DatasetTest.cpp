//===- DatasetTest.cpp - Data files against the model ----------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, shapes, rows and element types, each with what it refuses.
//
//===----------------------------------------------------------------------===//

#include "amp/TrainingData/Dataset.h"
#include "TestSupport.h"
#include "amp/Support/Npy.h"
#include "amp/Support/Safetensors.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
class DatasetTest : public ::testing::Test {
protected:
  DatasetTest() : builder(&context) {
    fields = {{"x", RankedTensorType::get({ShapedType::kDynamic, 2},
                                          builder.getF32Type())},
              {"y", RankedTensorType::get({ShapedType::kDynamic},
                                          builder.getI64Type())}};
  }

  /// Writes the tensors and selects a split from them.
  llvm::Expected<Dataset> load(std::vector<NamedTensor> tensors,
                               StringRef split = "train") {
    SafetensorsFile file;
    file.tensors = std::move(tensors);
    path = directory / "d.safetensors";
    EXPECT_EQ(message(writeSafetensors(path, file)), "");
    llvm::Expected<DataSource> source = DataSource::read(path);
    if (!source)
      return source.takeError();
    return source->select(split, fields);
  }
  std::string loadError(std::vector<NamedTensor> tensors,
                        StringRef split = "train") {
    return message(load(std::move(tensors), split));
  }

  static HostTensor x() {
    return HostTensor::fromF32({1, 2, 3, 4, 5, 6}, {3, 2});
  }
  static HostTensor y() {
    return makeTensor<int64_t>(DType::I64, {3}, {7, 8, 9});
  }

  MLIRContext context;
  Builder builder;
  TemporaryDirectory directory;
  std::string path;
  std::vector<DataField> fields;
};
} // namespace

TEST_F(DatasetTest, SelectsASplitByPrefix) {
  std::vector<NamedTensor> tensors = {
      {"test.x", HostTensor::zeros(DType::F32, {1, 2})},
      {"test.y", HostTensor::zeros(DType::I64, {1})},
      {"train.x", x()},
      {"train.y", y()}};
  llvm::Expected<Dataset> train = load(tensors);
  ASSERT_EQ(message(train.takeError()), "");
  llvm::Expected<Dataset> test = load(tensors, "test");
  ASSERT_EQ(message(test.takeError()), "");
  EXPECT_EQ(test->rows, 1);
  train = load(tensors);
  ASSERT_TRUE(static_cast<bool>(train));
  EXPECT_EQ(train->rows, 3);
  EXPECT_EQ(*train->find("x"), x());
  EXPECT_EQ(*train->find("y"), y());
  llvm::Expected<DataSource> source = DataSource::read(path);
  ASSERT_TRUE(static_cast<bool>(source));
  EXPECT_TRUE(source->hasSplit("test"));
  EXPECT_FALSE(source->hasSplit("tes"));
}

TEST_F(DatasetTest, ReadsNpyFilesAndDirectories) {
  ASSERT_EQ(message(writeNpy(directory / "x.npy", x())), "");
  ASSERT_EQ(message(writeNpy(directory / "train.y.npy", y())), "");
  for (std::string paths :
       {directory.str().str(),
        (directory / "x.npy") + "," + (directory / "train.y.npy")}) {
    llvm::Expected<DataSource> source = DataSource::read(paths);
    ASSERT_EQ(message(source.takeError()), "");
    source = DataSource::read(paths);
    llvm::Expected<Dataset> dataset = source->select("train", fields);
    ASSERT_TRUE(static_cast<bool>(dataset))
        << llvm::toString(dataset.takeError());
    EXPECT_EQ(*dataset->find("x"), x());
  }
}

TEST_F(DatasetTest, NamesWhatIsWrong) {
  std::string place = "data '" + (directory / "d.safetensors") + "'";
  EXPECT_EQ(loadError({{"train.x", x()}}),
            place + " has no tensor 'train.y' for argument 'y' of the model; "
                    "it has 'train.x'");
  EXPECT_EQ(loadError({{"x", x()}, {"y", y()}}, "test"),
            place + " has no tensor 'test.x' for argument 'x' of the model; it "
                    "has 'x', 'y'");
  EXPECT_EQ(
      loadError({{"x", HostTensor::zeros(DType::F32, {3, 5})}, {"y", y()}}),
      place + ": tensor 'x': expects shape ?x2 for argument 'x' of the model, "
              "but got "
              "3x5xF32");
  EXPECT_EQ(
      loadError({{"x", HostTensor::zeros(DType::F32, {4, 2})}, {"y", y()}}),
      place + ": tensor 'y' has 3 rows, but 'x' has 4");
  EXPECT_EQ(
      loadError({{"x", HostTensor::zeros(DType::F64, {3, 2})}, {"y", y()}}),
      place + ": tensor 'x': has element type F64, which F32 does not hold "
              "exactly: "
              "store it as F32");
  EXPECT_EQ(loadError({{"x", x()}, {"y", HostTensor::fromF32({1, 2, 3}, {3})}}),
            place + ": tensor 'y': has element type F32, which I64 does not "
                    "hold exactly: "
                    "store it as I64");
}

TEST_F(DatasetTest, NamesUnreadableFiles) {
  EXPECT_EQ(message(DataSource::read(directory / "no.safetensors")),
            "cannot read '" + (directory / "no.safetensors") +
                "': No such file or directory");
  EXPECT_EQ(message(DataSource::read("data.csv")),
            "expects data in a .safetensors or .npy file, but got 'data.csv'");
  EXPECT_EQ(message(DataSource::read(directory.str())),
            ("expects .npy files in data directory '" + directory.str() +
             "', but found none")
                .str());
  ASSERT_EQ(message(writeNpy(directory / "x.npy", x())), "");
  EXPECT_EQ(message(DataSource::read((directory / "x.npy") + "," +
                                     (directory / "x.npy"))),
            "tensor 'x' occurs twice in data '" + (directory / "x.npy") + "," +
                (directory / "x.npy") + "'");
}

TEST(ExactConversionTest, Table) {
  auto exact = [](DType from, DType to) { return isExactConversion(from, to); };
  EXPECT_TRUE(exact(DType::I32, DType::I64));
  EXPECT_TRUE(exact(DType::U32, DType::I64));
  EXPECT_TRUE(exact(DType::BOOL, DType::I64));
  EXPECT_TRUE(exact(DType::U8, DType::F32));
  EXPECT_TRUE(exact(DType::U16, DType::F32));
  EXPECT_TRUE(exact(DType::U8, DType::BF16));
  EXPECT_TRUE(exact(DType::I32, DType::F64));
  EXPECT_TRUE(exact(DType::F16, DType::F32));
  EXPECT_TRUE(exact(DType::BF16, DType::F32));
  EXPECT_TRUE(exact(DType::F8_E5M2, DType::F16));
  EXPECT_FALSE(exact(DType::U64, DType::I64));
  EXPECT_FALSE(exact(DType::I64, DType::I32));
  EXPECT_FALSE(exact(DType::I8, DType::U8));
  EXPECT_FALSE(exact(DType::I64, DType::BOOL));
  EXPECT_FALSE(exact(DType::I32, DType::F32));
  EXPECT_FALSE(exact(DType::U16, DType::F16));
  EXPECT_FALSE(exact(DType::F64, DType::F32));
  EXPECT_FALSE(exact(DType::BF16, DType::F16));
  EXPECT_FALSE(exact(DType::F16, DType::BF16));
  EXPECT_FALSE(exact(DType::F32, DType::I64));
}

TEST(ExactConversionTest, Values) {
  llvm::Expected<HostTensor> wide =
      convertExactly(makeTensor<int32_t>(DType::I32, {2}, {-5, 7}), DType::I64);
  ASSERT_TRUE(static_cast<bool>(wide));
  EXPECT_EQ(getValues<int64_t>(*wide), (std::vector<int64_t>{-5, 7}));
  llvm::Expected<HostTensor> pixels = convertExactly(
      makeTensor<uint8_t>(DType::U8, {3}, {0, 16, 255}), DType::F32);
  ASSERT_TRUE(static_cast<bool>(pixels));
  EXPECT_EQ(getValues<float>(*pixels), (std::vector<float>{0, 16, 255}));
  // bf16 one and the f16 least subnormal.
  llvm::Expected<HostTensor> one = convertExactly(
      makeTensor<uint16_t>(DType::BF16, {1}, {0x3f80}), DType::F32);
  ASSERT_TRUE(static_cast<bool>(one));
  EXPECT_EQ(getValues<float>(*one), (std::vector<float>{1}));
  llvm::Expected<HostTensor> least =
      convertExactly(makeTensor<uint16_t>(DType::F16, {1}, {1}), DType::F32);
  ASSERT_TRUE(static_cast<bool>(least));
  EXPECT_EQ(getValues<float>(*least), (std::vector<float>{0x1p-24f}));
}

TEST(ClassTargetsTest, NamesTheFirstOutside) {
  NamedTensor targets{"y",
                      makeTensor<int64_t>(DType::I64, {4}, {0, 9, -100, 10})};
  EXPECT_EQ(message(checkClassTargets(targets, 11, -100)), "");
  EXPECT_EQ(message(checkClassTargets(targets, 10, -100)),
            "targets 'y': expects classes in [0, 10) or the ignored -100, but "
            "element 3 is 10");
  EXPECT_EQ(message(checkClassTargets(targets, 11, std::nullopt)),
            "targets 'y': expects classes in [0, 11), but element 2 is -100");
}

TEST(GatherTest, CopiesRowsInOrder) {
  HostTensor tensor = HostTensor::fromF32({1, 2, 3, 4, 5, 6}, {3, 2});
  std::vector<char> bytes(2 * getRowBytes(tensor));
  gatherRows(tensor, {2, 0}, bytes);
  float values[4];
  std::memcpy(values, bytes.data(), sizeof(values));
  EXPECT_EQ(std::vector<float>(values, values + 4),
            (std::vector<float>{5, 6, 1, 2}));
}
