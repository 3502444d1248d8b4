//===- Call.cpp - One call of the driver ----------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lock, checks, and the trace that AMP_EMULATOR_TRACE asks for.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct CUctx_st {
  int unused;
};

using namespace amp::emulator;

static bool initialized = false;
static CUctx_st context;
static thread_local CUcontext current = nullptr;

std::recursive_mutex &amp::emulator::driverLock() {
  static std::recursive_mutex lock;
  return lock;
}

void amp::emulator::setInitialized() { initialized = true; }
void amp::emulator::setCurrentContext(CUcontext c) { current = c; }
CUcontext amp::emulator::currentContext() { return current; }
CUcontext amp::emulator::primaryContext() { return &context; }

unsigned &amp::emulator::primaryUsers() {
  static unsigned users = 0;
  return users;
}

unsigned amp::emulator::deviceArch() {
  static unsigned arch = [] {
    const char *text = getenv("AMP_EMULATOR_ARCH");
    unsigned value = 0;
    if (text && sscanf(text, "sm_%u", &value) != 1) {
      complain(std::string("expects AMP_EMULATOR_ARCH of the form sm_90, but "
                           "got '") +
               text + "'");
      value = 0;
    }
    return value ? value : 90u;
  }();
  return arch;
}

/// The trace's file; null when there is none.
static FILE *traceFile() {
  static FILE *file = [] {
    const char *path = getenv("AMP_EMULATOR_TRACE");
    FILE *opened = path && *path ? fopen(path, "w") : nullptr;
    if (path && *path && !opened)
      complain(std::string("cannot write the trace to ") + path);
    return opened;
  }();
  return file;
}

Call::Call(const char *name, Needs needs)
    : lock(driverLock()), name(name), needs(needs) {
  if (needs == Needs::Nothing)
    return;
  if (!initialized)
    result = CUDA_ERROR_NOT_INITIALIZED;
  else if (needs == Needs::Driver)
    return;
  else if (needs == Needs::Release)
    return;
  else if (!current)
    result = CUDA_ERROR_INVALID_CONTEXT;
  else
    result = stickyStatus();
  isRefused = result != CUDA_SUCCESS;
}

Call::~Call() {
  if (FILE *file = traceFile()) {
    // cuda.h's name, without the version of the symbol.
    const char *suffix = strstr(name, "_v");
    int length = suffix ? suffix - name : strlen(name);
    fprintf(file, "%.*s%s -> %s\n", length, name, details.c_str(),
            statusName(result));
    fflush(file);
  }
}

CUresult Call::done(CUresult status) {
  result = status;
  // Work that ran in this call may have failed.
  if ((needs == Needs::Context || needs == Needs::Release) &&
      result == CUDA_SUCCESS)
    result = stickyStatus();
  return result;
}

void Call::note(const char *text, ...) {
  char buffer[512];
  va_list args;
  va_start(args, text);
  vsnprintf(buffer, sizeof(buffer), text, args);
  va_end(args);
  details += std::string(" ") + buffer;
}
