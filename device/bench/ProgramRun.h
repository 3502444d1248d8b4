//===- ProgramRun.h - A compiled training step with its data ----*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory, initial state and batches for the `train` function of an
// ahead-of-time program, from its tables. Two runs on any two back ends start
// from the same bits and see the same batches: parameters and synthetic inputs
// come from integer arithmetic, real ones from a file.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DEVICE_PROGRAMRUN_H
#define AMP_DEVICE_PROGRAMRUN_H

#include "Bench.h"

#include "amp-rt/program.h"

namespace device {

/// All programs that were linked in.
const std::vector<const amp_rt_program_info *> &getPrograms();
/// "digits" and "f16" of the program `digits_f16`.
std::string getModel(const amp_rt_program_info &program);
std::string getPrecision(const amp_rt_program_info &program);

/// What the host learns from a step.
struct StepResult {
  double loss = 0;
  /// By name: loss_scale, skipped, grad_norm, ...
  std::vector<std::pair<std::string, double>> metrics;

  /// NaN when there is none.
  double get(const std::string &metric) const;
};

class ProgramRun {
public:
  ProgramRun(const Session &session, const Options &options,
             const amp_rt_program_info &program);

  /// The state as before the first step.
  void reset();
  /// Uploads the inputs of step `i`.
  void setBatch(int64_t i);
  /// Issues a step.
  void step();
  /// Waits, and reads the results of the last step.
  StepResult read();
  /// A hash of all state buffers.
  uint64_t hashState();

  uint64_t getStateBytes() const;
  uint64_t getArenaBytes() const;

private:
  std::vector<unsigned char> makeInput(const amp_rt_argument_info &argument,
                                       int64_t batch) const;

  const Session &session;
  const amp_rt_program_info &program;
  const amp_rt_function_info *train = nullptr;
  std::string folder;
  std::vector<std::unique_ptr<Memory>> buffers;
  std::vector<void *> pointers;
  /// Initial content of the state arguments.
  std::vector<std::vector<unsigned char>> initial;
};

} // namespace device

#endif // AMP_DEVICE_PROGRAMRUN_H
