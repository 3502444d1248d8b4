//===- ObjectFile.cpp - Object file of a module -----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same LLVM IR as the JIT's, with the entry points under names of C and
// everything else local, as position-independent code.
//
//===----------------------------------------------------------------------===//

#include "amp/AOT/Program.h"
#include "amp/Support/HostTensor.h"
#include "amp/Target/CPU/HostCode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::aot;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

bool aot::isIdentifier(llvm::StringRef text) {
  return !text.empty() && !llvm::isDigit(text.front()) &&
         llvm::all_of(text,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

std::string aot::makeIdentifier(llvm::StringRef text) {
  std::string identifier = text.str();
  for (char &c : identifier)
    if (!llvm::isAlnum(c))
      c = '_';
  return identifier;
}

llvm::Expected<SmallVector<ProgramFunction>>
aot::nameFunctions(ModuleOp module, llvm::StringRef name) {
  SmallVector<EntryPoint> entries = getEntryPoints(module);
  auto isUnique = [&](StepKind kind) {
    return llvm::count_if(entries, [&](const EntryPoint &entry) {
             return entry.kind == kind;
           }) == 1;
  };
  SmallVector<ProgramFunction> functions;
  llvm::StringMap<std::string> owners;
  for (EntryPoint &entry : entries) {
    std::string base = entry.kind && isUnique(*entry.kind)
                           ? stringifyStepKind(*entry.kind).str()
                           : makeIdentifier(entry.name);
    std::string symbol = name.str() + "_" + base;
    for (const std::string &defined : {symbol, symbol + "_prepare"}) {
      auto [owner, isNew] = owners.try_emplace(defined, entry.name);
      if (!isNew)
        return makeError("functions '" + owner->second + "' and '" +
                         entry.name + "' would both define '" + defined +
                         "': rename one");
    }
    functions.push_back({std::move(entry), symbol});
  }
  if (functions.empty())
    return makeError("the module has no function to compile");
  return functions;
}

/// Gives the entry points their names and makes everything else local.
static llvm::Error rename(llvm::Module &module,
                          llvm::ArrayRef<ProgramFunction> functions) {
  // First local: a kernel may have a name that an entry point is to get, and
  // gives it up.
  SmallVector<std::pair<llvm::Function *, std::string>> exported;
  for (const ProgramFunction &function : functions)
    for (bool isPrepare : {false, true}) {
      std::string from = function.entry.name + (isPrepare ? ".prepare" : "");
      llvm::Function *code = module.getFunction(from);
      if (!code || code->isDeclaration())
        return makeError("compiled code has no function '" + from + "'");
      exported.push_back(
          {code, function.symbol + (isPrepare ? "_prepare" : "")});
    }
  for (llvm::GlobalValue &value : module.global_values())
    if (!value.isDeclaration())
      value.setLinkage(llvm::GlobalValue::InternalLinkage);
  for (auto &[code, symbol] : exported) {
    if (llvm::GlobalValue *other = module.getNamedValue(symbol))
      if (other != code)
        other->setName(symbol + ".local");
    code->setName(symbol);
    code->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

llvm::Expected<std::string>
aot::generateObject(ModuleOp module, llvm::ArrayRef<ProgramFunction> functions,
                    const ProgramOptions &options) {
  auto builder = createHostMachineBuilder(options.optLevel, options.cpu);
  if (!builder)
    return builder.takeError();
  builder->setRelocationModel(llvm::Reloc::PIC_);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  auto code = generateHostCode(module, context, **machine, options.optLevel,
                               [&](llvm::Module &translated) {
                                 translated.setPICLevel(llvm::PICLevel::BigPIC);
                                 return rename(translated, functions);
                               });
  if (!code)
    return code.takeError();
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager emitter;
  if ((*machine)->addPassesToEmitFile(emitter, os, nullptr,
                                      llvm::CodeGenFileType::ObjectFile))
    return makeError("the target cannot write object files");
  emitter.run(**code);
  return bytes.str().str();
}
