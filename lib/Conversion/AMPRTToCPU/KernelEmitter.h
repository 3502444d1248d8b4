//===- KernelEmitter.h - One kernel to one function -------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits scf loops on memrefs, with one element per iteration; what is expensive
// and needed in several passes over a row is kept in scratch memory.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_AMPRTTOCPU_KERNELEMITTER_H
#define AMP_LIB_CONVERSION_AMPRTTOCPU_KERNELEMITTER_H

#include "amp/Conversion/Utils/KernelEvaluator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::amp {

/// A kernel as functions. `main` takes the buffers, one array of partial
/// results for each of `partialsTypes`, and unless `grain` is 0 the bounds of a
/// piece of [0, count). `combine`, if there is one, takes the buffers and the
/// partials, and runs after all pieces.
struct EmittedKernel {
  func::FuncOp main;
  func::FuncOp combine;
  SmallVector<MemRefType> partialsTypes;
  int64_t count = 0;
  int64_t grain = 0;
  SmallVector<MemRefType> bufferTypes;
};

class KernelEmitter : public KernelEvaluator {
public:
  KernelEmitter(KernelModel &model, StringRef name, OpBuilder &builder)
      : KernelEvaluator(model, builder), name(name.str()) {}

  /// Creates the functions at the builder's insertion point.
  FailureOr<EmittedKernel> emit();

private:
  Value load(unsigned operandIndex, AffineMap map) override;
  void store(Value value, unsigned operandIndex, AffineMap map) override;
  unsigned getScope(AffineMap map) override;
  Value loadHeld(Value value, AffineMap map) override;
  void hold(Value value, AffineMap map, Value element) override;
  bool isHeld(Value value) override { return scratch.count(value); }

  // Forms of kernels (LoopEmitters.cpp).
  LogicalResult emitRows();
  LogicalResult emitLine();
  LogicalResult emitBlocks();
  LogicalResult emitCombine();
  LogicalResult emitColumns();
  LogicalResult emitColumnPass(int pass, Value base, Value width,
                               int64_t staticWidth);

  func::FuncOp createFunction(StringRef suffix, bool hasBounds);
  scf::ForOp beginLoop(unsigned scope, unsigned nested, Value lower,
                       Value upper, ValueRange inits = {});
  /// Asks LLVM to vectorise; a trip count below 0 is not known.
  void annotate(scf::ForOp loop, int64_t tripCount);
  /// Sets the index of each group from one linear index.
  void setIndices(ArrayRef<unsigned> groups, Value linear, unsigned scope);
  /// combineElement, leaving the accumulation's order to LLVM.
  FailureOr<SmallVector<Value>> accumulate(linalg::LinalgOp op,
                                           ValueRange accumulators);
  /// Emits one pass over the inner loop [lower, upper): reductions and outs of
  /// that pass. Returns the reductions' results; unless they start from neutral
  /// elements they become values to evaluate with.
  FailureOr<SmallVector<Value>> emitPass(int pass, unsigned scope, Value lower,
                                         Value upper, int64_t tripCount,
                                         bool startNeutral = false);
  /// Stores the outs on the domain that belong to a pass.
  LogicalResult storeDomainOuts(int pass);
  /// Stores the outs that are written once per row, column or kernel.
  LogicalResult storeReducedOuts(unsigned scope);
  bool hasDomainOuts(int pass);
  Value createScratch(int64_t size, Type element);
  bool canSplitInBlocks();

  std::string name;
  /// Where functions go.
  OpBuilder::InsertPoint functionPoint;
  EmittedKernel emitted;

  // State of the function that is being emitted.
  SmallVector<Value> arguments, partials;
  Value lowerBound, upperBound;
  /// Values held in scratch memory, indexed by the inner loop's local index.
  llvm::DenseMap<Value, Value> scratch;
  Value localIndex;
  int currentPass = 0;
};

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_AMPRTTOCPU_KERNELEMITTER_H
