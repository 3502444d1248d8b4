//===- CPUHarness.h - Compile and run IR in a test --------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module at the `kernels` stage, lowered and compiled, with memory for one
// function's arguments.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TEST_UNIT_TARGET_CPUHARNESS_H
#define AMP_TEST_UNIT_TARGET_CPUHARNESS_H

#include "amp/Target/CPU/CompiledModule.h"

#include "amp-rt/amp_rt.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <vector>

namespace mlir::amp::test {

/// 64-byte aligned bytes.
class Memory {
public:
  explicit Memory(size_t bytes);
  ~Memory();
  Memory(Memory &&other) noexcept;
  Memory(const Memory &) = delete;

  template <typename T> T *as() const { return static_cast<T *>(data); }
  size_t size() const { return bytes; }

private:
  void *data;
  size_t bytes;
};

class Compiled {
public:
  /// Aborts the test with the diagnostics when something fails.
  explicit Compiled(const std::string &ir, int threads = 2);
  ~Compiled();

  /// One block of memory per pointer of `function`, zeroed; results and the
  /// arena are filled with 0xA5, so that what isn't written is seen.
  std::vector<Memory> allocate(const std::string &function);
  /// Runs and expects success.
  void run(const std::string &function, const std::vector<Memory> &memory);
  /// Runs and returns the status.
  int32_t tryRun(const std::string &function,
                 const std::vector<Memory> &memory);

  amp_rt_context *context() { return ctx; }
  CompiledModule &module() { return *compiled; }

private:
  MLIRContext mlirContext;
  OwningOpRef<ModuleOp> ir;
  std::unique_ptr<CompiledModule> compiled;
  amp_rt_context *ctx = nullptr;
};

} // namespace mlir::amp::test

#endif // AMP_TEST_UNIT_TARGET_CPUHARNESS_H
