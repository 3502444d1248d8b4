//===- Capabilities.h - What architectures have -----------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions of the hardware by architecture, as data. LLVM ends the process
// on an instruction that an architecture lacks ("Cannot select"): the lowering
// consults this table before it emits one, the verifier before LLVM sees it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_CONVERSION_AMPRTTOGPU_CAPABILITIES_H
#define AMP_LIB_CONVERSION_AMPRTTOGPU_CAPABILITIES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace mlir::amp {

/// One conversion of a pair of values.
struct Capability {
  /// MLIR's names of the types.
  StringLiteral from, to;
  /// The LLVM intrinsic, and the op of nvvm that stands for it.
  StringLiteral intrinsic, op;
  /// The oldest architecture that has it.
  unsigned firstArch;
  /// Whether only architectures with the suffix 'a' have it, which code for a
  /// family doesn't use.
  bool isSpecific;
};

/// All rows.
ArrayRef<Capability> getCapabilities();

/// The row for a conversion; null when no architecture has it.
const Capability *getConversion(StringRef from, StringRef to);

/// Whether an architecture has the conversion of a row.
bool isAvailable(const Capability &row, unsigned arch);

/// 90 for `sm_90`.
std::optional<unsigned> parseArchNumber(StringRef arch);

} // namespace mlir::amp

#endif // AMP_LIB_CONVERSION_AMPRTTOGPU_CAPABILITIES_H
