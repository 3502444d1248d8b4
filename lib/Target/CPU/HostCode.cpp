//===- HostCode.cpp - LLVM IR and target machines for the host --*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Target/CPU/HostCode.h"

#include "amp/Target/CUDA/EmbedKernelImages.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::amp;
using llvm::Expected;
using llvm::orc::JITTargetMachineBuilder;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

/// The machine of a processor that is named, checked: an unknown name would
/// only be a warning on stderr.
static Expected<JITTargetMachineBuilder> createNamedMachine(StringRef cpu) {
  llvm::Triple triple(llvm::sys::getProcessTriple());
  JITTargetMachineBuilder builder(triple);
  builder.setCPU(cpu.str());
  auto generic = JITTargetMachineBuilder(triple).createTargetMachine();
  if (!generic)
    return generic.takeError();
  if (!(*generic)->getMCSubtargetInfo()->isCPUStringValid(cpu))
    return makeError("unknown processor '" + cpu +
                     "'; expects 'host' or a name such as 'x86-64-v3'");
  return builder;
}

Expected<JITTargetMachineBuilder>
amp::createHostMachineBuilder(unsigned optLevel, StringRef cpu) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  Expected<JITTargetMachineBuilder> host =
      cpu == "host" ? JITTargetMachineBuilder::detectHost()
                    : createNamedMachine(cpu);
  if (!host)
    return host.takeError();
  host->getFeatures().AddFeature("avx512bf16", false);
  host->getFeatures().AddFeature("avx512fp16", false);
  host->getFeatures().AddFeature("avxneconvert", false);
  host->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  host->setCodeGenOptLevel(optLevel >= 2   ? llvm::CodeGenOptLevel::Default
                           : optLevel == 1 ? llvm::CodeGenOptLevel::Less
                                           : llvm::CodeGenOptLevel::None);
  return host;
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

//===----------------------------------------------------------------------===//
// Code generation
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<llvm::Module>> amp::generateHostCode(
    ModuleOp module, llvm::LLVMContext &context, llvm::TargetMachine &machine,
    unsigned optLevel,
    llvm::function_ref<llvm::Error(llvm::Module &)> beforeOptimisation) {
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  context.setDiagnosticHandler(std::make_unique<QuietHandler>());
  // The image becomes data of a copy: the caller's module keeps its binary.
  OwningOpRef<ModuleOp> copy;
  if (!module.getOps<gpu::BinaryOp>().empty()) {
    copy = module.clone();
    module = *copy;
  }
  if (failed(embedKernelImages(module)))
    return makeError("the module's image of kernels cannot be embedded");
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context, "amp");
  if (!translated)
    return makeError(
        "the module cannot be translated to LLVM IR: is it lowered "
        "to the LLVM dialect?");
  translated->setDataLayout(machine.createDataLayout());
  translated->setTargetTriple(machine.getTargetTriple());
  if (beforeOptimisation)
    if (llvm::Error error = beforeOptimisation(*translated))
      return std::move(error);
  optimise(*translated, machine, optLevel);
  return translated;
}
