//===- HostConverter.cpp - A step function to its C entry -------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostConverter.h"

#include "amp/Conversion/Utils/GemmDescription.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

LLVM::LLVMFuncOp HostConverter::getRuntimeFunction(StringRef name, Type result,
                                                   ArrayRef<Type> arguments) {
  if (auto known = symbols.lookup<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto function =
      LLVM::LLVMFuncOp::create(builder, module.getLoc(), name,
                               LLVM::LLVMFunctionType::get(result, arguments));
  symbols.insert(function);
  return function;
}

Value HostConverter::createI64(Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                  builder.getI64IntegerAttr(value));
}

Value HostConverter::createFieldPointer(Location loc, Type type, Value base,
                                        int32_t field) {
  return LLVM::GEPOp::create(builder, loc, ptr, type, base,
                             ArrayRef<LLVM::GEPArg>{0, field});
}

Value HostConverter::createAlloca(Location loc, Type type, int64_t count,
                                  int64_t alignment) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&entry.getBody().front());
  Value size = createI64(loc, count);
  return LLVM::AllocaOp::create(builder, loc, ptr, type, size, alignment);
}

ArrayAttr HostConverter::describeArguments(func::FuncOp function) {
  SmallVector<Attribute> descriptions;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto memref = cast<MemRefType>(function.getArgument(i).getType());
    NamedAttrList list;
    auto type =
        RankedTensorType::get(memref.getShape(), memref.getElementType());
    list.set("type", TypeAttr::get(type));
    StringRef kind = "input";
    if (auto result =
            function.getArgAttrOfType<IntegerAttr>(i, "amprt.state")) {
      kind = "state";
      list.set("result", result);
    } else if (auto result =
                   function.getArgAttrOfType<IntegerAttr>(i, "amprt.result")) {
      kind = "result";
      list.set("result", result);
    } else if (function.getArgAttr(i, "amprt.arena")) {
      kind = "arena";
    }
    list.set("kind", builder.getStringAttr(kind));
    for (StringRef key : {"name", "role"})
      if (Attribute value = function.getArgAttr(i, ("amp." + key).str()))
        list.set(key, value);
    descriptions.push_back(list.getDictionary(builder.getContext()));
  }
  return builder.getArrayAttr(descriptions);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static void describeEntry(LLVM::LLVMFuncOp entry, func::FuncOp function,
                          ArrayAttr arguments) {
  entry->setAttr("amprt.arguments", arguments);
  for (NamedAttribute attribute : function->getDiscardableAttrs())
    if (attribute.getNameDialect() &&
        isa<amp::AMPDialect, amprt::AMPRTDialect>(attribute.getNameDialect()))
      entry->setAttr(attribute.getName(), attribute.getValue());
}

LogicalResult HostConverter::convert(func::FuncOp function) {
  Location loc = function.getLoc();
  StringAttr name = function.getSymNameAttr();
  ArrayAttr arguments = describeArguments(function);
  Block &body = function.getBody().front();
  isRecorded = !body.getOps<amprt::LaunchOp>().empty();
  symbols.remove(function);
  builder.setInsertionPoint(function);
  entry = LLVM::LLVMFuncOp::create(
      builder, loc, isRecorded ? name.str() + ".record" : name.str(),
      LLVM::LLVMFunctionType::get(builder.getI32Type(), {ptr, ptr}));
  symbols.insert(entry);

  pointers.clear();
  usedDescriptors.clear();
  usedImages.clear();
  Block *block = entry.addEntryBlock(builder);
  context = block->getArgument(0);
  builder.setInsertionPointToEnd(block);
  captures = gemmArgs = launchPointers = Value();

  if (!isRecorded) {
    auto begin = getRuntimeFunction(
        "amp_rt_step_begin", LLVM::LLVMVoidType::get(builder.getContext()),
        {ptr, ptr});
    std::string text = name.str() + '\0';
    Value label = LLVM::createGlobalString(loc, builder, name.str() + ".name",
                                           text, LLVM::Linkage::Internal);
    LLVM::CallOp::create(builder, loc, begin, ValueRange{context, label});
  }
  for (BlockArgument argument : function.getArguments()) {
    Value slot = LLVM::GEPOp::create(
        builder, loc, ptr, ptr, block->getArgument(1),
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(argument.getArgNumber())});
    pointers.map(argument, LLVM::LoadOp::create(builder, loc, ptr, slot));
  }
  for (Operation &op : body)
    if (failed(convertOp(op)))
      return failure();
  if (isRecorded)
    createStepEntry(loc, name, function.getNumArguments());
  describeEntry(entry, function, arguments);
  function.erase();
  createPrepare(loc, name);
  return success();
}

void HostConverter::createStepEntry(Location loc, StringRef name,
                                    int64_t numArgs) {
  LLVM::LLVMFuncOp record = entry;
  record.setLinkage(LLVM::Linkage::Internal);
  builder.setInsertionPoint(record);
  Type i32 = builder.getI32Type();
  entry =
      LLVM::LLVMFuncOp::create(builder, loc, name, record.getFunctionType());
  symbols.insert(entry);
  Block *block = entry.addEntryBlock(builder);
  builder.setInsertionPointToEnd(block);
  auto callee = getRuntimeFunction("amp_rt_step", i32, {ptr, ptr, ptr});
  LLVM::GlobalOp step = launchDescriptors.createStep(record, name, numArgs);
  Value desc = LLVM::AddressOfOp::create(builder, loc, step);
  Value status = LLVM::CallOp::create(builder, loc, callee,
                                      ValueRange{block->getArgument(0), desc,
                                                 block->getArgument(1)})
                     .getResult();
  LLVM::ReturnOp::create(builder, loc, status);
}

void HostConverter::createPrepare(Location loc, StringRef name) {
  builder.setInsertionPointAfter(entry);
  Type i32 = builder.getI32Type();
  auto prepare =
      LLVM::LLVMFuncOp::create(builder, loc, (name + ".prepare").str(),
                               LLVM::LLVMFunctionType::get(i32, {ptr}));
  symbols.insert(prepare);
  Block *block = prepare.addEntryBlock(builder);
  builder.setInsertionPointToEnd(block);
  Value ctx = block->getArgument(0);
  auto prepareAll = [&](StringRef function, ArrayRef<Operation *> globals) {
    for (Operation *global : globals) {
      auto callee = getRuntimeFunction(function, i32, {ptr, ptr});
      Value desc =
          LLVM::AddressOfOp::create(builder, loc, cast<LLVM::GlobalOp>(global));
      LLVM::CallOp::create(builder, loc, callee, ValueRange{ctx, desc});
    }
  };
  prepareAll("amp_rt_image_load", usedImages.getArrayRef());
  prepareAll("amp_rt_gemm_prepare", usedDescriptors.getArrayRef());
  // The error is sticky: the last status tells of any.
  auto status = getRuntimeFunction("amp_rt_last_status", i32, {ptr});
  Value result =
      LLVM::CallOp::create(builder, loc, status, ValueRange{ctx}).getResult();
  LLVM::ReturnOp::create(builder, loc, result);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult HostConverter::convertOp(Operation &op) {
  Location loc = op.getLoc();
  if (auto view = dyn_cast<amprt::ViewOp>(op)) {
    Value base = pointers.lookup(view.getSource());
    if (view.getOffset() != 0)
      base = LLVM::GEPOp::create(builder, loc, ptr, builder.getI8Type(), base,
                                 ValueRange{createI64(loc, view.getOffset())});
    pointers.map(view.getResult(), base);
    return success();
  }
  if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
    pointers.map(global.getResult(), Value(LLVM::AddressOfOp::create(
                                         builder, loc, ptr, global.getName())));
    return success();
  }
  if (auto alloca = dyn_cast<memref::AllocaOp>(op)) {
    int64_t bytes = amprt::getByteSize(alloca.getType());
    pointers.map(alloca.getResult(),
                 createAlloca(loc, builder.getI8Type(), bytes, 64));
    return success();
  }
  if (auto call = dyn_cast<func::CallOp>(op)) {
    SmallVector<Value> operands;
    for (Value operand : call.getOperands())
      operands.push_back(pointers.lookup(operand));
    LLVM::CallOp::create(builder, loc, TypeRange{}, call.getCallee(), operands);
    return success();
  }
  if (auto gemm = dyn_cast<amprt::GemmOp>(op))
    return convertGemm(gemm);
  if (auto call = dyn_cast<amprt::ParallelCallOp>(op))
    return convertParallelCall(call);
  if (auto launch = dyn_cast<amprt::LaunchOp>(op)) {
    convertLaunch(launch);
    return success();
  }
  if (auto commit = dyn_cast<amprt::CommitOp>(op)) {
    convertCommit(commit);
    return success();
  }
  if (auto terminator = dyn_cast<func::ReturnOp>(op)) {
    convertReturn(terminator);
    return success();
  }
  return op.emitError("expects runtime calls and views in a step function, but "
                      "got '")
         << op.getName() << "'";
}

LogicalResult HostConverter::convertGemm(amprt::GemmOp op) {
  Location loc = op.getLoc();
  FailureOr<LLVM::GlobalOp> desc = descriptors.get(op);
  if (failed(desc))
    return failure();
  usedDescriptors.insert(*desc);
  LLVM::LLVMStructType type =
      GemmDescriptors::getArgsType(builder.getContext());
  if (!gemmArgs) {
    gemmArgs = createAlloca(loc, type, 1);
    // Fields that no GEMM of a step sets stay null.
    Value size = createI64(loc, sizeof(amp_rt_gemm_args));
    LLVM::StoreOp::create(builder, loc, size,
                          createFieldPointer(loc, type, gemmArgs, 0));
    Value null = LLVM::ZeroOp::create(builder, loc, ptr);
    for (int32_t field = 1; field < GemmDescriptors::numFields; ++field)
      LLVM::StoreOp::create(builder, loc, null,
                            createFieldPointer(loc, type, gemmArgs, field));
  }
  auto store = [&](int32_t field, Value memref) {
    Value pointer = memref ? pointers.lookup(memref)
                           : Value(LLVM::ZeroOp::create(builder, loc, ptr));
    LLVM::StoreOp::create(builder, loc, pointer,
                          createFieldPointer(loc, type, gemmArgs, field));
  };
  store(GemmDescriptors::lhs, op.getLhs());
  store(GemmDescriptors::rhs, op.getRhs());
  store(GemmDescriptors::bias, op.getBias());
  store(GemmDescriptors::out, op.getOut());
  store(GemmDescriptors::aux, getGemmAux(op));
  store(GemmDescriptors::biasGrad, getGemmBiasGrad(op));
  auto callee =
      getRuntimeFunction("amp_rt_gemm", builder.getI32Type(), {ptr, ptr, ptr});
  Value address = LLVM::AddressOfOp::create(builder, loc, *desc);
  // The status is sticky: amprt.commit and the return look at it.
  LLVM::CallOp::create(builder, loc, callee,
                       ValueRange{context, address, gemmArgs});
  return success();
}

LLVM::LLVMFuncOp HostConverter::getThunk(StringRef callee,
                                         unsigned numPointers) {
  std::string name = (callee + ".piece").str();
  if (auto known = symbols.lookup<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module.getBody());
  Location loc = symbols.lookup(callee)->getLoc();
  Type i64 = builder.getI64Type();
  auto thunk = LLVM::LLVMFuncOp::create(
      builder, loc, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  {ptr, i64, i64}),
      LLVM::Linkage::Internal);
  symbols.insert(thunk);
  Block *block = thunk.addEntryBlock(builder);
  builder.setInsertionPointToEnd(block);
  SmallVector<Value> operands;
  for (unsigned i = 0; i < numPointers; ++i) {
    Value slot =
        LLVM::GEPOp::create(builder, loc, ptr, ptr, block->getArgument(0),
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    operands.push_back(LLVM::LoadOp::create(builder, loc, ptr, slot));
  }
  operands.push_back(block->getArgument(1));
  operands.push_back(block->getArgument(2));
  LLVM::CallOp::create(builder, loc, TypeRange{}, callee, operands);
  LLVM::ReturnOp::create(builder, loc, ValueRange{});
  return thunk;
}

LogicalResult HostConverter::convertParallelCall(amprt::ParallelCallOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(pointers.lookup(operand));
  int64_t count = op.getCount(), grain = op.getGrain();
  if (count <= grain) {
    operands.push_back(createI64(loc, 0));
    operands.push_back(createI64(loc, count));
    LLVM::CallOp::create(builder, loc, TypeRange{}, op.getCallee(), operands);
    return success();
  }
  // One array of pointers serves all calls; its size is set when it is made.
  if (!captures) {
    unsigned most = 0;
    for (auto call : op->getBlock()->getOps<amprt::ParallelCallOp>())
      most = std::max<unsigned>(most, call.getOperands().size());
    captures = createAlloca(loc, ptr, most);
  }
  for (auto [index, pointer] : llvm::enumerate(operands)) {
    Value slot = LLVM::GEPOp::create(
        builder, loc, ptr, ptr, captures,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    LLVM::StoreOp::create(builder, loc, pointer, slot);
  }
  LLVM::LLVMFuncOp thunk = getThunk(op.getCallee(), operands.size());
  Type i64 = builder.getI64Type();
  auto callee = getRuntimeFunction(
      "amp_rt_parallel_for", LLVM::LLVMVoidType::get(builder.getContext()),
      {ptr, ptr, ptr, i64, i64});
  Value address = LLVM::AddressOfOp::create(builder, loc, thunk);
  Value countValue = createI64(loc, count);
  Value grainValue = createI64(loc, grain);
  LLVM::CallOp::create(
      builder, loc, callee,
      ValueRange{context, address, captures, countValue, grainValue});
  return success();
}

void HostConverter::convertLaunch(amprt::LaunchOp op) {
  Location loc = op.getLoc();
  usedImages.insert(launchDescriptors.getImage(op));
  LLVM::GlobalOp desc = launchDescriptors.get(op);
  // One array of pointers serves all launches: the runtime copies them.
  if (!launchPointers) {
    unsigned most = 1;
    for (auto launch : op->getBlock()->getOps<amprt::LaunchOp>())
      most = std::max<unsigned>(most, launch.getOperands().size());
    launchPointers = createAlloca(loc, ptr, most);
  }
  for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
    Value slot = LLVM::GEPOp::create(
        builder, loc, ptr, ptr, launchPointers,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    LLVM::StoreOp::create(builder, loc, pointers.lookup(operand), slot);
  }
  auto callee = getRuntimeFunction("amp_rt_launch", builder.getI32Type(),
                                   {ptr, ptr, ptr});
  Value address = LLVM::AddressOfOp::create(builder, loc, desc);
  // The status is sticky, as a GEMM's.
  LLVM::CallOp::create(builder, loc, callee,
                       ValueRange{context, address, launchPointers});
}

void HostConverter::createStepEnd(Location loc) {
  if (isRecorded)
    return;
  auto end = getRuntimeFunction(
      "amp_rt_step_end", LLVM::LLVMVoidType::get(builder.getContext()), {ptr});
  LLVM::CallOp::create(builder, loc, end, ValueRange{context});
}

void HostConverter::convertCommit(amprt::CommitOp op) {
  Location loc = op.getLoc();
  Type i32 = builder.getI32Type();
  auto callee = getRuntimeFunction("amp_rt_commit", i32, {ptr});
  Value status = LLVM::CallOp::create(builder, loc, callee, ValueRange{context})
                     .getResult();
  Value zero =
      LLVM::ConstantOp::create(builder, loc, i32, builder.getI32IntegerAttr(0));
  Value isError =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, status, zero);
  auto *before = builder.getInsertionBlock();
  Block *failed = builder.createBlock(&entry.getBody());
  createStepEnd(loc);
  LLVM::ReturnOp::create(builder, loc, status);
  Block *after = builder.createBlock(&entry.getBody());
  builder.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(builder, loc, isError, failed, after);
  builder.setInsertionPointToEnd(after);
}

void HostConverter::convertReturn(func::ReturnOp op) {
  Location loc = op.getLoc();
  createStepEnd(loc);
  auto status =
      getRuntimeFunction("amp_rt_last_status", builder.getI32Type(), {ptr});
  Value result = LLVM::CallOp::create(builder, loc, status, ValueRange{context})
                     .getResult();
  LLVM::ReturnOp::create(builder, loc, result);
}
