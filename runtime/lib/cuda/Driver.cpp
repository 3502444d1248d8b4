//===- Driver.cpp - The CUDA driver, opened at run time -------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Driver.h.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <dlfcn.h>
#include <string>

using namespace amp_rt;
using namespace amp_rt::cuda;

/// What an entry gives when a fault without a status strikes: what it would
/// most likely give by itself.
static CUresult plainFailure(const std::string &entry) {
  if (entry == "cuMemAllocFromPoolAsync" || entry == "cuMemHostAlloc" ||
      entry == "cuMemPoolCreate" || entry == "cuGraphInstantiateWithFlags")
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (entry == "cuLaunchKernel")
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (entry == "cuInit")
    return CUDA_ERROR_NO_DEVICE;
  if (entry == "cuLibraryLoadData")
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (entry == "cuLibraryGetKernel")
    return CUDA_ERROR_NOT_FOUND;
  if (entry == "cuStreamEndCapture")
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  return CUDA_ERROR_UNKNOWN;
}

// The names in cuda.h are macros that add a suffix; a second macro makes them
// expand before they are quoted.
#define AMP_CU_SYMBOL_OF(symbol) #symbol
#define AMP_CU_SYMBOL(name) AMP_CU_SYMBOL_OF(name)

int32_t Driver::open(amp_rt_context &ctx) {
  static const char kLibrary[] = "libcuda.so.1";
  void *library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return AMP_RT_FAIL(ctx, AMP_RT_UNSUPPORTED,
                       "the CUDA driver is not found: %s (looked in "
                       "LD_LIBRARY_PATH and the system's library folders); "
                       "install the NVIDIA driver, use AMP_RT_BACKEND_CPU, or "
                       "run under ./dev emulate",
                       reason ? reason : kLibrary);
  }
  std::string missing;
  int numMissing = 0;
  auto find = [&](const char *symbol) {
    void *address = dlsym(library, symbol);
    // An old driver may lack many; a few tell enough.
    if (!address && ++numMissing <= 3)
      missing += (missing.empty() ? "" : ", ") + std::string(symbol);
    return address;
  };
#define AMP_CU_ENTRY(name)                                                     \
  name.bind(ctx.calls, #name, find(AMP_CU_SYMBOL(name)), plainFailure(#name),  \
            /*isRelease=*/false);
#define AMP_CU_RELEASE(name)                                                   \
  name.bind(ctx.calls, #name, find(AMP_CU_SYMBOL(name)), plainFailure(#name),  \
            /*isRelease=*/true);
#include "DriverSymbols.def"
  if (numMissing == 0)
    return AMP_RT_OK;
  if (numMissing > 3)
    missing += " and " + std::to_string(numMissing - 3) + " more functions";
  Dl_info info = {};
  const char *where = kLibrary;
  if (void *any = dlsym(library, "cuInit"))
    if (dladdr(any, &info) && info.dli_fname)
      where = info.dli_fname;
  return AMP_RT_FAIL(ctx, AMP_RT_UNSUPPORTED,
                     "the CUDA driver '%s' lacks %s; update it to one for CUDA "
                     "%d.%d or newer",
                     where, missing.c_str(), CUDA_VERSION / 1000,
                     CUDA_VERSION % 1000 / 10);
}

std::string amp_rt::cuda::statusText(CUresult status) {
  static const struct {
    CUresult status;
    const char *text;
  } table[] = {
#define AMP_CU_STATUS(name, text)                                              \
  {CUDA_ERROR_##name, text " (CUDA_ERROR_" #name},
      AMP_CU_STATUS(INVALID_VALUE, "invalid value") AMP_CU_STATUS(
          OUT_OF_MEMORY, "out of memory")
          AMP_CU_STATUS(NOT_INITIALIZED, "not initialized") AMP_CU_STATUS(
              DEINITIALIZED,
              "the "
              "driv"
              "er "
              "is "
              "shut"
              "ting"
              " dow"
              "n") AMP_CU_STATUS(STUB_LIBRARY,
                                 "the library is the toolkit's "
                                 "stub") AMP_CU_STATUS(DEVICE_UNAVAILABLE,
                                                       "device "
                                                       "is busy "
                                                       "or "
                                                       "unavailab"
                                                       "le")
              AMP_CU_STATUS(NO_DEVICE, "no device") AMP_CU_STATUS(
                  INVALID_DEVICE,
                  "invalid device") AMP_CU_STATUS(INVALID_IMAGE,
                                                  "invalid image")
                  AMP_CU_STATUS(INVALID_CONTEXT, "invalid context") AMP_CU_STATUS(
                      NO_BINARY_FOR_GPU,
                      "no code for this device") AMP_CU_STATUS(ECC_UNCORRECTABLE,
                                                               "uncorrectable "
                                                               "memory error")
                      AMP_CU_STATUS(INVALID_PTX, "invalid PTX") AMP_CU_STATUS(
                          NVLINK_UNCORRECTABLE,
                          "uncorrectable "
                          "NVLink error") AMP_CU_STATUS(UNSUPPORTED_PTX_VERSION,
                                                        "PTX newer than the "
                                                        "driver") AMP_CU_STATUS(OPERATING_SYSTEM,
                                                                                "operating"
                                                                                " system "
                                                                                "call "
                                                                                "failed")
                          AMP_CU_STATUS(INVALID_HANDLE, "invalid handle") AMP_CU_STATUS(
                              ILLEGAL_STATE,
                              "illegal state") AMP_CU_STATUS(NOT_FOUND,
                                                             "not found")
                              AMP_CU_STATUS(NOT_READY, "not ready") AMP_CU_STATUS(
                                  ILLEGAL_ADDRESS,
                                  "illegal "
                                  "address") AMP_CU_STATUS(LAUNCH_OUT_OF_RESOURCES,
                                                           "launch out "
                                                           "of "
                                                           "resources")
                                  AMP_CU_STATUS(
                                      LAUNCH_TIMEOUT,
                                      "launch timed "
                                      "out") AMP_CU_STATUS(CONTEXT_IS_DESTROYED,
                                                           "cont"
                                                           "ext "
                                                           "is "
                                                           "dest"
                                                           "roye"
                                                           "d")
                                      AMP_CU_STATUS(
                                          ASSERT,
                                          "de"
                                          "vi"
                                          "ce"
                                          " a"
                                          "ss"
                                          "er"
                                          "ti"
                                          "o"
                                          "n") AMP_CU_STATUS(HARDWARE_STACK_ERROR,
                                                             "hard"
                                                             "ware"
                                                             " sta"
                                                             "ck "
                                                             "erro"
                                                             "r")
                                          AMP_CU_STATUS(
                                              ILLEGAL_INSTRUCTION,
                                              "i"
                                              "l"
                                              "l"
                                              "e"
                                              "g"
                                              "a"
                                              "l"
                                              " "
                                              "i"
                                              "n"
                                              "s"
                                              "t"
                                              "r"
                                              "u"
                                              "c"
                                              "t"
                                              "i"
                                              "o"
                                              "n") AMP_CU_STATUS(MISALIGNED_ADDRESS,
                                                                 "misaligne"
                                                                 "d "
                                                                 "address")
                                              AMP_CU_STATUS(
                                                  INVALID_ADDRESS_SPACE,
                                                  "invalid address "
                                                  "space") AMP_CU_STATUS(INVALID_PC,
                                                                         "inval"
                                                                         "i"
                                                                         "d "
                                                                         "progr"
                                                                         "a"
                                                                         "m "
                                                                         "count"
                                                                         "e"
                                                                         "r")
                                                  AMP_CU_STATUS(
                                                      LAUNCH_FAILED,
                                                      "l"
                                                      "a"
                                                      "u"
                                                      "n"
                                                      "c"
                                                      "h"
                                                      " "
                                                      "f"
                                                      "a"
                                                      "i"
                                                      "l"
                                                      "e"
                                                      "d") AMP_CU_STATUS(NOT_PERMITTED, "not permitted")
                                                      AMP_CU_STATUS(
                                                          NOT_SUPPORTED,
                                                          "not "
                                                          "supported")
                                                          AMP_CU_STATUS(
                                                              SYSTEM_DRIVER_MISMATCH,
                                                              "driver "
                                                              "and "
                                                              "module "
                                                              "differ")
                                                              AMP_CU_STATUS(
                                                                  STREAM_CAPTURE_UNSUPPORTED,
                                                                  "not "
                                                                  "perm"
                                                                  "itte"
                                                                  "d "
                                                                  "in "
                                                                  "a "
                                                                  "capt"
                                                                  "ure")
                                                                  AMP_CU_STATUS(
                                                                      STREAM_CAPTURE_INVALIDATED,
                                                                      "the "
                                                                      "capture "
                                                                      "is "
                                                                      "invalida"
                                                                      "ted")
                                                                      AMP_CU_STATUS(
                                                                          EXTERNAL_DEVICE,
                                                                          "anot"
                                                                          "her "
                                                                          "devi"
                                                                          "ce "
                                                                          "fail"
                                                                          "ed")
                                                                          AMP_CU_STATUS(
                                                                              UNKNOWN,
                                                                              "unknown error")
#undef AMP_CU_STATUS
  };
  for (const auto &entry : table)
    if (entry.status == status)
      return std::string(entry.text) + ", " + std::to_string(int(status)) + ")";
  return "driver status " + std::to_string(int(status));
}

bool amp_rt::cuda::isDeviceLost(CUresult status) {
  // Not in every header of this major version: a contained error, and a leak of
  // tensor memory.
  if (int(status) == 226 || int(status) == 721)
    return true;
  switch (status) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_EXTERNAL_DEVICE:
    return true;
  default:
    return false;
  }
}
