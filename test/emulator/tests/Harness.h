//===- Harness.h - A device, and kernels from LLVM assembly -----*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests write kernels as LLVM assembly for nvptx64. The harness makes bitcode
// and, with LLVM's own back end, PTX, and loads the PTX as a program does: no
// toolkit is needed.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_TESTS_HARNESS_H
#define AMP_EMULATOR_TESTS_HARNESS_H

#include <cuda.h>

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace emulator_test {

/// Makes PTX of LLVM assembly and leaves its bitcode in the folder where the
/// emulator looks. Fails the test on errors.
std::string compilePtx(const std::string &assembly);

/// The key under which the bitcode of PTX lies (docs/contracts.md, 7).
std::string keyOf(const std::string &ptx);

/// Every test starts with a device without errors.
class EmulatorTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// Memory of the device with the given contents.
  template <typename T> CUdeviceptr upload(const std::vector<T> &data) {
    CUdeviceptr pointer = allocate(data.size() * sizeof(T));
    EXPECT_EQ(cuMemcpyHtoD(pointer, data.data(), data.size() * sizeof(T)),
              CUDA_SUCCESS);
    return pointer;
  }
  template <typename T>
  std::vector<T> download(CUdeviceptr pointer, size_t count) {
    std::vector<T> data(count);
    EXPECT_EQ(cuMemcpyDtoH(data.data(), pointer, count * sizeof(T)),
              CUDA_SUCCESS);
    return data;
  }
  CUdeviceptr allocate(size_t bytes);

  /// Loads a kernel named `k`.
  CUfunction load(const std::string &assembly);

  /// Launches with pointers as parameters and waits; the status of the wait.
  CUresult run(CUfunction kernel, unsigned blocks, unsigned threads,
               std::vector<CUdeviceptr> parameters);

  /// The same; expects the status, and the text on stderr.
  void expectFault(CUfunction kernel, unsigned blocks, unsigned threads,
                   std::vector<CUdeviceptr> parameters, CUresult status,
                   const std::string &text);

  CUstream stream = nullptr;
  std::vector<CUmodule> modules;
};

/// Declarations of the intrinsics that tests use, and the target.
extern const char *const kPrelude;

} // namespace emulator_test

#endif // AMP_EMULATOR_TESTS_HARNESS_H
