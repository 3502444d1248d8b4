//===- Program.h - A model compiled into training steps -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a model file to step functions that can be called: the pipeline up to
// the training step once, the rest once per batch size.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TRAINING_PROGRAM_H
#define AMP_TRAINING_PROGRAM_H

#include "amp/Execution/Device.h"
#include "amp/Pipelines/Compile.h"
#include "amp/Training/StateStore.h"
#include "amp/TrainingData/Checkpoint.h"
#include "mlir/IR/OwningOpRef.h"
#include <map>

namespace mlir::amp {

/// How step functions are executed.
enum class ExecutionKind { compiled, reference };

struct ProgramOptions {
  std::string modelPath;
  CompileOptions compile;
  Parity parity = Parity::none;
  ExecutionKind execution = ExecutionKind::compiled;
};

/// An input or target of the model; its leading dimension may be dynamic.
struct ModelInput {
  std::string name;
  Role role;
  RankedTensorType type;
};

/// What a classifier's targets are.
struct ClassInfo {
  std::string target; // name of the argument
  int64_t number;
  std::optional<int64_t> ignoreIndex;
};

/// What a step function returns beside the state.
struct StepOutput {
  std::string name;
  std::optional<Role> role;
  HostTensor tensor;

  /// A rank-0 value as a number.
  double getNumber() const;
};

/// Which results of a step the host wants to see: those of rank 0, or all.
enum class OutputSet { scalars, all };

/// The results of a step that was started, on their way to the host.
class StepRun {
public:
  StepRun() = default;
  // Never copied: the device writes into `staging`, which stays in place when
  // the object moves.
  StepRun(StepRun &&) = default;
  StepRun &operator=(StepRun &&) = default;

  /// The results; valid when the device has been waited for.
  std::vector<StepOutput> takeOutputs();

  /// Results in the order of the function, and, where `staging` is not empty,
  /// where each is in there: its bytes when they have arrived.
  std::vector<StepOutput> outputs;
  std::vector<char> staging;
  SmallVector<size_t> offsets;
};

/// One step function for one batch size. Implemented by the compiled and the
/// reference way to run it.
class StepExecutor {
public:
  virtual ~StepExecutor() = default;
  /// Starts to update `store` in place and to return the other results.
  /// `inputs` are not needed any more when the call returns.
  virtual llvm::Expected<StepRun>
  submit(StateStore &store, ArrayRef<HostTensor> inputs, OutputSet wanted) = 0;
  /// Waits for all that was submitted.
  virtual llvm::Error wait() = 0;
};

/// What of the machine decides the bits of a result, for checkpoints: the
/// target, its runtime (null for the interpreter), versions.
std::map<std::string, std::string>
describeEnvironment(const CompileOptions &options, const Device *device);

class Program {
public:
  /// Reads and compiles a model as far as no batch size is needed. The error
  /// holds the diagnostics, with their places.
  static llvm::Expected<std::unique_ptr<Program>>
  create(MLIRContext &context, const ProgramOptions &options);
  ~Program();

  /// The environment that a checkpoint records.
  std::map<std::string, std::string> getEnvironment() const {
    return describeEnvironment(options.compile, device.get());
  }
  /// Fresh state, as the manifest says.
  llvm::Expected<std::unique_ptr<StateStore>> createState();

  ArrayRef<ModelInput> getInputs() const { return inputs; }
  /// What a checkpoint of this program is valid for; the caller adds `data`.
  const TrainingConfiguration &getConfiguration() const {
    return configuration;
  }
  bool hasStep(StepKind kind);
  MLIRContext *getContext() { return module->getContext(); }
  /// Set where a loss takes one of the model's targets as classes and the model
  /// returns logits.
  const std::optional<ClassInfo> &getClasses() const { return classes; }

  /// Compiles a step function for `rows` rows if it isn't yet.
  llvm::Error prepare(StepKind kind, int64_t rows);

  /// Starts a step function on `rows` rows, compiling for that number of rows
  /// if it is the first time. `inputs` are the model's, in order; accumulate_*
  /// take the denominator after them.
  llvm::Expected<StepRun> submit(StepKind kind, StateStore &store, int64_t rows,
                                 ArrayRef<HostTensor> inputs, OutputSet wanted);
  /// The same, waiting for all its results.
  llvm::Expected<std::vector<StepOutput>> run(StepKind kind, StateStore &store,
                                              int64_t rows,
                                              ArrayRef<HostTensor> inputs);

  /// What steps run on; null for the interpreter.
  const std::shared_ptr<Device> &getDevice() const { return device; }

private:
  explicit Program(const ProgramOptions &options) : options(options) {}
  llvm::Expected<OwningOpRef<ModuleOp>>
  lower(int64_t batch, StringRef stopAfter, std::optional<StepKind> kind);
  llvm::Expected<StepExecutor *> getExecutor(StepKind kind, int64_t batch);

  ProgramOptions options;
  OwningOpRef<ModuleOp> module; // after the training step
  SmallVector<ModelInput> inputs;
  TrainingConfiguration configuration;
  std::optional<ClassInfo> classes;
  std::shared_ptr<Device> device;
  std::map<std::pair<StepKind, int64_t>, std::unique_ptr<StepExecutor>>
      executors;
};

/// Runs the one step function of `module` by the reference interpreter. Takes
/// the module over.
llvm::Expected<std::unique_ptr<StepExecutor>>
createReferenceStepExecutor(OwningOpRef<ModuleOp> module);

/// Compiles `module` (in the LLVM dialect), which was lowered for `device`;
/// `layout` is the same module after packing.
llvm::Expected<std::unique_ptr<StepExecutor>>
createCompiledStepExecutor(OwningOpRef<ModuleOp> module, ModuleOp layout,
                           std::shared_ptr<Device> device);

/// The same for a function without state that was lowered for the CPU: it
/// works on the host's memory. `device` keeps its errors.
llvm::Expected<std::unique_ptr<StepExecutor>>
createHostStepExecutor(OwningOpRef<ModuleOp> module, ModuleOp layout,
                       std::shared_ptr<Device> device);

/// The configuration of a module after the training step was built, `trainStep`
/// being the options it was built with.
TrainingConfiguration computeConfiguration(ModuleOp module, StringRef trainStep,
                                           StringRef modelText);

/// The states of `store` as a checkpoint holds them, and back; `checkpoint`
/// must have passed checkStates.
std::vector<CheckpointState> collectStates(const StateStore &store);
llvm::Error restoreStates(StateStore &store, const Checkpoint &checkpoint);

} // namespace mlir::amp

#endif // AMP_TRAINING_PROGRAM_H
