//===- InitializeParameters.cpp - Parameters to start from -----*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the bound of each parameter by rank and name, then draws.
//
//===----------------------------------------------------------------------===//

#include "amp/TrainingData/InitializeParameters.h"
#include "amp/TrainingData/Random.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::amp;

namespace {
/// Uniform in [-bound, bound) where there is a bound, else one value.
struct Filler {
  std::optional<double> bound;
  double value = 0;
};
} // namespace

static double getWeightBound(const HostTensor &weight) {
  int64_t fanIn =
      getElementCount(ArrayRef(weight.shape).drop_front()).value_or(0);
  return fanIn > 0 ? 1.0 / std::sqrt(static_cast<double>(fanIn)) : 0;
}

static bool isWeight(const HostTensor &tensor) {
  return tensor.shape.size() >= 2;
}

static Filler chooseFiller(ArrayRef<NamedTensor> parameters, size_t index) {
  const NamedTensor &parameter = parameters[index];
  StringRef name = parameter.name;
  if (isWeight(parameter.tensor))
    return {getWeightBound(parameter.tensor)};
  if (name == "weight" || name.ends_with(".weight"))
    return {std::nullopt, 1};
  StringRef stem = name;
  if (stem.consume_back(".bias")) {
    for (const NamedTensor &other : parameters)
      if (other.name == (stem + ".weight").str() && isWeight(other.tensor))
        return {getWeightBound(other.tensor)};
    return {};
  }
  if (parameter.tensor.shape.size() != 1)
    return {};
  for (size_t i = index; i-- > 0;)
    if (isWeight(parameters[i].tensor))
      return parameters[i].tensor.shape.front() ==
                     parameter.tensor.shape.front()
                 ? Filler{getWeightBound(parameters[i].tensor)}
                 : Filler{};
  return {};
}

template <typename T>
static void fill(HostTensor &tensor, const Filler &filler,
                 RandomStream random) {
  int64_t count = tensor.getNumElements();
  tensor.data.resize(count * sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    double value = filler.value;
    if (filler.bound)
      value = *filler.bound * (2 * random.nextUnit() - 1);
    T element = static_cast<T>(value);
    std::memcpy(tensor.data.data() + i * sizeof(T), &element, sizeof(T));
  }
}

llvm::Error amp::initializeParameters(MutableArrayRef<NamedTensor> parameters,
                                      uint64_t seed) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    NamedTensor &parameter = parameters[i];
    Filler filler = chooseFiller(parameters, i);
    RandomStream random(seed, llvm::xxh3_64bits(StringRef(parameter.name)));
    switch (parameter.tensor.dtype) {
    case DType::F32:
      fill<float>(parameter.tensor, filler, random);
      break;
    case DType::F64:
      fill<double>(parameter.tensor, filler, random);
      break;
    default:
      return makeError("cannot initialise parameter '" + parameter.name +
                       "': expects element type F32 or F64, but got " +
                       getDTypeName(parameter.tensor.dtype));
    }
  }
  return llvm::Error::success();
}
