//===- LowerDevice.cpp - Device operations as host operations -------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Special registers are words of the lane's state, warp operations and
// barriers call the executor, arithmetic intrinsics become instructions or
// calls of the table in DeviceFunctions.cpp, shared variables get a place in
// the arena, and bfloat16 rounding is written out.
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "DeviceFunctions.h"
#include "WarpOps.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

#include <optional>

using namespace llvm;
using namespace amp::emulator;

namespace {

class DeviceLowering {
public:
  DeviceLowering(Module &module, Function &kernel, const SiteNumbers &sites,
                 KernelCode &code)
      : module(module), kernel(kernel), sites(sites), code(code),
        context(module.getContext()), half(Type::getInt32Ty(context)),
        word(Type::getInt64Ty(context)) {}

  bool run(std::string &error);

private:
  bool lowerCall(CallBase &call);
  bool lowerIntrinsic(CallBase &call, StringRef name);
  bool lowerRegister(CallBase &call, StringRef name);
  bool lowerShuffle(CallBase &call, StringRef name);
  bool lowerWarpOp(CallBase &call, StringRef name);
  bool lowerBarrier(CallBase &call, StringRef name);
  bool lowerArithmetic(CallBase &call, StringRef name);
  bool callFunction(CallBase &call, StringRef name);
  bool lowerAsm(CallBase &call, StringRef text);
  void expandTruncation(FPTruncInst &inst);
  void expandExtension(FPExtInst &inst);
  void placeShared();
  void listGlobals();
  void addEntry();
  void readLaunchBounds();

  Value *helper(IRBuilder<> &b, StringRef name, Type *result,
                ArrayRef<Value *> operands) {
    SmallVector<Type *> types;
    for (Value *operand : operands)
      types.push_back(operand->getType());
    return b.CreateCall(module.getOrInsertFunction(
                            name, FunctionType::get(result, types, false)),
                        operands);
  }

  Value *site(IRBuilder<> &b, CallBase &call) {
    auto it = sites.find(&call);
    return b.getInt32(it == sites.end() ? ~0u : it->second);
  }

  void replace(Instruction &inst, Value *value) {
    if (value)
      inst.replaceAllUsesWith(value);
    inst.eraseFromParent();
  }

  bool fail(const Twine &text) {
    if (message.empty())
      message = text.str();
    return false;
  }

  Module &module;
  Function &kernel;
  const SiteNumbers &sites;
  KernelCode &code;
  LLVMContext &context;
  Type *half, *word;
  std::string message;
};

} // namespace

//===----------------------------------------------------------------------===//
// Registers, warps, barriers
//===----------------------------------------------------------------------===//

bool DeviceLowering::lowerRegister(CallBase &call, StringRef name) {
  if (!name.consume_front("read.ptx.sreg."))
    return false;
  IRBuilder<> b(&call);
  unsigned base = StringSwitch<unsigned>(name)
                      .StartsWith("tid.", kTid)
                      .StartsWith("ntid.", kNtid)
                      .StartsWith("ctaid.", kCtaid)
                      .StartsWith("nctaid.", kNctaid)
                      .Case("laneid", kLane)
                      .Case("warpid", kWarp)
                      .Case("nwarpid", kWarps)
                      .Case("dynamic_smem_size", kDynamicShared)
                      .Default(kLaneWords);
  if (base < kLane)
    base += name.back() == 'x' ? 0 : name.back() == 'y' ? 1 : 2;
  auto load = [&](unsigned index) -> Value * {
    Constant *state = module.getOrInsertGlobal(
        "amp_emulator_lane", ArrayType::get(half, kLaneWords));
    LoadInst *value =
        b.CreateLoad(half, b.CreateConstInBoundsGEP1_32(half, state, index));
    // The executor changes the words only while another lane runs.
    value->setMetadata(LLVMContext::MD_invariant_load,
                       MDNode::get(context, {}));
    return value;
  };
  if (base != kLaneWords) {
    replace(call, load(base));
    return true;
  }
  if (name == "warpsize") {
    replace(call, b.getInt32(32));
    return true;
  }
  if (name.consume_front("lanemask.")) {
    Value *own = b.CreateShl(b.getInt32(1), load(kLane));
    Value *below = b.CreateSub(own, b.getInt32(1));
    Value *mask = name == "eq"   ? own
                  : name == "lt" ? below
                  : name == "le" ? b.CreateOr(below, own)
                  : name == "gt" ? b.CreateNot(b.CreateOr(below, own))
                                 : b.CreateNot(below);
    replace(call, mask);
    return true;
  }
  return false;
}

bool DeviceLowering::lowerShuffle(CallBase &call, StringRef name) {
  if (!name.consume_front("shfl.sync."))
    return false;
  auto [modeName, typeName] = name.split('.');
  uint32_t mode = StringSwitch<uint32_t>(modeName)
                      .Case("up", kUp)
                      .Case("down", kDown)
                      .Case("bfly", kButterfly)
                      .Default(kIndex);
  bool withPredicate = typeName.ends_with("p");
  bool isFloat = typeName.starts_with("f");
  IRBuilder<> b(&call);
  Value *value = call.getArgOperand(1);
  if (isFloat)
    value = b.CreateBitCast(value, half);
  Value *answer =
      helper(b, "amp_emulator_shuffle", word,
             {b.getInt32(mode), call.getArgOperand(0), value,
              call.getArgOperand(2), call.getArgOperand(3), site(b, call)});
  Value *result = b.CreateTrunc(answer, half);
  if (isFloat)
    result = b.CreateBitCast(result, b.getFloatTy());
  if (withPredicate) {
    Value *predicate = b.CreateTrunc(b.CreateLShr(answer, 32), b.getInt1Ty());
    Value *pair = PoisonValue::get(call.getType());
    pair = b.CreateInsertValue(pair, result, 0);
    result = b.CreateInsertValue(pair, predicate, 1);
  }
  code.synchronises = true;
  replace(call, result);
  return true;
}

bool DeviceLowering::lowerWarpOp(CallBase &call, StringRef name) {
  IRBuilder<> b(&call);
  if (name == "bar.warp.sync") {
    code.synchronises = true;
    helper(b, "amp_emulator_warp_barrier", b.getVoidTy(),
           {call.getArgOperand(0), site(b, call)});
    replace(call, nullptr);
    return true;
  }
  if (name == "activemask") {
    code.synchronises = true;
    replace(call, helper(b, "amp_emulator_active_mask", half, {}));
    return true;
  }
  if (name.consume_front("vote.") && name.consume_back(".sync")) {
    uint32_t mode = StringSwitch<uint32_t>(name)
                        .Case("all", kAll)
                        .Case("any", kAny)
                        .Case("uni", kUniform)
                        .Default(kBallot);
    Value *answer =
        helper(b, "amp_emulator_vote", half,
               {b.getInt32(mode), call.getArgOperand(0),
                b.CreateZExt(call.getArgOperand(1), half), site(b, call)});
    code.synchronises = true;
    replace(call,
            mode == kBallot ? answer : b.CreateICmpNE(answer, b.getInt32(0)));
    return true;
  }
  if (name.consume_front("redux.sync.")) {
    auto mode = StringSwitch<std::optional<uint32_t>>(name)
                    .Case("add", kAdd)
                    .Case("min", kMinSigned)
                    .Case("max", kMaxSigned)
                    .Case("umin", kMinUnsigned)
                    .Case("umax", kMaxUnsigned)
                    .Case("and", kAnd)
                    .Case("or", kOr)
                    .Case("xor", kXor)
                    .Default(std::nullopt);
    if (!mode)
      return false;
    code.synchronises = true;
    replace(call, helper(b, "amp_emulator_reduce", half,
                         {b.getInt32(*mode), call.getArgOperand(1),
                          call.getArgOperand(0), site(b, call)}));
    return true;
  }
  return false;
}

bool DeviceLowering::lowerBarrier(CallBase &call, StringRef name) {
  IRBuilder<> b(&call);
  if (name.starts_with("membar.") || name.starts_with("fence.acq_rel") ||
      name.starts_with("fence.sc")) {
    // Lanes run one at a time.
    replace(call, nullptr);
    return true;
  }
  bool plain = name == "barrier0";
  if (!plain && !name.consume_front("barrier.cta."))
    return false;
  uint32_t mode = kAligned;
  bool reduces = false;
  if (!plain) {
    if (name.consume_front("red.")) {
      reduces = true;
      mode = name.starts_with("popc")  ? kReducePopc
             : name.starts_with("and") ? kReduceAnd
                                       : kReduceOr;
    } else if (!name.consume_front("sync.")) {
      return false;
    } else if (!name.starts_with("aligned")) {
      mode = kUnaligned;
    }
  }
  bool counted = name.ends_with("count");
  Value *id = plain ? b.getInt32(0) : call.getArgOperand(0);
  Value *count = counted ? call.getArgOperand(1) : b.getInt32(0);
  Value *predicate =
      reduces ? b.CreateZExt(call.getArgOperand(counted ? 2 : 1), half)
              : b.getInt32(0);
  Value *answer =
      helper(b, "amp_emulator_barrier", half,
             {b.getInt32(mode), id, count, predicate, site(b, call)});
  code.synchronises = true;
  if (reduces && call.getType()->isIntegerTy(1))
    answer = b.CreateICmpNE(answer, b.getInt32(0));
  replace(call, reduces ? answer : nullptr);
  return true;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// What is one instruction of the host.
bool DeviceLowering::lowerArithmetic(CallBase &call, StringRef name) {
  IRBuilder<> b(&call);
  name.consume_back(".f") || name.consume_back(".d");
  name.consume_back(".ftz");
  Value *x = call.arg_size() ? call.getArgOperand(0) : nullptr;
  Value *y = call.arg_size() > 1 ? call.getArgOperand(1) : nullptr;
  Value *result = nullptr;
  if (name == "add.rn")
    result = b.CreateFAdd(x, y);
  else if (name == "mul.rn")
    result = b.CreateFMul(x, y);
  else if (name == "div.rn" || name == "div.approx" || name == "div.full")
    result = b.CreateFDiv(x, y);
  else if (name == "rcp.rn")
    result = b.CreateFDiv(ConstantFP::get(call.getType(), 1.0), x);
  else if (name == "sqrt.rn" || name == "sqrt.approx")
    result = b.CreateUnaryIntrinsic(Intrinsic::sqrt, x);
  else if (name == "fma.rn")
    result = b.CreateIntrinsic(Intrinsic::fma, {call.getType()},
                               {x, y, call.getArgOperand(2)});
  else if (name == "fabs" || name.starts_with("fabs."))
    result = b.CreateUnaryIntrinsic(Intrinsic::fabs, x);
  else if (name == "floor")
    result = b.CreateUnaryIntrinsic(Intrinsic::floor, x);
  else if (name == "ceil")
    result = b.CreateUnaryIntrinsic(Intrinsic::ceil, x);
  else if (name == "trunc")
    result = b.CreateUnaryIntrinsic(Intrinsic::trunc, x);
  else if (name == "saturate")
    result =
        b.CreateMinNum(b.CreateMaxNum(x, ConstantFP::get(call.getType(), 0.0)),
                       ConstantFP::get(call.getType(), 1.0));
  if (!result)
    return false;
  replace(call, result);
  return true;
}

/// 16-bit floats and pairs of them travel as integers.
static Type *carrier(Type *type) {
  Type *scalar = type->getScalarType();
  if (scalar->isHalfTy() || scalar->isBFloatTy())
    return IntegerType::get(type->getContext(), type->getPrimitiveSizeInBits());
  return type;
}

bool DeviceLowering::callFunction(CallBase &call, StringRef name) {
  if (!findDeviceFunction(name))
    return false;
  IRBuilder<> b(&call);
  SmallVector<Value *> operands;
  for (Value *operand : call.args()) {
    Type *type = carrier(operand->getType());
    operands.push_back(
        type == operand->getType() ? operand : b.CreateBitCast(operand, type));
  }
  // No "llvm." in front: this is a function like any other.
  std::string symbol = ("amp_emulator_" + name.drop_front(5)).str();
  Value *result = helper(b, symbol, carrier(call.getType()), operands);
  if (result->getType() != call.getType())
    result = b.CreateBitCast(result, call.getType());
  replace(call, result);
  return true;
}

bool DeviceLowering::lowerAsm(CallBase &call, StringRef text) {
  StringRef name = intrinsicOfAsm(text);
  if (!name.empty() && callFunction(call, name))
    return true;
  if (text.contains("mad.lo.cc.u32   $0, $2, $3, $4;") &&
      text.contains("madc.hi.u32     $1, $2, $3,  0;")) {
    IRBuilder<> b(&call);
    Value *product = b.CreateMul(b.CreateZExt(call.getArgOperand(0), word),
                                 b.CreateZExt(call.getArgOperand(1), word));
    Value *sum =
        b.CreateAdd(product, b.CreateZExt(call.getArgOperand(2), word));
    Value *pair = PoisonValue::get(call.getType());
    pair = b.CreateInsertValue(pair, b.CreateTrunc(sum, half), 0);
    pair = b.CreateInsertValue(pair, b.CreateTrunc(b.CreateLShr(sum, 32), half),
                               1);
    replace(call, pair);
    return true;
  }
  return fail("inline assembly '" + text + "' is not known to the emulator");
}

/// Rounding to bfloat16, for a scalar or a vector.
void DeviceLowering::expandTruncation(FPTruncInst &inst) {
  if (!inst.getType()->getScalarType()->isBFloatTy() ||
      !inst.getSrcTy()->getScalarType()->isFloatTy())
    return;
  IRBuilder<> b(&inst);
  Value *x = inst.getOperand(0);
  Type *wide = x->getType()->getWithNewType(half);
  Type *narrow = x->getType()->getWithNewType(Type::getInt16Ty(context));
  Value *bits = b.CreateBitCast(x, wide);
  Value *odd = b.CreateAnd(b.CreateLShr(bits, 16), ConstantInt::get(wide, 1));
  Value *sum =
      b.CreateAdd(b.CreateAdd(bits, ConstantInt::get(wide, 0x7fff)), odd);
  Value *rounded = b.CreateTrunc(b.CreateLShr(sum, 16), narrow);
  Value *result = b.CreateSelect(b.CreateFCmpUNO(x, x),
                                 ConstantInt::get(narrow, 0x7fff), rounded);
  replace(inst, b.CreateBitCast(result, inst.getType()));
}

void DeviceLowering::expandExtension(FPExtInst &inst) {
  if (!inst.getSrcTy()->getScalarType()->isBFloatTy() ||
      !inst.getType()->getScalarType()->isFloatTy())
    return;
  IRBuilder<> b(&inst);
  Type *wide = inst.getType()->getWithNewType(half);
  Type *narrow = inst.getType()->getWithNewType(Type::getInt16Ty(context));
  Value *bits = b.CreateZExt(b.CreateBitCast(inst.getOperand(0), narrow), wide);
  replace(inst, b.CreateBitCast(b.CreateShl(bits, 16), inst.getType()));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool DeviceLowering::lowerIntrinsic(CallBase &call, StringRef name) {
  StringRef suffix = name.drop_front(strlen("llvm.nvvm."));
  return lowerRegister(call, suffix) || lowerShuffle(call, suffix) ||
         lowerWarpOp(call, suffix) || lowerBarrier(call, suffix) ||
         lowerArithmetic(call, suffix) || callFunction(call, name) ||
         fail("intrinsic '" + name + "' is not known to the emulator");
}

bool DeviceLowering::lowerCall(CallBase &call) {
  if (auto *text = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return lowerAsm(call, text->getAsmString());
  Function *callee = call.getCalledFunction();
  if (!callee)
    return fail("the kernel calls through a pointer");
  call.removeFnAttr(Attribute::Memory);
  StringRef name = callee->getName();
  if (name.starts_with("llvm.nvvm."))
    return lowerIntrinsic(call, name);
  if (callee->getIntrinsicID() == Intrinsic::trap) {
    IRBuilder<> b(&call);
    helper(b, "amp_emulator_trap", b.getVoidTy(), {site(b, call)});
    call.eraseFromParent();
    return true;
  }
  if (callee->isDeclaration() && !callee->isIntrinsic() &&
      !name.starts_with("amp_emulator_"))
    return fail("device function '" + name +
                "' is not defined in the image (was libdevice linked?)");
  return true;
}

//===----------------------------------------------------------------------===//
// Variables and the entry
//===----------------------------------------------------------------------===//

void DeviceLowering::placeShared() {
  constexpr unsigned space = 3;
  SmallVector<llvm::GlobalVariable *> variables;
  for (llvm::GlobalVariable &global : module.globals())
    if (global.getAddressSpace() == space)
      variables.push_back(&global);
  // Those whose size the launch gives come last.
  const DataLayout &layout = module.getDataLayout();
  auto isDynamic = [&](llvm::GlobalVariable *global) {
    return global->isDeclaration() ||
           layout.getTypeAllocSize(global->getValueType()) == 0;
  };
  SmallVector<llvm::GlobalVariable *> ordered;
  for (bool dynamic : {false, true})
    llvm::copy_if(variables, std::back_inserter(ordered),
                  [&](auto *global) { return isDynamic(global) == dynamic; });
  Constant *arena = module.getOrInsertGlobal(
      "amp_emulator_shared",
      ArrayType::get(Type::getInt8Ty(context), kSharedArena));
  uint64_t top = 0;
  for (llvm::GlobalVariable *global : ordered) {
    uint64_t bytes = layout.getTypeAllocSize(global->getValueType());
    uint64_t align =
        std::max<uint64_t>(global->getAlign().valueOrOne().value(), 16);
    top = alignTo(top, align);
    code.shared.push_back({global->getName().str(), top,
                           isDynamic(global) ? 0 : bytes, isDynamic(global)});
    Constant *address = ConstantExpr::getGetElementPtr(
        Type::getInt8Ty(context), arena, ConstantInt::get(word, top));
    global->replaceAllUsesWith(
        ConstantExpr::getAddrSpaceCast(address, global->getType()));
    if (!isDynamic(global)) {
      code.staticShared += bytes;
      top += bytes + kSharedGap;
    }
  }
  for (llvm::GlobalVariable *global : ordered)
    global->eraseFromParent();
}

/// A table of the module's variables: accesses of them are in bounds.
void DeviceLowering::listGlobals() {
  SmallVector<Constant *> words;
  for (llvm::GlobalVariable &global : module.globals()) {
    if (global.isDeclaration() || global.getName().starts_with("amp_emulator"))
      continue;
    words.push_back(ConstantExpr::getPtrToInt(
        global.getAddressSpace() ? ConstantExpr::getAddrSpaceCast(
                                       &global, PointerType::getUnqual(context))
                                 : &global,
        word));
    words.push_back(ConstantInt::get(
        word, module.getDataLayout().getTypeAllocSize(global.getValueType())));
    code.globals.emplace_back();
  }
  words.push_back(ConstantInt::get(word, 0));
  auto *type = ArrayType::get(word, words.size());
  new llvm::GlobalVariable(module, type, true,
                           llvm::GlobalValue::ExternalLinkage,
                           ConstantArray::get(type, words), kGlobalsName);
}

/// `void entry(void **parameters)`.
void DeviceLowering::addEntry() {
  Type *pointer = PointerType::getUnqual(context);
  Function *entry = Function::Create(
      FunctionType::get(Type::getVoidTy(context), {pointer}, false),
      Function::ExternalLinkage, kEntryName, module);
  IRBuilder<> b(BasicBlock::Create(context, "", entry));
  const DataLayout &layout = module.getDataLayout();
  SmallVector<Value *> operands;
  for (Argument &argument : kernel.args()) {
    Value *at = b.CreateLoad(
        pointer, b.CreateConstInBoundsGEP1_32(pointer, entry->getArg(0),
                                              argument.getArgNo()));
    Type *type = argument.getType();
    if (argument.hasByValAttr()) {
      type = argument.getParamByValType();
      argument.removeAttr(Attribute::ByVal);
      operands.push_back(at);
    } else {
      operands.push_back(b.CreateAlignedLoad(type, at, Align(1)));
    }
    code.parameters.push_back(
        {layout.getTypeAllocSize(type), layout.getABITypeAlign(type).value()});
  }
  b.CreateCall(&kernel, operands);
  b.CreateRetVoid();
}

void DeviceLowering::readLaunchBounds() {
  auto read = [&](StringRef attribute, std::array<uint32_t, 3> &values) {
    SmallVector<StringRef> parts;
    kernel.getFnAttribute(attribute).getValueAsString().split(parts, ',');
    for (size_t i = 0; i != std::min<size_t>(parts.size(), 3); ++i)
      parts[i].trim().getAsInteger(10, values[i]);
  };
  read("nvvm.maxntid", code.maxThreads);
  read("nvvm.reqntid", code.requiredThreads);
}

bool DeviceLowering::run(std::string &error) {
  readLaunchBounds();
  placeShared();
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    // What the device's optimiser knew no longer holds of calls to helpers.
    function.setCallingConv(CallingConv::C);
    function.removeFnAttr(Attribute::Memory);
    function.removeFnAttr(Attribute::NoSync);
    function.removeFnAttr(Attribute::WillReturn);
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    for (Instruction &inst : make_early_inc_range(instructions(function))) {
      if (auto *call = dyn_cast<CallBase>(&inst)) {
        if (!call->isInlineAsm())
          call->setCallingConv(CallingConv::C);
        if (!lowerCall(*call)) {
          error = message;
          return false;
        }
      } else if (auto *trunc = dyn_cast<FPTruncInst>(&inst)) {
        expandTruncation(*trunc);
      } else if (auto *ext = dyn_cast<FPExtInst>(&inst)) {
        expandExtension(*ext);
      }
    }
  }
  listGlobals();
  addEntry();
  return true;
}

bool amp::emulator::lowerDeviceOperations(Module &module, Function &kernel,
                                          const SiteNumbers &sites,
                                          KernelCode &code,
                                          std::string &error) {
  return DeviceLowering(module, kernel, sites, code).run(error);
}
