//===- Executor.h - Ways to run a function -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function made ready to run on tensors of fixed types: interpreted by
// reference semantics, or compiled for this CPU or a CUDA device.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EXECUTION_EXECUTOR_H
#define AMP_EXECUTION_EXECUTOR_H

#include "amp/Support/HostTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <memory>

namespace mlir::amp {

/// Runs one function.
class Executor {
public:
  virtual ~Executor() = default;

  /// Failure comes after a diagnostic.
  virtual FailureOr<SmallVector<HostTensor>>
  run(ArrayRef<HostTensor> arguments) = 0;

  /// Runs once more on the arguments of the last run (state as that left it),
  /// and drops the results: what is timed.
  virtual LogicalResult repeat() = 0;
};

/// The reference interpreter.
std::unique_ptr<Executor> createReferenceExecutor(func::FuncOp function);

/// What code is compiled for.
struct ExecutionTarget {
  /// `cpu` or `cuda`.
  std::string name = "cpu";
  /// GPU architectures, joined by '+'; empty: the one of the device.
  std::string arch;
};

/// Compiles a copy of `function` and its callees, at the shapes of `arguments`,
/// and runs it in a runtime context of the target. Failure comes after the
/// diagnostic of the pass that failed.
FailureOr<std::unique_ptr<Executor>>
createCompiledExecutor(func::FuncOp function, ArrayRef<HostTensor> arguments,
                       const ExecutionTarget &target = {});

} // namespace mlir::amp

#endif // AMP_EXECUTION_EXECUTOR_H
