//===- KernelEmitter.h - One kernel to GPU functions ------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits `gpu.func`s whose threads hold vectors of consecutive elements. What a
// block does and how many blocks there are follows from shapes alone, and every
// sum is made in one order, so that no result depends on the device.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_AMPRTTOGPU_KERNELEMITTER_H
#define AMP_LIB_CONVERSION_AMPRTTOGPU_KERNELEMITTER_H

#include "amp/Conversion/Utils/KernelEvaluator.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::amp {

/// A kernel as launches of functions. All take the buffers, then one array of
/// partial results for each of `partialsTypes`.
struct EmittedGPUKernel {
  struct Launch {
    gpu::GPUFuncOp function;
    int64_t blocks;
    int64_t threads;
  };
  /// Empty when the kernel has no elements.
  SmallVector<Launch> launches;
  SmallVector<MemRefType> bufferTypes;
  SmallVector<MemRefType> partialsTypes;
};

/// How values of `type` lie in memory: an i1 takes a byte.
Type getMemoryType(Type type);

class GPUKernelEmitter : public KernelEvaluator {
public:
  /// `alignments`: bytes that the address of each distinct buffer is known to
  /// be a multiple of.
  GPUKernelEmitter(KernelModel &model, StringRef name,
                   ArrayRef<int64_t> alignments, OpBuilder &builder)
      : KernelEvaluator(model, builder), name(name.str()),
        alignments(alignments) {}

  /// Creates the functions at the builder's insertion point.
  FailureOr<EmittedGPUKernel> emit();

private:
  using Values = SmallVector<Value>;
  using Reductions = SmallVector<const Reduction *>;
  /// Elements of a thread's vector: two 16-byte accesses of f32, one of f16.
  static constexpr unsigned vectorLanes = 8;

  // Kinds of kernels, each in a file of its own.
  LogicalResult emitElementwise();
  LogicalResult emitRows();
  LogicalResult emitFlat();
  LogicalResult emitColumns();

  //===------------------------------------------------------------------===//
  // Functions and places (KernelEmitter.cpp)
  //===------------------------------------------------------------------===//

  /// Starts a function; all scopes are its body.
  void beginKernel(StringRef suffix, int64_t blocks, int64_t threads);
  /// Makes `body` of `op` the place of `nested` and what is deeper, which
  /// keep what they know; returns what `leave` needs.
  SmallVector<Scope> enter(Operation *op, Block *body, unsigned nested);
  void leave(Operation *op, unsigned nested, SmallVector<Scope> saved);
  /// Creates an `scf.if` without results in `scope`.
  scf::IfOp createIf(unsigned scope, Value condition, bool hasElse = false);
  /// Sets the index of each group from one linear index below `count`.
  void setIndices(ArrayRef<unsigned> groups, Value linear, int64_t count);
  void setInnerIndex(Value index);
  /// The most lanes, up to a vector's, that divide `extent`.
  static unsigned getDividingLanes(int64_t extent);
  Value createBinary(StringRef op, Value lhs, Value rhs);
  Value add(Value lhs, Value rhs);
  Value multiply(Value lhs, int64_t rhs);
  Value isLess(Value lhs, int64_t rhs);
  Value smaller(Value lhs, Value rhs);

  //===------------------------------------------------------------------===//
  // Memory (KernelEmitter.cpp)
  //===------------------------------------------------------------------===//

  Value load(unsigned operandIndex, AffineMap map) override;
  void store(Value value, unsigned operandIndex, AffineMap map) override;
  Value getPosition(unsigned group, unsigned scope) override;
  void adjust(Operation *op) override;
  /// Whether elements along the inner loop are neighbours in the operand
  /// (std::nullopt: the operand doesn't depend on it).
  std::optional<bool> isContiguous(AffineMap map);
  int64_t getAccessAlignment(unsigned operandIndex, AffineMap map);
  Value loadFrom(Value memref, ValueRange indices, unsigned lanes,
                 int64_t alignment, Type element);
  void storeTo(Value value, Value memref, ValueRange indices,
               int64_t alignment);
  Value allocateShared(ArrayRef<int64_t> shape, Type element);

  //===------------------------------------------------------------------===//
  // Reductions (Reductions.cpp)
  //===------------------------------------------------------------------===//

  static Type getElementType(const Reduction &reduction);
  /// The reductions of a pass of which `hasFreeOrder` is `free`.
  Reductions getReductions(int pass, bool free);
  SmallVector<linalg::LinalgOp> getOps(const Reductions &reductions);
  FailureOr<Values> getNeutrals(const Reductions &reductions, unsigned lanes);
  FailureOr<Values> getInits(const Reductions &reductions);
  /// combineElement for all of `reductions` (whole ops).
  FailureOr<Values> accumulate(const Reductions &reductions,
                               ValueRange accumulators);
  /// What two threads, lanes or blocks have, combined by exactly that op: both
  /// get the same bits whichever of them does it.
  Value join(const Reduction &reduction, Value lhs, Value rhs);
  Value reduceLanes(const Reduction &reduction, Value vector);
  Value shuffle(Value value, int32_t offset);
  /// All threads' values combined; every thread gets the result.
  Values reduceBlock(const Reductions &reductions, Values values);
  /// What thread 0 has, in every thread.
  Values broadcast(ArrayRef<Value> values);
  /// Makes results values to evaluate with.
  void define(const Reductions &reductions, ValueRange results);
  /// Combines with the initial values, and defines.
  LogicalResult finish(const Reductions &reductions, ValueRange totals);
  /// Thread 0 goes over the inner loop in order.
  LogicalResult reduceInOrder(const Reductions &reductions);
  /// Stores the outs written once per row or kernel, by thread 0.
  LogicalResult storeReducedOuts(unsigned scope);

  // Rows (Rows.cpp).
  /// A vector that a thread holds through all passes over its row.
  struct HeldVector {
    Scope scope;
    Value index;
    /// Null: always.
    Value isValid;
  };
  LogicalResult emitHeldPass(int pass, MutableArrayRef<HeldVector> held);
  LogicalResult emitLoopPass(int pass, int64_t count);
  /// A loop over the vectors [lower, upper) of the inner loop: reductions and
  /// outs of a pass. Returns the lanes combined.
  FailureOr<Values> emitVectorLoop(int pass, const Reductions &reductions,
                                   Value lower, Value upper, Value step);
  bool hasDomainOuts(int pass);

  // Columns (Columns.cpp).
  struct ColumnPlan;
  LogicalResult emitColumnSums(const ColumnPlan &plan);
  LogicalResult emitColumnCombine(const ColumnPlan &plan);
  LogicalResult emitFlatCombine(const Reductions &reductions, int64_t blocks);

  std::string name;
  ArrayRef<int64_t> alignments;
  OpBuilder::InsertPoint functionPoint;
  EmittedGPUKernel emitted;

  // State of the function that is being emitted.
  gpu::GPUFuncOp functionOp;
  int64_t threads = 0;
  SmallVector<Value> arguments, partials;
  Value threadId, blockId;
};

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_AMPRTTOGPU_KERNELEMITTER_H
