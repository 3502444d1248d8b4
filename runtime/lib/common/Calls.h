//===- Calls.h - Faults and trace of calls into libraries -------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What happens around each call that a back end makes into a driver or library:
// an injected failure, and a line in the file of AMP_RT_TRACE.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_COMMON_CALLS_H
#define AMP_RT_LIB_COMMON_CALLS_H

#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

namespace amp_rt {

/// The monitor of a context. Costs two tests a call when nothing is armed.
class Calls {
public:
  /// No status was given: the entry's plain failure.
  static constexpr int kPlainFailure = -1;

  /// Opens the file of AMP_RT_TRACE, if set, to append to it.
  Calls();
  ~Calls();
  Calls(const Calls &) = delete;
  Calls &operator=(const Calls &) = delete;

  /// Makes the call of `entry` that `countdown` counts to give `status`; 0
  /// disarms it.
  void arm(const std::string &entry, int64_t countdown, int status);

  /// Counts a call. True when its fault strikes, with the status to give.
  bool strikes(const char *entry, int &status) {
    return !faults.empty() && countDown(entry, status);
  }
  /// Whether the last status that a call returned was injected, for messages.
  bool lastWasInjected() const { return injected; }
  void setInjected(bool value) { injected = value; }

  bool isTracing() const { return file != nullptr; }
  /// AMP_RT_TRACE names a file that cannot be written.
  bool traceFailed() const { return failed; }
  /// Writes "entry(sizes, names) = status". Numbers and strings are shown;
  /// addresses, which differ from run to run, are not.
  template <typename... Args>
  void trace(const char *entry, int status, const Args &...args) {
    std::string text;
    (append(text, args), ...);
    write(entry, text, status);
  }
  /// Writes a line that is no call, such as the begin of a step.
  void note(const char *what, const char *name);

private:
  struct Fault {
    std::string entry;
    int64_t countdown;
    int status;
  };

  bool countDown(const char *entry, int &status);
  void write(const char *entry, const std::string &text, int status);

  template <typename Arg>
  static void append(std::string &text, const Arg &arg) {
    std::string part;
    // Device addresses are unsigned long long in the driver's header, sizes are
    // not.
    if constexpr (std::is_same_v<Arg, const char *>)
      part = arg ? std::string("'") + arg + "'" : "null";
    else if constexpr (std::is_enum_v<Arg>)
      part = std::to_string(int64_t(arg));
    else if constexpr (std::is_integral_v<Arg> &&
                       !std::is_same_v<Arg, unsigned long long>)
      part = std::to_string(arg);
    else
      return;
    text += text.empty() ? part : ", " + part;
  }

  std::vector<Fault> faults;
  std::FILE *file = nullptr;
  bool failed = false;
  bool injected = false;
};

} // namespace amp_rt

#endif // AMP_RT_LIB_COMMON_CALLS_H
