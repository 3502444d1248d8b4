//===- StateResults.h - Where a function's results live -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides, before kernels are formed, which op writes a donated state in place,
// and gives every other result a value of its own.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMPRT_TRANSFORMS_STATERESULTS_H
#define AMP_LIB_DIALECT_AMPRT_TRANSFORMS_STATERESULTS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::amprt {

/// Result i of a function is donated to argument i where that is
/// `bufferization.writable` and has the result's type.
class StateResults {
public:
  /// Rewrites the results of `function` (copies where needed).
  explicit StateResults(FunctionOpInterface function);

  /// The state argument that `result` of a linalg op is written to, null if
  /// none.
  Value getDestination(OpResult result) const {
    return destinations.lookup(result);
  }
  /// Ops that only write state, after everything else.
  const DenseSet<Operation *> &getCommits() const { return commits; }
  /// Ops that compute and write state in one go.
  bool updatesInPlace(Operation *op) const;
  /// Has `result` computed into a temporary and copied at the end instead.
  void copyAtEnd(OpResult result);

private:
  void placeState(unsigned index);
  void placeOther(unsigned index);
  void addCommit(unsigned index, Value value);

  FunctionOpInterface function;
  Operation *terminator;
  DenseMap<Value, Value> destinations;
  DenseMap<Value, unsigned> stateIndex;
  DenseSet<Operation *> commits;
  DenseSet<Value> claimed;
};

} // namespace mlir::amprt

#endif // AMP_LIB_DIALECT_AMPRT_TRANSFORMS_STATERESULTS_H
