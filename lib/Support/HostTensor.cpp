//===- HostTensor.cpp - Tensors in files and on the host ------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element types as one table, and file access whose errors name the file.
//
//===----------------------------------------------------------------------===//

#include "amp/Support/HostTensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::amp;

namespace {
struct DTypeInfo {
  DType dtype;
  const char *name;
  unsigned size;
};
} // namespace

static constexpr DTypeInfo dtypeTable[] = {
    {DType::F64, "F64", 8},         {DType::F32, "F32", 4},
    {DType::F16, "F16", 2},         {DType::BF16, "BF16", 2},
    {DType::F8_E4M3, "F8_E4M3", 1}, {DType::F8_E5M2, "F8_E5M2", 1},
    {DType::I64, "I64", 8},         {DType::I32, "I32", 4},
    {DType::I16, "I16", 2},         {DType::I8, "I8", 1},
    {DType::U64, "U64", 8},         {DType::U32, "U32", 4},
    {DType::U16, "U16", 2},         {DType::U8, "U8", 1},
    {DType::BOOL, "BOOL", 1},
};

static const DTypeInfo &getInfo(DType dtype) {
  return dtypeTable[static_cast<unsigned>(dtype)];
}

StringRef amp::getDTypeName(DType dtype) { return getInfo(dtype).name; }

std::optional<DType> amp::parseDType(StringRef name) {
  for (const DTypeInfo &info : dtypeTable)
    if (name == info.name)
      return info.dtype;
  return std::nullopt;
}

unsigned amp::getDTypeSize(DType dtype) { return getInfo(dtype).size; }

Type amp::getElementType(DType dtype, MLIRContext *context) {
  switch (dtype) {
  case DType::F64:
    return Float64Type::get(context);
  case DType::F32:
    return Float32Type::get(context);
  case DType::F16:
    return Float16Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::F8_E4M3:
    return Float8E4M3FNType::get(context);
  case DType::F8_E5M2:
    return Float8E5M2Type::get(context);
  case DType::BOOL:
    return IntegerType::get(context, 1);
  default:
    return IntegerType::get(context, 8 * getDTypeSize(dtype));
  }
}

std::optional<DType> amp::getDType(Type elementType) {
  // The signed name of each integer width comes first in the table.
  for (const DTypeInfo &info : dtypeTable)
    if (getElementType(info.dtype, elementType.getContext()) == elementType)
      return info.dtype;
  return std::nullopt;
}

std::optional<int64_t> amp::getElementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(count, size, &count))
      return std::nullopt;
  return count;
}

HostTensor HostTensor::zeros(DType dtype, ArrayRef<int64_t> shape) {
  HostTensor tensor;
  tensor.dtype = dtype;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.data.resize(getElementCount(shape).value_or(0) * getDTypeSize(dtype));
  return tensor;
}

HostTensor HostTensor::fromF32(ArrayRef<float> values,
                               ArrayRef<int64_t> shape) {
  HostTensor tensor = zeros(DType::F32, shape);
  std::memcpy(tensor.data.data(), values.data(),
              std::min(tensor.data.size(), values.size() * sizeof(float)));
  return tensor;
}

int64_t HostTensor::getNumElements() const {
  return getElementCount(shape).value_or(0);
}

std::string HostTensor::getTypeString() const {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + getDTypeName(dtype).str();
}

llvm::Error amp::makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Expected<std::string> amp::readFileBytes(StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                  /*RequiresNullTerminator=*/false);
  if (std::error_code code = buffer.getError())
    return makeError("cannot read '" + path + "': " + code.message());
  return (*buffer)->getBuffer().str();
}

llvm::Error amp::writeFileDurably(StringRef path, StringRef bytes) {
  auto fail = [&](int code) {
    return makeError("cannot write '" + path + "': " + std::strerror(code));
  };
  int file = ::open(path.str().c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0)
    return fail(errno);
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0) {
      int code = errno;
      ::close(file);
      return fail(code);
    }
    bytes = bytes.drop_front(written);
  }
  if (::fsync(file) != 0) {
    int code = errno;
    ::close(file);
    return fail(code);
  }
  if (::close(file) != 0)
    return fail(errno);
  return llvm::Error::success();
}
