//===- Call.h - One call of the driver --------------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every entry point starts with a Call: it takes the driver's lock, finds out
// whether the call may go on, and writes the line of the trace.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_CALL_H
#define AMP_EMULATOR_CALL_H

#include "Cuda.h"
#include "Fault.h"

#include <mutex>
#include <string>

namespace amp::emulator {

/// What a call needs to be accepted.
enum class Needs {
  Nothing,
  /// cuInit was called.
  Driver,
  /// The same, a current context, and a device without an error.
  Context,
  /// As Context, but the call takes effect on a lost device too: it gives
  /// something back.
  Release
};

class Call {
public:
  Call(const char *name, Needs needs);
  ~Call();
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  /// Whether the call is refused; then return status().
  bool refused() const { return isRefused; }
  CUresult status() const { return result; }

  /// Ends the call. A release on a lost device returns the device's error.
  CUresult done(CUresult status);
  /// Notes a detail for the trace.
  void note(const char *text, ...) __attribute__((format(printf, 2, 3)));

private:
  std::unique_lock<std::recursive_mutex> lock;
  const char *name;
  Needs needs;
  std::string details;
  CUresult result = CUDA_SUCCESS;
  bool isRefused = false;
};

/// The driver's lock, for entries that are no calls of the driver.
std::recursive_mutex &driverLock();

/// State of cuInit and of the current context.
void setInitialized();
void setCurrentContext(CUcontext context);
CUcontext currentContext();

/// The device's one context, and its number of users.
CUcontext primaryContext();

/// Retains of it that were not released.
unsigned &primaryUsers();

/// 90 for compute capability 9.0.
unsigned deviceArch();

const char *statusName(CUresult status);

} // namespace amp::emulator

/// A complete entry of a function that is refused unless `needs` holds.
#define AMP_CALL(needs)                                                        \
  amp::emulator::Call call(__func__, amp::emulator::Needs::needs);             \
  if (call.refused())                                                          \
  return call.status()

#endif // AMP_EMULATOR_CALL_H
