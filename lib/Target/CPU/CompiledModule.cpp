//===- CompiledModule.cpp - Machine code of a module, in memory -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Target/CPU/CompiledModule.h"

#include "amp-rt/amp_rt.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
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
// Target
//===----------------------------------------------------------------------===//

static Expected<llvm::orc::JITTargetMachineBuilder>
detectHost(unsigned optLevel) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  Expected<llvm::orc::JITTargetMachineBuilder> host =
      llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return host.takeError();
  host->getFeatures().AddFeature("avx512bf16", false);
  host->getFeatures().AddFeature("avx512fp16", false);
  host->getFeatures().AddFeature("avxneconvert", false);
  // a * b + c is two roundings unless the IR says otherwise.
  host->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  host->setCodeGenOptLevel(optLevel >= 2   ? llvm::CodeGenOptLevel::Default
                           : optLevel == 1 ? llvm::CodeGenOptLevel::Less
                                           : llvm::CodeGenOptLevel::None);
  return host;
}

Expected<std::unique_ptr<llvm::TargetMachine>>
amp::createHostTargetMachine(unsigned optLevel) {
  auto host = detectHost(optLevel);
  if (!host)
    return host.takeError();
  return host->createTargetMachine();
}

//===----------------------------------------------------------------------===//
// Optimisation
//===----------------------------------------------------------------------===//

/// LLVM warns of loops that it was asked to vectorise and couldn't: that is a
/// matter of speed, not for the user's terminal.
namespace {
struct QuietHandler : llvm::DiagnosticHandler {
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    return info.getSeverity() != llvm::DS_Error;
  }
};
} // namespace

static void optimise(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned optLevel) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = optLevel >= 2;
  tuning.SLPVectorization = optLevel >= 2;
  // The inner loops are interleaved as their annotations say; unrolling the
  // rest doubles compile time for nothing.
  tuning.LoopUnrolling = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::OptimizationLevel level = optLevel >= 2   ? llvm::OptimizationLevel::O2
                                  : optLevel == 1 ? llvm::OptimizationLevel::O1
                                                  : llvm::OptimizationLevel::O0;
  llvm::ModulePassManager passes =
      level == llvm::OptimizationLevel::O0
          ? builder.buildO0DefaultPipeline(level)
          : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

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
  define("amp_rt_last_status", &amp_rt_last_status);
  define("amp_rt_parallel_for", &amp_rt_parallel_for);
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
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  auto host = detectHost(options.optLevel);
  if (!host)
    return host.takeError();
  auto machine = host->createTargetMachine();
  if (!machine)
    return machine.takeError();

  auto context = std::make_unique<llvm::LLVMContext>();
  context->setDiagnosticHandler(std::make_unique<QuietHandler>());
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, *context, "amp");
  if (!translated)
    return makeError(
        "the module cannot be translated to LLVM IR: is it lowered "
        "to the LLVM dialect?");
  translated->setDataLayout((*machine)->createDataLayout());
  translated->setTargetTriple((*machine)->getTargetTriple());
  optimise(*translated, **machine, options.optLevel);
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
