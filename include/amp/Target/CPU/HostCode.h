//===- HostCode.h - LLVM IR and target machines for the host ----*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a module of the LLVM dialect to optimised LLVM IR: the part that code in
// memory and code in object files share, so that both compute the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TARGET_CPU_HOSTCODE_H
#define AMP_TARGET_CPU_HOSTCODE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
namespace orc {
class JITTargetMachineBuilder;
} // namespace orc
} // namespace llvm

namespace mlir::amp {

/// What describes a target machine: this host's processor when `cpu` is
/// `host`, else the one of that name (`x86-64-v3`) on this platform. Features
/// whose instructions flush subnormals (avx512bf16) or compute in f16
/// (avx512fp16) are off, so that results don't depend on them, and `a * b + c`
/// is two roundings unless the IR says otherwise. Optimisation levels are 0, 1
/// and 2.
llvm::Expected<llvm::orc::JITTargetMachineBuilder>
createHostMachineBuilder(unsigned optLevel = 2, llvm::StringRef cpu = "host");

/// Translates `module` (LLVM dialect, and a gpu.binary whose image becomes
/// data) and optimises it for `machine`. `beforeOptimisation`, where given,
/// sees the LLVM IR between the two.
llvm::Expected<std::unique_ptr<llvm::Module>> generateHostCode(
    ModuleOp module, llvm::LLVMContext &context, llvm::TargetMachine &machine,
    unsigned optLevel,
    llvm::function_ref<llvm::Error(llvm::Module &)> beforeOptimisation = {});

} // namespace mlir::amp

#endif // AMP_TARGET_CPU_HOSTCODE_H
