//===- Capabilities.cpp - What architectures have ---------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Capabilities.h"

#include "llvm/ADT/ArrayRef.h"

using namespace mlir;
using namespace mlir::amp;

// The PTX ISA's words on `cvt`: e4m3x2 and e5m2x2 need sm_89, ue8m0x2 and the
// stochastic forms the architecture-specific targets of sm_100. Conversions
// between f32 and f16 or bf16 are plain LLVM casts on all of sm_80 and later.
static constexpr Capability kCapabilities[] = {
    {"f32", "f8E4M3FN", "llvm.nvvm.ff.to.e4m3x2.rn",
     "nvvm.convert.f32x2.to.f8x2", 89, false},
    {"f32", "f8E5M2", "llvm.nvvm.ff.to.e5m2x2.rn", "nvvm.convert.f32x2.to.f8x2",
     89, false},
    {"f16", "f8E4M3FN", "llvm.nvvm.f16x2.to.e4m3x2.rn",
     "nvvm.convert.f16x2.to.f8x2", 89, false},
    {"f16", "f8E5M2", "llvm.nvvm.f16x2.to.e5m2x2.rn",
     "nvvm.convert.f16x2.to.f8x2", 89, false},
    {"f8E4M3FN", "f16", "llvm.nvvm.e4m3x2.to.f16x2.rn",
     "nvvm.convert.f8x2.to.f16x2", 89, false},
    {"f8E5M2", "f16", "llvm.nvvm.e5m2x2.to.f16x2.rn",
     "nvvm.convert.f8x2.to.f16x2", 89, false},
    {"bf16", "f8E8M0FNU", "llvm.nvvm.bf16x2.to.ue8m0x2.rz",
     "nvvm.convert.bf16x2.to.f8x2", 100, true},
    {"f8E8M0FNU", "bf16", "llvm.nvvm.ue8m0x2.to.bf16x2",
     "nvvm.convert.f8x2.to.bf16x2", 100, true},
};

ArrayRef<Capability> amp::getCapabilities() { return kCapabilities; }

const Capability *amp::getConversion(StringRef from, StringRef to) {
  for (const Capability &row : kCapabilities)
    if (row.from == from && row.to == to)
      return &row;
  return nullptr;
}

bool amp::isAvailable(const Capability &row, unsigned arch) {
  return arch >= row.firstArch && !row.isSpecific;
}

std::optional<unsigned> amp::parseArchNumber(StringRef arch) {
  unsigned number = 0;
  if (!arch.consume_front("sm_") || arch.getAsInteger(10, number))
    return std::nullopt;
  return number;
}
