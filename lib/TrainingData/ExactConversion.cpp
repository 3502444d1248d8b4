//===- ExactConversion.cpp - Element types of data files -------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which element types hold every value of another one, and the conversion.
//
//===----------------------------------------------------------------------===//

#include "amp/TrainingData/Dataset.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::amp;
using llvm::APFloat;
using llvm::APInt;

/// The float format of an element type, null for integers.
static const llvm::fltSemantics *getSemantics(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return &APFloat::IEEEdouble();
  case DType::F32:
    return &APFloat::IEEEsingle();
  case DType::F16:
    return &APFloat::IEEEhalf();
  case DType::BF16:
    return &APFloat::BFloat();
  case DType::F8_E4M3:
    return &APFloat::Float8E4M3FN();
  case DType::F8_E5M2:
    return &APFloat::Float8E5M2();
  default:
    return nullptr;
  }
}

static bool isSignedInteger(DType dtype) {
  return dtype == DType::I64 || dtype == DType::I32 || dtype == DType::I16 ||
         dtype == DType::I8;
}

/// Bits of an integer's magnitude.
static unsigned getValueBits(DType dtype) {
  if (dtype == DType::BOOL)
    return 1;
  return 8 * getDTypeSize(dtype) - isSignedInteger(dtype);
}

/// Whether the least subnormal, the largest number and infinity of `from` are
/// numbers of `to` as they are.
static bool isSubsetFormat(const llvm::fltSemantics &from,
                           const llvm::fltSemantics &to) {
  auto survives = [&](APFloat value) {
    bool losesInfo = false;
    value.convert(to, APFloat::rmNearestTiesToEven, &losesInfo);
    return !losesInfo;
  };
  return APFloat::semanticsPrecision(from) <= APFloat::semanticsPrecision(to) &&
         survives(APFloat::getSmallest(from)) &&
         survives(APFloat::getLargest(from)) &&
         (!APFloat::semanticsHasInf(from) || APFloat::semanticsHasInf(to));
}

bool amp::isExactConversion(DType from, DType to) {
  if (from == to)
    return true;
  const llvm::fltSemantics *fromFormat = getSemantics(from);
  const llvm::fltSemantics *toFormat = getSemantics(to);
  if (fromFormat)
    return toFormat && isSubsetFormat(*fromFormat, *toFormat);
  if (toFormat) {
    // The largest magnitude must be in range, not only in precision.
    if (getValueBits(from) > APFloat::semanticsPrecision(*toFormat))
      return false;
    APFloat largest(*toFormat);
    return largest.convertFromAPInt(APInt::getMaxValue(getValueBits(from)),
                                    false, APFloat::rmNearestTiesToEven) ==
           APFloat::opOK;
  }
  if (to == DType::BOOL || (isSignedInteger(from) && !isSignedInteger(to)))
    return false;
  return getValueBits(from) <= getValueBits(to);
}

/// The bits of an element, zero-extended.
static uint64_t loadBits(const char *data, unsigned size) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < size; ++i)
    bits |= static_cast<uint64_t>(static_cast<uint8_t>(data[i])) << (8 * i);
  return bits;
}

static void storeBits(char *data, unsigned size, uint64_t bits) {
  for (unsigned i = 0; i < size; ++i)
    data[i] = static_cast<char>(bits >> (8 * i));
}

static uint64_t convertElement(uint64_t bits, DType from, DType to) {
  unsigned fromBits = 8 * getDTypeSize(from);
  const llvm::fltSemantics *fromFormat = getSemantics(from);
  const llvm::fltSemantics *toFormat = getSemantics(to);
  APInt integer(fromBits, bits);
  if (!toFormat)
    return isSignedInteger(from) ? integer.getSExtValue()
                                 : integer.getZExtValue();
  if (!fromFormat) {
    APFloat value(*toFormat);
    value.convertFromAPInt(integer, isSignedInteger(from),
                           APFloat::rmNearestTiesToEven);
    return value.bitcastToAPInt().getZExtValue();
  }
  APFloat value(*fromFormat, integer);
  bool losesInfo = false;
  value.convert(*toFormat, APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

llvm::Expected<HostTensor> amp::convertExactly(const HostTensor &tensor,
                                               DType to) {
  if (tensor.dtype == to)
    return tensor;
  if (!isExactConversion(tensor.dtype, to))
    return makeError("has element type " + getDTypeName(tensor.dtype) +
                     ", which " + getDTypeName(to) +
                     " does not hold exactly: store it as " + getDTypeName(to));
  HostTensor result = HostTensor::zeros(to, tensor.shape);
  unsigned fromSize = getDTypeSize(tensor.dtype), toSize = getDTypeSize(to);
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i)
    storeBits(
        result.data.data() + i * toSize, toSize,
        convertElement(loadBits(tensor.data.data() + i * fromSize, fromSize),
                       tensor.dtype, to));
  return result;
}
