//===- status.h - Status codes ----------------------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The outcome of every fallible entry point of the runtime, and the attributes
// that its declarations carry. C, no other header needed.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_STATUS_H
#define AMP_RT_STATUS_H

#include <stddef.h>
#include <stdint.h>

#define AMP_RT_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
#define AMP_RT_NOEXCEPT noexcept
#define AMP_RT_BEGIN_DECLS extern "C" {
#define AMP_RT_END_DECLS }
#else
#define AMP_RT_NOEXCEPT
#define AMP_RT_BEGIN_DECLS
#define AMP_RT_END_DECLS
#endif

/// Status codes; 0 is success. They are part of the ABI: new ones are added at
/// the end.
enum amp_rt_status {
  AMP_RT_OK = 0,
  /// An argument breaks the contract that the declaration states.
  AMP_RT_INVALID_ARGUMENT = 1,
  /// The request is legal, but this back end does not implement it.
  AMP_RT_UNSUPPORTED = 2,
  AMP_RT_OUT_OF_MEMORY = 3,
  /// A library below the runtime failed in a way that the caller cannot cause.
  AMP_RT_INTERNAL = 4,
  /// A failure that was asked for by amp_rt_inject_fault or AMP_RT_INJECT.
  AMP_RT_INJECTED_FAULT = 5,
  /// The device is lost; nothing in this context can be used any more.
  AMP_RT_DEVICE_LOST = 6
};

AMP_RT_BEGIN_DECLS

/// The name of a status code, such as "AMP_RT_UNSUPPORTED"; never null.
AMP_RT_EXPORT const char *amp_rt_status_name(int32_t status) AMP_RT_NOEXCEPT;

AMP_RT_END_DECLS

#endif // AMP_RT_STATUS_H
