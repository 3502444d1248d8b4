//===- Fiber.h - Stacks that a thread switches between ----------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each lane of a block with barriers or shuffles runs on a stack of its own.
// On x86-64 a switch saves six registers; elsewhere ucontext serves.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_FIBER_H
#define AMP_EMULATOR_FIBER_H

#include <cstddef>
#include <cstdint>

#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace amp::emulator {

/// A suspended place of execution.
struct Context {
#ifdef __x86_64__
  void *stackPointer = nullptr;
#else
  ucontext_t state;
#endif
};

/// Makes `context` start `entry`, which must not return, on the given stack.
void prepare(Context &context, void *stack, size_t bytes, void (*entry)());

/// Leaves into `from` and goes on at `to`.
void switchContext(Context &from, Context &to);

} // namespace amp::emulator

#endif // AMP_EMULATOR_FIBER_H
