//===- Forward.cpp - The real cuBLASLt's descriptors ----------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the real library beside this one. It is opened by its full name, since
// the loader knows this library by the same one.
//
//===----------------------------------------------------------------------===//

#include "Descriptors.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <glob.h>
#include <string>
#include <vector>

namespace amp_emulator {

static std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

static std::string realPath(const std::string &path) {
  char *resolved = realpath(path.c_str(), nullptr);
  std::string result = resolved ? resolved : "";
  std::free(resolved);
  return result;
}

static std::string ownPath() {
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<void *>(&ownPath), &info) || !info.dli_fname)
    return "";
  return realPath(info.dli_fname);
}

static std::vector<std::string> candidates() {
  std::vector<std::string> files;
  auto add = [&](const std::string &pattern) {
    glob_t found = {};
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
      for (size_t i = 0; i < found.gl_pathc; ++i)
        files.push_back(found.gl_pathv[i]);
    globfree(&found);
  };
  auto addPrefix = [&](const std::string &prefix) {
    for (const char *folder : {"/lib64", "/lib", "/targets/x86_64-linux/lib",
                               "/lib/python3*/site-packages/nvidia/*/lib"})
      add(prefix + folder + "/libcublasLt.so.13");
  };
  for (const char *name :
       {"CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "VIRTUAL_ENV"})
    if (std::string prefix = environment(name); !prefix.empty())
      addPrefix(prefix);
  std::string folder = ownPath();
  for (size_t slash;
       (slash = folder.rfind('/')) != std::string::npos && slash > 0;) {
    folder.resize(slash);
    addPrefix(folder + "/.venv");
  }
  addPrefix("/usr/local/cuda");
  return files;
}

static bool bind(const std::string &file, Descriptors &found) {
  if (realPath(file) == ownPath())
    return false;
  void *library = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return false;
  bool complete = true;
#define AMP_EMULATOR_BIND(name)                                                \
  found.name = reinterpret_cast<decltype(found.name)>(dlsym(library, #name));  \
  complete &= found.name != nullptr;
  AMP_EMULATOR_FORWARDED(AMP_EMULATOR_BIND)
#undef AMP_EMULATOR_BIND
  auto *version = reinterpret_cast<decltype(&cublasLtGetVersion)>(
      dlsym(library, "cublasLtGetVersion"));
  if (!complete || !version)
    return false;
  found.version = version();
  return true;
}

static Descriptors find() {
  Descriptors found;
  std::string named = environment("AMP_EMULATOR_CUBLASLT");
  if (named == "none")
    return ownDescriptors();
  if (!named.empty()) {
    if (bind(named, found))
      return found;
    const char *reason = dlerror();
    std::fprintf(stderr,
                 "emulator: AMP_EMULATOR_CUBLASLT expects a cuBLASLt 13 or "
                 "'none', but got '%s': %s\n",
                 named.c_str(), reason ? reason : "it is no such library");
    return ownDescriptors();
  }
  for (const std::string &file : candidates())
    if (bind(file, found))
      return found;
  return ownDescriptors();
}

const Descriptors &descriptors() {
  static const Descriptors chosen = find();
  return chosen;
}

} // namespace amp_emulator
