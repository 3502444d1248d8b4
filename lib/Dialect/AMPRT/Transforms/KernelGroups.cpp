//===- KernelGroups.cpp - Which linalg ops share a kernel -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Greedy grouping by iteration domain. Levels (longest paths) make the check
// that a merge closes no cycle a comparison of two numbers.
//
//===----------------------------------------------------------------------===//

#include "KernelGroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::amprt;

/// The level of writes that come after everything else.
static constexpr int64_t kCommitLevel = int64_t(1) << 40;

bool amprt::isView(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp>(op);
}

bool amprt::isCheapInit(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<tensor::EmptyOp>(op))
    return true;
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return matchPattern(fill.getInputs().front(), m_Constant()) &&
           fill.getOutputs().front().getDefiningOp<tensor::EmptyOp>() &&
           llvm::all_of(fill->getUsers(), llvm::IsaPred<linalg::LinalgOp>);
  SplatElementsAttr splat;
  return matchPattern(op, m_Constant(&splat));
}

ArrayRef<int64_t> amprt::getKeptShape(KernelKind kind,
                                      ArrayRef<int64_t> domain) {
  switch (kind) {
  case KernelKind::elementwise:
    return domain;
  case KernelKind::row:
    return domain.drop_back();
  case KernelKind::column:
    return domain.take_back();
  case KernelKind::flat:
    return {};
  }
  llvm_unreachable("all kinds are covered");
}

/// Where an op of `domain` reads or writes a kept value of its kernel.
static AffineMap getKeptMap(KernelKind kind, unsigned rank,
                            MLIRContext *context) {
  auto identity = AffineMap::getMultiDimIdentityMap(rank, context);
  switch (kind) {
  case KernelKind::elementwise:
    return identity;
  case KernelKind::row:
    return identity.getMajorSubMap(rank - 1);
  case KernelKind::column:
    return identity.getMinorSubMap(1);
  case KernelKind::flat:
    return AffineMap::get(rank, 0, context);
  }
  llvm_unreachable("all kinds are covered");
}

FailureOr<OpDomain> amprt::getOpDomain(linalg::LinalgOp op) {
  OpDomain domain;
  domain.shape = op.getStaticLoopRanges();
  unsigned rank = domain.shape.size();
  if (llvm::any_of(domain.shape, ShapedType::isDynamic))
    return failure();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  unsigned reductions = llvm::count(iterators, utils::IteratorType::reduction);
  bool lastReduces =
      rank > 0 && iterators.back() == utils::IteratorType::reduction;
  if (reductions == 0)
    domain.kind = KernelKind::elementwise;
  else if (rank == 1)
    domain.kind = KernelKind::flat;
  else if (reductions == 1 && lastReduces)
    domain.kind = KernelKind::row;
  else if (reductions == rank - 1 && !lastReduces)
    domain.kind = KernelKind::column;
  else
    return failure();

  AffineMap output = getKeptMap(domain.kind, rank, op.getContext());
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.getMatchingIndexingMap(&init) != output)
      return failure();
  for (OpOperand *input : op.getDpsInputOperands())
    if (!op.getMatchingIndexingMap(input).isProjectedPermutation(
            /*allowZeroInResults=*/true))
      return failure();
  return domain;
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

namespace {
/// A kernel's domain with its kind, while joining.
struct Space {
  KernelKind kind;
  SmallVector<int64_t> shape;

  /// Whether values an op of `domain` computes are kept values.
  bool keeps(const OpDomain &domain) const {
    return domain.kind != KernelKind::elementwise ||
           ArrayRef(domain.shape) != ArrayRef(shape);
  }
};
} // namespace

/// The space of a kernel that holds both, if there is one.
static std::optional<Space> unite(const Space &lhs, const Space &rhs) {
  auto same = [](ArrayRef<int64_t> a, ArrayRef<int64_t> b) { return a == b; };
  if (same(lhs.shape, rhs.shape)) {
    if (lhs.kind == rhs.kind || rhs.kind == KernelKind::elementwise)
      return lhs;
    if (lhs.kind == KernelKind::elementwise)
      return rhs;
    return std::nullopt;
  }
  // Elementwise ops on the kept shape of the other.
  if (rhs.kind == KernelKind::elementwise &&
      lhs.kind != KernelKind::elementwise &&
      same(rhs.shape, getKeptShape(lhs.kind, lhs.shape)))
    return lhs;
  if (lhs.kind == KernelKind::elementwise &&
      rhs.kind != KernelKind::elementwise &&
      same(lhs.shape, getKeptShape(rhs.kind, rhs.shape)))
    return rhs;
  return std::nullopt;
}

/// Whether an op of `domain` in a kernel of `space` may read `operand`, which
/// the same kernel computes by an op of `producer`.
static bool canReadInside(linalg::LinalgOp op, OpOperand *operand,
                          const OpDomain &domain, const OpDomain &producer,
                          const Space &space) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  bool readsKept = space.keeps(producer);
  bool onDomain = ArrayRef(domain.shape) == ArrayRef(space.shape);
  if (!onDomain)
    return readsKept && map.isIdentity();
  if (!readsKept)
    return map.isIdentity();
  // Only a row's kept values are complete before the row's next op.
  return space.kind == KernelKind::row &&
         map == getKeptMap(space.kind, space.shape.size(), op.getContext());
}

KernelGroups::KernelGroups(Block &block, const DenseSet<Operation *> &keepApart)
    : block(block), keepApart(keepApart) {}

int64_t KernelGroups::getUnit(Operation *op) const {
  auto it = unitOf.find(op);
  return it == unitOf.end() ? -1 : it->second;
}

SmallVector<OpOperand *> amprt::getReads(linalg::LinalgOp op) {
  SmallVector<OpOperand *> reads = op.getDpsInputOperands();
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.payloadUsesValueFromOperand(&init))
      reads.push_back(&init);
  llvm::erase_if(reads, [](OpOperand *operand) {
    return !isa<RankedTensorType>(operand->get().getType()) ||
           isCheapInit(operand->get());
  });
  return reads;
}

void KernelGroups::addOther(Operation *op) {
  int64_t highest = 0;
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp())
      if (int64_t unit = getUnit(producer); unit >= 0)
        highest = std::max(highest, units[unit].level);
  Unit unit;
  unit.ops.push_back(op);
  if (isView(op))
    unit.level = highest | 1;
  else
    unit.level = (highest | 1) + 1;
  unit.position = position;
  unitOf[op] = units.size();
  units.push_back(std::move(unit));
}

std::optional<int64_t> KernelGroups::joinAll(linalg::LinalgOp op,
                                             const OpDomain &domain,
                                             ArrayRef<int64_t> candidates) {
  Space space{domain.kind, domain.shape};
  for (int64_t index : candidates) {
    const Unit &unit = units[index];
    if (!unit.isGroup)
      return std::nullopt;
    auto united = unite({unit.kind, unit.domain}, space);
    if (!united)
      return std::nullopt;
    space = *united;
  }
  for (OpOperand *read : getReads(op)) {
    Operation *producer = read->get().getDefiningOp();
    if (!producer || !llvm::is_contained(candidates, getUnit(producer)))
      continue;
    if (op.isDpsInit(read) ||
        !canReadInside(op, read, domain,
                       *getOpDomain(cast<linalg::LinalgOp>(producer)), space))
      return std::nullopt;
  }
  // A domain op must not come to read what has become a kept value of a column
  // or flat kernel: groups of one level don't read each other, so only `op`'s
  // own reads (checked above) matter.
  int64_t target = candidates.front();
  for (int64_t other : candidates.drop_front())
    target = merge(target, other);
  Unit &unit = units[target];
  unit.kind = space.kind;
  unit.domain = space.shape;
  unit.ops.push_back(op);
  unit.position = position;
  unitOf[op] = target;
  return target;
}

int64_t KernelGroups::merge(int64_t lhs, int64_t rhs) {
  // The smaller one moves, which bounds all moves by n log n.
  if (units[lhs].ops.size() < units[rhs].ops.size())
    std::swap(lhs, rhs);
  Unit &target = units[lhs], &source = units[rhs];
  for (Operation *op : source.ops)
    unitOf[op] = lhs;
  SmallVector<Operation *> ops;
  std::merge(target.ops.begin(), target.ops.end(), source.ops.begin(),
             source.ops.end(), std::back_inserter(ops),
             [&](Operation *a, Operation *b) {
               return programOrder.lookup(a) < programOrder.lookup(b);
             });
  target.ops = std::move(ops);
  source.ops.clear();
  source.dead = true;
  forwarded[rhs] = lhs;
  return lhs;
}

int64_t KernelGroups::resolve(int64_t unit) const {
  for (auto it = forwarded.find(unit); it != forwarded.end();
       it = forwarded.find(unit))
    unit = it->second;
  return unit;
}

/// A new group of its own for `op`.
void KernelGroups::startGroup(linalg::LinalgOp op, const OpDomain &domain,
                              int64_t level) {
  Unit unit;
  unit.ops.push_back(op);
  unit.isGroup = true;
  unit.kind = domain.kind;
  unit.domain = domain.shape;
  unit.level = level;
  unit.position = position;
  unitOf[op] = units.size();
  units.push_back(std::move(unit));
}

LogicalResult KernelGroups::addLinalg(linalg::LinalgOp op) {
  FailureOr<OpDomain> domain = getOpDomain(op);
  if (failed(domain))
    return op->emitOpError(
        "expects static shapes, operands read through projected permutations, "
        "and a reduction over the last dimension, over all but the last, or "
        "of one dimension, to become part of a kernel");

  if (keepApart.contains(op)) {
    if (commitGroup >= 0 && units[commitGroup].domain == domain->shape &&
        domain->shape.empty()) {
      units[commitGroup].ops.push_back(op);
      units[commitGroup].position = position;
      unitOf[op] = commitGroup;
      return success();
    }
    startGroup(op, *domain, kCommitLevel);
    if (domain->shape.empty())
      commitGroup = units.size() - 1;
    return success();
  }

  int64_t highest = 0;
  SmallVector<int64_t> producers;
  for (OpOperand *read : getReads(op)) {
    Operation *producer = read->get().getDefiningOp();
    if (!producer)
      continue;
    int64_t unit = getUnit(producer);
    if (unit < 0)
      continue;
    if (units[unit].level > highest) {
      highest = units[unit].level;
      producers.clear();
    }
    if (units[unit].level == highest && !llvm::is_contained(producers, unit))
      producers.push_back(unit);
  }
  if (!producers.empty() && joinAll(op, *domain, producers)) {
    noteReads(op);
    return success();
  }
  int64_t level = (highest | 1) + 1;
  if (!joinSibling(op, *domain, level))
    startGroup(op, *domain, level);
  noteReads(op);
  return success();
}

bool KernelGroups::joinSibling(linalg::LinalgOp op, const OpDomain &domain,
                               int64_t level) {
  auto tryGroup = [&](int64_t group) {
    group = resolve(group);
    return units[group].level == level && joinAll(op, domain, group);
  };
  if (domain.shape.empty()) {
    auto it = scalarGroups.find(level);
    return it != scalarGroups.end() && tryGroup(it->second);
  }
  for (OpOperand *read : getReads(op)) {
    if (cast<RankedTensorType>(read->get().getType()).getRank() == 0)
      continue;
    auto it = lastReader.find(read->get());
    if (it != lastReader.end() && tryGroup(it->second))
      return true;
  }
  return false;
}

void KernelGroups::noteReads(linalg::LinalgOp op) {
  int64_t unit = getUnit(op);
  for (OpOperand *read : getReads(op))
    lastReader[read->get()] = unit;
  if (units[unit].domain.empty())
    scalarGroups[units[unit].level] = unit;
}

//===----------------------------------------------------------------------===//
// Cheap producers
//===----------------------------------------------------------------------===//

/// At most four simple arithmetic ops and one full-size input: computing it
/// again costs no more than loading it.
static bool isCheapElementwise(linalg::LinalgOp op, const OpDomain &domain) {
  if (domain.kind != KernelKind::elementwise || domain.shape.empty() ||
      op->getNumResults() != 1 || op.hasIndexSemantics())
    return false;
  unsigned fullSize = 0;
  for (OpOperand *input : op.getDpsInputOperands())
    if (auto type = dyn_cast<RankedTensorType>(input->get().getType()))
      fullSize += type.getRank() > 0;
  unsigned arithmetic = 0;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (inner.hasTrait<OpTrait::ConstantLike>())
      continue;
    if (!isa<arith::ArithDialect>(inner.getDialect()) ||
        isa<arith::DivFOp, arith::RemFOp>(inner))
      return false;
    ++arithmetic;
  }
  return fullSize == 1 && arithmetic <= 4;
}

/// Whether `use` is an elementwise read by a domain op of another kernel over
/// the same domain.
bool KernelGroups::canCloneFor(OpOperand &use, const OpDomain &domain) const {
  auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
  if (!user || user.isDpsInit(&use) || keepApart.contains(user))
    return false;
  const Unit &group = units[getUnit(user)];
  FailureOr<OpDomain> userDomain = getOpDomain(user);
  return group.isGroup && group.domain == domain.shape &&
         succeeded(userDomain) && userDomain->shape == domain.shape &&
         user.getMatchingIndexingMap(&use).isIdentity();
}

void KernelGroups::cloneCheapProducers() {
  for (int64_t index = 0, end = units.size(); index < end; ++index) {
    if (!units[index].isGroup || units[index].dead)
      continue;
    for (Operation *member : units[index].ops) {
      auto op = cast<linalg::LinalgOp>(member);
      OpDomain domain = *getOpDomain(op);
      if (!isCheapElementwise(op, domain) ||
          domain.shape != units[index].domain)
        continue;
      bool outside = false;
      bool readsInside = llvm::any_of(getReads(op), [&](OpOperand *read) {
        Operation *producer = read->get().getDefiningOp();
        return producer && getUnit(producer) == index;
      });
      if (readsInside)
        continue;
      bool possible = llvm::all_of(op->getUses(), [&](OpOperand &use) {
        if (getUnit(use.getOwner()) == index)
          return true;
        outside = true;
        return canCloneFor(use, domain);
      });
      if (!possible || !outside)
        continue;
      for (Operation *user : op->getUsers())
        if (int64_t unit = getUnit(user); unit != index)
          if (clones.insert({op, unit}).second)
            clonesOf[unit].push_back(op);
    }
  }
}

SmallVector<int64_t> KernelGroups::getDependencies(int64_t unit) const {
  SmallVector<int64_t> dependencies;
  auto note = [&](Value value) {
    Operation *producer = value.getDefiningOp();
    if (!producer || isClonedInto(producer, unit))
      return;
    int64_t other = getUnit(producer);
    if (other >= 0 && other != unit)
      dependencies.push_back(other);
  };
  auto noteAll = [&](ArrayRef<Operation *> ops) {
    for (Operation *op : ops) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
        for (OpOperand *read : getReads(linalgOp))
          note(read->get());
      else
        for (Value operand : op->getOperands())
          note(operand);
    }
  };
  noteAll(units[unit].ops);
  noteAll(getClones(unit));
  return dependencies;
}

LogicalResult KernelGroups::build() {
  for (Operation &op : block.without_terminator())
    programOrder[&op] = position++;
  position = 0;
  for (Operation &op : block.without_terminator()) {
    ++position;
    if (op.getNumResults() == 1 && isCheapInit(op.getResult(0)))
      continue;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      if (failed(addLinalg(linalgOp)))
        return failure();
      continue;
    }
    if (matchPattern(&op, m_Constant()))
      continue;
    if (!isView(&op) && !isa<GemmOp, ConcatOp, KernelOp>(op))
      return op.emitOpError("has no place among kernels and runtime calls: "
                            "expects it to be lowered to linalg before");
    addOther(&op);
  }
  cloneCheapProducers();
  return success();
}
