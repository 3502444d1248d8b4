//===- DirectLt.cpp - cuBLASLt without the runtime ------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shares no code with the runtime's GEMM, so that a mistake there shows.
// Row-major matrices are column-major ones transposed: out^T = op(rhs)^T
// op(lhs)^T.
//
//===----------------------------------------------------------------------===//

#include "DirectLt.h"

#if __has_include(<cuda.h>) && __has_include(<cublasLt.h>)

#include <cublasLt.h>
#include <cuda.h>

#include <cstdlib>
#include <dlfcn.h>
#include <vector>

using namespace device;

// The names that the header's macros make of the plain ones.
#define AMP_STRING2(x) #x
#define AMP_STRING(x) AMP_STRING2(x)

#define AMP_DRIVER_ENTRIES(X)                                                  \
  X(cuInit)                                                                    \
  X(cuDeviceGet)                                                               \
  X(cuDeviceGetName)                                                           \
  X(cuDevicePrimaryCtxRetain)                                                  \
  X(cuCtxSetCurrent)                                                           \
  X(cuStreamCreate)                                                            \
  X(cuStreamSynchronize)                                                       \
  X(cuStreamDestroy)                                                           \
  X(cuEventCreate)                                                             \
  X(cuEventRecord)                                                             \
  X(cuEventSynchronize)                                                        \
  X(cuEventElapsedTime)                                                        \
  X(cuEventDestroy)
#define AMP_LT_ENTRIES(X)                                                      \
  X(cublasLtGetVersion)                                                        \
  X(cublasLtCreate)                                                            \
  X(cublasLtDestroy)                                                           \
  X(cublasLtMatmulDescCreate)                                                  \
  X(cublasLtMatmulDescDestroy)                                                 \
  X(cublasLtMatmulDescSetAttribute)                                            \
  X(cublasLtMatrixLayoutCreate)                                                \
  X(cublasLtMatrixLayoutDestroy)                                               \
  X(cublasLtMatmulPreferenceCreate)                                            \
  X(cublasLtMatmulPreferenceDestroy)                                           \
  X(cublasLtMatmulPreferenceSetAttribute)                                      \
  X(cublasLtMatmulAlgoGetHeuristic)                                            \
  X(cublasLtMatmul)

struct DirectLt::State {
#define AMP_ENTRY(name) decltype(&::name) name##Entry = nullptr;
  AMP_DRIVER_ENTRIES(AMP_ENTRY)
  AMP_LT_ENTRIES(AMP_ENTRY)
#undef AMP_ENTRY
  std::string deviceName;
  CUstream stream = nullptr;
  CUevent begin = nullptr, end = nullptr;
  cublasLtHandle_t handle = nullptr;

  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, d = nullptr;
  cublasLtMatmulHeuristicResult_t choice = {};
  float alpha = 1, beta = 0;
  amp_rt_gemm_args args = {};
  void *workspace = nullptr;
  size_t workspaceBytes = 0;

  bool open(std::string &reason);
  bool openDevice(std::string &reason);
  void release();
};

static void *openLibrary(const std::vector<std::string> &names) {
  for (const std::string &name : names)
    if (!name.empty())
      if (void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
        return library;
  return nullptr;
}

static std::string fromEnvironment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// Finds an entry by one of its names.
template <typename Entry>
static bool load(void *library, const char *name, const char *plainName,
                 Entry &entry, std::string &reason) {
  void *address = dlsym(library, name);
  if (!address)
    address = dlsym(library, plainName);
  entry = reinterpret_cast<Entry>(address);
  if (!address)
    reason = std::string("no '") + name + "' in the library";
  return address != nullptr;
}

bool DirectLt::State::open(std::string &reason) {
  void *driver = openLibrary({"libcuda.so.1", "libcuda.so"});
  if (!driver) {
    reason = "no libcuda.so.1";
    return false;
  }
  void *lt = openLibrary({fromEnvironment("AMP_CUBLASLT"), "libcublasLt.so.13",
                          "libcublasLt.so.12", "libcublasLt.so"});
  if (!lt) {
    reason = "no libcublasLt.so";
    return false;
  }
// The name that the header stands for, or else the plain one: an older driver
// has no younger version of an entry.
#define AMP_LOAD_DRIVER(name)                                                  \
  if (!load(driver, AMP_STRING(name), #name, name##Entry, reason))             \
    return false;
#define AMP_LOAD_LT(name)                                                      \
  if (!load(lt, AMP_STRING(name), #name, name##Entry, reason))                 \
    return false;
  AMP_DRIVER_ENTRIES(AMP_LOAD_DRIVER)
  AMP_LT_ENTRIES(AMP_LOAD_LT)
  return openDevice(reason);
}

bool DirectLt::State::openDevice(std::string &reason) {
  CUdevice device = 0;
  CUcontext context = nullptr;
  char name[128] = {};
  if (cuInitEntry(0) || cuDeviceGetEntry(&device, 0) ||
      cuDeviceGetNameEntry(name, sizeof(name) - 1, device) ||
      cuDevicePrimaryCtxRetainEntry(&context, device) ||
      cuCtxSetCurrentEntry(context)) {
    reason = "no CUDA device can be used";
    return false;
  }
  deviceName = name;
  if (cuStreamCreateEntry(&stream, CU_STREAM_NON_BLOCKING) ||
      cuEventCreateEntry(&begin, CU_EVENT_DEFAULT) ||
      cuEventCreateEntry(&end, CU_EVENT_DEFAULT)) {
    reason = "no stream or event could be made";
    return false;
  }
  if (cublasLtCreateEntry(&handle)) {
    reason = "cublasLtCreate failed";
    return false;
  }
  return true;
}

void DirectLt::State::release() {
  if (operation)
    cublasLtMatmulDescDestroyEntry(operation);
  for (cublasLtMatrixLayout_t layout : {a, b, d})
    if (layout)
      cublasLtMatrixLayoutDestroyEntry(layout);
  operation = nullptr;
  a = b = d = nullptr;
}

DirectLt::DirectLt() : state(new State) {}

DirectLt::~DirectLt() {
  state->release();
  if (state->handle)
    state->cublasLtDestroyEntry(state->handle);
  for (CUevent event : {state->begin, state->end})
    if (event)
      state->cuEventDestroyEntry(event);
  if (state->stream)
    state->cuStreamDestroyEntry(state->stream);
}

std::unique_ptr<DirectLt> DirectLt::create(std::string &reason) {
  std::unique_ptr<DirectLt> direct(new DirectLt);
  if (!direct->state->open(reason))
    return nullptr;
  return direct;
}

size_t DirectLt::getVersion() const { return state->cublasLtGetVersionEntry(); }
std::string DirectLt::getDeviceName() const { return state->deviceName; }

static cudaDataType_t getType(int32_t dtype) {
  switch (dtype) {
  case AMP_RT_DTYPE_F16:
    return CUDA_R_16F;
  case AMP_RT_DTYPE_BF16:
    return CUDA_R_16BF;
  case AMP_RT_DTYPE_E4M3FN:
    return CUDA_R_8F_E4M3;
  case AMP_RT_DTYPE_E5M2:
    return CUDA_R_8F_E5M2;
  default:
    return CUDA_R_32F;
  }
}

bool DirectLt::prepare(const amp_rt_gemm_desc &desc,
                       const amp_rt_gemm_args &args, void *workspace,
                       size_t workspaceBytes, std::string &reason) {
  State &s = *state;
  s.release();
  s.args = args;
  s.workspace = workspace;
  s.workspaceBytes = workspaceBytes;
  s.alpha = desc.alpha;
  s.beta = desc.beta;
  cublasComputeType_t compute = desc.lhs_compute == AMP_RT_DTYPE_TF32
                                    ? CUBLAS_COMPUTE_32F_FAST_TF32
                                    : CUBLAS_COMPUTE_32F;
  auto check = [&](const char *what, cublasStatus_t status) {
    if (status && reason.empty())
      reason = std::string(what) + " gave status " + std::to_string(status);
    return status == CUBLAS_STATUS_SUCCESS;
  };
  reason.clear();
  if (!check(
          "cublasLtMatmulDescCreate",
          s.cublasLtMatmulDescCreateEntry(&s.operation, compute, CUDA_R_32F)))
    return false;
  // A is rhs as stored, B is lhs as stored.
  cublasOperation_t opA = desc.transpose_rhs ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasOperation_t opB = desc.transpose_lhs ? CUBLAS_OP_T : CUBLAS_OP_N;
  int64_t rhsRow = desc.transpose_rhs ? desc.k : desc.n;
  int64_t lhsRow = desc.transpose_lhs ? desc.m : desc.k;
  check("TRANSA",
        s.cublasLtMatmulDescSetAttributeEntry(
            s.operation, CUBLASLT_MATMUL_DESC_TRANSA, &opA, sizeof(opA)));
  check("TRANSB",
        s.cublasLtMatmulDescSetAttributeEntry(
            s.operation, CUBLASLT_MATMUL_DESC_TRANSB, &opB, sizeof(opB)));
  check("layout of A", s.cublasLtMatrixLayoutCreateEntry(
                           &s.a, getType(desc.rhs_type), uint64_t(rhsRow),
                           uint64_t(desc.n + desc.k - rhsRow), rhsRow));
  check("layout of B", s.cublasLtMatrixLayoutCreateEntry(
                           &s.b, getType(desc.lhs_type), uint64_t(lhsRow),
                           uint64_t(desc.m + desc.k - lhsRow), lhsRow));
  check("layout of D", s.cublasLtMatrixLayoutCreateEntry(
                           &s.d, getType(desc.out_type), uint64_t(desc.n),
                           uint64_t(desc.m), desc.n));
  if (!reason.empty())
    return false;

  cublasLtMatmulPreference_t preference = nullptr;
  int found = 0;
  bool ok = check("cublasLtMatmulPreferenceCreate",
                  s.cublasLtMatmulPreferenceCreateEntry(&preference)) &&
            check("MAX_WORKSPACE_BYTES",
                  s.cublasLtMatmulPreferenceSetAttributeEntry(
                      preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                      &workspaceBytes, sizeof(workspaceBytes))) &&
            check("cublasLtMatmulAlgoGetHeuristic",
                  s.cublasLtMatmulAlgoGetHeuristicEntry(
                      s.handle, s.operation, s.a, s.b, s.d, s.d, preference, 1,
                      &s.choice, &found));
  if (preference)
    s.cublasLtMatmulPreferenceDestroyEntry(preference);
  if (ok && !found)
    reason = "the heuristic has no algorithm for this product";
  return reason.empty();
}

double DirectLt::time(int calls) {
  State &s = *state;
  bool ok = !s.cuEventRecordEntry(s.begin, s.stream);
  for (int i = 0; i < calls; ++i)
    ok &= !s.cublasLtMatmulEntry(s.handle, s.operation, &s.alpha, s.args.rhs,
                                 s.a, s.args.lhs, s.b, &s.beta, s.args.out, s.d,
                                 s.args.out, s.d, &s.choice.algo, s.workspace,
                                 s.workspaceBytes, s.stream);
  ok &= !s.cuEventRecordEntry(s.end, s.stream);
  float milliseconds = 0;
  ok &= !s.cuEventSynchronizeEntry(s.end) &&
        !s.cuEventElapsedTimeEntry(&milliseconds, s.begin, s.end);
  return ok ? double(milliseconds) * 1e3 / calls : -1;
}

#else // No CUDA headers.

using namespace device;

struct DirectLt::State {};

DirectLt::~DirectLt() = default;

std::unique_ptr<DirectLt> DirectLt::create(std::string &reason) {
  reason = "this program was built without cuda.h and cublasLt.h";
  return nullptr;
}

bool DirectLt::prepare(const amp_rt_gemm_desc &, const amp_rt_gemm_args &,
                       void *, size_t, std::string &) {
  return false;
}

double DirectLt::time(int) { return -1; }
size_t DirectLt::getVersion() const { return 0; }
std::string DirectLt::getDeviceName() const { return ""; }

#endif
