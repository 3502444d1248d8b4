//===- Assembler.h - PTX to cubins and fatbins -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_TARGET_CUDA_ASSEMBLER_H
#define AMP_LIB_TARGET_CUDA_ASSEMBLER_H

#include "DeviceCode.h"

#include <optional>

namespace mlir::amp {

enum class AssemblerKind { Ptxas, NvJitLink, Driver };

/// Reads the option `assembler`; `auto` is the first that `toolkit` has, ptxas
/// before nvJitLink. An error when it has none.
llvm::Expected<AssemblerKind> chooseAssembler(StringRef option,
                                              const Toolkit &toolkit);

/// Code for one architecture, and what the assembler said of it.
struct Cubin {
  std::string bytes;
  /// The output of `ptxas -v`; empty from nvJitLink.
  std::string log;
};

/// Assembles every element of `codes`, at the same time where the assembler is
/// a program, unless the cache holds it. `kind` is not Driver.
llvm::Expected<std::vector<Cubin>> assemble(ArrayRef<DeviceCode> codes,
                                            AssemblerKind kind,
                                            const Toolkit &toolkit);

/// One fatbin of all cubins and the PTX of the last element of `codes`, which
/// is not compressed.
llvm::Expected<std::string> makeFatbin(ArrayRef<DeviceCode> codes,
                                       ArrayRef<Cubin> cubins,
                                       const Toolkit &toolkit);

/// In-process assembly by nvJitLink of the library `path`.
llvm::Expected<std::string> assembleByNvJitLink(StringRef path, StringRef ptx,
                                                StringRef arch);
/// The version of nvJitLink, `13.0`.
llvm::Expected<std::string> getNvJitLinkVersion(StringRef path);

} // namespace mlir::amp

#endif // AMP_LIB_TARGET_CUDA_ASSEMBLER_H
