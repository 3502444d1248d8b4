//===- KernelCache.h - Kernels of equal structure ---------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that compute the same on operands of the same types share what they
// are emitted as.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_UTILS_KERNELCACHE_H
#define AMP_CONVERSION_UTILS_KERNELCACHE_H

#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h"

#include "mlir/IR/OperationSupport.h"

namespace mlir::amp {

/// Which operands of a kernel are one buffer, in order of first appearance.
inline SmallVector<unsigned> getAliasPattern(amprt::KernelOp kernel) {
  llvm::DenseMap<Value, unsigned> numbers;
  SmallVector<unsigned> pattern;
  for (Value operand : kernel.getOperands())
    pattern.push_back(
        numbers.try_emplace(operand, numbers.size()).first->second);
  return pattern;
}

/// What `Emitted` the kernels seen so far became, found by structure. `key` is
/// what else must be equal.
template <typename Emitted> class KernelCache {
public:
  Emitted *find(amprt::KernelOp kernel, ArrayRef<int64_t> key = {}) {
    for (Entry *entry : buckets[hash(kernel)])
      if (entry->kind == kernel.getKind() &&
          entry->numInputs == kernel.getInputs().size() &&
          entry->pattern == getAliasPattern(kernel) && entry->key == key &&
          OperationEquivalence::isRegionEquivalentTo(
              &entry->body, &kernel.getBody(),
              OperationEquivalence::IgnoreLocations))
        return &entry->emitted;
    return nullptr;
  }

  /// Takes the kernel's body for later comparisons.
  Emitted *add(amprt::KernelOp kernel, const Emitted &emitted,
               ArrayRef<int64_t> key = {}) {
    auto bucket = hash(kernel);
    entries.push_back(std::make_unique<Entry>());
    Entry *entry = entries.back().get();
    entry->kind = kernel.getKind();
    entry->numInputs = kernel.getInputs().size();
    entry->pattern = getAliasPattern(kernel);
    entry->key.assign(key.begin(), key.end());
    entry->emitted = emitted;
    entry->body.takeBody(kernel.getBody());
    buckets[bucket].push_back(entry);
    return &entry->emitted;
  }

private:
  struct Entry {
    Region body;
    amprt::KernelKind kind;
    unsigned numInputs;
    SmallVector<unsigned> pattern;
    SmallVector<int64_t> key;
    Emitted emitted;
  };

  static llvm::hash_code hash(amprt::KernelOp kernel) {
    llvm::hash_code code =
        llvm::hash_combine(kernel.getKind(), kernel.getInputs().size(),
                           llvm::hash_combine_range(
                               TypeRange(kernel.getBody().getArgumentTypes())));
    kernel.getBody().walk([&](Operation *op) {
      code = llvm::hash_combine(code,
                                OperationEquivalence::computeHash(
                                    op, OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::IgnoreLocations));
    });
    return code;
  }

  std::vector<std::unique_ptr<Entry>> entries;
  llvm::DenseMap<size_t, SmallVector<Entry *>> buckets;
};

} // namespace mlir::amp

#endif // AMP_CONVERSION_UTILS_KERNELCACHE_H
