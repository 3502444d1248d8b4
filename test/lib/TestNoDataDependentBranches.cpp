//===- TestNoDataDependentBranches.cpp - Skips are selects ---*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves of a module in the LLVM dialect that no branch depends on the content
// of a buffer, so none depends on found-inf: what a step executes is the same
// whether it is skipped or not.
//
// For the condition of every conditional branch and switch:
//   1. take the backward slice: operands; for block arguments the values that
//      the predecessors pass; for arguments of functions the operands of their
//      calls; for calls of functions with a body what these return;
//   2. fail when the slice holds a load of anything but a pointer, a comparison
//      of floats, or a call result of which nothing is known;
//   3. accept the results of `amp_rt_*` (statuses and thread counts), pointers,
//      constants, and the range [begin, end) that the runtime's parallel-for
//      passes to the functions whose address it gets.
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace {
/// Why a value depends on data, and where.
struct Offence {
  Location loc;
  std::string text;
};

/// The backward slice of one condition, over the whole module.
class DataSlice {
public:
  explicit DataSlice(ModuleOp module) : symbols(module) {
    module.walk([&](Operation *op) {
      if (auto call = dyn_cast<LLVM::CallOp>(op)) {
        if (std::optional<StringRef> callee = call.getCallee())
          calls[*callee].push_back(call);
      } else if (auto address = dyn_cast<LLVM::AddressOfOp>(op)) {
        addressTaken.insert(address.getGlobalName());
      }
    });
  }

  /// The first dependence of `condition` on data, if there is one.
  std::optional<Offence> find(Value condition) {
    worklist.clear();
    worklist.insert(condition);
    // Grows while it is walked.
    for (size_t i = 0; i < worklist.size(); ++i) {
      Value value = worklist[i];
      std::optional<Offence> offence = isa<BlockArgument>(value)
                                           ? visit(cast<BlockArgument>(value))
                                           : visit(value.getDefiningOp());
      if (offence)
        return offence;
    }
    return std::nullopt;
  }

private:
  std::optional<Offence> visit(Operation *op) {
    if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
      if (!isa<LLVM::LLVMPointerType>(load.getType()))
        return Offence{op->getLoc(), "see load of data here"};
    } else if (isa<LLVM::FCmpOp>(op)) {
      return Offence{op->getLoc(), "see comparison of floats here"};
    } else if (auto call = dyn_cast<LLVM::CallOp>(op)) {
      return visit(call);
    } else if (isa<LLVM::CallIntrinsicOp, LLVM::InlineAsmOp, LLVM::AtomicRMWOp,
                   LLVM::AtomicCmpXchgOp, LLVM::InvokeOp>(op)) {
      return Offence{op->getLoc(), "see result of unknown origin here"};
    }
    worklist.insert(op->operand_begin(), op->operand_end());
    return std::nullopt;
  }

  std::optional<Offence> visit(LLVM::CallOp call) {
    std::optional<StringRef> callee = call.getCallee();
    if (callee && callee->starts_with("amp_rt_"))
      return std::nullopt;
    auto function =
        callee ? symbols.lookup<LLVM::LLVMFuncOp>(*callee) : LLVM::LLVMFuncOp();
    if (!function || function.isExternal())
      return Offence{call.getLoc(), "see result of an unknown call here"};
    function.walk([&](LLVM::ReturnOp ret) {
      worklist.insert(ret->operand_begin(), ret->operand_end());
    });
    return std::nullopt;
  }

  std::optional<Offence> visit(BlockArgument argument) {
    if (argument.getOwner()->isEntryBlock())
      return visitFunctionArgument(argument);
    for (auto it = argument.getOwner()->pred_begin(),
              end = argument.getOwner()->pred_end();
         it != end; ++it) {
      auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
      if (!branch)
        return Offence{argument.getLoc(), "see value of unknown origin here"};
      worklist.insert(branch.getSuccessorOperands(
          it.getSuccessorIndex())[argument.getArgNumber()]);
    }
    return std::nullopt;
  }

  std::optional<Offence> visitFunctionArgument(BlockArgument argument) {
    auto function =
        dyn_cast<LLVM::LLVMFuncOp>(argument.getOwner()->getParentOp());
    if (!function || isa<LLVM::LLVMPointerType>(argument.getType()))
      return std::nullopt;
    StringRef name = function.getName();
    auto it = calls.find(name);
    if (it != calls.end())
      for (LLVM::CallOp call : it->second)
        worklist.insert(call.getArgOperands()[argument.getArgNumber()]);
    bool isRange =
        addressTaken.contains(name) && argument.getType().isInteger(64);
    if (it == calls.end() && !isRange)
      return Offence{argument.getLoc(), "see argument of unknown origin here"};
    return std::nullopt;
  }

  SymbolTable symbols;
  llvm::MapVector<StringRef, SmallVector<LLVM::CallOp>> calls;
  llvm::SetVector<StringRef> addressTaken;
  llvm::SetVector<Value> worklist;
};

struct TestNoDataDependentBranchesPass
    : public PassWrapper<TestNoDataDependentBranchesPass,
                         OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestNoDataDependentBranchesPass)

  StringRef getArgument() const final {
    return "test-amp-no-data-dependent-branches";
  }
  StringRef getDescription() const final {
    return "Fails on every branch whose condition depends on the content of a "
           "buffer";
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    DataSlice slice(module);
    bool failed = false;
    int64_t numFunctions = 0;
    module.walk([&](Operation *op) {
      if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
        numFunctions += !function.isExternal();
      failed |= mlir::failed(check(slice, op));
    });
    if (numFunctions == 0) {
      module.emitError(
          "expects functions of the 'llvm' dialect with a body, but got none");
      failed = true;
    }
    if (failed)
      signalPassFailure();
  }

  /// Control flow of other dialects would be passed over in silence: refused.
  static LogicalResult check(DataSlice &slice, Operation *op) {
    Value condition;
    if (auto branch = dyn_cast<LLVM::CondBrOp>(op))
      condition = branch.getCondition();
    else if (auto switchOp = dyn_cast<LLVM::SwitchOp>(op))
      condition = switchOp.getValue();
    else if (isa<LLVM::IndirectBrOp>(op))
      return op->emitOpError("branches to a computed address");
    else if (isa<BranchOpInterface, RegionBranchOpInterface>(op) &&
             !isa<LLVM::LLVMDialect>(op->getDialect()))
      return op->emitOpError("expects control flow of the 'llvm' dialect only");
    if (!condition)
      return success();
    std::optional<Offence> offence = slice.find(condition);
    if (!offence)
      return success();
    InFlightDiagnostic diagnostic =
        op->emitOpError("branches on a condition that depends on data");
    diagnostic.attachNote(offence->loc) << offence->text;
    return diagnostic;
  }
};
} // namespace

void amp::test::registerTestNoDataDependentBranchesPass() {
  PassRegistration<TestNoDataDependentBranchesPass>();
}
