//===- Compiler.h - Compiles device bitcode for the host --------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three steps for each kernel: checks are added to its accesses
// (Instrument.cpp), device operations become host operations
// (LowerDevice.cpp), and the result is compiled and linked (Compiler.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_EMULATOR_COMPILER_H
#define AMP_EMULATOR_COMPILER_H

#include "Cuda.h"
#include "Image.h"
#include "Kernel.h"

#include <map>
#include <memory>

namespace llvm {
class Function;
class Instruction;
class Module;
} // namespace llvm

namespace amp::emulator {

/// The number of an access or synchronisation of a kernel, for instructions
/// that have one.
using SiteNumbers = std::map<const llvm::Instruction *, unsigned>;

/// Numbers the accesses and synchronisations of the module and keeps their
/// text, before anything is changed.
SiteNumbers collectSites(llvm::Module &module, KernelCode &code);

/// Breaks the module in the way that AMP_EMULATOR_PLANT names (mask, barrier or
/// offset), to show that the checks find it in a kernel as it is compiled.
void plantFault(llvm::Module &module);

/// Adds a check to each access of memory that is not the lane's own. `sites`
/// is the name of the cache of allocations.
void instrumentAccesses(llvm::Module &module, const SiteNumbers &sites);

/// Replaces what only the device has. Returns false, with a message, for an
/// operation that the emulator does not know.
bool lowerDeviceOperations(llvm::Module &module, llvm::Function &kernel,
                           const SiteNumbers &sites, KernelCode &code,
                           std::string &error);

/// Names in the compiled module.
constexpr const char *kSitesName = "amp_emulator_sites";
constexpr const char *kEntryName = "amp_emulator_entry";
constexpr const char *kGlobalsName = "amp_emulator_globals";

/// The kernels of one image; each is compiled when it is asked for.
class CompiledImage {
public:
  CompiledImage();
  ~CompiledImage();

  CUresult load(ImageCode code);

  /// Whether the image has a kernel of this name.
  bool contains(const std::string &kernel) const;
  std::vector<std::string> kernelNames() const;

  /// Compiles a kernel, or finds it compiled; null after an error.
  const KernelCode *compile(const std::string &kernel);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace amp::emulator

#endif // AMP_EMULATOR_COMPILER_H
