//===- Entry.h - A function of a library opened at run time -----*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calling an Entry is calling the function, with the context's faults and trace
// around it. The symbol tables of the driver and of cuBLASLt are made of these.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_CUDA_ENTRY_H
#define AMP_RT_LIB_CUDA_ENTRY_H

#include "../common/Calls.h"

namespace amp_rt::cuda {

template <typename Function> class Entry;

template <typename Status, typename... Args> class Entry<Status(Args...)> {
public:
  using Pointer = Status (*)(Args...);

  /// `plainFailure` is what an injected fault gives when no status was asked
  /// for. A function that `releases` something runs even when a fault strikes,
  /// so that nothing leaks; only its status is replaced.
  void bind(Calls &monitor, const char *entryName, void *address,
            Status plainFailure, bool isRelease) {
    calls = &monitor;
    name = entryName;
    function = reinterpret_cast<Pointer>(address);
    failure = plainFailure;
    releases = isRelease;
  }
  explicit operator bool() const { return function != nullptr; }

  Status operator()(Args... args) const {
    int injected = 0;
    bool strikes = calls->strikes(name, injected);
    Status status = Status(0);
    if (!strikes || releases)
      status = function(args...);
    if (strikes)
      status = injected == Calls::kPlainFailure ? failure : Status(injected);
    calls->setInjected(strikes);
    if (calls->isTracing())
      calls->trace(name, int(status), args...);
    return status;
  }

private:
  Calls *calls = nullptr;
  const char *name = nullptr;
  Pointer function = nullptr;
  Status failure = Status(0);
  bool releases = false;
};

} // namespace amp_rt::cuda

#endif // AMP_RT_LIB_CUDA_ENTRY_H
