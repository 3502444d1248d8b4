//===- CompiledModule.h - Machine code of a module, in memory ---*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a module of the LLVM dialect (what buildCPULoweringPipeline leaves)
// for this machine and runs its entry points. The runtime (libamp-rt) is the
// one that the calling program is linked with.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TARGET_CPU_COMPILEDMODULE_H
#define AMP_TARGET_CPU_COMPILEDMODULE_H

#include "amp/Dialect/AMP/IR/AMPDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>

struct amp_rt_context;

namespace mlir::amp {

/// One pointer of an entry point's `args`.
struct EntryArgument {
  enum class Kind {
    State,  ///< read, and updated in place: also result `result`
    Input,  ///< read only
    Result, ///< written: result `result`
    Arena   ///< scratch memory of the step, 64-byte aligned
  };
  Kind kind = Kind::Input;
  /// `amp.name` and `amp.role` of the argument or result, if any.
  std::string name;
  std::optional<Role> role;
  /// Dense and row-major; an i1 takes a byte. The arena is a tensor of i8.
  RankedTensorType type;
  /// Number of the function's result, for State and Result.
  int64_t result = -1;

  /// Bytes that the pointer must hold.
  int64_t getByteSize() const;
};

/// A function that can be called, as the caller must see it.
struct EntryPoint {
  std::string name;
  std::optional<StepKind> kind;
  /// In the order of `args`: state and inputs as the function had them, result
  /// out-parameters, the arena.
  SmallVector<EntryArgument> arguments;

  int64_t getArenaBytes() const { return arguments.back().getByteSize(); }
};

/// Describes the entry points of a module in the LLVM dialect.
SmallVector<EntryPoint> getEntryPoints(ModuleOp module);

struct JITOptions {
  /// LLVM's optimisation level: 0, 1 or 2.
  unsigned optLevel = 2;
  /// Where to write the module's LLVM IR after optimisation and its assembly;
  /// empty for nowhere.
  std::string dumpIR, dumpAssembly;
};

class CompiledModule {
public:
  /// Compiles `module`. Its context must outlive the result.
  static llvm::Expected<std::unique_ptr<CompiledModule>>
  create(ModuleOp module, const JITOptions &options = {});
  ~CompiledModule();

  llvm::ArrayRef<EntryPoint> getEntryPoints() const { return entryPoints; }
  /// Null when there is none of that name.
  const EntryPoint *getEntryPoint(llvm::StringRef name) const;

  /// The address of a symbol, `f` or `f.prepare`.
  llvm::Expected<void *> lookup(llvm::StringRef name) const;

  /// Makes the runtime's primitives of `name` in `ctx`, as at load time.
  llvm::Error prepare(llvm::StringRef name, amp_rt_context *ctx) const;

  /// Calls an entry point. `args` has one pointer per argument of the
  /// EntryPoint. An error carries the context's message.
  llvm::Error run(llvm::StringRef name, amp_rt_context *ctx,
                  llvm::ArrayRef<void *> args) const;

private:
  CompiledModule();

  struct Engine;
  std::unique_ptr<Engine> engine;
  SmallVector<EntryPoint> entryPoints;
};

} // namespace mlir::amp

#endif // AMP_TARGET_CPU_COMPILEDMODULE_H
