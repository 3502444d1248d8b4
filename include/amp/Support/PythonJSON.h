//===- PythonJSON.h - JSON as Python writes it -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python's json module writes non-finite numbers as bare `Infinity`,
// `-Infinity` and `NaN`, which llvm::json rejects. These functions read and
// print them.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_SUPPORT_PYTHONJSON_H
#define AMP_SUPPORT_PYTHONJSON_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::amp {

/// Parses JSON of a file. Refuses what is nested deeper than any file of ours:
/// the parser recurses.
llvm::Expected<llvm::json::Value> parseShallowJSON(StringRef text);

/// Parses Python's dialect, as shallow; a non-finite number becomes a json
/// number with that value.
llvm::Expected<llvm::json::Value> parsePythonJSON(StringRef text);

/// Prints on one line, or indented, with non-finite numbers as Python prints
/// them.
void printPythonJSON(raw_ostream &os, const llvm::json::Value &value,
                     unsigned indent = 0);

} // namespace mlir::amp

#endif // AMP_SUPPORT_PYTHONJSON_H
