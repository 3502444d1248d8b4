//===- Program.h - Object file and C header of a module ---------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a module of the LLVM dialect becomes for a C program that is linked with
// the runtime alone: names, object file, header (docs/contracts.md, section 8).
//
//===----------------------------------------------------------------------===//

#ifndef AMP_AOT_PROGRAM_H
#define AMP_AOT_PROGRAM_H

#include "amp/Target/CPU/CompiledModule.h"

namespace mlir::amp::aot {

/// What the object file and the header say of themselves.
struct ProgramOptions {
  /// Begins every symbol: a C identifier.
  std::string name;
  /// `cpu` or `cuda`, and the model file, for the header.
  std::string target = "cpu", model;
  /// The host's processor: `host`, or a name that LLVM knows.
  std::string cpu = "host";
  unsigned optLevel = 2;
};

/// A function of the program under the name that C programs call it by.
struct ProgramFunction {
  EntryPoint entry;
  /// `NAME_train`; its preparation is called `NAME_train_prepare`.
  std::string symbol;
};

/// Names the entry points of `module`. A step function is called by its kind,
/// another one (or one whose kind is not unique) by its name. Fails when two
/// would have the same name.
llvm::Expected<SmallVector<ProgramFunction>>
nameFunctions(ModuleOp module, llvm::StringRef name);

/// The object file of `module` (LLVM dialect), whose only global symbols are
/// those of `functions`.
llvm::Expected<std::string>
generateObject(ModuleOp module, llvm::ArrayRef<ProgramFunction> functions,
               const ProgramOptions &options);

/// The header: declarations, indices of arguments, and the tables of
/// `amp-rt/program.h`.
llvm::Expected<std::string>
generateHeader(ModuleOp module, llvm::ArrayRef<ProgramFunction> functions,
               const ProgramOptions &options);

/// Whether `text` is a C identifier.
bool isIdentifier(llvm::StringRef text);

/// `text` with what cannot stand in an identifier as underscores.
std::string makeIdentifier(llvm::StringRef text);

} // namespace mlir::amp::aot

#endif // AMP_AOT_PROGRAM_H
