//===- TestNoCopies.cpp - No copy and no allocation in a step ---*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves of lowered step functions that state is updated in place and that all
// memory was planned: no op or call in the module copies a buffer or allocates
// one. Works at any level after bufferization: memref ops, their LLVM forms,
// and calls of the C library. Functions whose name ends in `.prepare` run at
// load time and are left out.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

/// C functions that allocate, free or copy, and the runtime's allocator.
static bool isAllocationOrCopy(StringRef callee) {
  static const llvm::StringSet<> names = {
      "malloc",         "calloc",
      "realloc",        "aligned_alloc",
      "posix_memalign", "free",
      "memcpy",         "memmove",
      "memrefCopy",     "_mlir_memref_to_llvm_alloc",
      "amp_rt_alloc",   "amp_rt_free"};
  return names.contains(callee);
}

/// What the op allocates or copies; empty when it does neither.
static StringRef getOffence(Operation *op) {
  if (isa<memref::CopyOp, LLVM::MemcpyOp, LLVM::MemcpyInlineOp,
          LLVM::MemmoveOp>(op))
    return "copies a buffer";
  if (isa<memref::AllocOp, memref::ReallocOp, memref::DeallocOp,
          bufferization::CloneOp, bufferization::AllocTensorOp>(op))
    return "allocates or frees a buffer";
  if (auto call = dyn_cast<LLVM::CallOp>(op))
    if (std::optional<StringRef> callee = call.getCallee())
      if (isAllocationOrCopy(*callee))
        return "calls an allocating or copying function";
  return {};
}

namespace {
struct TestNoCopiesPass
    : public PassWrapper<TestNoCopiesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestNoCopiesPass)

  StringRef getArgument() const final { return "test-amp-no-copies"; }
  StringRef getDescription() const final {
    return "Fails on every copy and allocation in step functions";
  }

  void runOnOperation() override {
    bool failed = false;
    int64_t numFunctions = 0;
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (function.isExternal() || function.getName().ends_with(".prepare"))
        continue;
      ++numFunctions;
      function.walk([&](Operation *op) {
        StringRef offence = getOffence(op);
        if (offence.empty())
          return;
        InFlightDiagnostic diagnostic = op->emitOpError() << offence;
        diagnostic.attachNote(function.getLoc())
            << "in function '" << function.getName() << "'";
        failed = true;
      });
    }
    if (numFunctions == 0) {
      getOperation().emitError("expects functions with a body, but got none");
      failed = true;
    }
    if (failed)
      signalPassFailure();
  }
};
} // namespace

void amp::test::registerTestNoCopiesPass() {
  PassRegistration<TestNoCopiesPass>();
}
