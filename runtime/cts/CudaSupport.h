//===- CudaSupport.h - Support for tests on a device ------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fixture of tests that only CUDA has, the trace of a context's calls, and
// the suite's image.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_CTS_CUDASUPPORT_H
#define AMP_RT_CTS_CUDASUPPORT_H

#include "Harness.h"

namespace cts {

/// Skips on a back end without kernels.
class CudaSuite : public Suite {
protected:
  void SetUp() override;
};

/// One call of AMP_RT_TRACE, or a note such as "# begin main".
struct TraceLine {
  std::string entry;
  std::string text;
  int status = 0;
};

/// Contexts that are created while it lives write their calls here.
class Trace {
public:
  Trace();
  ~Trace();
  Trace(const Trace &) = delete;
  Trace &operator=(const Trace &) = delete;

  void clear();
  std::vector<TraceLine> lines() const;
  /// Calls of one entry.
  size_t count(const std::string &entry) const;

private:
  std::string path;
};

/// The image of Kernels.h.
const amp_rt_image &suiteImage();

/// A launch of one of its kernels.
amp_rt_launch_desc launchOf(const char *kernel, uint32_t blocks,
                            uint32_t threads, uint32_t numPointers);

/// Context memory with floats, and back.
void *uploadFloats(amp_rt_context *ctx, const std::vector<float> &values);
std::vector<float> downloadFloats(amp_rt_context *ctx, const void *block,
                                  size_t count);

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace cts

#endif // AMP_RT_CTS_CUDASUPPORT_H
