//===- DriverErrors.cpp - Driver entries: errors and entry points ---------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of statuses, and the table that cuGetProcAddress looks in.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <cstring>
#include <map>

using namespace amp::emulator;

namespace {

struct Entry {
  const char *name;
  void *address;
};

struct StatusText {
  CUresult status;
  const char *name, *text;
};

} // namespace

static const StatusText statusTexts[] = {
#define AMP_STATUS(name, text) {name, #name, text}
    AMP_STATUS(CUDA_SUCCESS, "no error"),
    AMP_STATUS(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    AMP_STATUS(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    AMP_STATUS(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    AMP_STATUS(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
    AMP_STATUS(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    AMP_STATUS(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    AMP_STATUS(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    AMP_STATUS(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    AMP_STATUS(CUDA_ERROR_NO_BINARY_FOR_GPU,
               "no kernel image is available for execution on the device"),
    AMP_STATUS(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    AMP_STATUS(CUDA_ERROR_INVALID_SOURCE, "device kernel image is invalid"),
    AMP_STATUS(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    AMP_STATUS(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    AMP_STATUS(CUDA_ERROR_NOT_READY, "device not ready"),
    AMP_STATUS(CUDA_ERROR_ILLEGAL_ADDRESS,
               "an illegal memory access was encountered"),
    AMP_STATUS(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
               "too many resources requested for launch"),
    AMP_STATUS(CUDA_ERROR_ILLEGAL_INSTRUCTION,
               "an illegal instruction was encountered"),
    AMP_STATUS(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    AMP_STATUS(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    AMP_STATUS(CUDA_ERROR_NOT_PERMITTED, "operation not permitted"),
    AMP_STATUS(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    AMP_STATUS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
               "operation not permitted when stream is capturing"),
    AMP_STATUS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
               "operation failed due to a previous error during capture"),
    AMP_STATUS(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
               "capture was not initiated in this stream"),
    AMP_STATUS(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
               "capturing stream has unjoined work"),
    AMP_STATUS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
               "operation would make the legacy stream depend on a capturing "
               "blocking stream"),
    AMP_STATUS(CUDA_ERROR_CAPTURED_EVENT,
               "operation not permitted on an event last recorded in a "
               "capturing stream"),
    AMP_STATUS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
               "the graph update was not performed because it included "
               "changes which violated constraints specific to instantiated "
               "graph update"),
    AMP_STATUS(CUDA_ERROR_UNKNOWN, "unknown error"),
#undef AMP_STATUS
};

static const StatusText *findStatus(CUresult status) {
  for (const StatusText &entry : statusTexts)
    if (entry.status == status)
      return &entry;
  return nullptr;
}

const char *amp::emulator::statusName(CUresult status) {
  const StatusText *entry = findStatus(status);
  return entry ? entry->name : "CUDA_ERROR_?";
}

CUresult cuGetErrorName(CUresult error, const char **text) {
  const StatusText *entry = findStatus(error);
  *text = entry ? entry->name : nullptr;
  return entry ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  const StatusText *entry = findStatus(error);
  *text = entry ? entry->text : nullptr;
  return entry ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Every function of the emulator under its name in cuda.h. What the runtime
// uses is in its own table: an entry that is missing here does not link.
static const Entry entries[] = {
#define AMP_CU_ENTRY(name) {#name, reinterpret_cast<void *>(&::name)},
#include "EmulatedSymbols.def"
#define AMP_CU_ENTRY(name) {#name, reinterpret_cast<void *>(&::name)},
#define AMP_CU_RELEASE(name) {#name, reinterpret_cast<void *>(&::name)},
#include "DriverSymbols.def"
};

CUresult cuGetProcAddress(const char *symbol, void **function, int version,
                          cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status) {
  AMP_CALL(Nothing);
  call.note("symbol=%s", symbol);
  for (const Entry &entry : entries)
    if (strcmp(entry.name, symbol) == 0) {
      *function = entry.address;
      if (status)
        *status = CU_GET_PROC_ADDRESS_SUCCESS;
      return call.done(CUDA_SUCCESS);
    }
  *function = nullptr;
  if (status)
    *status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return call.done(CUDA_ERROR_NOT_FOUND);
}
