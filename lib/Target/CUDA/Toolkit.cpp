//===- Toolkit.cpp - Where the CUDA toolkit's parts are -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Target/CUDA/Toolkit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstdlib>

using namespace mlir;
using namespace mlir::amp;
namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

static std::string getEnvironment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

static std::string joinPath(StringRef folder, StringRef tail) {
  SmallString<256> result(folder);
  path::append(result, tail);
  return std::string(result);
}

/// The folders in `folder`, in the order of their names.
static std::vector<std::string> listFolders(const std::string &folder) {
  std::vector<std::string> folders;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error))
    if (fs::is_directory(it->path()))
      folders.push_back(it->path());
  llvm::sort(folders);
  return folders;
}

/// `nvidia/cu13` and `nvidia/<component>` of a Python environment.
static void addWheels(StringRef environment, std::vector<std::string> &places) {
  for (const std::string &python : listFolders(joinPath(environment, "lib"))) {
    std::string packages = joinPath(python, "site-packages/nvidia");
    for (std::string &wheel : listFolders(packages))
      places.push_back(std::move(wheel));
  }
}

static std::vector<std::string> getPlaces(StringRef root) {
  std::vector<std::string> places;
  if (!root.empty())
    places.push_back(root.str());
  for (const char *variable :
       {"AMP_CUDA_PATH", "CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"})
    if (std::string value = getEnvironment(variable); !value.empty())
      places.push_back(value);
  if (std::string value = getEnvironment("VIRTUAL_ENV"); !value.empty())
    addWheels(value, places);
  addWheels(AMP_PROJECT_VENV, places);
  places.push_back("/usr/local/cuda");
  return places;
}

static std::string findFile(ArrayRef<std::string> places,
                            ArrayRef<StringRef> tails) {
  for (const std::string &place : places)
    for (StringRef tail : tails)
      if (std::string file = joinPath(place, tail); fs::exists(file))
        return file;
  return "";
}

static std::string findProgram(ArrayRef<std::string> places, StringRef name) {
  std::string tail = "bin/" + name.str();
  if (std::string file = findFile(places, {tail}); !file.empty())
    return file;
  llvm::ErrorOr<std::string> file = llvm::sys::findProgramByName(name);
  return file ? *file : "";
}

Toolkit Toolkit::find(StringRef root) {
  Toolkit toolkit;
  if (root.empty() && getEnvironment("AMP_CUDA_PATH") == "none")
    return toolkit;
  toolkit.places = getPlaces(root);
  toolkit.ptxas = findProgram(toolkit.places, "ptxas");
  toolkit.fatbinary = findProgram(toolkit.places, "fatbinary");
  toolkit.libdevice =
      findFile(toolkit.places,
               {"nvvm/libdevice/libdevice.10.bc", "libdevice/libdevice.10.bc"});
  toolkit.nvJitLink = findFile(
      toolkit.places, {"lib64/libnvJitLink.so.13", "lib/libnvJitLink.so.13"});
  return toolkit;
}

llvm::Error Toolkit::missing(StringRef part, StringRef purpose) const {
  std::string text;
  for (const std::string &place : places)
    text += "'" + place + "', ";
  text = places.empty() ? "AMP_CUDA_PATH=none looks nowhere"
                        : "there is none in " + text + "or PATH";
  return llvm::createStringError(
      "expects " + part + " of a CUDA toolkit to " + purpose + ", but " + text +
      "; './dev setup --cuda' installs it, or CUDA_PATH names a toolkit");
}
