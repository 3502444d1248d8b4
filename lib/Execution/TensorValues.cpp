//===- TensorValues.cpp - Host tensors as numbers -------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Execution/TensorValues.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::amp;

/// Tensors of up to this many elements are printed in full.
static constexpr int64_t maxPrintedElements = 32;

//===----------------------------------------------------------------------===//
// Encodings
//===----------------------------------------------------------------------===//

static double decode(uint64_t bits, FloatType type) {
  llvm::APFloat value(type.getFloatSemantics(),
                      llvm::APInt(type.getWidth(), bits));
  bool losesInfo = false;
  value.convert(llvm::APFloat::IEEEdouble(),
                llvm::RoundingMode::NearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

static llvm::APFloat encode(double value, FloatType type) {
  llvm::APFloat encoded(value);
  bool losesInfo = false;
  encoded.convert(type.getFloatSemantics(),
                  llvm::RoundingMode::NearestTiesToEven, &losesInfo);
  return encoded;
}

static double roundTo(double value, FloatType type) {
  return decode(encode(value, type).bitcastToAPInt().getZExtValue(), type);
}

RankedTensorType amp::getTensorType(const HostTensor &tensor,
                                    MLIRContext *context) {
  return RankedTensorType::get(tensor.shape,
                               getElementType(tensor.dtype, context));
}

ReferenceTensor amp::toReference(const HostTensor &tensor,
                                 MLIRContext *context) {
  ReferenceTensor result;
  result.type = getTensorType(tensor, context);
  Type elementType = result.type.getElementType();
  unsigned bytes = getDTypeSize(tensor.dtype);
  for (int64_t i = 0, end = tensor.getNumElements(); i < end; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, tensor.data.data() + i * bytes, bytes);
    if (FloatType type = dyn_cast<FloatType>(elementType))
      result.floats.push_back(decode(bits, type));
    else if (elementType.isInteger(1))
      result.integers.push_back(bits != 0);
    else
      result.integers.push_back(llvm::APInt(bytes * 8, bits).getSExtValue());
  }
  return result;
}

llvm::Expected<HostTensor> amp::toHost(const ReferenceTensor &tensor) {
  std::optional<DType> dtype = getDType(tensor.type.getElementType());
  if (!dtype) {
    std::string text;
    llvm::raw_string_ostream(text) << tensor.type;
    return makeError("files have no element type for " + text);
  }
  HostTensor result = HostTensor::zeros(*dtype, tensor.type.getShape());
  unsigned bytes = getDTypeSize(*dtype);
  for (int64_t i = 0, end = tensor.size(); i < end; ++i) {
    uint64_t bits = tensor.isFloat()
                        ? encode(tensor.floats[i],
                                 cast<FloatType>(tensor.type.getElementType()))
                              .bitcastToAPInt()
                              .getZExtValue()
                        : uint64_t(tensor.integers[i]);
    std::memcpy(result.data.data() + i * bytes, &bits, bytes);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string amp::formatElement(const ReferenceTensor &tensor, int64_t index) {
  Type elementType = tensor.type.getElementType();
  if (!tensor.isFloat()) {
    if (elementType.isInteger(1))
      return tensor.integers[index] ? "true" : "false";
    return std::to_string(tensor.integers[index]);
  }
  double value = tensor.floats[index];
  if (!std::isfinite(value))
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  std::string text;
  // Integers in full: 75000 rather than 7.5e+04.
  if (value == std::trunc(value) && std::fabs(value) < 1e9) {
    llvm::raw_string_ostream(text) << llvm::format("%.0f", value);
    return text;
  }
  for (int digits = 1; digits <= 17; ++digits) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, value);
    if (roundTo(std::strtod(text.c_str(), nullptr),
                cast<FloatType>(elementType)) == value)
      break;
  }
  return text;
}

static void printNested(llvm::raw_ostream &os, const ReferenceTensor &tensor,
                        unsigned dim, int64_t &next) {
  if (dim == tensor.type.getRank()) {
    os << formatElement(tensor, next++);
    return;
  }
  os << "[";
  for (int64_t i = 0, end = tensor.type.getDimSize(dim); i < end; ++i) {
    os << (i ? ", " : "");
    printNested(os, tensor, dim + 1, next);
  }
  os << "]";
}

std::string amp::summarize(const ReferenceTensor &tensor) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (tensor.size() <= maxPrintedElements) {
    int64_t next = 0;
    printNested(os, tensor, 0, next);
    return text;
  }
  int64_t nonFinite = 0, least = -1, largest = -1;
  auto at = [&](int64_t i) {
    return tensor.isFloat() ? tensor.floats[i] : double(tensor.integers[i]);
  };
  double sum = 0.0;
  for (int64_t i = 0, end = tensor.size(); i < end; ++i) {
    if (!std::isfinite(at(i))) {
      ++nonFinite;
      continue;
    }
    sum += at(i);
    if (least < 0 || at(i) < at(least))
      least = i;
    if (largest < 0 || at(i) > at(largest))
      largest = i;
  }
  if (least >= 0)
    os << "min " << formatElement(tensor, least) << ", max "
       << formatElement(tensor, largest) << ", mean "
       << llvm::format("%.6g", sum / double(tensor.size() - nonFinite)) << ", ";
  os << nonFinite << " non-finite";
  return text;
}

std::string amp::formatIndex(ArrayRef<int64_t> shape, int64_t offset) {
  SmallVector<int64_t> index(shape.size());
  for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
    index[d] = offset % shape[d];
    offset /= shape[d];
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(index, os);
  os << "]";
  return text;
}

//===----------------------------------------------------------------------===//
// Random tensors
//===----------------------------------------------------------------------===//

/// A few GiB while they are drawn.
static constexpr int64_t maxRandomElements = int64_t(1) << 28;

std::optional<HostTensor> amp::makeRandomTensor(RankedTensorType type,
                                                int64_t dynamicSize,
                                                uint64_t seed) {
  ReferenceTensor tensor;
  SmallVector<int64_t> shape(type.getShape());
  int64_t count = 1;
  for (int64_t &size : shape) {
    size = ShapedType::isDynamic(size) ? dynamicSize : size;
    if (__builtin_mul_overflow(count, size, &count) ||
        count > maxRandomElements)
      return std::nullopt;
  }
  tensor.type = RankedTensorType::get(shape, type.getElementType());
  // The generator is specified bit by bit, the library's distributions are not:
  // normal numbers by Box and Muller.
  std::mt19937_64 engine(seed);
  auto uniform = [&] { return (double(engine() >> 11) + 0.5) * 0x1p-53; };
  for (int64_t i = 0, end = tensor.size(); i < end; ++i) {
    if (!tensor.isFloat()) {
      tensor.integers.push_back(engine() & 1);
      continue;
    }
    double radius = std::sqrt(-2.0 * std::log(uniform()));
    tensor.floats.push_back(radius * std::cos(2.0 * M_PI * uniform()));
  }
  llvm::Expected<HostTensor> host = toHost(tensor);
  if (!host) {
    llvm::consumeError(host.takeError());
    return std::nullopt;
  }
  return std::move(*host);
}
