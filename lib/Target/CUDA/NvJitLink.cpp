//===- NvJitLink.cpp - Assembly inside the process -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library is loaded when it is asked for. Every status counts: after a
// failed call the later ones still deliver a cubin, of nothing.
//
//===----------------------------------------------------------------------===//

#include "Assembler.h"

#include "llvm/Support/DynamicLibrary.h"

using namespace mlir;
using namespace mlir::amp;

namespace {
// The part of the library's C interface that is used: results are 0 for
// success.
using Handle = struct nvJitLinkOpaque *;
struct Functions {
  int (*version)(unsigned *major, unsigned *minor) = nullptr;
  int (*create)(Handle *, uint32_t, const char *const *) = nullptr;
  int (*destroy)(Handle *) = nullptr;
  int (*addData)(Handle, int, const void *, size_t, const char *) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*getCubinSize)(Handle, size_t *) = nullptr;
  int (*getCubin)(Handle, void *) = nullptr;
  int (*getErrorLogSize)(Handle, size_t *) = nullptr;
  int (*getErrorLog)(Handle, char *) = nullptr;
};
constexpr int kInputPTX = 2;
} // namespace

static llvm::Expected<Functions> load(StringRef path) {
  std::string message;
  auto library = llvm::sys::DynamicLibrary::getPermanentLibrary(
      path.str().c_str(), &message);
  if (!library.isValid())
    return llvm::createStringError("cannot load '" + path + "': " + message);
  Functions functions;
  std::string absent;
  auto resolve = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        library.getAddressOfSymbol(name));
    if (!function && absent.empty())
      absent = name;
  };
  resolve(functions.version, "nvJitLinkVersion");
  resolve(functions.create, "nvJitLinkCreate");
  resolve(functions.destroy, "nvJitLinkDestroy");
  resolve(functions.addData, "nvJitLinkAddData");
  resolve(functions.complete, "nvJitLinkComplete");
  resolve(functions.getCubinSize, "nvJitLinkGetLinkedCubinSize");
  resolve(functions.getCubin, "nvJitLinkGetLinkedCubin");
  resolve(functions.getErrorLogSize, "nvJitLinkGetErrorLogSize");
  resolve(functions.getErrorLog, "nvJitLinkGetErrorLog");
  if (!absent.empty())
    return llvm::createStringError("'" + path + "' has no '" + absent + "'");
  return functions;
}

llvm::Expected<std::string> amp::getNvJitLinkVersion(StringRef path) {
  llvm::Expected<Functions> functions = load(path);
  if (!functions)
    return functions.takeError();
  unsigned major = 0, minor = 0;
  if (int status = functions->version(&major, &minor))
    return llvm::createStringError("nvJitLinkVersion failed with status " +
                                   Twine(status));
  return std::to_string(major) + "." + std::to_string(minor);
}

llvm::Expected<std::string>
amp::assembleByNvJitLink(StringRef path, StringRef ptx, StringRef arch) {
  llvm::Expected<Functions> functions = load(path);
  if (!functions)
    return functions.takeError();
  std::string option = "-arch=" + arch.str();
  const char *options[] = {option.c_str()};
  Handle handle = nullptr;
  if (int status = functions->create(&handle, 1, options))
    return llvm::createStringError("nvJitLinkCreate failed with status " +
                                   Twine(status) + " for '" + option + "'");
  std::string cubin, failed;
  int status = 0;
  auto check = [&](const char *name, int result) {
    if (failed.empty() && result != 0) {
      failed = name;
      status = result;
    }
    return failed.empty();
  };
  // The library reads to the final zero byte, which counts.
  std::string text = ptx.str();
  size_t size = 0;
  if (check("nvJitLinkAddData",
            functions->addData(handle, kInputPTX, text.c_str(), text.size() + 1,
                               "kernels.ptx")) &&
      check("nvJitLinkComplete", functions->complete(handle)) &&
      check("nvJitLinkGetLinkedCubinSize",
            functions->getCubinSize(handle, &size))) {
    cubin.resize(size);
    check("nvJitLinkGetLinkedCubin", functions->getCubin(handle, cubin.data()));
  }
  std::string log;
  if (!failed.empty() && functions->getErrorLogSize(handle, &size) == 0 &&
      size > 0) {
    log.resize(size);
    if (functions->getErrorLog(handle, log.data()) != 0)
      log.clear();
  }
  functions->destroy(&handle);
  if (!failed.empty())
    return llvm::createStringError(
        failed + " failed with status " + Twine(status) + ": " +
        StringRef(log.c_str()).trim().split('\n').first);
  return cubin;
}
