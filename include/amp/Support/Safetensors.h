//===- Safetensors.h - Reading and writing safetensors files -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The safetensors format: eight bytes of header length, a JSON header, raw
// little-endian data. Every malformed file is one error that says what is
// wrong.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_SUPPORT_SAFETENSORS_H
#define AMP_SUPPORT_SAFETENSORS_H

#include "amp/Support/HostTensor.h"
#include <map>

namespace mlir::amp {

/// A file's tensors, in the order of their data, and its `__metadata__`.
struct SafetensorsFile {
  std::vector<NamedTensor> tensors;
  std::map<std::string, std::string> metadata;

  /// The tensor of that name, null if there is none.
  const HostTensor *find(StringRef name) const;
};

/// Parses the bytes of a file; `path` is for the error messages.
llvm::Expected<SafetensorsFile> parseSafetensors(StringRef bytes,
                                                 StringRef path);
llvm::Expected<SafetensorsFile> readSafetensors(StringRef path);

/// The bytes of a file holding `file`'s tensors in their order.
std::string serializeSafetensors(const SafetensorsFile &file);
/// Writes and flushes to disk.
llvm::Error writeSafetensors(StringRef path, const SafetensorsFile &file);

} // namespace mlir::amp

#endif // AMP_SUPPORT_SAFETENSORS_H
