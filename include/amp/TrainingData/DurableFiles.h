//===- DurableFiles.h - Files that are whole or not there ------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Directories and files that appear under their names complete and flushed.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TRAININGDATA_DURABLEFILES_H
#define AMP_TRAININGDATA_DURABLEFILES_H

#include "amp/Support/HostTensor.h"

namespace mlir::amp {

/// A file's name within its directory, and its bytes.
struct NamedBytes {
  std::string name, bytes;
};

/// Makes `<parent>/<name>` with the files, under another name first; replaces a
/// directory of that name. On failure the temporary one is removed.
llvm::Error writeDirectoryAtomically(StringRef parent, StringRef name,
                                     ArrayRef<NamedBytes> files);

/// Replaces a file. On failure the old one stays.
llvm::Error writeFileAtomically(StringRef path, StringRef bytes);

/// Replaces several files, named by their paths, when all of them could be
/// written.
llvm::Error writeFilesAtomically(ArrayRef<NamedBytes> files);

} // namespace mlir::amp

#endif // AMP_TRAININGDATA_DURABLEFILES_H
