//===- Library.cpp - The entries of the emulated cuBLASLt -----------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Descriptors go to the real library or to the store; handles, algorithms and
// products are ours. A product runs on the emulated device's memory, in the
// order of its stream, or becomes a node of the graph being captured.
//
// An algorithm says what it needs in its words: number, split of k, reduction
// in the output type, alignments of A, B and D, workspace. A call that breaks
// this is an invalid value, as is one that the program never asked a heuristic
// for.
//
//===----------------------------------------------------------------------===//

#include "Descriptors.h"
#include "Product.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <dlfcn.h>
#include <new>

using namespace amp_emulator;

#define AMP_EMULATOR_API extern "C" __attribute__((visibility("default")))

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

namespace {
/// What is needed of the emulated driver; null where there is none.
struct Device {
  decltype(&::cuCtxGetDevice) getDevice = nullptr;
  decltype(&::cuDeviceGetAttribute) getAttribute = nullptr;
  int (*enqueue)(void *stream, void (*run)(void *), void *payload,
                 void (*destroy)(void *)) = nullptr;
  int (*check)(const void *pointer, size_t bytes) = nullptr;

  Device() {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!driver)
      return;
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(
          dlsym(driver, name));
    };
    find(getDevice, "cuCtxGetDevice");
    find(getAttribute, "cuDeviceGetAttribute");
    find(enqueue, "amp_emulator_enqueue");
    find(check, "amp_emulator_check");
  }

  /// 90 for sm_90; 0 when no context is current. Without a driver
  /// AMP_EMULATOR_ARCH says it, or it is 90.
  int arch() const {
    if (!getDevice || !getAttribute) {
      const char *named = std::getenv("AMP_EMULATOR_ARCH");
      int number = named ? std::atoi(named + (named[0] == 's' ? 3 : 0)) : 0;
      return number ? number : 90;
    }
    CUdevice device;
    int major = 0, minor = 0;
    if (getDevice(&device) ||
        getAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                     device) ||
        getAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                     device))
      return 0;
    return major * 10 + minor;
  }
};

struct Handle {
  static constexpr uint64_t kAlive = 0x616d705f6c740a01u;
  uint64_t magic = kAlive;
  int arch = 0;
};

/// The words of an algorithm.
struct Config {
  uint32_t magic;
  int32_t id;
  int32_t splits;
  int32_t scheme;
  uint16_t alignA, alignB, alignD;
  uint16_t reserved;
  uint64_t workspace;
  uint64_t unused[4];
};
static_assert(sizeof(Config) == sizeof(cublasLtMatmulAlgo_t));
constexpr uint32_t kConfig = 0x616c676f;
} // namespace

static const Device &device() {
  static const Device found;
  return found;
}

static Handle *alive(cublasLtHandle_t handle) {
  auto *found = reinterpret_cast<Handle *>(handle);
  return found && found->magic == Handle::kAlive ? found : nullptr;
}

static Config &config(cublasLtMatmulAlgo_t &algo) {
  return reinterpret_cast<Config &>(algo);
}
static const Config &config(const cublasLtMatmulAlgo_t &algo) {
  return reinterpret_cast<const Config &>(algo);
}

static cublasStatus_t report(const char *entry, cublasStatus_t status,
                             const std::string &reason) {
  if (status)
    std::fprintf(stderr, "emulator: %s refuses (%d): %s\n", entry, int(status),
                 reason.c_str());
  return status;
}

//===----------------------------------------------------------------------===//
// Library
//===----------------------------------------------------------------------===//

AMP_EMULATOR_API cublasStatus_t cublasLtCreate(cublasLtHandle_t *result) {
  if (!result)
    return CUBLAS_STATUS_INVALID_VALUE;
  int arch = device().arch();
  if (arch == 0)
    return report("cublasLtCreate", CUBLAS_STATUS_NOT_INITIALIZED,
                  "no context is current");
  auto *made = new (std::nothrow) Handle;
  if (!made)
    return CUBLAS_STATUS_ALLOC_FAILED;
  made->arch = arch;
  *result = reinterpret_cast<cublasLtHandle_t>(made);
  return CUBLAS_STATUS_SUCCESS;
}

AMP_EMULATOR_API cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  Handle *found = alive(handle);
  if (!found)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  found->magic = 0;
  delete found;
  return CUBLAS_STATUS_SUCCESS;
}

AMP_EMULATOR_API size_t cublasLtGetVersion() {
  size_t version = descriptors().version;
  return version ? version : CUBLAS_VERSION;
}

AMP_EMULATOR_API const char *cublasLtGetStatusName(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "CUBLAS_STATUS_SUCCESS"
                                         : "a failure of the emulator";
}
AMP_EMULATOR_API const char *cublasLtGetStatusString(cublasStatus_t status) {
  return cublasLtGetStatusName(status);
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

AMP_EMULATOR_API cublasStatus_t
cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *result,
                         cublasComputeType_t compute, cudaDataType_t scale) {
  return descriptors().cublasLtMatmulDescCreate(result, compute, scale);
}
AMP_EMULATOR_API cublasStatus_t
cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  return descriptors().cublasLtMatmulDescDestroy(desc);
}
AMP_EMULATOR_API cublasStatus_t cublasLtMatmulDescSetAttribute(
    cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
    const void *buffer, size_t size) {
  return descriptors().cublasLtMatmulDescSetAttribute(desc, attribute, buffer,
                                                      size);
}
AMP_EMULATOR_API cublasStatus_t cublasLtMatmulDescGetAttribute(
    cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
    void *buffer, size_t size, size_t *written) {
  return descriptors().cublasLtMatmulDescGetAttribute(desc, attribute, buffer,
                                                      size, written);
}
AMP_EMULATOR_API cublasStatus_t
cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *result, cudaDataType type,
                           uint64_t rows, uint64_t cols, int64_t ld) {
  return descriptors().cublasLtMatrixLayoutCreate(result, type, rows, cols, ld);
}
AMP_EMULATOR_API cublasStatus_t
cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return descriptors().cublasLtMatrixLayoutDestroy(layout);
}
AMP_EMULATOR_API cublasStatus_t cublasLtMatrixLayoutSetAttribute(
    cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute,
    const void *buffer, size_t size) {
  return descriptors().cublasLtMatrixLayoutSetAttribute(layout, attribute,
                                                        buffer, size);
}
AMP_EMULATOR_API cublasStatus_t cublasLtMatrixLayoutGetAttribute(
    cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute,
    void *buffer, size_t size, size_t *written) {
  return descriptors().cublasLtMatrixLayoutGetAttribute(layout, attribute,
                                                        buffer, size, written);
}
AMP_EMULATOR_API cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *result) {
  return descriptors().cublasLtMatmulPreferenceCreate(result);
}
AMP_EMULATOR_API cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return descriptors().cublasLtMatmulPreferenceDestroy(preference);
}
AMP_EMULATOR_API cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t preference,
    cublasLtMatmulPreferenceAttributes_t attribute, const void *buffer,
    size_t size) {
  return descriptors().cublasLtMatmulPreferenceSetAttribute(
      preference, attribute, buffer, size);
}
AMP_EMULATOR_API cublasStatus_t cublasLtMatmulPreferenceGetAttribute(
    cublasLtMatmulPreference_t preference,
    cublasLtMatmulPreferenceAttributes_t attribute, void *buffer, size_t size,
    size_t *written) {
  return descriptors().cublasLtMatmulPreferenceGetAttribute(
      preference, attribute, buffer, size, written);
}

//===----------------------------------------------------------------------===//
// Algorithms
//===----------------------------------------------------------------------===//

static constexpr size_t kSplitWorkspace = size_t(1) << 20;

/// The proposals for a preference, best first. Reducing in the output type
/// comes first: a program that does not rule it out gets a second rounding.
static cublasStatus_t proposals(cublasLtMatmulPreference_t preference,
                                Config (&found)[3], int &count) {
  uint64_t workspace = 0;
  uint32_t schemes = 0, alignA = 0, alignB = 0, alignD = 0;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  auto read = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto &value) {
    if (!status)
      status = descriptors().cublasLtMatmulPreferenceGetAttribute(
          preference, attribute, &value, sizeof(value), nullptr);
  };
  read(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace);
  read(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, schemes);
  read(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignA);
  read(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignB);
  read(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignD);
  auto add = [&](int32_t id, int32_t splits, int32_t scheme, uint64_t bytes) {
    if (bytes <= workspace)
      found[count++] = {kConfig,
                        id,
                        splits,
                        scheme,
                        uint16_t(std::min(alignA, 16u)),
                        uint16_t(std::min(alignB, 16u)),
                        uint16_t(std::min(alignD, 16u)),
                        0,
                        bytes,
                        {}};
  };
  count = 0;
  if (status)
    return status;
  if (schemes & CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE)
    add(21, 4, CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE, kSplitWorkspace);
  add(66, 1, CUBLASLT_REDUCTION_SCHEME_NONE, 0);
  if (schemes & CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE)
    add(24, 4, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, kSplitWorkspace);
  return status;
}

AMP_EMULATOR_API cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t op, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
    cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preference,
    int requested, cublasLtMatmulHeuristicResult_t results[], int *returned) {
  Handle *lt = alive(handle);
  if (!lt)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (requested <= 0 || !results || !returned)
    return CUBLAS_STATUS_INVALID_VALUE;
  *returned = 0;
  Product product;
  std::string reason = "an unreadable descriptor";
  cublasStatus_t status = readProduct(op, a, b, c, d, product);
  if (!status)
    status = checkProduct(product, lt->arch, reason);
  if (status)
    return report("cublasLtMatmulAlgoGetHeuristic", status, reason);
  Config found[3];
  int count = 0;
  status = proposals(preference, found, count);
  for (int i = 0; i < std::min(count, requested); ++i) {
    cublasLtMatmulHeuristicResult_t &result = results[(*returned)++];
    result = {};
    config(result.algo) = found[i];
    result.workspaceSize = found[i].workspace;
    result.state = CUBLAS_STATUS_SUCCESS;
    result.wavesCount = 1.0f;
  }
  return status;
}

AMP_EMULATOR_API cublasStatus_t cublasLtMatmulAlgoGetIds(
    cublasLtHandle_t handle, cublasComputeType_t, cudaDataType_t,
    cudaDataType_t, cudaDataType_t, cudaDataType_t, cudaDataType_t,
    int requested, int ids[], int *returned) {
  if (!alive(handle))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (requested <= 0 || !ids || !returned)
    return CUBLAS_STATUS_INVALID_VALUE;
  static const int known[] = {21, 24, 66};
  *returned = std::min(requested, 3);
  std::copy(known, known + *returned, ids);
  return CUBLAS_STATUS_SUCCESS;
}

AMP_EMULATOR_API cublasStatus_t cublasLtMatmulAlgoInit(
    cublasLtHandle_t handle, cublasComputeType_t, cudaDataType_t,
    cudaDataType_t, cudaDataType_t, cudaDataType_t, cudaDataType_t, int id,
    cublasLtMatmulAlgo_t *algo) {
  if (!alive(handle))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!algo || (id != 21 && id != 24 && id != 66))
    return CUBLAS_STATUS_INVALID_VALUE;
  config(*algo) = {kConfig, id, 1, CUBLASLT_REDUCTION_SCHEME_NONE, 16, 16, 16,
                   0,       0,  {}};
  return CUBLAS_STATUS_SUCCESS;
}

AMP_EMULATOR_API cublasStatus_t cublasLtMatmulAlgoCheck(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t op, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
    cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t *algo,
    cublasLtMatmulHeuristicResult_t *result) {
  Handle *lt = alive(handle);
  if (!lt)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!algo || !result || config(*algo).magic != kConfig)
    return CUBLAS_STATUS_INVALID_VALUE;
  Product product;
  std::string reason = "an unreadable descriptor";
  cublasStatus_t status = readProduct(op, a, b, c, d, product);
  if (!status)
    status = checkProduct(product, lt->arch, reason);
  if (status)
    return report("cublasLtMatmulAlgoCheck", status, reason);
  *result = {};
  result->workspaceSize = config(*algo).workspace;
  result->wavesCount = 1.0f;
  return CUBLAS_STATUS_SUCCESS;
}

AMP_EMULATOR_API cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(
    const cublasLtMatmulAlgo_t *algo,
    cublasLtMatmulAlgoConfigAttributes_t attribute, void *buffer, size_t size,
    size_t *written) {
  if (!algo || config(*algo).magic != kConfig || !buffer || size != 4)
    return CUBLAS_STATUS_INVALID_VALUE;
  int32_t value = 0;
  if (attribute == CUBLASLT_ALGO_CONFIG_ID)
    value = config(*algo).id;
  else if (attribute == CUBLASLT_ALGO_CONFIG_SPLITK_NUM)
    value = config(*algo).splits;
  else if (attribute == CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME)
    value = config(*algo).scheme;
  *static_cast<int32_t *>(buffer) = value;
  if (written)
    *written = size;
  return CUBLAS_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

static bool isAllocated(const void *pointer, size_t bytes) {
  return !device().check || device().check(pointer, bytes) == 0;
}

/// What an algorithm asks of a call.
static cublasStatus_t checkCall(const Product &p, const Config &algorithm,
                                const void *workspace, size_t workspaceBytes,
                                std::string &reason) {
  auto aligned = [](const void *pointer, uint16_t bytes) {
    return reinterpret_cast<uintptr_t>(pointer) % bytes == 0;
  };
  if (!aligned(p.aData, algorithm.alignA) ||
      !aligned(p.bData, algorithm.alignB) ||
      !aligned(p.dData, algorithm.alignD))
    reason = "a matrix less aligned than the algorithm was chosen for";
  else if (workspaceBytes < algorithm.workspace)
    reason = "a workspace smaller than the algorithm's";
  else if (algorithm.workspace && (!workspace || !aligned(workspace, 256)))
    reason = "a workspace that is not aligned to 256 bytes";
  else if (algorithm.workspace && !isAllocated(workspace, algorithm.workspace))
    reason = "a workspace outside of the device's memory";
  else
    return CUBLAS_STATUS_SUCCESS;
  return CUBLAS_STATUS_INVALID_VALUE;
}

AMP_EMULATOR_API cublasStatus_t
cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t op,
               const void *alpha, const void *a, cublasLtMatrixLayout_t aDesc,
               const void *b, cublasLtMatrixLayout_t bDesc, const void *beta,
               const void *c, cublasLtMatrixLayout_t cDesc, void *d,
               cublasLtMatrixLayout_t dDesc, const cublasLtMatmulAlgo_t *algo,
               void *workspace, size_t workspaceBytes, cudaStream_t stream) {
  Handle *lt = alive(handle);
  if (!lt)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!alpha || !beta || (algo && config(*algo).magic != kConfig))
    return CUBLAS_STATUS_INVALID_VALUE;
  auto *product = new (std::nothrow) Product;
  if (!product)
    return CUBLAS_STATUS_ALLOC_FAILED;
  std::string reason = "an unreadable descriptor";
  cublasStatus_t status = readProduct(op, aDesc, bDesc, cDesc, dDesc, *product);
  product->alpha = *static_cast<const float *>(alpha);
  product->beta = *static_cast<const float *>(beta);
  product->aData = a;
  product->bData = b;
  product->cData = c;
  product->dData = d;
  if (!status)
    status = checkProduct(*product, lt->arch, reason);
  if (!status)
    status = checkData(*product, isAllocated, reason);
  if (!status && algo) {
    status =
        checkCall(*product, config(*algo), workspace, workspaceBytes, reason);
    product->splits = config(*algo).splits;
    product->reducesInOutputType =
        config(*algo).scheme == CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE;
  }
  if (status) {
    delete product;
    return report("cublasLtMatmul", status, reason);
  }
  auto run = [](void *payload) { execute(*static_cast<Product *>(payload)); };
  auto destroy = [](void *payload) { delete static_cast<Product *>(payload); };
  if (device().enqueue)
    return device().enqueue(stream, run, product, destroy)
               ? CUBLAS_STATUS_EXECUTION_FAILED
               : CUBLAS_STATUS_SUCCESS;
  run(product);
  destroy(product);
  return CUBLAS_STATUS_SUCCESS;
}
