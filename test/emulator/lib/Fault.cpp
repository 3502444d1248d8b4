//===- Fault.cpp - What an emulated device reports ------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sticky status and the messages.
//
//===----------------------------------------------------------------------===//

#include "Fault.h"

#include <cstdarg>
#include <cstdio>

using namespace amp::emulator;

static CUresult sticky = CUDA_SUCCESS;

void amp::emulator::reportFault(CUresult status, const std::string &text) {
  fprintf(stderr, "AMP emulator: error: %s\n", text.c_str());
  if (sticky == CUDA_SUCCESS)
    sticky = status;
}

void amp::emulator::complain(const std::string &text) {
  fprintf(stderr, "AMP emulator: %s\n", text.c_str());
}

CUresult amp::emulator::stickyStatus() { return sticky; }

void amp::emulator::clearStickyStatus() { sticky = CUDA_SUCCESS; }

std::string amp::emulator::format(const char *text, ...) {
  va_list args, again;
  va_start(args, text);
  va_copy(again, args);
  std::string result(vsnprintf(nullptr, 0, text, args), '\0');
  vsnprintf(result.data(), result.size() + 1, text, again);
  va_end(again);
  va_end(args);
  return result;
}
