//===- CublasLt.cpp - cuBLASLt, opened at run time ------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CublasLt.h.
//
//===----------------------------------------------------------------------===//

#include "CublasLt.h"

#include <cstdlib>
#include <dlfcn.h>
#include <glob.h>
#include <vector>

using namespace amp_rt;
using namespace amp_rt::cuda;

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// Newest first.
static const char *const kNames[] = {"libcublasLt.so.13", "libcublasLt.so.12"};

/// Files that match a pattern, in order of name.
static void addMatches(std::vector<std::string> &files,
                       const std::string &pattern) {
  glob_t found = {};
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; ++i)
      files.push_back(found.gl_pathv[i]);
  ::globfree(&found);
}

static std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// Folders above the runtime's own file, from the nearest up.
static std::vector<std::string> foldersAboveRuntime() {
  std::vector<std::string> folders;
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<void *>(&foldersAboveRuntime), &info) ||
      !info.dli_fname)
    return folders;
  char *resolved = realpath(info.dli_fname, nullptr);
  std::string folder = resolved ? resolved : "";
  std::free(resolved);
  for (size_t slash; (slash = folder.rfind('/')) != std::string::npos &&
                     slash > 0 && folders.size() < 6;) {
    folder.resize(slash);
    folders.push_back(folder);
  }
  return folders;
}

/// What is tried after the loader's own path, and a text that names it.
static std::vector<std::string> candidates(std::string &places) {
  std::vector<std::string> files;
  auto addPrefix = [&](const std::string &prefix) {
    for (const char *name : kNames)
      for (const char *folder : {"lib64", "lib", "targets/x86_64-linux/lib"})
        addMatches(files, prefix + "/" + folder + "/" + name);
  };
  auto addWheels = [&](const std::string &prefix) {
    for (const char *name : kNames)
      for (const char *folder : {"site-packages", "dist-packages"})
        addMatches(files, prefix + "/lib/python3*/" + folder +
                              "/nvidia/*/lib/" + name);
  };
  places = "the loader's path (LD_LIBRARY_PATH)";
  for (const char *name :
       {"CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "CONDA_PREFIX", "VIRTUAL_ENV"}) {
    std::string prefix = environment(name);
    places += std::string(", ") + name;
    if (prefix.empty()) {
      places += " (not set)";
      continue;
    }
    places += "=" + prefix;
    addPrefix(prefix);
    addWheels(prefix);
  }
  for (const std::string &folder : foldersAboveRuntime())
    addWheels(folder + "/.venv");
  for (const std::string &prefix :
       {environment("HOME") + "/.local", std::string("/usr/local")})
    addWheels(prefix);
  addPrefix("/usr/local/cuda");
  places += ", wheels in the .venv above the runtime, in ~/.local and in "
            "/usr/local, /usr/local/cuda";
  return files;
}

/// `file` becomes the name under which the library was opened.
static void *openFirst(std::string &file, std::string &places,
                       std::string &reasons) {
  auto open = [&](const std::string &name) {
    void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *reason = dlerror();
      reasons += "; " + std::string(reason ? reason : name.c_str());
    }
    file = name;
    return library;
  };
  std::string named = environment("AMP_CUBLASLT");
  if (!named.empty()) {
    places = "AMP_CUBLASLT=" + named;
    return open(named);
  }
  for (const char *name : kNames)
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
      file = name;
      return library;
    }
  for (const std::string &candidate : candidates(places))
    if (void *library = open(candidate))
      return library;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// What an entry gives when a fault without a status strikes.
static cublasStatus_t plainFailure(const std::string &entry) {
  if (entry.find("Create") != std::string::npos)
    return CUBLAS_STATUS_ALLOC_FAILED;
  if (entry == "cublasLtMatmul")
    return CUBLAS_STATUS_EXECUTION_FAILED;
  if (entry == "cublasLtMatmulAlgoGetHeuristic" ||
      entry == "cublasLtMatmulAlgoCheck")
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return CUBLAS_STATUS_INVALID_VALUE;
}

int32_t CublasLt::open(amp_rt_context &ctx) {
  std::string places, reasons;
  void *library = openFirst(file, places, reasons);
  if (!library)
    return AMP_RT_FAIL(ctx, AMP_RT_UNSUPPORTED,
                       "cuBLASLt is not found: no %s or %s in %s%s; run ./dev "
                       "setup --cuda, or set CUDA_PATH or AMP_CUBLASLT",
                       kNames[0], kNames[1], places.c_str(), reasons.c_str());
  std::string missing;
  int numMissing = 0;
  auto find = [&](const char *symbol) {
    void *address = dlsym(library, symbol);
    // Another library lacks all; a few tell enough.
    if (!address && ++numMissing <= 3)
      missing += (missing.empty() ? "" : ", ") + std::string(symbol);
    return address;
  };
#define AMP_LT_ENTRY(name)                                                     \
  name.bind(ctx.calls, #name, find(#name), plainFailure(#name),                \
            /*isRelease=*/false);
#define AMP_LT_RELEASE(name)                                                   \
  name.bind(ctx.calls, #name, find(#name), plainFailure(#name),                \
            /*isRelease=*/true);
#include "CublasLtSymbols.def"
  auto *getVersion = reinterpret_cast<decltype(&cublasLtGetVersion)>(
      find("cublasLtGetVersion"));
  Dl_info info = {};
  if (void *any = dlsym(library, "cublasLtMatmul"))
    if (dladdr(any, &info) && info.dli_fname)
      file = info.dli_fname;
  if (numMissing > 3)
    missing += " and " + std::to_string(numMissing - 3) + " more functions";
  if (!missing.empty())
    return AMP_RT_FAIL(ctx, AMP_RT_UNSUPPORTED,
                       "the library '%s' lacks %s; set AMP_CUBLASLT to a "
                       "cuBLASLt 12.1 or newer",
                       file.c_str(), missing.c_str());
  number = getVersion();
  // 12.1 is the first with f8 on sm_89.
  if (number < 120100)
    return AMP_RT_FAIL(ctx, AMP_RT_UNSUPPORTED,
                       "expects cuBLASLt 12.1 or newer, but '%s' is %s; run "
                       "./dev setup --cuda",
                       file.c_str(), version().c_str());
  return AMP_RT_OK;
}

std::string CublasLt::version() const {
  return std::to_string(number / 10000) + "." +
         std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

std::string amp_rt::cuda::statusText(cublasStatus_t status) {
  static const struct {
    cublasStatus_t status;
    const char *text;
  } table[] = {
      {CUBLAS_STATUS_SUCCESS, "success (CUBLAS_STATUS_SUCCESS"},
      {CUBLAS_STATUS_NOT_INITIALIZED,
       "no usable device (CUBLAS_STATUS_NOT_INITIALIZED"},
      {CUBLAS_STATUS_ALLOC_FAILED, "no memory (CUBLAS_STATUS_ALLOC_FAILED"},
      {CUBLAS_STATUS_INVALID_VALUE,
       "invalid value (CUBLAS_STATUS_INVALID_VALUE"},
      {CUBLAS_STATUS_ARCH_MISMATCH,
       "not on this architecture (CUBLAS_STATUS_ARCH_MISMATCH"},
      {CUBLAS_STATUS_MAPPING_ERROR,
       "mapping error (CUBLAS_STATUS_MAPPING_ERROR"},
      {CUBLAS_STATUS_EXECUTION_FAILED,
       "the device fails (CUBLAS_STATUS_EXECUTION_FAILED"},
      {CUBLAS_STATUS_INTERNAL_ERROR,
       "internal error (CUBLAS_STATUS_INTERNAL_ERROR"},
      {CUBLAS_STATUS_NOT_SUPPORTED,
       "not supported (CUBLAS_STATUS_NOT_SUPPORTED"},
      {CUBLAS_STATUS_LICENSE_ERROR,
       "license error (CUBLAS_STATUS_LICENSE_ERROR"},
  };
  std::string text = "unknown (cublasStatus_t";
  for (const auto &entry : table)
    if (entry.status == status)
      text = entry.text;
  return text + ", " + std::to_string(int(status)) + ")";
}
