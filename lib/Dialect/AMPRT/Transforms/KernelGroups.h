//===- KernelGroups.h - Which linalg ops share a kernel -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grouping behind -amprt-form-kernels: analysis only, the IR is not
// changed.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_DIALECT_AMPRT_TRANSFORMS_KERNELGROUPS_H
#define AMP_LIB_DIALECT_AMPRT_TRANSFORMS_KERNELGROUPS_H

#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::amprt {

/// The iteration domain of one linalg op and how it reduces. `elementwise`
/// means that nothing is reduced.
struct OpDomain {
  KernelKind kind;
  SmallVector<int64_t> shape;
};

/// The domain of `op`, or failure where it is none that kernels have.
FailureOr<OpDomain> getOpDomain(linalg::LinalgOp op);

/// The shape of the values that `kind` keeps of a domain.
ArrayRef<int64_t> getKeptShape(KernelKind kind, ArrayRef<int64_t> domain);

/// A scalar's worth of tensor that a kernel makes for itself: `tensor.empty`, a
/// fill with a constant, a splat constant.
bool isCheapInit(Value value);

/// A view: a reshape or contiguous slice, no computation.
bool isView(Operation *op);

/// The operands a linalg op depends on: tensors it reads, but for cheap inits.
SmallVector<OpOperand *> getReads(linalg::LinalgOp op);

/// What stands at one place of the formed function: a group of linalg ops (a
/// kernel to be) or any other op.
struct Unit {
  /// Linalg ops in program order, or the one other op.
  SmallVector<Operation *> ops;
  bool isGroup = false;
  /// Of groups only.
  KernelKind kind = KernelKind::elementwise;
  SmallVector<int64_t> domain;
  /// Longest path from the arguments, doubled: computations are even, views
  /// odd. Units of one level never depend on each other.
  int64_t level = 0;
  /// Program position of the last op.
  int64_t position = 0;
  /// Merged into another unit, or without use.
  bool dead = false;
};

/// Groups the ops of a block greedily in program order, in time linear in the
/// number of operands.
///
/// 1. A linalg op joins the group of its producer of highest level if their
///    domains agree and all its other producers have a lower level (so that
///    no cycle can arise); producers of equal level merge first.
/// 2. Otherwise it joins a later group that reads the same tensor over the same
///    domain, and otherwise it starts a group.
/// 3. Cheap elementwise ops whose result would have to be stored for other
///    groups are copied into those (`clones`).
class KernelGroups {
public:
  /// `keepApart` are ops that form groups only among themselves (commits).
  KernelGroups(Block &block, const DenseSet<Operation *> &keepApart);

  LogicalResult build();

  ArrayRef<Unit> getUnits() const { return units; }
  /// The unit of `op`, -1 for ops that belong to none (cheap inits, dead ops).
  int64_t getUnit(Operation *op) const;
  /// Whether consumer group `unit` computes `op`, another group's, itself.
  bool isClonedInto(Operation *op, int64_t unit) const {
    return clones.contains({op, unit});
  }
  /// The ops of other groups that group `unit` computes itself.
  ArrayRef<Operation *> getClones(int64_t unit) const {
    auto it = clonesOf.find(unit);
    return it == clonesOf.end() ? ArrayRef<Operation *>() : it->second;
  }
  /// The units that `unit` reads from, clones seen through.
  SmallVector<int64_t> getDependencies(int64_t unit) const;

private:
  void addOther(Operation *op);
  LogicalResult addLinalg(linalg::LinalgOp op);
  /// Puts `op` and all groups `candidates` into one, if that is a kernel.
  std::optional<int64_t> joinAll(linalg::LinalgOp op, const OpDomain &domain,
                                 ArrayRef<int64_t> candidates);
  bool joinSibling(linalg::LinalgOp op, const OpDomain &domain, int64_t level);
  void startGroup(linalg::LinalgOp op, const OpDomain &domain, int64_t level);
  int64_t merge(int64_t lhs, int64_t rhs);
  int64_t resolve(int64_t unit) const;
  void noteReads(linalg::LinalgOp op);
  void cloneCheapProducers();
  bool canCloneFor(OpOperand &use, const OpDomain &domain) const;

  Block &block;
  const DenseSet<Operation *> &keepApart;
  SmallVector<Unit> units;
  /// These are looked up, never iterated.
  DenseMap<Operation *, int64_t> unitOf, programOrder;
  DenseMap<Value, int64_t> lastReader;
  DenseMap<int64_t, int64_t> forwarded, scalarGroups;
  DenseSet<std::pair<Operation *, int64_t>> clones;
  DenseMap<int64_t, SmallVector<Operation *>> clonesOf;
  int64_t position = 0;
  int64_t commitGroup = -1;
};

} // namespace mlir::amprt

#endif // AMP_LIB_DIALECT_AMPRT_TRANSFORMS_KERNELGROUPS_H
