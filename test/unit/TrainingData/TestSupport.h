//===- TestSupport.h - What these tests share ------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A directory of its own for each test, and the texts of errors.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_UNIT_TRAININGDATA_TESTSUPPORT_H
#define AMP_UNIT_TRAININGDATA_TESTSUPPORT_H

#include "amp/Support/HostTensor.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>

namespace mlir::amp {

/// A fresh directory that is removed with the object.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    EXPECT_FALSE(
        llvm::sys::fs::createUniqueDirectory("amp-training-data", path));
  }
  ~TemporaryDirectory() { llvm::sys::fs::remove_directories(path); }

  std::string operator/(const std::string &name) const {
    return (path + "/" + name).str();
  }
  StringRef str() const { return path; }

private:
  llvm::SmallString<128> path;
};

/// The message of an error, empty for success.
inline std::string message(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : std::string();
}
template <typename T> std::string message(llvm::Expected<T> value) {
  return message(value.takeError());
}

/// A tensor with the given elements.
template <typename T>
HostTensor makeTensor(DType dtype, ArrayRef<int64_t> shape,
                      ArrayRef<T> values) {
  HostTensor tensor = HostTensor::zeros(dtype, shape);
  EXPECT_EQ(tensor.data.size(), values.size() * sizeof(T));
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

template <typename T> std::vector<T> getValues(const HostTensor &tensor) {
  std::vector<T> values(tensor.data.size() / sizeof(T));
  std::memcpy(values.data(), tensor.data.data(), values.size() * sizeof(T));
  return values;
}

inline void writeText(const std::string &path, StringRef text) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), text.size());
  EXPECT_TRUE(stream.good()) << path;
}

inline std::string readText(const std::string &path) {
  llvm::Expected<std::string> text = readFileBytes(path);
  if (text)
    return *text;
  ADD_FAILURE() << llvm::toString(text.takeError());
  return "";
}

} // namespace mlir::amp

#endif // AMP_UNIT_TRAININGDATA_TESTSUPPORT_H
