//===- MemoryPlan.h - Where the tensors of a step live ----------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The analysis and ordering behind -amprt-plan-memory, on tensors. Steps:
//  1. claim: results get the place that their use demands (donated argument,
//     out-parameter, part of a concat, the old value of an in-place update);
//     where two uses demand two places, a copy kernel is inserted.
//  2. order: readers of an old value before its writer, everything fallible
//     before the first write of state. What can't be ordered is an error.
//  3. place: what is left unclaimed gets an offset in the arena.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMPRT_TRANSFORMS_MEMORYPLAN_H
#define AMP_LIB_DIALECT_AMPRT_TRANSFORMS_MEMORYPLAN_H

#include "ArenaAllocator.h"
#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::amprt {

/// A byte offset in what `root` occupies. A root is a function argument, a
/// constant, or the result of a gemm, kernel, concat or tensor.empty; reshapes
/// and slices are locations in their source's root.
struct Slot {
  Value root;
  int64_t offset = 0;
};

/// The final place of a root.
struct Place {
  enum Kind { Argument, Result, Arena, Constant };
  Kind kind = Arena;
  /// Argument or result number.
  unsigned index = 0;
  /// The constant.
  Value constant;
  /// In bytes.
  int64_t offset = 0;
};

class MemoryPlan {
public:
  explicit MemoryPlan(func::FuncOp function);

  /// Runs the three steps. Reorders the ops of the function and may insert
  /// copy kernels; emits an error when the function can't run in place.
  LogicalResult compute();

  /// The place of a tensor value of the function.
  Place getPlace(Value value);

  ArenaSize getArenaSize() const { return arenaSize; }
  /// The first op that writes state, or null.
  Operation *getFirstStateWriter() const { return firstStateWriter; }
  /// The argument that result `index` is donated to, if any.
  std::optional<unsigned> getDonatedArgument(unsigned index);

private:
  LogicalResult checkNormalForm();
  LogicalResult claimPlaces();
  void claimInPlaceUpdates();
  void claimReturns();
  void claimConcatPieces();
  LogicalResult order();
  void placeInArena();

  Slot locate(Value value);
  /// Follows claims to the root that has no claim of its own.
  Slot resolve(Slot location);
  /// Lets `value` live at `location`; false when it has another place, or
  /// can't choose one.
  bool claim(Value value, Slot location);
  /// Whether `value` is a whole root that an op of the function makes.
  bool isClaimable(Value value);
  /// A kernel that copies `value`, before `before`.
  Value insertCopy(Value value, Operation *before);
  void collectWriters(Value root, SmallVectorImpl<Operation *> &writers);
  bool isStateArgument(Value root);
  LogicalResult
  addUpdateEdges(Value oldRoot, Value newRoot, unsigned resultIndex,
                 llvm::function_ref<void(Operation *, Operation *)> addEdge);

  func::FuncOp function;
  Block &body;
  llvm::DenseMap<Value, Slot> locations;
  /// Root -> where it was put. In-place updates are marked: they overwrite.
  llvm::DenseMap<Value, Slot> claims;
  /// Root -> result number of its out-parameter.
  llvm::DenseMap<Value, unsigned> outParams;
  /// (old root, new root, donated result or -1): the new overwrites the old.
  struct Update {
    Value oldRoot, newRoot;
    int result;
  };
  SmallVector<Update> updates;
  /// Roots that an update overwrites later: not to be seen elsewhere.
  llvm::DenseSet<Value> overwritten;
  llvm::DenseMap<Value, SmallVector<Value>> piecesOf;
  llvm::DenseMap<Value, SmallVector<Operation *>> readers;
  llvm::DenseMap<Value, int64_t> arenaOffsets;
  ArenaSize arenaSize;
  Operation *firstStateWriter = nullptr;
};

/// Whether an op reads the old content of its `index`-th out.
bool readsInit(Operation *op, unsigned index);

/// Whether a kernel reads `operand` only at the element that it writes to out
/// `outIndex` in the same iteration, so that both may be one place.
bool isElementwiseInPlace(KernelOp kernel, OpOperand &operand,
                          unsigned outIndex);

} // namespace mlir::amprt

#endif // AMP_LIB_DIALECT_AMPRT_TRANSFORMS_MEMORYPLAN_H
