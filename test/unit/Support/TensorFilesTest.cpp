//===- TensorFilesTest.cpp - Tests of the tensor file formats -------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Round trips, and one clear error for every way in which a file can be broken.
//
//===----------------------------------------------------------------------===//

#include "amp/Support/Npy.h"
#include "amp/Support/Safetensors.h"
#include "llvm/Support/Endian.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::amp;

static std::string withHeader(StringRef header, StringRef data) {
  std::string bytes(8, '\0');
  llvm::support::endian::write64le(bytes.data(), header.size());
  return bytes + header.str() + data.str();
}

/// The message of parsing `bytes`, empty where that succeeds.
static std::string safetensorsError(StringRef bytes) {
  llvm::Expected<SafetensorsFile> file = parseSafetensors(bytes, "f");
  return file ? "" : llvm::toString(file.takeError());
}

static std::string npyError(StringRef bytes) {
  llvm::Expected<HostTensor> tensor = parseNpy(bytes, "f");
  return tensor ? "" : llvm::toString(tensor.takeError());
}

TEST(SafetensorsTest, RoundTrip) {
  SafetensorsFile file;
  file.tensors.push_back(
      {"b", HostTensor::fromF32({1, 2, 3, 4, 5, 6}, {2, 3})});
  file.tensors.push_back({"empty", HostTensor::zeros(DType::I64, {0, 4})});
  file.tensors.push_back({"a \"quoted\"", HostTensor::zeros(DType::BF16, {})});
  file.tensors.push_back({"flag", HostTensor::zeros(DType::BOOL, {3})});
  file.metadata["format"] = "pt";
  std::string bytes = serializeSafetensors(file);
  EXPECT_EQ(llvm::support::endian::read64le(bytes.data()) % 8, 0u);
  llvm::Expected<SafetensorsFile> back = parseSafetensors(bytes, "f");
  ASSERT_TRUE(static_cast<bool>(back));
  ASSERT_EQ(back->tensors.size(), 4u);
  for (const NamedTensor &named : file.tensors) {
    const HostTensor *tensor = back->find(named.name);
    ASSERT_NE(tensor, nullptr) << named.name;
    EXPECT_EQ(*tensor, named.tensor) << named.name;
  }
  EXPECT_EQ(back->metadata["format"], "pt");
}

TEST(SafetensorsTest, EveryTruncationIsAnError) {
  SafetensorsFile file;
  file.tensors.push_back({"w", HostTensor::fromF32({1, 2}, {2})});
  std::string bytes = serializeSafetensors(file);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(safetensorsError(StringRef(bytes).take_front(size)), "") << size;
  EXPECT_NE(safetensorsError(bytes + "x"), "");
}

TEST(SafetensorsTest, Malformed) {
  EXPECT_EQ(
      safetensorsError("abc"),
      "cannot read 'f' as safetensors: expects at least 8 bytes, but got 3");
  EXPECT_NE(
      safetensorsError(std::string(8, '\xff')).find("exceeds the file's 8"),
      std::string::npos);
  EXPECT_NE(safetensorsError(withHeader("{", "")).find("malformed header"),
            std::string::npos);
  EXPECT_NE(safetensorsError(withHeader("[]", "")).find("expects an object"),
            std::string::npos);
  struct Case {
    const char *entry, *data, *message;
  };
  const Case cases[] = {
      {R"({"dtype":"F7","shape":[1],"data_offsets":[0,4]})", "abcd",
       "unknown dtype 'F7'"},
      {R"({"shape":[1],"data_offsets":[0,4]})", "abcd",
       "expects a string 'dtype'"},
      {R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})", "abcd",
       "non-negative integers"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})", "abcd",
       "but got 4 bytes"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})", "abcd",
       "increasing"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})", "abcdefgh",
       "start at byte 0"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})", "abc",
       "but got 3"},
      {R"({"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]})",
       "", "but got 0 bytes"},
  };
  for (const Case &test : cases) {
    std::string header = "{\"w\":" + std::string(test.entry) + "}";
    std::string message = safetensorsError(withHeader(header, test.data));
    EXPECT_NE(message.find(test.message), std::string::npos)
        << test.entry << ": " << message;
  }
}

TEST(NpyTest, RoundTrip) {
  for (SmallVector<int64_t> shape :
       {SmallVector<int64_t>{}, SmallVector<int64_t>{3},
        SmallVector<int64_t>{2, 3}, SmallVector<int64_t>{0, 5}}) {
    HostTensor tensor = HostTensor::zeros(DType::I32, shape);
    for (size_t i = 0; i < tensor.data.size(); ++i)
      tensor.data[i] = char(i);
    llvm::Expected<std::string> bytes = serializeNpy(tensor);
    ASSERT_TRUE(static_cast<bool>(bytes));
    EXPECT_EQ((bytes->size() - tensor.data.size()) % 64, 0u);
    llvm::Expected<HostTensor> back = parseNpy(*bytes, "f");
    ASSERT_TRUE(static_cast<bool>(back));
    EXPECT_EQ(*back, tensor);
    for (size_t size = 0; size < bytes->size(); ++size)
      EXPECT_NE(npyError(StringRef(*bytes).take_front(size)), "") << size;
  }
}

TEST(NpyTest, Malformed) {
  EXPECT_EQ(npyError("nothing at all"),
            "cannot read 'f' as npy: expects the magic bytes of NumPy");
  auto withDict = [](StringRef dict, StringRef data) {
    std::string bytes = std::string("\x93NUMPY\x01", 7) + std::string(1, '\0');
    bytes += char(dict.size());
    bytes += '\0';
    return bytes + dict.str() + data.str();
  };
  EXPECT_NE(
      npyError(
          withDict("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }",
                   "abcd"))
          .find("element type '>f4' is not supported"),
      std::string::npos);
  EXPECT_NE(
      npyError(
          withDict("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }",
                   "abcd"))
          .find("Fortran order"),
      std::string::npos);
  EXPECT_NE(
      npyError(
          withDict("{'descr': '<f4', 'fortran_order': False, 'shape': (x,), }",
                   "abcd"))
          .find("'x' is no size"),
      std::string::npos);
  llvm::Expected<std::string> bf16 =
      serializeNpy(HostTensor::zeros(DType::BF16, {1}));
  ASSERT_FALSE(static_cast<bool>(bf16));
  EXPECT_EQ(llvm::toString(bf16.takeError()),
            "npy has no element type 'BF16': write a .safetensors file");
}
