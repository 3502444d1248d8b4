//===- KernelEvaluator.h - Elements of a kernel's tensors -------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the kernel emitters of both targets share. Elements are pulled: the
// value of an element is asked for at a point of D, and computed once, in the
// outermost scope in which it doesn't change (function, row, element). So what
// a row needs once is computed once, and nothing between the kernel's operands
// goes to memory but what an emitter keeps on purpose.
//
// In the innermost scope a value is one element, or `lanes` consecutive
// elements of the inner loop as a vector.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_UTILS_KERNELEVALUATOR_H
#define AMP_CONVERSION_UTILS_KERNELEVALUATOR_H

#include "amp/Conversion/Utils/KernelModel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::amp {

class KernelEvaluator {
public:
  KernelEvaluator(KernelModel &model, OpBuilder &builder)
      : model(model), builder(builder), loc(model.getKernel().getLoc()) {}
  virtual ~KernelEvaluator() = default;

protected:
  /// A place for code; what is nested deeper may use what is further out.
  struct Scope {
    Block *block = nullptr;
    /// New code goes before this op, or to the block's end.
    Operation *before = nullptr;
    llvm::DenseMap<Access, Value> values;
  };
  /// The function; a block of columns or of a flat buffer; a row; an element.
  enum { function, piece, outer, inner, numScopes };

  //===------------------------------------------------------------------===//
  // What a target decides
  //===------------------------------------------------------------------===//

  /// The element(s) of the kernel's operand at the current indices.
  virtual Value load(unsigned operandIndex, AffineMap map) = 0;
  virtual void store(Value value, unsigned operandIndex, AffineMap map) = 0;
  /// The scope in which a value accessed by `map` doesn't change.
  virtual unsigned getScope(AffineMap map);
  /// A value held in memory of the emitter's own: null when it isn't.
  virtual Value loadHeld(Value value, AffineMap map) { return Value(); }
  /// Called with what was computed; holds it where the emitter wants to.
  virtual void hold(Value value, AffineMap map, Value element) {}
  virtual bool isHeld(Value value) { return false; }
  /// Called on each op cloned from a region.
  virtual void adjust(Operation *op) {}
  /// The position along `group` as the ops of a region see it (lanes of it in
  /// the inner scope).
  virtual Value getPosition(unsigned group, unsigned scope) {
    return groupIndices[group];
  }

  //===------------------------------------------------------------------===//
  // Elements
  //===------------------------------------------------------------------===//

  FailureOr<Value> evaluate(Value value, AffineMap map);
  /// New accumulators of a reduction after one element (per lane).
  FailureOr<SmallVector<Value>> combineElement(linalg::LinalgOp op,
                                               ValueRange accumulators);
  /// The neutral element of a reduction, at scalar type.
  FailureOr<Value> getNeutral(const Reduction &reduction);
  /// A combiner's op: yield of combine(x, accumulator).
  Operation *getCombiner(const Reduction &reduction);
  /// Whether the results of a reduction may be accumulated in any order: it has
  /// neutral elements to start parts from, and float sums and products say so.
  bool hasFreeOrder(linalg::LinalgOp op);
  /// combine(value, accumulator), at the operands' type.
  Value combine(const Reduction &reduction, Value accumulator, Value value);
  /// The distinct reduction ops of a pass, in order.
  SmallVector<linalg::LinalgOp> getReductionOps(int pass);
  /// The values of the outs that `filter` takes. All are computed before any
  /// may be stored: an out may be the place of an input.
  using OutValues = SmallVector<std::pair<Value, const KernelOut *>>;
  FailureOr<OutValues>
  evaluateOuts(function_ref<bool(const KernelOut &)> filter);
  void storeOuts(const OutValues &values);

  //===------------------------------------------------------------------===//
  // Code
  //===------------------------------------------------------------------===//

  void setInsertionPoint(unsigned scope);
  Value getIndexConstant(int64_t value);
  SmallVector<Value> getIndices(AffineMap map);
  /// Opens a loop in `scope` and makes `nested` its body; close with endLoop.
  scf::ForOp beginLoop(unsigned scope, unsigned nested, Value lower,
                       Value upper, Value step, ValueRange inits = {});
  void endLoop(scf::ForOp loop, ValueRange yielded = {});
  unsigned getLanes(unsigned scope) const { return scope == inner ? lanes : 1; }
  /// The type of `lanes` elements of `type`.
  static Type getLaneType(Type type, unsigned lanes);
  /// A scalar in every lane; anything else as it is.
  Value toLanes(Value value, unsigned lanes);

  KernelModel &model;
  OpBuilder &builder;
  Location loc;

  // State of the function that is being emitted.
  Scope scopes[numScopes];
  /// Where code of a scope goes: elsewhere when its loop doesn't exist.
  unsigned home[numScopes] = {function, piece, outer, inner};
  SmallVector<Value> groupIndices;
  llvm::DenseMap<int64_t, Value> indexConstants;
  unsigned lanes = 1;

private:
  FailureOr<Value> compute(Value value, AffineMap map, unsigned scope);
  FailureOr<Value> evaluateRegion(linalg::LinalgOp op, unsigned result,
                                  AffineMap iteration, unsigned scope);
  /// The elements that `op`'s inputs have at an iteration.
  LogicalResult evaluateInputs(linalg::LinalgOp op, AffineMap iteration,
                               unsigned scope, IRMapping &mapping);
  LogicalResult cloneBody(linalg::LinalgOp op, AffineMap iteration,
                          unsigned scope, IRMapping &mapping);
  LogicalResult cloneElement(Operation &op, unsigned lanes, IRMapping &mapping);
  Value cloneWidened(Operation &op, unsigned lanes, IRMapping &mapping);
  void cloneOuterConstant(Value operand, unsigned lanes, IRMapping &mapping);
};

} // namespace mlir::amp

#endif // AMP_CONVERSION_UTILS_KERNELEVALUATOR_H
