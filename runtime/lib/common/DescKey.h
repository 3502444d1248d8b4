//===- DescKey.h - GEMM descriptors as keys ---------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A descriptor is known by its content; plans are found by it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_COMMON_DESCKEY_H
#define AMP_RT_LIB_COMMON_DESCKEY_H

#include "amp-rt/gemm.h"

#include <cstring>

namespace amp_rt {

/// Descriptors compared and hashed by their bytes; they have no padding.
struct DescKey {
  amp_rt_gemm_desc desc;
  bool operator==(const DescKey &other) const {
    return std::memcmp(&desc, &other.desc, sizeof(desc)) == 0;
  }
};
struct DescHash {
  size_t operator()(const DescKey &key) const {
    static_assert(sizeof(amp_rt_gemm_desc) % sizeof(uint64_t) == 0);
    const auto *bytes = reinterpret_cast<const char *>(&key.desc);
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < sizeof(key.desc); i += sizeof(uint64_t)) {
      uint64_t word;
      std::memcpy(&word, bytes + i, sizeof(word));
      hash = (hash ^ word) * 0xff51afd7ed558ccdu;
      hash ^= hash >> 32;
    }
    return size_t(hash);
  }
};

} // namespace amp_rt

#endif // AMP_RT_LIB_COMMON_DESCKEY_H
