//===- CudaSupport.cpp - Support for tests on a device --------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CudaSupport.h.
//
//===----------------------------------------------------------------------===//

#include "CudaSupport.h"
#include "Kernels.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <unistd.h>

namespace cts {

void CudaSuite::SetUp() {
  if (backendUnderTest != AMP_RT_BACKEND_CUDA)
    GTEST_SKIP() << "only CUDA has kernels";
  Suite::SetUp();
}

Trace::Trace() {
  path = testing::TempDir() + "amp-rt-trace-" + std::to_string(getpid());
  clear();
  setenv("AMP_RT_TRACE", path.c_str(), 1);
}

Trace::~Trace() {
  unsetenv("AMP_RT_TRACE");
  std::remove(path.c_str());
}

void Trace::clear() {
  // Cut, not replaced: a context may have it open, and appends to it.
  std::ofstream(path, std::ios::trunc);
}

std::vector<TraceLine> Trace::lines() const {
  std::vector<TraceLine> result;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    TraceLine parsed;
    parsed.text = line;
    size_t open = line.find('('), close = line.rfind(") = ");
    if (line[0] != '#' && open != std::string::npos &&
        close != std::string::npos) {
      parsed.entry = line.substr(0, open);
      parsed.status = std::atoi(line.c_str() + close + 4);
    }
    result.push_back(parsed);
  }
  return result;
}

size_t Trace::count(const std::string &entry) const {
  size_t number = 0;
  for (const TraceLine &line : lines())
    number += line.entry == entry;
  return number;
}

const amp_rt_image &suiteImage() {
  static const amp_rt_image image = {sizeof(image), kPtx, sizeof(kPtx),
                                     "sm_80 ptx of the suite"};
  return image;
}

amp_rt_launch_desc launchOf(const char *kernel, uint32_t blocks,
                            uint32_t threads, uint32_t numPointers) {
  return {sizeof(amp_rt_launch_desc),
          &suiteImage(),
          kernel,
          blocks,
          threads,
          numPointers,
          0};
}

void *uploadFloats(amp_rt_context *ctx, const std::vector<float> &values) {
  return uploadBytes(ctx, values.data(), values.size() * sizeof(float));
}

std::vector<float> downloadFloats(amp_rt_context *ctx, const void *block,
                                  size_t count) {
  std::vector<unsigned char> bytes =
      downloadBytes(ctx, block, count * sizeof(float));
  std::vector<float> values(count);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

} // namespace cts
