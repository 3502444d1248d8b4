//===- DriverTest.cpp - Streams, events, pools, graphs --------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of work and the rules of the driver that the emulator keeps.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <cstring>
#include <fstream>

using namespace emulator_test;

extern "C" int amp_emulator_enqueue(void *stream, void (*function)(void *),
                                    void *payload, void (*destroy)(void *));
extern "C" int amp_emulator_check(const void *pointer, size_t bytes);

namespace {
class DriverTest : public EmulatorTest {};
} // namespace

/// x[i] += 1.
static const char *const kIncrement = R"(
define ptx_kernel void @k(ptr addrspace(1) %x) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(1) %x, i32 %tid
  %v = load i32, ptr addrspace(1) %p, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %p, align 4
  ret void
}
)";

static CUresult launch(CUfunction kernel, unsigned threads, CUdeviceptr x,
                       CUstream stream) {
  void *parameters[] = {&x};
  return cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, stream, parameters,
                        nullptr);
}

TEST_F(DriverTest, Device) {
  int version = 0, major = 0;
  char name[64];
  EXPECT_EQ(cuDriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_EQ(version, 13000);
  EXPECT_EQ(cuDeviceGetName(name, sizeof(name), 0), CUDA_SUCCESS);
  EXPECT_STREQ(name, "AMP emulator");
  EXPECT_EQ(cuDeviceGetAttribute(
                &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(major, 9);
  const char *text = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_OUT_OF_MEMORY");
  void *entry = nullptr;
  EXPECT_EQ(cuGetProcAddress("cuStreamDestroy", &entry, 13000, 0, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(entry, reinterpret_cast<void *>(&cuStreamDestroy));
}

/// Nothing has run before the host waits: a missing wait shows.
TEST_F(DriverTest, WorkRunsWhenAwaited) {
  CUfunction kernel = load(kIncrement);
  CUdeviceptr x = allocate(128);
  int *host = nullptr;
  ASSERT_EQ(cuMemHostAlloc(reinterpret_cast<void **>(&host), 128, 0),
            CUDA_SUCCESS);
  host[0] = -1;
  ASSERT_EQ(cuMemsetD8Async(x, 0, 128, stream), CUDA_SUCCESS);
  ASSERT_EQ(launch(kernel, 32, x, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoHAsync(host, x, 128, stream), CUDA_SUCCESS);
  EXPECT_EQ(host[0], -1);
  CUevent event = nullptr;
  ASSERT_EQ(cuEventCreate(&event, CU_EVENT_DEFAULT), CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
  EXPECT_EQ(host[0], 1);
  EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS);
  EXPECT_EQ(cuEventDestroy(event), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeHost(host), CUDA_SUCCESS);
}

/// A source that is not pinned may be reused at once; a pinned one may not.
TEST_F(DriverTest, StagingOfHostMemory) {
  CUdeviceptr x = allocate(8);
  int pageable = 1;
  int *pinned = nullptr;
  ASSERT_EQ(cuMemHostAlloc(reinterpret_cast<void **>(&pinned), 4, 0),
            CUDA_SUCCESS);
  *pinned = 1;
  ASSERT_EQ(cuMemcpyHtoDAsync(x, &pageable, 4, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyHtoDAsync(x + 4, pinned, 4, stream), CUDA_SUCCESS);
  pageable = 2;
  *pinned = 2;
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(x, 2), (std::vector<int>{1, 2}));
  EXPECT_EQ(cuMemFreeHost(pinned), CUDA_SUCCESS);
}

TEST_F(DriverTest, StreamsWaitForEvents) {
  CUfunction kernel = load(kIncrement);
  CUstream other = nullptr;
  CUevent event = nullptr;
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&event, CU_EVENT_DEFAULT), CUDA_SUCCESS);
  CUdeviceptr x = allocate(4), y = allocate(4);
  ASSERT_EQ(cuMemsetD8Async(x, 0, 4, stream), CUDA_SUCCESS);
  ASSERT_EQ(launch(kernel, 1, x, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
  ASSERT_EQ(launch(kernel, 1, x, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWaitEvent(other, event, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoDAsync(y, x, 4, other), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(other), CUDA_SUCCESS);
  // The work before the event is done, that after it is not.
  EXPECT_EQ(download<int>(y, 1)[0], 1);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(x, 1)[0], 2);
  EXPECT_EQ(cuStreamDestroy(other), CUDA_SUCCESS);
  EXPECT_EQ(cuEventDestroy(event), CUDA_SUCCESS);
}

TEST_F(DriverTest, Pool) {
  CUmemPoolProps props = {};
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemoryPool pool = nullptr;
  ASSERT_EQ(cuMemPoolCreate(&pool, &props), CUDA_SUCCESS);
  auto attribute = [&](CUmemPool_attribute which) {
    cuuint64_t value = 0;
    EXPECT_EQ(cuMemPoolGetAttribute(pool, which, &value), CUDA_SUCCESS);
    return value;
  };
  cuuint64_t keep = 600;
  ASSERT_EQ(
      cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep),
      CUDA_SUCCESS);
  CUdeviceptr a = 0, b = 0;
  ASSERT_EQ(cuMemAllocFromPoolAsync(&a, 512, pool, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocFromPoolAsync(&b, 512, pool, stream), CUDA_SUCCESS);
  EXPECT_EQ(attribute(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 1024u);
  ASSERT_EQ(cuMemFreeAsync(a, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuMemFreeAsync(b, stream), CUDA_SUCCESS);
  // The frees wait in the stream.
  EXPECT_EQ(attribute(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 1024u);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(attribute(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0u);
  EXPECT_EQ(attribute(CU_MEMPOOL_ATTR_USED_MEM_HIGH), 1024u);
  EXPECT_EQ(attribute(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 600u);
  EXPECT_EQ(cuMemFreeAsync(a, stream), CUDA_ERROR_INVALID_VALUE);
  cuuint64_t reset = 0;
  ASSERT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &reset),
            CUDA_SUCCESS);
  EXPECT_EQ(attribute(CU_MEMPOOL_ATTR_USED_MEM_HIGH), 0u);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
}

TEST_F(DriverTest, OutOfMemory) {
  CUdeviceptr x = 0;
  EXPECT_EQ(cuMemAlloc(&x, size_t(1) << 50), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMemAlloc(&x, 0), CUDA_ERROR_INVALID_VALUE);
  // Not sticky.
  EXPECT_EQ(cuMemAlloc(&x, 16), CUDA_SUCCESS);
}

/// A captured step runs when its graph is launched, as often as it is.
TEST_F(DriverTest, Graph) {
  CUfunction kernel = load(kIncrement);
  CUdeviceptr x = allocate(128), y = allocate(128);
  ASSERT_EQ(cuMemsetD8Async(x, 0, 128, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
            CUDA_SUCCESS);
  ASSERT_EQ(launch(kernel, 32, x, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoDAsync(y, x, 128, stream), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  size_t count = 0;
  ASSERT_EQ(cuGraphGetNodes(graph, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2u);
  CUgraphExec exec = nullptr;
  ASSERT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphUpload(exec, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(x, 1)[0], 0);
  for (int i = 0; i != 3; ++i)
    ASSERT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(y, 32), std::vector<int>(32, 3));

  // The same step on other memory takes the place of the first.
  CUdeviceptr z = allocate(128);
  ASSERT_EQ(cuMemsetD8Async(z, 0, 128, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
            CUDA_SUCCESS);
  ASSERT_EQ(launch(kernel, 32, z, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoDAsync(y, z, 128, stream), CUDA_SUCCESS);
  CUgraph second = nullptr;
  ASSERT_EQ(cuStreamEndCapture(stream, &second), CUDA_SUCCESS);
  CUgraphExecUpdateResultInfo info;
  ASSERT_EQ(cuGraphExecUpdate(exec, second, &info), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(download<int>(y, 32), std::vector<int>(32, 1));
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(second), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
}

/// Two streams in one capture, joined by events; and not joined.
TEST_F(DriverTest, CaptureForks) {
  CUfunction kernel = load(kIncrement);
  CUstream other = nullptr;
  CUevent fork = nullptr, join = nullptr;
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&fork, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&join, 0), CUDA_SUCCESS);
  CUdeviceptr x = allocate(4), y = allocate(4);
  for (bool joined : {true, false}) {
    ASSERT_EQ(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
              CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD8Async(x, 0, 4, stream), CUDA_SUCCESS);
    ASSERT_EQ(cuEventRecord(fork, stream), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamWaitEvent(other, fork, 0), CUDA_SUCCESS);
    ASSERT_EQ(launch(kernel, 1, x, other), CUDA_SUCCESS);
    ASSERT_EQ(cuEventRecord(join, other), CUDA_SUCCESS);
    if (joined)
      ASSERT_EQ(cuStreamWaitEvent(stream, join, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuMemcpyDtoDAsync(y, x, 4, stream), CUDA_SUCCESS);
    CUgraph graph = nullptr;
    EXPECT_EQ(cuStreamEndCapture(stream, &graph),
              joined ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    if (joined)
      EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  }
  EXPECT_EQ(cuStreamDestroy(other), CUDA_SUCCESS);
  EXPECT_EQ(cuEventDestroy(fork), CUDA_SUCCESS);
  EXPECT_EQ(cuEventDestroy(join), CUDA_SUCCESS);
}

/// A wait inside a capture ends it with an error.
TEST_F(DriverTest, WaitInCapture) {
  ASSERT_EQ(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(stream, &graph),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(graph, nullptr);
  // The stream is as before.
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
}

/// Work of a stand-in library: in order, with access to the device, kept by a
/// graph, and destroyed once.
TEST_F(DriverTest, LibraryWork) {
  struct Payload {
    int *x;
    int *destroyed;
  };
  int destroyed = 0;
  CUdeviceptr x = allocate(4);
  ASSERT_EQ(cuMemsetD32Async(x, 5, 1, stream), CUDA_SUCCESS);
  auto twice = [](void *payload) { *static_cast<Payload *>(payload)->x *= 2; };
  auto destroy = [](void *payload) {
    ++*static_cast<Payload *>(payload)->destroyed;
    delete static_cast<Payload *>(payload);
  };
  int *pointer = reinterpret_cast<int *>(x);
  ASSERT_EQ(amp_emulator_enqueue(stream, twice,
                                 new Payload{pointer, &destroyed}, destroy),
            0);
  EXPECT_EQ(destroyed, 0);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(destroyed, 1);
  ASSERT_EQ(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  ASSERT_EQ(amp_emulator_enqueue(stream, twice,
                                 new Payload{pointer, &destroyed}, destroy),
            0);
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  for (int i = 0; i != 2; ++i)
    ASSERT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(destroyed, 1);
  ASSERT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(destroyed, 2);
  EXPECT_EQ(download<int>(x, 1)[0], 40);
  EXPECT_EQ(amp_emulator_check(pointer, 4), 0);
  testing::internal::CaptureStderr();
  EXPECT_NE(amp_emulator_check(pointer, 5), 0);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(DriverTest, LaunchRules) {
  CUfunction kernel = load(kIncrement);
  CUdeviceptr x = allocate(4096);
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(kernel, 1025, x, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(kernel, 0, x, stream), CUDA_ERROR_INVALID_VALUE);
  CUfunction bounded = load(std::string(kIncrement)
                                .replace(std::string(kIncrement).find(") {"), 3,
                                         ") \"nvvm.maxntid\"=\"64\" {"));
  EXPECT_EQ(launch(bounded, 65, x, stream), CUDA_ERROR_INVALID_VALUE);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(launch(bounded, 64, x, stream), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel, 1024, x, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
}

TEST_F(DriverTest, NoBitcode) {
  std::string ptx = compilePtx(kIncrement);
  CUmodule module = nullptr;
  // Comments and white space are not part of the key, names are.
  EXPECT_EQ(cuModuleLoadData(&module, ("// comment\n\t" + ptx).c_str()),
            CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuModuleLoadData(&module, (ptx + ".extern").c_str()),
            CUDA_ERROR_INVALID_IMAGE);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("no bitcode"),
            std::string::npos);
}
