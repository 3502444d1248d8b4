//===- DurableFiles.cpp - Files that are whole or not there ----*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Write beside, flush, rename, flush the directory. Temporary names start with
// a dot and do not depend on the process, so what a killed process left is
// overwritten by the next attempt.
//
//===----------------------------------------------------------------------===//

#include "amp/TrainingData/DurableFiles.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::amp;

static llvm::Error failWrite(StringRef path, const std::string &reason) {
  return makeError("cannot write '" + path + "': " + reason);
}

/// Flushes the entries of a directory.
static llvm::Error flushDirectory(StringRef path) {
  int file = ::open(path.str().c_str(), O_RDONLY | O_DIRECTORY);
  if (file < 0)
    return failWrite(path, std::strerror(errno));
  int result = ::fsync(file);
  int code = errno;
  ::close(file);
  // Some file systems cannot flush directories; their entries need no flush.
  if (result != 0 && code != EINVAL)
    return failWrite(path, std::strerror(code));
  return llvm::Error::success();
}

/// Gives `from` the name `to`; a directory that has it is swapped out and
/// removed.
static llvm::Error replaceDirectory(const std::string &from,
                                    const std::string &to) {
  if (!llvm::sys::fs::exists(to)) {
    if (::rename(from.c_str(), to.c_str()) != 0)
      return failWrite(to, std::strerror(errno));
    return llvm::Error::success();
  }
#ifdef RENAME_EXCHANGE
  bool swapped = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                             RENAME_EXCHANGE) == 0;
#else
  bool swapped = false;
#endif
  if (!swapped) {
    // Without an exchange there is a moment in which neither has the name; both
    // are still on the disk then.
    std::string old = from + ".old";
    llvm::sys::fs::remove_directories(old);
    if (::rename(to.c_str(), old.c_str()) != 0)
      return failWrite(to, std::strerror(errno));
    if (::rename(from.c_str(), to.c_str()) != 0) {
      int code = errno;
      ::rename(old.c_str(), to.c_str());
      return failWrite(to, std::strerror(code));
    }
    llvm::sys::fs::remove_directories(old);
    return llvm::Error::success();
  }
  llvm::sys::fs::remove_directories(from);
  return llvm::Error::success();
}

static std::string getTemporaryName(StringRef parent, StringRef name) {
  llvm::SmallString<128> path(parent);
  llvm::sys::path::append(path, "." + name + ".partial");
  return path.str().str();
}

static llvm::Error fillDirectory(StringRef directory,
                                 ArrayRef<NamedBytes> files) {
  if (std::error_code code = llvm::sys::fs::create_directories(directory))
    return failWrite(directory, code.message());
  for (const NamedBytes &file : files) {
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, file.name);
    if (llvm::Error error = writeFileDurably(path, file.bytes))
      return error;
  }
  return flushDirectory(directory);
}

llvm::Error amp::writeDirectoryAtomically(StringRef parent, StringRef name,
                                          ArrayRef<NamedBytes> files) {
  std::string temporary = getTemporaryName(parent, name);
  llvm::SmallString<128> path(parent);
  llvm::sys::path::append(path, name);
  llvm::sys::fs::remove_directories(temporary);
  llvm::Error error = fillDirectory(temporary, files);
  if (!error)
    error = replaceDirectory(temporary, path.str().str());
  if (error) {
    llvm::sys::fs::remove_directories(temporary);
    return error;
  }
  return flushDirectory(parent);
}

static StringRef getParent(StringRef path) {
  StringRef parent = llvm::sys::path::parent_path(path);
  return parent.empty() ? "." : parent;
}

/// Writes all files beside their places, adding the names they have there to
/// `temporaries`, and then puts them in place.
static llvm::Error writeAndRename(ArrayRef<NamedBytes> files,
                                  SmallVectorImpl<std::string> &temporaries) {
  for (const NamedBytes &file : files) {
    temporaries.push_back(getTemporaryName(
        getParent(file.name), llvm::sys::path::filename(file.name)));
    if (llvm::Error error = writeFileDurably(temporaries.back(), file.bytes))
      return error;
  }
  for (auto [file, temporary] : llvm::zip_equal(files, temporaries))
    if (::rename(temporary.c_str(), file.name.c_str()) != 0)
      return failWrite(file.name, std::strerror(errno));
  return llvm::Error::success();
}

llvm::Error amp::writeFilesAtomically(ArrayRef<NamedBytes> files) {
  SmallVector<std::string> temporaries;
  if (llvm::Error error = writeAndRename(files, temporaries)) {
    for (const std::string &temporary : temporaries)
      ::unlink(temporary.c_str());
    return error;
  }
  for (const NamedBytes &file : files)
    if (llvm::Error error = flushDirectory(getParent(file.name)))
      return error;
  return llvm::Error::success();
}

llvm::Error amp::writeFileAtomically(StringRef path, StringRef bytes) {
  return writeFilesAtomically({{path.str(), bytes.str()}});
}
