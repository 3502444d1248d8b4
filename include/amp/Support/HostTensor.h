//===- HostTensor.h - Tensors in files and on the host -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dense row-major tensor as bytes, with the element type by the names that
// safetensors uses. What the file readers and writers exchange with the tools.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_SUPPORT_HOSTTENSOR_H
#define AMP_SUPPORT_HOSTTENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::amp {

/// Element types of tensors in files.
enum class DType {
  F64,
  F32,
  F16,
  BF16,
  F8_E4M3,
  F8_E5M2,
  I64,
  I32,
  I16,
  I8,
  U64,
  U32,
  U16,
  U8,
  BOOL
};

/// The name of an element type in a safetensors header (`F32`, `BF16`, ...).
StringRef getDTypeName(DType dtype);
std::optional<DType> parseDType(StringRef name);

/// Bytes of one element; a boolean takes one.
unsigned getDTypeSize(DType dtype);

/// The MLIR element type; signed and unsigned integers are both signless.
Type getElementType(DType dtype, MLIRContext *context);
/// The file type of an MLIR element type, none where files have no name for it.
std::optional<DType> getDType(Type elementType);

/// A tensor whose elements the object owns.
struct HostTensor {
  DType dtype = DType::F32;
  SmallVector<int64_t> shape;
  std::vector<char> data;

  /// A zero-filled tensor.
  static HostTensor zeros(DType dtype, ArrayRef<int64_t> shape);
  /// An f32 tensor with the given elements.
  static HostTensor fromF32(ArrayRef<float> values, ArrayRef<int64_t> shape);

  int64_t getNumElements() const;
  /// `2x3xF32`, for diagnostics.
  std::string getTypeString() const;
  bool operator==(const HostTensor &other) const {
    return dtype == other.dtype && shape == other.shape && data == other.data;
  }
};

/// The number of elements of a shape, none where it is negative or overflows.
std::optional<int64_t> getElementCount(ArrayRef<int64_t> shape);

/// A named tensor.
struct NamedTensor {
  std::string name;
  HostTensor tensor;
};

/// The bytes of a file; the error names the file and the reason.
llvm::Expected<std::string> readFileBytes(StringRef path);
/// Writes a file and flushes it to the disk before returning.
llvm::Error writeFileDurably(StringRef path, StringRef bytes);

/// An error with a text.
llvm::Error makeError(const llvm::Twine &message);

} // namespace mlir::amp

#endif // AMP_SUPPORT_HOSTTENSOR_H
