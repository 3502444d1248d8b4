//===- FaultTest.cpp - Faults that the emulator finds ---------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kernel here has one mistake; its correct form is run first, so that a
// check that always complains fails too.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace emulator_test;

namespace {
class FaultTest : public EmulatorTest {};
} // namespace

static std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos)
    text.replace(at, from.size(), to);
  return text;
}

/// Sums 128 floats: butterflies in each warp, one value a warp through shared
/// memory, every thread adds the four.
static const char *const kReduction = R"(
@part = internal addrspace(3) global [4 x float] undef, align 16
define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr float, ptr addrspace(1) %x, i32 %tid
  %v = load float, ptr addrspace(1) %px, align 4
  %s16 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %v, i32 16, i32 31)
  %a16 = fadd float %v, %s16
  %s8 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %a16, i32 8, i32 31)
  %a8 = fadd float %a16, %s8
  %s4 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %a8, i32 4, i32 31)
  %a4 = fadd float %a8, %s4
  %s2 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %a4, i32 2, i32 31)
  %a2 = fadd float %a4, %s2
  %s1 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %a2, i32 1, i32 31)
  %a1 = fadd float %a2, %s1
  %lane = and i32 %tid, 31
  %warp = lshr i32 %tid, 5
  %first = icmp eq i32 %lane, 0
  br i1 %first, label %put, label %join
put:
  %ps = getelementptr float, ptr addrspace(3) @part, i32 %warp
  store float %a1, ptr addrspace(3) %ps, align 4
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p = load <4 x float>, ptr addrspace(3) @part, align 16
  %p0 = extractelement <4 x float> %p, i32 0
  %p1 = extractelement <4 x float> %p, i32 1
  %p2 = extractelement <4 x float> %p, i32 2
  %p3 = extractelement <4 x float> %p, i32 3
  %t0 = fadd float %p0, %p1
  %t1 = fadd float %t0, %p2
  %t2 = fadd float %t1, %p3
  %py = getelementptr float, ptr addrspace(1) %y, i32 %tid
  store float %t2, ptr addrspace(1) %py, align 4
  ret void
}
)";

static std::vector<float> ones(size_t count) {
  return std::vector<float>(count, 1.0f);
}

TEST_F(FaultTest, CorrectReductionPasses) {
  CUdeviceptr x = upload(ones(128)), y = allocate(512);
  ASSERT_EQ(run(load(kReduction), 1, 128, {x, y}), CUDA_SUCCESS);
  EXPECT_EQ(download<float>(y, 128), std::vector<float>(128, 128.0f));
}

/// The mask names half of the lanes, and all execute the shuffle.
TEST_F(FaultTest, LaneOutsideOfMask) {
  CUdeviceptr x = upload(ones(128)), y = allocate(512);
  expectFault(
      load(replaced(kReduction, "(i32 -1, float %a4", "(i32 65535, float %a4")),
      1, 128, {x, y}, CUDA_ERROR_LAUNCH_FAILED,
      "thread (16, 0, 0): shuffle with mask 0x0000ffff is executed by "
      "lane 16, which the mask does not name");
}

/// Half of a warp goes another way, and the mask names all.
TEST_F(FaultTest, LaneDoesNotArrive) {
  const char *kernel = R"(
define ptx_kernel void @k(ptr addrspace(1) %y) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %tid, 16
  br i1 %low, label %shuffle, label %end
shuffle:
  %v = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 MASK, i32 %tid, i32 3, i32 31)
  %p = getelementptr i32, ptr addrspace(1) %y, i32 %tid
  store i32 %v, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}
)";
  CUdeviceptr y = allocate(64);
  ASSERT_EQ(run(load(replaced(kernel, "MASK", "65535")), 1, 32, {y}),
            CUDA_SUCCESS);
  EXPECT_EQ(download<int>(y, 16), std::vector<int>(16, 3));
  expectFault(load(replaced(kernel, "MASK", "-1")), 1, 32, {y},
              CUDA_ERROR_LAUNCH_FAILED,
              "is not executed by every lane that the mask names, while "
              "thread (16, 0, 0) has exited");
}

/// A lane of the mask reads from one that the mask does not name.
TEST_F(FaultTest, SourceOutsideOfMask) {
  const char *kernel = R"(
define ptx_kernel void @k() {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %tid, 16
  br i1 %low, label %shuffle, label %end
shuffle:
  %v = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 65535, i32 %tid, i32 20, i32 31)
  br label %end
end:
  ret void
}
)";
  expectFault(load(kernel), 1, 32, {}, CUDA_ERROR_LAUNCH_FAILED,
              "reads from lane 20");
}

TEST_F(FaultTest, MissingBarrier) {
  CUdeviceptr x = upload(ones(128)), y = allocate(512);
  expectFault(load(replaced(kReduction,
                            "join:\n  call void "
                            "@llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)",
                            "join:")),
              1, 128, {x, y}, CUDA_ERROR_ILLEGAL_ADDRESS, "shared memory");
}

/// Thread 0 writes what the others read, in both orders, without a barrier.
TEST_F(FaultTest, SharedMemoryRaces) {
  const char *kernel = R"(
@cell = internal addrspace(3) global [2 x i32] undef, align 8
define ptx_kernel void @k(ptr addrspace(1) %y) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 VALUE, ptr addrspace(3) @cell, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v = load i32, ptr addrspace(3) @cell, align 4
  %last = icmp eq i32 %tid, 63
  br i1 %last, label %put, label %end
put:
  store i32 SECOND, ptr addrspace(3) @cell, align 4
  br label %end
end:
  ret void
}
)";
  CUdeviceptr y = allocate(4);
  // The same value from all lanes, and again the same, are no races.
  ASSERT_EQ(run(load(replaced(replaced(kernel, "VALUE", "7"), "SECOND", "7")),
                1, 64, {y}),
            CUDA_SUCCESS);
  expectFault(load(replaced(replaced(kernel, "VALUE", "%tid"), "SECOND", "7")),
              1, 64, {y}, CUDA_ERROR_ILLEGAL_ADDRESS,
              "races with thread 0, which wrote another value to byte 0 of "
              "'cell' since the last barrier");
  ASSERT_EQ(cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
  expectFault(load(replaced(replaced(kernel, "VALUE", "7"), "SECOND", "8")), 1,
              64, {y}, CUDA_ERROR_ILLEGAL_ADDRESS,
              "store to shared memory of 4 bytes races with other threads, "
              "which read byte 0 of 'cell'");
}

/// bar.warp.sync orders the lanes of one warp, and of no other.
TEST_F(FaultTest, WarpBarrierOrdersItsWarp) {
  const char *kernel = R"(
@cell = internal addrspace(3) global [64 x i32] undef, align 8
define ptx_kernel void @k(ptr addrspace(1) %y) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(3) @cell, i32 %tid
  store i32 %tid, ptr addrspace(3) %p, align 4
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %other = xor i32 %tid, DISTANCE
  %q = getelementptr i32, ptr addrspace(3) @cell, i32 %other
  %v = load i32, ptr addrspace(3) %q, align 4
  %r = getelementptr i32, ptr addrspace(1) %y, i32 %tid
  store i32 %v, ptr addrspace(1) %r, align 4
  ret void
}
)";
  CUdeviceptr y = allocate(256);
  ASSERT_EQ(run(load(replaced(kernel, "DISTANCE", "1")), 1, 64, {y}),
            CUDA_SUCCESS);
  EXPECT_EQ(download<int>(y, 2), (std::vector<int>{1, 0}));
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(load(replaced(kernel, "DISTANCE", "32")), 1, 64, {y}),
            CUDA_ERROR_ILLEGAL_ADDRESS);
  testing::internal::GetCapturedStderr();
}

TEST_F(FaultTest, UninitialisedSharedMemory) {
  const char *kernel = R"(
@cell = internal addrspace(3) global [8 x i32] undef, align 4
define ptx_kernel void @k(ptr addrspace(1) %y) {
  store i32 1, ptr addrspace(3) @cell, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v = load i32, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @cell, i32 5), align 4
  store i32 %v, ptr addrspace(1) %y, align 4
  ret void
}
)";
  expectFault(load(kernel), 1, 32, {allocate(4)}, CUDA_ERROR_ILLEGAL_ADDRESS,
              "reads byte 20 of 'cell', which nothing has written");
}

TEST_F(FaultTest, OutOfSharedBounds) {
  const char *kernel = R"(
@cell = internal addrspace(3) global [8 x i32] undef, align 4
define ptx_kernel void @k() {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(3) @cell, i32 %tid
  store i32 %tid, ptr addrspace(3) %p, align 4
  ret void
}
)";
  CUfunction kernel8 = load(kernel);
  ASSERT_EQ(run(kernel8, 1, 8, {}), CUDA_SUCCESS);
  expectFault(kernel8, 1, 9, {}, CUDA_ERROR_ILLEGAL_ADDRESS,
              "is out of bounds: offset 32 of 'cell' (32 bytes");
}

/// Lanes of one warp wait at different barriers; and one exits instead.
TEST_F(FaultTest, BarrierDivergence) {
  const char *kernel = R"(
define ptx_kernel void @k() {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %tid, 32
  br i1 %low, label %a, label %b
a:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end
b:
  SECOND
  br label %end
end:
  ret void
}
)";
  std::string barrier =
      "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";
  // Whole warps may arrive by different ways.
  ASSERT_EQ(run(load(replaced(kernel, "SECOND", barrier)), 1, 64, {}),
            CUDA_SUCCESS);
  expectFault(load(replaced(kernel, "SECOND", "")), 1, 64, {},
              CUDA_ERROR_LAUNCH_FAILED,
              "barrier divergence: waits at barrier 0, while thread (32, 0, 0) "
              "has exited");
  ASSERT_EQ(cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
  // Half of a warp may not.
  std::string split = replaced(kernel, "i32 %tid, 32", "i32 %tid, 16");
  expectFault(load(replaced(split, "SECOND", barrier)), 1, 64, {},
              CUDA_ERROR_LAUNCH_FAILED,
              "barrier divergence: waits at another instruction");
}

/// y[i] = 2 x[i + SHIFT], four floats a thread.
static const char *const kVector = R"(
define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = shl i32 %tid, 2
  %j = add i32 %i, SHIFT
  %px = getelementptr float, ptr addrspace(1) %x, i32 %j
  %v = load <4 x float>, ptr addrspace(1) %px, align 16
  %w = fadd <4 x float> %v, %v
  %py = getelementptr float, ptr addrspace(1) %y, i32 %i
  store <4 x float> %w, ptr addrspace(1) %py, align 16
  ret void
}
)";

TEST_F(FaultTest, OffBy16Bytes) {
  CUdeviceptr x = upload(ones(256)), y = allocate(1024);
  ASSERT_EQ(run(load(replaced(kVector, "SHIFT", "0")), 1, 64, {x, y}),
            CUDA_SUCCESS);
  EXPECT_EQ(download<float>(y, 256), std::vector<float>(256, 2.0f));
  expectFault(load(replaced(kVector, "SHIFT", "4")), 1, 64, {x, y},
              CUDA_ERROR_ILLEGAL_ADDRESS,
              "thread (63, 0, 0): load of 16 bytes is out of bounds");
}

/// A parameter ends where it says, not where its allocation does: buffers in
/// one arena are neighbours.
TEST_F(FaultTest, ParameterOutOfBounds) {
  CUdeviceptr x = upload(ones(512)), y = allocate(2048);
  std::string bounded = replaced(kVector, "ptr addrspace(1) %y)",
                                 "ptr addrspace(1) dereferenceable(1008) %y)");
  CUfunction kernel = load(replaced(bounded, "SHIFT", "0"));
  ASSERT_EQ(run(kernel, 1, 63, {x, y}), CUDA_SUCCESS);
  expectFault(kernel, 1, 64, {x, y}, CUDA_ERROR_ILLEGAL_ADDRESS,
              "store of 16 bytes is out of bounds: offset 1008 of a parameter "
              "of 1008 bytes");
}

/// One byte too few for the last store.
TEST_F(FaultTest, OutOfBoundsByOneByte) {
  CUdeviceptr x = upload(ones(256)), y = allocate(1023);
  expectFault(load(replaced(kVector, "SHIFT", "0")), 1, 64, {x, y},
              CUDA_ERROR_ILLEGAL_ADDRESS, "store of 16 bytes is out of bounds");
}

TEST_F(FaultTest, MisalignedVector) {
  CUdeviceptr x = upload(ones(512)), y = allocate(1024);
  expectFault(load(replaced(kVector, "SHIFT", "1")), 1, 64, {x, y},
              CUDA_ERROR_MISALIGNED_ADDRESS,
              "thread (0, 0, 0): load of 16 bytes at");
}

/// The free comes first in the stream, the launch after it.
TEST_F(FaultTest, UseAfterFree) {
  CUdeviceptr x = upload(ones(256)), y = 0;
  ASSERT_EQ(cuMemAllocAsync(&y, 1024, stream), CUDA_SUCCESS);
  CUfunction kernel = load(replaced(kVector, "SHIFT", "0"));
  ASSERT_EQ(run(kernel, 1, 64, {x, y}), CUDA_SUCCESS);
  ASSERT_EQ(cuMemFreeAsync(y, stream), CUDA_SUCCESS);
  expectFault(kernel, 1, 64, {x, y}, CUDA_ERROR_ILLEGAL_ADDRESS,
              "store of 16 bytes is a use after free");
}

TEST_F(FaultTest, HostPointerInKernel) {
  std::vector<float> host(256);
  CUdeviceptr x = upload(ones(256));
  expectFault(load(replaced(kVector, "SHIFT", "0")), 1, 64,
              {x, reinterpret_cast<CUdeviceptr>(host.data()) & ~15ull},
              CUDA_ERROR_ILLEGAL_ADDRESS, "is not device memory");
}

TEST_F(FaultTest, CopyOutOfBounds) {
  CUdeviceptr x = allocate(64);
  char host[65] = {};
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuMemcpyHtoD(x, host, 65), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("1 bytes past its end"),
            std::string::npos);
}

/// The program reads the device's memory itself.
TEST_F(FaultTest, HostAccess) {
  CUdeviceptr x = upload(ones(4));
  EXPECT_EXIT(
      {
        volatile float value = *reinterpret_cast<volatile float *>(x);
        (void)value;
      },
      testing::ExitedWithCode(86), "host access to device memory");
}

TEST_F(FaultTest, UnknownIntrinsic) {
  const char *kernel = R"(
declare void @llvm.nvvm.barrier.cluster.arrive()
define ptx_kernel void @k() {
  call void @llvm.nvvm.barrier.cluster.arrive()
  ret void
}
)";
  CUfunction function = load(kernel);
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(function, 1, 32, {}), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "intrinsic 'llvm.nvvm.barrier.cluster.arrive' is not known"),
            std::string::npos);
}

/// After an error every call returns it, until the context is reset.
TEST_F(FaultTest, ErrorsStay) {
  CUdeviceptr x = upload(ones(256)), y = allocate(16);
  expectFault(load(replaced(kVector, "SHIFT", "0")), 1, 64, {x, y},
              CUDA_ERROR_ILLEGAL_ADDRESS, "out of bounds");
  CUdeviceptr more = 0;
  EXPECT_EQ(cuMemAlloc(&more, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuMemcpyHtoD(x, &more, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc(&more, 16), CUDA_SUCCESS);
}
