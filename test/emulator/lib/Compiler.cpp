//===- Compiler.cpp - Compiles device bitcode for the host ----------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One copy of the module per kernel, with the functions that it reaches; an
// object file, kept in the folder of the bitcode under the hash of the code it
// was made from; JITLink.
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "DeviceFunctions.h"
#include "Executor.h"
#include "Fault.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace amp::emulator;

namespace {

/// What all images share: the compiler and linker of the host.
struct Host {
  std::unique_ptr<TargetMachine> machine;
  std::unique_ptr<orc::LLJIT> jit;
  unsigned dylibs = 0;

  static Host *get();

private:
  Error initialize();
};

} // namespace

Error Host::initialize() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto builder = orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  // Narrow arithmetic is widened everywhere, so that results do not depend on
  // the host.
  builder->addFeatures({"-avx512bf16", "-avx512fp16", "-amx-bf16"});
  builder->setRelocationModel(Reloc::PIC_);
  builder->setCodeGenOptLevel(CodeGenOptLevel::Less);
  auto made = builder->createTargetMachine();
  if (!made)
    return made.takeError();
  machine = std::move(*made);
  auto linker = orc::LLJITBuilder()
                    .setJITTargetMachineBuilder(*builder)
                    .setPlatformSetUp(orc::setUpInactivePlatform)
                    .create();
  if (!linker)
    return linker.takeError();
  jit = std::move(*linker);
  return Error::success();
}

Host *Host::get() {
  // Never destroyed: work may go on while the process ends.
  static Host &host = *new Host;
  static bool ready = [] {
    if (Error error = host.initialize()) {
      complain("cannot compile for this host: " + toString(std::move(error)));
      return false;
    }
    return true;
  }();
  return ready ? &host : nullptr;
}

struct CompiledImage::State {
  ImageCode code;
  LLVMContext context;
  std::unique_ptr<Module> module;
  std::map<std::string, std::unique_ptr<KernelCode>> kernels;

  std::unique_ptr<Module> extract(Function &kernel);
  std::unique_ptr<MemoryBuffer> makeObject(Module &copy, StringRef kernel);
  bool link(Module &copy, std::unique_ptr<MemoryBuffer> object,
            KernelCode &kernel);
  std::unique_ptr<KernelCode> compile(Function &kernel);
};

CompiledImage::CompiledImage() : state(std::make_unique<State>()) {}
CompiledImage::~CompiledImage() = default;

CUresult CompiledImage::load(ImageCode code) {
  state->code = std::move(code);
  auto parsed = parseBitcodeFile(
      MemoryBufferRef(state->code.bitcode, state->code.key), state->context);
  if (!parsed) {
    complain("cannot read bitcode " + state->code.key + ": " +
             toString(parsed.takeError()));
    return CUDA_ERROR_INVALID_IMAGE;
  }
  state->module = std::move(*parsed);
  return CUDA_SUCCESS;
}

static bool isKernel(const Function &function) {
  return !function.isDeclaration() &&
         function.getCallingConv() == CallingConv::PTX_Kernel;
}

bool CompiledImage::contains(const std::string &kernel) const {
  Function *function = state->module->getFunction(kernel);
  return function && isKernel(*function);
}

std::vector<std::string> CompiledImage::kernelNames() const {
  std::vector<std::string> names;
  for (const Function &function : *state->module)
    if (isKernel(function))
      names.push_back(function.getName().str());
  return names;
}

/// A copy of the kernel, of the functions it reaches and of all variables that
/// these use, for the host.
std::unique_ptr<Module> CompiledImage::State::extract(Function &kernel) {
  SmallPtrSet<const GlobalValue *, 16> reached = {&kernel};
  SmallVector<Function *> work = {&kernel};
  while (!work.empty())
    for (Instruction &inst : instructions(*work.pop_back_val()))
      if (auto *call = dyn_cast<CallBase>(&inst))
        if (Function *callee = call->getCalledFunction())
          if (!callee->isDeclaration() && reached.insert(callee).second)
            work.push_back(callee);
  ValueToValueMapTy map;
  std::unique_ptr<Module> copy =
      CloneModule(*module, map, [&](const GlobalValue *value) {
        return !isa<Function>(value) || reached.contains(value);
      });
  for (Function &function : make_early_inc_range(*copy))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
  for (llvm::GlobalVariable &global : make_early_inc_range(copy->globals()))
    if (global.use_empty())
      global.eraseFromParent();
  StripDebugInfo(*copy);
  // Module flags and annotations speak of the device.
  for (NamedMDNode &node : make_early_inc_range(copy->named_metadata()))
    copy->eraseNamedMetadata(&node);
  return copy;
}

/// Generates code, unless an equal module has been compiled before.
std::unique_ptr<MemoryBuffer>
CompiledImage::State::makeObject(Module &copy, StringRef kernel) {
  Host *host = Host::get();
  SmallVector<char, 0> bitcode;
  raw_svector_ostream stream(bitcode);
  WriteBitcodeToFile(copy, stream);
  SHA256 hash;
  hash.update(StringRef(bitcode.data(), bitcode.size()));
  hash.update(host->machine->getTargetCPU());
  hash.update(host->machine->getTargetFeatureString());
  std::string path = code.folder + "/" + code.key + "." +
                     toHex(hash.final(), true).substr(0, 16) + ".o";
  if (auto kept = MemoryBuffer::getFile(path))
    return std::move(*kept);
  orc::SimpleCompiler compiler(*host->machine);
  auto object = compiler(copy);
  if (!object) {
    complain("cannot compile kernel '" + kernel.str() +
             "': " + toString(object.takeError()));
    return nullptr;
  }
  // Another process may do the same: the file appears whole or not at all.
  if (Error error = writeToOutput(path, [&](raw_ostream &out) {
        out << (*object)->getBuffer();
        return Error::success();
      }))
    consumeError(std::move(error)); // a folder that cannot be written
  return std::move(*object);
}

bool CompiledImage::State::link(Module &copy,
                                std::unique_ptr<MemoryBuffer> object,
                                KernelCode &kernel) {
  Host *host = Host::get();
  orc::LLJIT &jit = *host->jit;
  auto fail = [&](Error error) {
    complain("cannot link kernel '" + kernel.name +
             "': " + toString(std::move(error)));
    return false;
  };
  auto dylib = jit.createJITDylib("kernel" + std::to_string(host->dylibs++));
  if (!dylib)
    return fail(dylib.takeError());
  orc::SymbolMap symbols;
  auto define = [&](StringRef name, void *address) {
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                          JITSymbolFlags::Exported};
  };
  for (auto &[name, address] : executorSymbols())
    define(name, address);
  for (auto &[name, address] : conversionLibrary())
    define(name, address);
  for (Function &function : copy)
    if (function.isDeclaration() &&
        function.getName().starts_with("amp_emulator_nvvm."))
      define(function.getName(),
             findDeviceFunction(
                 ("llvm." + function.getName().drop_front(13)).str()));
  if (Error error = dylib->define(orc::absoluteSymbols(std::move(symbols))))
    return fail(std::move(error));
  if (Error error = jit.addObjectFile(*dylib, std::move(object)))
    return fail(std::move(error));
  auto entry = jit.lookup(*dylib, kEntryName);
  if (!entry)
    return fail(entry.takeError());
  auto sites = jit.lookup(*dylib, kSitesName);
  if (!sites)
    return fail(sites.takeError());
  auto globals = jit.lookup(*dylib, kGlobalsName);
  if (!globals)
    return fail(globals.takeError());
  kernel.entry = entry->toPtr<void (*)(void **)>();
  kernel.sites = sites->toPtr<Site *>();
  const uint64_t *table = globals->toPtr<const uint64_t *>();
  for (size_t i = 0; i != kernel.globals.size(); ++i)
    kernel.globals[i] = {table[2 * i], table[2 * i + 1]};
  return true;
}

std::unique_ptr<KernelCode> CompiledImage::State::compile(Function &function) {
  Host *host = Host::get();
  if (!host)
    return nullptr;
  auto kernel = std::make_unique<KernelCode>();
  kernel->name = function.getName().str();
  std::unique_ptr<Module> copy = extract(function);
  plantFault(*copy);
  SiteNumbers sites = collectSites(*copy, *kernel);
  copy->setTargetTriple(host->machine->getTargetTriple());
  copy->setDataLayout(host->machine->createDataLayout());
  instrumentAccesses(*copy, sites);
  std::string error;
  if (!lowerDeviceOperations(*copy, *copy->getFunction(kernel->name), sites,
                             *kernel, error)) {
    complain("kernel '" + kernel->name + "': " + error);
    return nullptr;
  }
  raw_string_ostream stream(error);
  if (verifyModule(*copy, &stream)) {
    complain("kernel '" + kernel->name + "': broken after lowering: " + error);
    return nullptr;
  }
  std::unique_ptr<MemoryBuffer> object = makeObject(*copy, kernel->name);
  if (!object || !link(*copy, std::move(object), *kernel))
    return nullptr;
  return kernel;
}

const KernelCode *CompiledImage::compile(const std::string &name) {
  auto [it, isNew] = state->kernels.try_emplace(name);
  if (isNew)
    it->second = state->compile(*state->module->getFunction(name));
  return it->second.get();
}
