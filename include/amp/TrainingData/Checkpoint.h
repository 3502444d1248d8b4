//===- Checkpoint.h - State of training on disk ----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A checkpoint is a directory `step-NNNNNN` with `state.safetensors` and
// `manifest.json`; a file `latest` beside it names the newest. At every moment
// each of them is whole or not there.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TRAININGDATA_CHECKPOINT_H
#define AMP_TRAININGDATA_CHECKPOINT_H

#include "amp/TrainingData/Configuration.h"
#include "amp/TrainingData/EpochSampler.h"

namespace mlir::amp {

/// One logical state of the module's manifest, unpacked.
struct CheckpointState {
  std::string name, role;
  HostTensor tensor;
};

/// Everything that a run needs to continue as if it had not stopped.
struct Checkpoint {
  int64_t step = 0;
  SamplerCursor cursor;
  TrainingConfiguration configuration;
  /// `project`, `llvm`, `runtime`, `cpu`: other ones may round otherwise, which
  /// is worth a warning and no refusal.
  std::map<std::string, std::string> environment;
  std::vector<CheckpointState> states;

  const HostTensor *find(StringRef name) const;
};

/// Writes `<root>/step-NNNNNN` and then points `<root>/latest` to it; returns
/// the path. Files and directories are flushed to the disk before they get
/// their names. A checkpoint of the same step is replaced; anything else of
/// that name is left alone, with an error. After a failure nothing half-written
/// remains.
llvm::Expected<std::string> writeCheckpoint(StringRef root,
                                            const Checkpoint &checkpoint);

/// Reads a checkpoint directory, or the newest of a directory with `latest`,
/// and verifies it: sizes, element types, a checksum (xxh3) for every tensor
/// and one for the manifest. The error is one line that says what is wrong
/// where.
llvm::Expected<Checkpoint> readCheckpoint(StringRef path);

/// Whether `root` holds a `latest`.
bool hasCheckpoint(StringRef root);

/// Checks that a checkpoint has the states of this run, no other, with their
/// roles and types; the error names the first that differs.
llvm::Error checkStates(ArrayRef<CheckpointState> expected,
                        ArrayRef<CheckpointState> found, StringRef path);

/// One line for each part of the environment that differs.
std::vector<std::string>
compareEnvironment(const std::map<std::string, std::string> &expected,
                   const std::map<std::string, std::string> &found);

/// The manifest's text for a state file of `stateBytes` bytes, and back. A
/// parsed checkpoint has tensors without data; `checksums` takes theirs, in
/// order.
std::string serializeManifest(const Checkpoint &checkpoint,
                              uint64_t stateBytes);
llvm::Expected<Checkpoint> parseManifest(StringRef text, uint64_t &stateBytes,
                                         std::vector<uint64_t> &checksums);

} // namespace mlir::amp

#endif // AMP_TRAININGDATA_CHECKPOINT_H
