//===- Instrument.cpp - Checks on the accesses of a kernel ----------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load or store of global memory compares its address with the allocation
// that the same instruction used last, and calls the executor when that is
// another one, when the access is misaligned, or when there is none. Accesses
// of shared memory always call.
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace amp::emulator;

static constexpr unsigned kSharedSpace = 3;

/// An access of `bytes` at `pointer`.
static bool isAccess(const Instruction &inst) {
  return isa<LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst,
             MemIntrinsic>(inst);
}

static bool isMaskedAccess(const Instruction &inst) {
  const auto *call = dyn_cast<IntrinsicInst>(&inst);
  return call && (call->getIntrinsicID() == Intrinsic::masked_load ||
                  call->getIntrinsicID() == Intrinsic::masked_store);
}

/// Calls that the executor may complain about.
static bool isDeviceCall(const Instruction &inst) {
  const auto *call = dyn_cast<CallBase>(&inst);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && (callee->getName().starts_with("llvm.nvvm.") ||
                    callee->getIntrinsicID() == Intrinsic::trap);
}

SiteNumbers amp::emulator::collectSites(Module &module, KernelCode &code) {
  SiteNumbers sites;
  ModuleSlotTracker tracker(&module, /*ShouldInitializeAllMetadata=*/false);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    tracker.incorporateFunction(function);
    for (Instruction &inst : instructions(function)) {
      if (!isAccess(inst) && !isMaskedAccess(inst) && !isDeviceCall(inst))
        continue;
      std::string text;
      raw_string_ostream stream(text);
      inst.print(stream, tracker);
      text = StringRef(text).ltrim().str();
      if (function.getName() != code.name)
        text += " in @" + function.getName().str();
      sites[&inst] = code.siteText.size();
      code.siteText.push_back(text);
    }
  }
  return sites;
}

namespace {

enum class Space { Private, Shared, Other };

class Instrumenter {
public:
  Instrumenter(Module &module, const SiteNumbers &sites)
      : module(module), sites(sites), layout(module.getDataLayout()),
        word(Type::getInt64Ty(module.getContext())),
        half(Type::getInt32Ty(module.getContext())),
        pointer(PointerType::getUnqual(module.getContext())) {
    cache = new llvm::GlobalVariable(
        module, ArrayType::get(word, 2 * std::max<size_t>(sites.size(), 1)),
        false, llvm::GlobalValue::ExternalLinkage,
        ConstantAggregateZero::get(
            ArrayType::get(word, 2 * std::max<size_t>(sites.size(), 1))),
        kSitesName);
  }

  void run() {
    for (auto &[constInst, number] : sorted())
      instrument(*const_cast<Instruction *>(constInst), number);
  }

private:
  std::vector<std::pair<const Instruction *, unsigned>> sorted() {
    std::vector<std::pair<const Instruction *, unsigned>> list(sites.begin(),
                                                               sites.end());
    llvm::sort(list, [](auto &a, auto &b) { return a.second < b.second; });
    return list;
  }

  static Space spaceOf(const Value *address) {
    if (address->getType()->getPointerAddressSpace() == kSharedSpace)
      return Space::Shared;
    if (address->getType()->getPointerAddressSpace() == 5)
      return Space::Private;
    const Value *object = getUnderlyingObject(address, 0);
    if (isa<AllocaInst>(object))
      return Space::Private;
    if (const auto *argument = dyn_cast<Argument>(object))
      if (argument->hasByValAttr())
        return Space::Private;
    if (object->getType()->getPointerAddressSpace() == kSharedSpace)
      return Space::Shared;
    return Space::Other;
  }

  /// The kernel's parameter that an address comes from, and its size; null and
  /// 0 when that is not known.
  static std::pair<Value *, uint64_t> boundOf(Value *address) {
    auto *argument = dyn_cast<Argument>(getUnderlyingObject(address, 0));
    if (!argument ||
        argument->getParent()->getCallingConv() != CallingConv::PTX_Kernel)
      return {nullptr, 0};
    return {argument, argument->getDereferenceableBytes()};
  }

  void instrument(Instruction &inst, unsigned site) {
    if (auto *load = dyn_cast<LoadInst>(&inst))
      return access(inst, load->getPointerOperand(), load->getType(),
                    load->getAlign(), site, nullptr, false);
    if (auto *store = dyn_cast<StoreInst>(&inst))
      return access(inst, store->getPointerOperand(),
                    store->getValueOperand()->getType(), store->getAlign(),
                    site, store->getValueOperand(), true);
    if (auto *atomic = dyn_cast<AtomicRMWInst>(&inst))
      return atomicAccess(inst, atomic->getPointerOperand(), atomic->getType(),
                          site);
    if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&inst))
      return atomicAccess(inst, exchange->getPointerOperand(),
                          exchange->getNewValOperand()->getType(), site);
    if (auto *range = dyn_cast<MemIntrinsic>(&inst)) {
      rangeAccess(inst, range->getRawDest(), range->getLength(), site, true);
      if (auto *transfer = dyn_cast<MemTransferInst>(range))
        rangeAccess(inst, transfer->getRawSource(), range->getLength(), site,
                    false);
      return;
    }
    if (isMaskedAccess(inst))
      maskedAccess(cast<IntrinsicInst>(inst), site);
  }

  Value *asWord(IRBuilder<> &b, Value *address) {
    return b.CreatePtrToInt(address, word);
  }

  FunctionCallee helper(StringRef name, ArrayRef<Type *> types) {
    return module.getOrInsertFunction(
        name,
        FunctionType::get(Type::getVoidTy(module.getContext()), types, false));
  }

  void access(Instruction &inst, Value *address, Type *type, Align align,
              unsigned site, Value *stored, bool write) {
    Space space = spaceOf(address);
    if (space == Space::Private)
      return;
    uint64_t bytes = layout.getTypeStoreSize(type);
    // The widest access is of 16 bytes; wider ones are several of those.
    uint64_t alignment = std::min<uint64_t>(align.value(), 16);
    IRBuilder<> b(&inst);
    if (space == Space::Shared)
      return sharedAccess(b, address, bytes, alignment, site, stored, write);
    Value *at = asWord(b, address);
    Value *lo =
        b.CreateLoad(word, b.CreateConstInBoundsGEP1_64(word, cache, 2 * site));
    Value *span = b.CreateLoad(
        word, b.CreateConstInBoundsGEP1_64(word, cache, 2 * site + 1));
    Value *miss = b.CreateICmpUGT(b.CreateSub(at, lo), span);
    // A parameter that states its size ends there, not with the allocation.
    auto [parameter, limit] = boundOf(address);
    Value *base = b.getInt64(0);
    if (limit) {
      base = asWord(b, parameter);
      miss = b.CreateOr(miss, limit < bytes
                                  ? b.getTrue()
                                  : b.CreateICmpUGT(b.CreateSub(at, base),
                                                    b.getInt64(limit - bytes)));
    }
    if (alignment > 1)
      miss = b.CreateOr(
          miss, b.CreateICmpNE(b.CreateAnd(at, alignment - 1), b.getInt64(0)));
    Instruction *slow = SplitBlockAndInsertIfThen(
        miss, inst.getIterator(), /*Unreachable=*/false,
        MDBuilder(module.getContext()).createUnlikelyBranchWeights());
    b.SetInsertPoint(slow);
    b.CreateCall(helper("amp_emulator_access",
                        {word, word, half, half, half, word, word}),
                 {at, b.getInt64(bytes), b.getInt32(alignment),
                  b.getInt32(site), b.getInt32(write), base,
                  b.getInt64(limit)});
  }

  void sharedAccess(IRBuilder<> &b, Value *address, uint64_t bytes,
                    uint64_t alignment, unsigned site, Value *stored,
                    bool write) {
    Value *at = asWord(b, address);
    if (!write) {
      b.CreateCall(
          helper("amp_emulator_shared_read", {word, half, half, half}),
          {at, b.getInt32(bytes), b.getInt32(alignment), b.getInt32(site)});
      return;
    }
    Value *copy = Constant::getNullValue(pointer);
    if (stored) {
      BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
      IRBuilder<> atEntry(&entry, entry.begin());
      copy = atEntry.CreateAlloca(stored->getType());
      b.CreateStore(stored, copy);
    }
    b.CreateCall(
        helper("amp_emulator_shared_write", {word, half, half, half, pointer}),
        {at, b.getInt32(bytes), b.getInt32(alignment), b.getInt32(site), copy});
  }

  /// Atomics order themselves: bounds and alignment are what can be wrong.
  void atomicAccess(Instruction &inst, Value *address, Type *type,
                    unsigned site) {
    Space space = spaceOf(address);
    if (space == Space::Other)
      access(inst, address, type, Align(layout.getTypeStoreSize(type)), site,
             nullptr, true);
  }

  void rangeAccess(Instruction &inst, Value *address, Value *bytes,
                   unsigned site, bool write) {
    if (spaceOf(address) == Space::Private)
      return;
    IRBuilder<> b(&inst);
    b.CreateCall(helper("amp_emulator_access_range", {word, word, half, half}),
                 {asWord(b, address), b.CreateZExtOrTrunc(bytes, word),
                  b.getInt32(site), b.getInt32(write)});
  }

  void maskedAccess(IntrinsicInst &inst, unsigned site) {
    bool write = inst.getIntrinsicID() == Intrinsic::masked_store;
    Value *address = inst.getArgOperand(write ? 1 : 0);
    Value *mask = inst.getArgOperand(write ? 2 : 1);
    if (spaceOf(address) == Space::Private)
      return;
    auto *type = cast<FixedVectorType>(write ? inst.getArgOperand(0)->getType()
                                             : inst.getType());
    unsigned bytes = layout.getTypeStoreSize(type->getElementType());
    IRBuilder<> b(&inst);
    Value *bits = b.CreateZExt(
        b.CreateBitCast(mask, b.getIntNTy(type->getNumElements())), word);
    b.CreateCall(helper("amp_emulator_access_masked",
                        {word, half, half, word, half, half}),
                 {asWord(b, address), b.getInt32(bytes), b.getInt32(bytes),
                  bits, b.getInt32(site), b.getInt32(write)});
  }

  Module &module;
  const SiteNumbers &sites;
  const DataLayout &layout;
  Type *word, *half, *pointer;
  llvm::GlobalVariable *cache = nullptr;
};

} // namespace

void amp::emulator::instrumentAccesses(Module &module,
                                       const SiteNumbers &sites) {
  Instrumenter(module, sites).run();
}
