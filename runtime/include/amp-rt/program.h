//===- program.h - What an ahead-of-time program offers ---------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables that a header of `amp-compile` holds: the functions of one object
// file with the meaning of each pointer, and the manifest of the training
// state. With them a driver knows what to allocate, how to fill it and what to
// read, without a compiler. Plain constant data; the runtime does not use it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_PROGRAM_H
#define AMP_RT_PROGRAM_H

#include "amp-rt/amp_rt.h"

/// What one pointer of `args` is for.
enum amp_rt_argument_kind {
  /// Read, and updated in place.
  AMP_RT_ARGUMENT_STATE = 0,
  AMP_RT_ARGUMENT_INPUT = 1,
  /// Written.
  AMP_RT_ARGUMENT_RESULT = 2,
  /// Scratch memory of the step.
  AMP_RT_ARGUMENT_ARENA = 3
};

/// One pointer of `args`.
typedef struct amp_rt_argument_info {
  /// `amp.name` and `amp.role`, such as "loss_scale" and "metric"; "" where
  /// there is none. Never null.
  const char *name;
  const char *role;
  /// enum amp_rt_argument_kind.
  int32_t kind;
  /// enum amp_rt_dtype; the arena's is i8.
  int32_t dtype;
  /// Dense and row-major. Null when the rank is 0.
  const int64_t *shape;
  int64_t rank;
  /// What the pointer must hold.
  uint64_t bytes;
  /// Number of the function's result, of state and results; else -1.
  int64_t result;
} amp_rt_argument_info;

/// One compiled function.
typedef struct amp_rt_function_info {
  /// As in the IR ("main.train"), and its step kind ("train"; "" for none).
  const char *name;
  const char *kind;
  amp_rt_function function;
  /// To be called once for a context, at load time.
  int32_t (*prepare)(amp_rt_context *ctx);
  const amp_rt_argument_info *arguments;
  uint64_t num_arguments;
} amp_rt_function_info;

/// One entry of the state manifest. Buffer i of the manifest is state argument
/// i of every function that has state.
typedef struct amp_rt_state_info {
  const char *name;
  const char *role;
  /// The parameter that it belongs to; "" for none.
  const char *of;
  int32_t dtype;
  /// 1 when the driver supplies the value (parameters), else every element
  /// starts as `init` (as `init_integer` where dtype is an integer).
  int32_t supplied;
  double init;
  int64_t init_integer;
  const int64_t *shape;
  int64_t rank;
  int64_t buffer;
  /// In elements, from the buffer's start.
  int64_t offset;
} amp_rt_state_info;

/// One object file.
typedef struct amp_rt_program_info {
  uint64_t struct_size;
  const char *name;
  /// "cpu" or "cuda".
  const char *target;
  const char *policy;
  const amp_rt_function_info *functions;
  uint64_t num_functions;
  const amp_rt_state_info *states;
  uint64_t num_states;
} amp_rt_program_info;

#endif // AMP_RT_PROGRAM_H
