//===- OpTable.h - What each nn op has, and what it lacks -------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `amp-opt --amp-op-table`: one row per registered op of the `nn` dialect, one
// column per thing that an op of this project must have. Everything is asked of
// the registered dialect, the patterns and the golden files; nothing is listed
// by hand but the exemptions, each with its reason.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_SUPPORT_OPTABLE_H
#define AMP_SUPPORT_OPTABLE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace mlir {
class DialectRegistry;
class MLIRContext;
class RewritePatternSet;

namespace amp {

/// A conversion that lowers ops: the argument of its pass and its patterns,
/// whose root kinds are the ops it lowers.
struct OpLowering {
  llvm::StringRef pass;
  void (*populate)(RewritePatternSet &patterns);
};

/// Prints the table of the ops of `nn`. `goldens` is the folder of golden
/// files; without it, that column is not checked. Returns the number of holes.
unsigned printOpTable(MLIRContext &context,
                      llvm::ArrayRef<OpLowering> lowerings,
                      llvm::StringRef goldens, llvm::raw_ostream &os);

/// Adds `--amp-op-table` and `--amp-op-table-goldens=DIR` to the command line;
/// called before it is parsed.
void registerOpTableOptions();

/// After the command line is parsed: prints the table if it was asked for, and
/// returns the exit code, which is 1 if the table has a hole.
std::optional<int> runOpTable(const DialectRegistry &registry,
                              llvm::ArrayRef<OpLowering> lowerings);

} // namespace amp
} // namespace mlir

#endif // AMP_SUPPORT_OPTABLE_H
