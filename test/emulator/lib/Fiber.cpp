//===- Fiber.cpp - Stacks that a thread switches between ------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The switch itself.
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

using namespace amp::emulator;

#ifdef __x86_64__

// The callee-saved registers go to the old stack and come from the new one. The
// floating-point control words are the same for all lanes.
asm(R"(
.text
.p2align 4
.local amp_emulator_switch
.type amp_emulator_switch, @function
amp_emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
.size amp_emulator_switch, .-amp_emulator_switch
)");

extern "C" void amp_emulator_switch(void **from, void *to);

void amp::emulator::prepare(Context &context, void *stack, size_t bytes,
                            void (*entry)()) {
  uint64_t top = (reinterpret_cast<uint64_t>(stack) + bytes) & ~uint64_t(15);
  uint64_t *slots = reinterpret_cast<uint64_t *>(top);
  // A function starts with its return address at 8 modulo 16.
  slots[-1] = 0;
  slots[-2] = reinterpret_cast<uint64_t>(entry);
  for (int i = 3; i <= 8; ++i)
    slots[-i] = 0;
  context.stackPointer = slots - 8;
}

void amp::emulator::switchContext(Context &from, Context &to) {
  amp_emulator_switch(&from.stackPointer, to.stackPointer);
}

#else

void amp::emulator::prepare(Context &context, void *stack, size_t bytes,
                            void (*entry)()) {
  getcontext(&context.state);
  context.state.uc_stack.ss_sp = stack;
  context.state.uc_stack.ss_size = bytes;
  context.state.uc_link = nullptr;
  makecontext(&context.state, entry, 0);
}

void amp::emulator::switchContext(Context &from, Context &to) {
  swapcontext(&from.state, &to.state);
}

#endif
