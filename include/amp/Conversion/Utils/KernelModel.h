//===- KernelModel.h - What a kernel computes, for emitters -----*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The analysis behind the emitters of both targets. A kernel has one iteration
// domain D. Every element that it reads or writes is described by an access: a
// map from D to the indices of a tensor of the body. Dimensions of D that no
// access tells apart are merged, so that a kernel on [8, 128, 64] whose
// operands are all read through identity maps is one loop of 65536.
//
// Work is cut into passes over the last dimensions: a reduction that needs
// another's result runs in a later pass.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_UTILS_KERNELMODEL_H
#define AMP_CONVERSION_UTILS_KERNELMODEL_H

#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::amp {

/// A tensor of the body read at map(iteration).
using Access = std::pair<Value, AffineMap>;

/// One reduction result.
struct Reduction {
  linalg::LinalgOp op;
  unsigned result;
  /// D -> indices of the result.
  AffineMap map;
  int pass;
};

/// One out of the kernel.
struct KernelOut {
  unsigned index;
  Value value;
  AffineMap map;
  /// Written once per iteration of D; else once per row, column or kernel.
  bool isOnDomain;
  int pass;
};

class KernelModel {
public:
  explicit KernelModel(amprt::KernelOp kernel) : kernel(kernel) {}

  /// Fails with an error at the kernel when it is of no form that can be
  /// emitted.
  LogicalResult analyse();

  amprt::KernelOp getKernel() { return kernel; }
  MLIRContext *getContext() { return kernel.getContext(); }
  ArrayRef<Reduction> getReductions() const { return reductions; }
  ArrayRef<KernelOut> getOuts() const { return outs; }
  int getNumPasses() const { return numPasses; }
  /// Whether any scalar of the body is costly (a transcendental function).
  bool isExpensive() const { return expensive; }

  /// Sizes of the merged dimensions, and which of them form the inner loop.
  ArrayRef<int64_t> getGroupSizes() const { return groupSizes; }
  ArrayRef<unsigned> getInnerGroups() const { return innerGroups; }
  ArrayRef<unsigned> getOuterGroups() const { return outerGroups; }
  int64_t getInnerCount() const { return count(innerGroups); }
  int64_t getOuterCount() const { return count(outerGroups); }

  /// The merged dimensions that an access moves along, in operand order.
  SmallVector<unsigned> getGroups(AffineMap map) const;
  /// The dimensions of D that form a group.
  ArrayRef<unsigned> getDims(unsigned group) const { return groupDims[group]; }
  int64_t getDimSize(unsigned dim) const { return domain[dim]; }
  bool dependsOnInner(AffineMap map) const;
  bool dependsOnOuter(AffineMap map) const;

  /// Distinct memory operands and the type that the emitted function takes
  /// each as. An in-place pair of operands is one of them.
  ArrayRef<Value> getBuffers() const { return buffers; }
  ArrayRef<MemRefType> getBufferTypes() const { return bufferTypes; }
  /// The buffer of operand `index` of the kernel.
  unsigned getBufferOf(unsigned operandIndex) const {
    return bufferOf[operandIndex];
  }

  /// The map from D to the iteration of an elementwise op whose result is
  /// accessed by `map`; null when that isn't a function of D.
  AffineMap getIteration(linalg::LinalgOp op, unsigned result, AffineMap map);
  /// The map from D to the iteration of a reduction.
  AffineMap getReductionIteration(linalg::LinalgOp op);

  /// Values to keep in a row of scratch memory instead of computing them in
  /// each pass, with the first pass that needs them.
  const llvm::MapVector<Value, int> &getScratchValues() const {
    return scratchValues;
  }
  AffineMap getIdentity() const;

private:
  LogicalResult findDomain();
  LogicalResult findReductionsAndOuts();
  LogicalResult collectAccesses();
  LogicalResult collect(Value value, AffineMap map);
  void mergeDimensions();
  LogicalResult nameBuffers();
  void findScratchValues();
  int getLevel(Value value);
  AffineMap anchor(ArrayRef<int64_t> shape);
  int64_t count(ArrayRef<unsigned> groups) const;
  /// Dimensions of size 1 are read at 0.
  AffineMap simplify(AffineMap map) const;

  amprt::KernelOp kernel;
  SmallVector<int64_t> domain;
  SmallVector<Reduction> reductions;
  SmallVector<KernelOut> outs;
  int numPasses = 0;
  bool expensive = false;
  llvm::DenseMap<Value, int> levels;
  llvm::SetVector<Access> accesses;
  llvm::DenseSet<unsigned> indexedDims;
  SmallVector<SmallVector<unsigned>> groupDims;
  SmallVector<int64_t> groupSizes;
  SmallVector<unsigned> innerGroups, outerGroups;
  SmallVector<Value> buffers;
  SmallVector<MemRefType> bufferTypes;
  SmallVector<unsigned> bufferOf;
  llvm::MapVector<Value, int> scratchValues;
};

bool isReduction(linalg::LinalgOp op);

} // namespace mlir::amp

#endif // AMP_CONVERSION_UTILS_KERNELMODEL_H
