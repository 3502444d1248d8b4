//===- Calls.cpp - Faults and trace of calls into libraries ---------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Calls.h.
//
//===----------------------------------------------------------------------===//

#include "Calls.h"

#include <algorithm>
#include <cstdlib>

using namespace amp_rt;

Calls::Calls() {
  const char *path = std::getenv("AMP_RT_TRACE");
  if (path && *path) {
    file = std::fopen(path, "a");
    failed = !file;
  }
}

Calls::~Calls() {
  if (file)
    std::fclose(file);
}

void Calls::arm(const std::string &entry, int64_t countdown, int status) {
  faults.erase(
      std::remove_if(faults.begin(), faults.end(),
                     [&](const Fault &fault) { return fault.entry == entry; }),
      faults.end());
  if (countdown > 0)
    faults.push_back({entry, countdown, status});
}

bool Calls::countDown(const char *entry, int &status) {
  for (auto fault = faults.begin(); fault != faults.end(); ++fault) {
    if (fault->entry != entry || --fault->countdown != 0)
      continue;
    status = fault->status;
    faults.erase(fault);
    return true;
  }
  return false;
}

void Calls::write(const char *entry, const std::string &text, int status) {
  std::fprintf(file, "%s(%s) = %d\n", entry, text.c_str(), status);
  std::fflush(file);
}

void Calls::note(const char *what, const char *name) {
  if (!file)
    return;
  std::fprintf(file, "# %s %s\n", what, name);
  std::fflush(file);
}
