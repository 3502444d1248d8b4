//===- DeviceCode.cpp - LLVM bitcode and PTX of a gpu.module -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX is generated from the bitcode as it was written, read back into a context
// of its own: what executes that bitcode executes what the PTX says.
//
//===----------------------------------------------------------------------===//

#include "DeviceCode.h"

#include "mlir/IR/Operation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm-c/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Files and hashes
//===----------------------------------------------------------------------===//

std::string amp::getSHA256(StringRef text) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true);
}

std::string DeviceCode::getKey() const {
  std::string text;
  for (StringRef line : llvm::split(ptx, '\n'))
    for (char c : line.split("//").first)
      if (c != ' ' && c != '\t' && c != '\r' && c != '\0')
        text += c;
  return getSHA256(text).substr(0, 32);
}

llvm::Error amp::writeAtomically(StringRef path, StringRef bytes) {
  StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty())
    if (std::error_code error = llvm::sys::fs::create_directories(folder))
      return llvm::createFileError(folder, error);
  auto file = llvm::sys::fs::TempFile::create(path + ".%%%%%%%%.tmp");
  if (!file)
    return llvm::createFileError(path, file.takeError());
  llvm::raw_fd_ostream os(file->FD, /*shouldClose=*/false);
  os << bytes;
  os.flush();
  if (std::error_code error = os.error()) {
    os.clear_error();
    llvm::consumeError(file->discard());
    return llvm::createFileError(path, error);
  }
  return file->keep(path);
}

//===----------------------------------------------------------------------===//
// LLVM
//===----------------------------------------------------------------------===//

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(const Arch &arch) {
  static bool isInitialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)isInitialized;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return llvm::createStringError("LLVM cannot generate PTX: " + message);
  // As llc has it.
  llvm::TargetOptions options;
  options.MCOptions.AsmVerbose = true;
  // Without AllowFPOpFusion::Fast a * b + c stays two roundings unless the
  // operations carry 'contract'.
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, arch.name, arch.features, options, std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

/// The first declared function that is used and no intrinsic.
static const llvm::Function *
findUndefined(const llvm::Module &module,
              llvm::function_ref<bool(const llvm::Function &)> isLooked) {
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.use_empty() && isLooked(function))
      return &function;
  return nullptr;
}

static llvm::Error linkLibdevice(llvm::Module &module,
                                 const llvm::TargetMachine &machine,
                                 const Toolkit &toolkit) {
  auto isLibdevice = [](const llvm::Function &function) {
    return function.getName().starts_with("__nv_");
  };
  const llvm::Function *needed = findUndefined(module, isLibdevice);
  if (needed) {
    if (toolkit.libdevice.empty())
      return toolkit.missing("libdevice",
                             ("compute '" + needed->getName() + "'").str());
    llvm::SMDiagnostic diagnostic;
    std::unique_ptr<llvm::Module> library = llvm::getLazyIRFileModule(
        toolkit.libdevice, diagnostic, module.getContext());
    if (!library)
      return llvm::createStringError("cannot read '" + toolkit.libdevice +
                                     "': " + diagnostic.getMessage());
    library->setDataLayout(machine.createDataLayout());
    library->setTargetTriple(machine.getTargetTriple());
    bool hasFailed = llvm::Linker::linkModules(
        module, std::move(library), llvm::Linker::LinkOnlyNeeded,
        [](llvm::Module &linked, const llvm::StringSet<> &names) {
          llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
            return !value.hasName() || !names.contains(value.getName());
          });
        });
    if (hasFailed)
      return llvm::createStringError("cannot link '" + toolkit.libdevice +
                                     "' into the kernels");
  }
  // LLVM itself replaces __nvvm_reflect, by which libdevice asks for options.
  auto isMeant = [](const llvm::Function &function) {
    return function.getName() != "__nvvm_reflect";
  };
  if (const llvm::Function *function = findUndefined(module, isMeant))
    return llvm::createStringError("kernels call '" + function->getName() +
                                   "', which neither they nor libdevice "
                                   "define");
  return llvm::Error::success();
}

static void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = true;
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
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

static std::string writeBitcode(const llvm::Module &module) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  llvm::WriteBitcodeToFile(module, os);
  return bytes;
}

static llvm::Expected<std::string> generatePTX(StringRef bitcode,
                                               llvm::TargetMachine &machine) {
  llvm::LLVMContext context;
  auto module = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(bitcode, "kernels"), context);
  if (!module)
    return module.takeError();
  SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager emitter;
  if (machine.addPassesToEmitFile(emitter, os, nullptr,
                                  llvm::CodeGenFileType::AssemblyFile))
    return llvm::createStringError("LLVM's NVPTX target cannot write PTX");
  emitter.run(**module);
  return std::string(text);
}

/// LLVM's printer ends the process at a name that PTX does not take. It cleans
/// dots itself, in the names that only the module sees.
static llvm::Error checkNames(const llvm::Module &module) {
  for (const llvm::GlobalObject &object : module.global_objects()) {
    StringRef name = object.getName();
    if (object.isDeclaration())
      continue;
    auto isTaken = [&](char c) {
      return llvm::isAlnum(c) || c == '_' || c == '$' ||
             (c == '.' && object.hasLocalLinkage());
    };
    if (name.empty() || llvm::isDigit(name.front()) ||
        !llvm::all_of(name, isTaken))
      return llvm::createStringError(
          "expects names of letters, digits, '_' and '$' that begin with no "
          "digit, as PTX does, but got '" +
          name + "'; rename it");
  }
  return llvm::Error::success();
}

llvm::Expected<DeviceCode> amp::generateDeviceCode(Operation *module,
                                                   const Arch &arch,
                                                   const Toolkit &toolkit) {
  auto machine = createMachine(arch);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context, "kernels");
  if (!translated)
    return llvm::createStringError(
        "the kernels cannot be translated to LLVM IR: are they lowered?");
  if (llvm::Error error = checkNames(*translated))
    return std::move(error);
  translated->setDataLayout((*machine)->createDataLayout());
  translated->setTargetTriple((*machine)->getTargetTriple());
  if (llvm::Error error = linkLibdevice(*translated, **machine, toolkit))
    return std::move(error);
  optimise(*translated, **machine);

  DeviceCode code{arch, writeBitcode(*translated), ""};
  llvm::Expected<std::string> ptx = generatePTX(code.bitcode, **machine);
  if (!ptx)
    return ptx.takeError();
  code.ptx = std::move(*ptx);
  return code;
}
