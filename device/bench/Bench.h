//===- Bench.h - What the device programs share -----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options, the two ways to end early (a failure, and a skip with its reason),
// JSON lines on stdout, and a context with memory that frees itself. Everything
// goes through the runtime's C ABI.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DEVICE_BENCH_H
#define AMP_DEVICE_BENCH_H

#include "Json.h"

#include "amp-rt/amp_rt.h"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace device {

/// Exit code for "this cannot run here"; run.sh knows it.
inline constexpr int kSkipped = 77;

/// Ends a section: something is wrong.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Ends a section: something is missing, and what.
struct Skip : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  int32_t backend = AMP_RT_BACKEND_CUDA;
  /// Small shapes and few rounds, for the emulator: shows that everything runs,
  /// and its times mean nothing.
  bool quick = false;
  /// Folder of reference losses and input batches.
  std::string data = "data";
  /// Positional arguments.
  std::vector<std::string> rest;
};

/// Prints one result of `section`; counts those whose `status` is "failed".
void emit(const std::string &section, Json row);
int getNumFailedRows();

/// The whole file, or a failure.
std::string readFile(const std::string &path);
bool fileExists(const std::string &path);

double median(std::vector<double> values);
/// Seconds of a clock that only goes forward.
double now();

/// Memory of a context.
class Memory {
public:
  Memory(amp_rt_context *ctx, size_t bytes);
  ~Memory() { amp_rt_free(ctx, pointer); }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  void *get() const { return pointer; }
  size_t size() const { return bytes; }

private:
  amp_rt_context *ctx;
  size_t bytes;
  void *pointer;
};

/// A context of the back end under test. Every call that fails throws with the
/// runtime's message.
class Session {
public:
  /// `graphs` = false records nothing: every step issues its calls.
  explicit Session(const Options &options, bool graphs = true);
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  amp_rt_context *get() const { return ctx; }
  void check(int32_t status) const;
  void synchronize() const { check(amp_rt_synchronize(ctx)); }
  std::string info() const;
  amp_rt_memory memory() const;

  std::unique_ptr<Memory> allocate(size_t bytes) const {
    return std::make_unique<Memory>(ctx, bytes);
  }
  void upload(void *to, const void *from, size_t bytes) const {
    check(amp_rt_upload(ctx, to, from, bytes));
  }
  /// Waits for the bytes.
  void download(void *to, const void *from, size_t bytes) const;

  /// Microseconds of device time for `calls` calls of `issue`, per call.
  double time(const std::function<void()> &issue, int calls) const;

private:
  amp_rt_context *ctx = nullptr;
  /// What creating the context reported.
  std::string firstError;
  struct Events;
  mutable std::shared_ptr<Events> events;
};

/// How many calls make a sample of about `milliseconds`, by a trial.
int chooseCalls(const Session &session, const std::function<void()> &issue,
                double milliseconds, int most);

// The sections, one file each. They emit rows and throw.
void runInfo(const Options &options);
void runGemm(const Options &options);
void runKernels(const Options &options);
void runSteps(const Options &options);
void writeReference(const Options &options);
/// `report LINES.jsonl OUT`: returns the exit code.
int writeReport(const Options &options);

} // namespace device

#endif // AMP_DEVICE_BENCH_H
