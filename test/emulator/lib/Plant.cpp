//===- Plant.cpp - Faults on purpose --------------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One mistake in every kernel that has the place for it: a lane is missing in
// the mask of shuffles, barriers are missing, or accesses are off by 16 bytes.
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "Fault.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

#include <cstdlib>

using namespace llvm;
using namespace amp::emulator;

static bool isCallOf(const Instruction &inst, StringRef prefix) {
  const auto *call = dyn_cast<CallBase>(&inst);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with(prefix);
}

static void dropLane(Instruction &inst) {
  if (!isCallOf(inst, "llvm.nvvm.shfl.sync."))
    return;
  auto &call = cast<CallBase>(inst);
  if (auto *mask = dyn_cast<ConstantInt>(call.getArgOperand(0)))
    call.setArgOperand(0, ConstantInt::get(mask->getType(),
                                           mask->getZExtValue() & 0xfffeffff));
}

static void shiftAccess(Instruction &inst) {
  if (!isa<LoadInst, StoreInst>(inst))
    return;
  unsigned operand = isa<StoreInst>(inst) ? 1 : 0;
  Value *pointer = inst.getOperand(operand);
  if (pointer->getType()->getPointerAddressSpace() > 1 ||
      isa<AllocaInst>(pointer))
    return;
  IRBuilder<> b(&inst);
  inst.setOperand(operand, b.CreateConstGEP1_64(b.getInt8Ty(), pointer, 16));
}

void amp::emulator::plantFault(Module &module) {
  const char *text = getenv("AMP_EMULATOR_PLANT");
  StringRef fault = text ? text : "";
  if (fault.empty())
    return;
  if (fault != "mask" && fault != "barrier" && fault != "offset")
    return complain("expects AMP_EMULATOR_PLANT to be mask, barrier or offset, "
                    "but got '" +
                    fault.str() + "'");
  for (Function &function : module)
    for (Instruction &inst : make_early_inc_range(instructions(function))) {
      if (fault == "mask")
        dropLane(inst);
      else if (fault == "offset")
        shiftAccess(inst);
      else if (isCallOf(inst, "llvm.nvvm.barrier.cta.sync."))
        inst.eraseFromParent();
    }
}
