//===- Arch.cpp - GPU architectures -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Target/CUDA/Arch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace mlir::amp;

// PTX 8.6 is the first that knows sm_100; one version for all keeps the text of
// two architectures comparable.
static constexpr Arch kArchs[] = {
    {"sm_80", 80, "+ptx86"},
    {"sm_89", 89, "+ptx86"},
    {"sm_90", 90, "+ptx86"},
    {"sm_100", 100, "+ptx86"},
};

ArrayRef<Arch> amp::getArchs() { return kArchs; }

static std::string listArchs() {
  std::string text;
  for (const Arch &arch : kArchs)
    text += (text.empty() ? "" : ", ") + arch.name.str();
  return text;
}

llvm::Expected<SmallVector<Arch>> amp::parseArchs(StringRef text) {
  SmallVector<StringRef> names;
  text.split(names, '+');
  SmallVector<unsigned> indices;
  for (StringRef name : names) {
    const Arch *arch =
        llvm::find_if(kArchs, [&](const Arch &a) { return a.name == name; });
    if (arch == std::end(kArchs))
      return llvm::createStringError("unknown architecture '" + name +
                                     "'; expects " + listArchs() +
                                     ", several joined by '+'");
    unsigned index = arch - kArchs;
    if (llvm::is_contained(indices, index))
      return llvm::createStringError("expects each architecture once, but got "
                                     "'" +
                                     name + "' twice in '" + text + "'");
    indices.push_back(index);
  }
  llvm::sort(indices);
  return llvm::map_to_vector(indices, [](unsigned i) { return kArchs[i]; });
}

const Arch *amp::getArchForDevice(unsigned number) {
  const Arch *newest = nullptr;
  for (const Arch &arch : kArchs)
    if (arch.number <= number)
      newest = &arch;
  return newest;
}
