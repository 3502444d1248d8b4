//===- KernelEmitter.h - One kernel to one function -------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits scf loops on memrefs. Scalars are pulled: the value of an element is
// asked for at a point of D, and computed once, in the outermost scope in which
// it doesn't change (function, row, element). So what a row needs once is
// computed once, and nothing between the kernel's operands goes to memory but
// rows that are kept on purpose.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_AMPRTTOCPU_KERNELEMITTER_H
#define AMP_LIB_CONVERSION_AMPRTTOCPU_KERNELEMITTER_H

#include "amp/Conversion/Utils/KernelModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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

class KernelEmitter {
public:
  KernelEmitter(KernelModel &model, StringRef name, OpBuilder &builder)
      : model(model), name(name.str()), builder(builder),
        loc(model.getKernel().getLoc()) {}

  /// Creates the functions at the builder's insertion point.
  FailureOr<EmittedKernel> emit();

private:
  /// A place for code; what is nested deeper may use what is further out.
  struct Scope {
    Block *block = nullptr;
    /// New code goes before this op, or to the block's end.
    Operation *before = nullptr;
    llvm::DenseMap<Access, Value> values;
  };
  /// The function; a block of columns or of a flat buffer; a row; an element.
  enum { function, piece, outer, inner, numScopes };

  // Forms of kernels (LoopEmitters.cpp).
  LogicalResult emitRows();
  LogicalResult emitLine();
  LogicalResult emitBlocks();
  LogicalResult emitCombine();
  LogicalResult emitColumns();
  LogicalResult emitColumnPass(int pass, Value base, Value width,
                               int64_t staticWidth);

  func::FuncOp createFunction(StringRef suffix, bool hasBounds);
  /// Opens a loop in `scope` and makes `nested` its body; close with endLoop.
  scf::ForOp beginLoop(unsigned scope, unsigned nested, Value lower,
                       Value upper, ValueRange inits = {});
  void endLoop(scf::ForOp loop, unsigned scope, ValueRange yielded = {});
  /// Asks LLVM to vectorise; a trip count below 0 is not known.
  void annotate(scf::ForOp loop, int64_t tripCount);
  /// Sets the index of each group from one linear index.
  void setIndices(ArrayRef<unsigned> groups, Value linear, unsigned scope);
  /// The distinct reduction ops of a pass, in order.
  SmallVector<linalg::LinalgOp> getReductionOps(int pass);
  /// Emits one pass over the inner loop [lower, upper): reductions and outs of
  /// that pass. Returns the reductions' results; unless they start from neutral
  /// elements they become values to evaluate with.
  FailureOr<SmallVector<Value>> emitPass(int pass, unsigned scope, Value lower,
                                         Value upper, int64_t tripCount,
                                         bool startNeutral = false);
  /// Stores the outs on the domain that belong to a pass.
  LogicalResult storeOuts(int pass);
  /// Stores the outs that are written once per row, column or kernel.
  LogicalResult storeReducedOuts(unsigned scope);
  bool hasDomainOuts(int pass);
  Value createScratch(int64_t size, Type element);
  bool canSplitInBlocks();

  // Scalars (ScalarEmitter.cpp).
  FailureOr<Value> evaluate(Value value, AffineMap map);
  FailureOr<Value> compute(Value value, AffineMap map, unsigned scope);
  FailureOr<Value> evaluateRegion(linalg::LinalgOp op, unsigned result,
                                  AffineMap iteration, unsigned scope);
  /// The scalars that `op`'s inputs have at an iteration.
  LogicalResult evaluateInputs(linalg::LinalgOp op, AffineMap iteration,
                               IRMapping &mapping);
  LogicalResult cloneBody(linalg::LinalgOp op, AffineMap iteration,
                          unsigned scope, IRMapping &mapping);
  void cloneScalar(Operation &op, IRMapping &mapping);
  Value cloneWidened(Operation &op, IRMapping &mapping);
  /// New accumulators of a reduction after one element.
  FailureOr<SmallVector<Value>> combineElement(linalg::LinalgOp op,
                                               ValueRange accumulators);
  FailureOr<Value> getNeutral(const Reduction &reduction);
  /// A combiner's op: yield of combine(x, accumulator).
  Operation *getCombiner(const Reduction &reduction);
  unsigned getScope(AffineMap map);
  void setInsertionPoint(unsigned scope);
  Value getIndexConstant(int64_t value);
  Value load(unsigned operandIndex, AffineMap map);
  void store(Value scalar, unsigned operandIndex, AffineMap map);
  SmallVector<Value> getIndices(AffineMap map);

  KernelModel &model;
  std::string name;
  OpBuilder &builder;
  /// Where functions go.
  OpBuilder::InsertPoint functionPoint;
  Location loc;
  EmittedKernel emitted;

  // State of the function that is being emitted.
  Scope scopes[numScopes];
  /// Where code of a scope goes: elsewhere when its loop doesn't exist.
  unsigned home[numScopes] = {function, piece, outer, inner};
  SmallVector<Value> arguments, partials;
  Value lowerBound, upperBound;
  SmallVector<Value> groupIndices;
  llvm::DenseMap<int64_t, Value> indexConstants;
  /// Values held in scratch memory, indexed by the inner loop's local index.
  llvm::DenseMap<Value, Value> scratch;
  Value localIndex;
  int currentPass = 0;
};

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_AMPRTTOCPU_KERNELEMITTER_H
