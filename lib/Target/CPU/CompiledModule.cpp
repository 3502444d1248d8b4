//===- CompiledModule.cpp - Machine code of a module, in memory -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Target/CPU/CompiledModule.h"

#include "amp/Target/CPU/HostCode.h"

#include "amp-rt/amp_rt.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::amp;
using llvm::Expected;
using llvm::orc::LLJIT;

struct CompiledModule::Engine {
  std::unique_ptr<LLJIT> jit;
};

CompiledModule::CompiledModule() = default;
CompiledModule::~CompiledModule() = default;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

//===----------------------------------------------------------------------===//
// Dumps
//===----------------------------------------------------------------------===//

static llvm::Error dump(llvm::Module &module, llvm::TargetMachine &machine,
                        const JITOptions &options) {
  std::error_code error;
  if (!options.dumpIR.empty()) {
    llvm::raw_fd_ostream os(options.dumpIR, error, llvm::sys::fs::OF_Text);
    if (error)
      return llvm::createFileError(options.dumpIR, error);
    module.print(os, nullptr);
  }
  if (!options.dumpAssembly.empty()) {
    llvm::raw_fd_ostream os(options.dumpAssembly, error,
                            llvm::sys::fs::OF_Text);
    if (error)
      return llvm::createFileError(options.dumpAssembly, error);
    llvm::legacy::PassManager emitter;
    if (machine.addPassesToEmitFile(emitter, os, nullptr,
                                    llvm::CodeGenFileType::AssemblyFile))
      return makeError("the target cannot write assembly");
    emitter.run(module);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// What compiled code calls: the runtime that this program is linked with, by
/// address, and the C library through the process.
static llvm::Error defineSymbols(LLJIT &jit) {
  llvm::orc::SymbolMap symbols;
  auto define = [&](llvm::StringRef name, auto *function) {
    symbols[jit.mangleAndIntern(name)] = llvm::orc::ExecutorSymbolDef(
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable);
  };
  define("amp_rt_commit", &amp_rt_commit);
  define("amp_rt_gemm", &amp_rt_gemm);
  define("amp_rt_gemm_prepare", &amp_rt_gemm_prepare);
  define("amp_rt_image_load", &amp_rt_image_load);
  define("amp_rt_last_status", &amp_rt_last_status);
  define("amp_rt_launch", &amp_rt_launch);
  define("amp_rt_parallel_for", &amp_rt_parallel_for);
  define("amp_rt_step", &amp_rt_step);
  define("amp_rt_step_begin", &amp_rt_step_begin);
  define("amp_rt_step_end", &amp_rt_step_end);
  llvm::orc::JITDylib &library = jit.getMainJITDylib();
  if (llvm::Error error =
          library.define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return error;
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      jit.getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// CompiledModule
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<CompiledModule>>
CompiledModule::create(ModuleOp module, const JITOptions &options) {
  auto host = createHostMachineBuilder(options.optLevel);
  if (!host)
    return host.takeError();
  auto machine = host->createTargetMachine();
  if (!machine)
    return machine.takeError();
  auto context = std::make_unique<llvm::LLVMContext>();
  auto code = generateHostCode(module, *context, **machine, options.optLevel);
  if (!code)
    return code.takeError();
  std::unique_ptr<llvm::Module> translated = std::move(*code);
  if (llvm::Error error = dump(*translated, **machine, options))
    return error;

  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*host))
                 .create();
  if (!jit)
    return jit.takeError();
  if (llvm::Error error = defineSymbols(**jit))
    return error;
  if (llvm::Error error = (*jit)->addIRModule(llvm::orc::ThreadSafeModule(
          std::move(translated), std::move(context))))
    return error;

  std::unique_ptr<CompiledModule> compiled(new CompiledModule());
  compiled->engine = std::make_unique<Engine>();
  compiled->engine->jit = std::move(*jit);
  compiled->entryPoints = amp::getEntryPoints(module);
  // Code is generated on the first lookup; here, not in the first step.
  for (const EntryPoint &entry : compiled->entryPoints) {
    auto address = compiled->lookup(entry.name);
    if (!address)
      return address.takeError();
  }
  return compiled;
}

const EntryPoint *CompiledModule::getEntryPoint(llvm::StringRef name) const {
  for (const EntryPoint &entry : entryPoints)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

Expected<void *> CompiledModule::lookup(llvm::StringRef name) const {
  auto symbol = engine->jit->lookup(name);
  if (!symbol)
    return symbol.takeError();
  return symbol->toPtr<void *>();
}

static llvm::Error makeStatusError(llvm::StringRef name, amp_rt_context *ctx,
                                   int32_t status) {
  return makeError("'" + name + "' failed with status " + llvm::Twine(status) +
                   ": " + amp_rt_last_error(ctx));
}

llvm::Error CompiledModule::prepare(llvm::StringRef name,
                                    amp_rt_context *ctx) const {
  auto address = lookup((name + ".prepare").str());
  if (!address)
    return address.takeError();
  int32_t status =
      reinterpret_cast<int32_t (*)(amp_rt_context *)>(*address)(ctx);
  return status == 0 ? llvm::Error::success()
                     : makeStatusError(name, ctx, status);
}

llvm::Error CompiledModule::run(llvm::StringRef name, amp_rt_context *ctx,
                                llvm::ArrayRef<void *> args) const {
  const EntryPoint *entry = getEntryPoint(name);
  if (!entry)
    return makeError("the module has no function '" + name + "' to run");
  if (args.size() != entry->arguments.size())
    return makeError("'" + name + "' expects " +
                     llvm::Twine(entry->arguments.size()) +
                     " pointers, but got " + llvm::Twine(args.size()));
  auto address = lookup(name);
  if (!address)
    return address.takeError();
  auto function = reinterpret_cast<amp_rt_function>(*address);
  int32_t status = function(ctx, const_cast<void **>(args.data()));
  return status == 0 ? llvm::Error::success()
                     : makeStatusError(name, ctx, status);
}
