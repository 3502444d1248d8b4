//===- Main.cpp - Conformance suite driver --------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `amp-rt-cts [--backend=cpu|cuda] [gtest options]`.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char **argv) {
  // What the suite sets itself must not come from outside.
  for (const char *name : {"AMP_RT_INJECT", "AMP_RT_STATS", "AMP_RT_VERBOSE",
                           "AMP_RT_GRAPHS", "AMP_RT_TRACE"})
    unsetenv(name);
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--backend=cpu") == 0) {
      cts::backendUnderTest = AMP_RT_BACKEND_CPU;
    } else if (std::strcmp(argv[i], "--backend=cuda") == 0) {
      cts::backendUnderTest = AMP_RT_BACKEND_CUDA;
    } else {
      std::fprintf(stderr,
                   "amp-rt-cts: expects --backend=cpu or --backend=cuda, but "
                   "got '%s'\n",
                   argv[i]);
      return 2;
    }
  }
  return RUN_ALL_TESTS();
}
