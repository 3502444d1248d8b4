//===- WarpTest.cpp - Warp operations and arithmetic of the device --------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffles with their predicates against the rules of the PTX manual, votes,
// reductions, and conversions against the numerics library's formats.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <cmath>
#include <cstring>

using namespace emulator_test;

namespace {
class WarpTest : public EmulatorTest {};
} // namespace

/// One warp calls a shuffle with a predicate on its lane number; the results
/// are value | predicate << 8.
static std::string shuffleKernel(const std::string &mode, int b, int c) {
  return R"(
define ptx_kernel void @k(ptr addrspace(1) %y) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call {i32, i1} @llvm.nvvm.shfl.sync.)" +
         mode + ".i32p(i32 -1, i32 %tid, i32 " + std::to_string(b) + ", i32 " +
         std::to_string(c) + R"()
  %v = extractvalue {i32, i1} %r, 0
  %p = extractvalue {i32, i1} %r, 1
  %pi = zext i1 %p to i32
  %ps = shl i32 %pi, 8
  %o = or i32 %v, %ps
  %q = getelementptr i32, ptr addrspace(1) %y, i32 %tid
  store i32 %o, ptr addrspace(1) %q, align 4
  ret void
}
)";
}

TEST_F(WarpTest, ShuffleUpAndDown) {
  CUdeviceptr y = allocate(128);
  ASSERT_EQ(run(load(shuffleKernel("up", 3, 0)), 1, 32, {y}), CUDA_SUCCESS);
  std::vector<int> up = download<int>(y, 32);
  ASSERT_EQ(run(load(shuffleKernel("down", 3, 31)), 1, 32, {y}), CUDA_SUCCESS);
  std::vector<int> down = download<int>(y, 32);
  // Segments of 8 lanes: the segment mask is 0x18, the clamp 7.
  ASSERT_EQ(run(load(shuffleKernel("down", 3, 0x1807)), 1, 32, {y}),
            CUDA_SUCCESS);
  std::vector<int> segments = download<int>(y, 32);
  for (int i = 0; i != 32; ++i) {
    EXPECT_EQ(up[i], i >= 3 ? (i - 3) | 256 : i);
    EXPECT_EQ(down[i], i + 3 <= 31 ? (i + 3) | 256 : i);
    EXPECT_EQ(segments[i], i % 8 + 3 <= 7 ? (i + 3) | 256 : i);
  }
}

/// The last warp of a block of 48 threads has 16 lanes.
TEST_F(WarpTest, VoteReduceAndCount) {
  const char *kernel = R"(
define ptx_kernel void @k(ptr addrspace(1) %y) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %odd = and i32 %lane, 1
  %is = icmp eq i32 %odd, 1
  %b = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %is)
  %s = call i32 @llvm.nvvm.redux.sync.add(i32 %tid, i32 -1)
  %n = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %is)
  %i = mul i32 %tid, 3
  %p = getelementptr i32, ptr addrspace(1) %y, i32 %i
  store i32 %b, ptr addrspace(1) %p, align 4
  %p1 = getelementptr i32, ptr addrspace(1) %p, i32 1
  store i32 %s, ptr addrspace(1) %p1, align 4
  %p2 = getelementptr i32, ptr addrspace(1) %p, i32 2
  store i32 %n, ptr addrspace(1) %p2, align 4
  ret void
}
)";
  CUdeviceptr y = allocate(64 * 12);
  ASSERT_EQ(run(load(kernel), 1, 64, {y}), CUDA_SUCCESS);
  std::vector<unsigned> result = download<unsigned>(y, 64 * 3);
  EXPECT_EQ(result[0], 0xaaaaaaaau);
  EXPECT_EQ(result[1], 31u * 32 / 2);
  EXPECT_EQ(result[2], 32u);
  EXPECT_EQ(result[3 * 40 + 1], 31u * 32 / 2 + 32 * 32);
}

/// Rounds n floats in the way of `body`, which maps float %v to i16 %r.
static std::vector<uint16_t> convert(EmulatorTest &, CUfunction kernel,
                                     CUdeviceptr x, CUdeviceptr y,
                                     CUstream stream, size_t n) {
  void *parameters[] = {&x, &y};
  EXPECT_EQ(cuLaunchKernel(kernel, n / 32, 1, 1, 32, 1, 1, 0, stream,
                           parameters, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  std::vector<uint16_t> result(n);
  EXPECT_EQ(cuMemcpyDtoH(result.data(), y, n * 2), CUDA_SUCCESS);
  return result;
}

static std::string convertKernel(const std::string &body) {
  return R"(
declare i16 @llvm.nvvm.ff.to.e4m3x2.rn(float, float)
declare <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float, float)
declare float @llvm.nvvm.add.rm.f(float, float)
define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %cta = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = shl i32 %cta, 5
  %i = add i32 %base, %tid
  %px = getelementptr float, ptr addrspace(1) %x, i32 %i
  %v = load float, ptr addrspace(1) %px, align 4
)" + body +
         R"(
  %py = getelementptr i16, ptr addrspace(1) %y, i32 %i
  store i16 %r, ptr addrspace(1) %py, align 2
  ret void
}
)";
}

/// Halfway cases round to even, both in the instruction and in the intrinsic.
TEST_F(WarpTest, BFloat16) {
  std::vector<float> values(32, 0.0f);
  const uint32_t bits[] = {0x3f808000, 0x3f818000, 0x3f808001, 0x3f807fff,
                           0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc12345,
                           0x80000001, 0x00008000, 0x00018000, 0x80000000};
  const uint16_t expected[] = {0x3f80, 0x3f82, 0x3f81, 0x3f80, 0x7f80, 0x7f80,
                               0xff80, 0x7fff, 0x8000, 0x0000, 0x0002, 0x8000};
  memcpy(values.data(), bits, sizeof(bits));
  CUdeviceptr x = upload(values), y = allocate(64);
  for (const char *body :
       {"  %h = fptrunc float %v to bfloat\n  %r = bitcast bfloat %h to i16",
        "  %p = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float 0.0, float "
        "%v)\n"
        "  %h = extractelement <2 x bfloat> %p, i32 0\n"
        "  %r = bitcast bfloat %h to i16"}) {
    SCOPED_TRACE(body);
    std::vector<uint16_t> got =
        convert(*this, load(convertKernel(body)), x, y, stream, 32);
    for (size_t i = 0; i != std::size(expected); ++i)
      EXPECT_EQ(got[i], expected[i]) << i;
  }
}

/// E4M3 saturates; its subnormal numbers are multiples of 2^-9.
TEST_F(WarpTest, E4M3) {
  std::vector<float> values(32, 0.0f);
  const float inputs[] = {1.0f,      448.0f,     464.0f,     1e9f,
                          -INFINITY, 1.0625f,    1.1875f,    0x1p-9f,
                          0x1p-10f,  0x1.8p-10f, -0x1.cp-7f, 0.0f};
  const uint16_t expected[] = {0x38, 0x7e, 0x7e, 0x7e, 0xfe, 0x38,
                               0x3a, 0x01, 0x00, 0x01, 0x87, 0x00};
  std::copy(std::begin(inputs), std::end(inputs), values.begin());
  CUdeviceptr x = upload(values), y = allocate(64);
  std::vector<uint16_t> got = convert(
      *this,
      load(convertKernel(
          "  %r = call i16 @llvm.nvvm.ff.to.e4m3x2.rn(float 1.0, float %v)")),
      x, y, stream, 32);
  for (size_t i = 0; i != std::size(expected); ++i)
    EXPECT_EQ(got[i], expected[i] | 0x3800) << inputs[i];
}

/// 1 + 2^-30 rounded down is 1, and -1 - 2^-30 the number below -1.
TEST_F(WarpTest, DirectedRounding) {
  std::vector<float> values(32, 1.0f);
  values[1] = -1.0f;
  CUdeviceptr x = upload(values), y = allocate(64);
  std::vector<uint16_t> got = convert(
      *this,
      load(convertKernel(
          "  %c = call float @llvm.copysign.f32(float 0x3E10000000000000, "
          "float %v)\n"
          "  %s = call float @llvm.nvvm.add.rm.f(float %v, float %c)\n"
          "  %b = bitcast float %s to i32\n  %r = trunc i32 %b to i16")),
      x, y, stream, 32);
  EXPECT_EQ(got[0], 0x0000);
  EXPECT_EQ(got[1], 0x0001);
}

/// A kernel on a grid and block of more dimensions.
TEST_F(WarpTest, Dimensions) {
  const char *kernel = R"(
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
define ptx_kernel void @k(ptr addrspace(1) %y) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %a = mul i32 %ty, 2
  %b = mul i32 %tz, 6
  %c = mul i32 %by, 24
  %d = add i32 %tx, %a
  %e = add i32 %d, %b
  %i = add i32 %e, %c
  %p = getelementptr i32, ptr addrspace(1) %y, i32 %i
  store i32 %i, ptr addrspace(1) %p, align 4
  ret void
}
)";
  CUdeviceptr y = allocate(48 * 4);
  void *parameters[] = {&y};
  ASSERT_EQ(cuLaunchKernel(load(kernel), 1, 2, 1, 2, 3, 4, 0, stream,
                           parameters, nullptr),
            CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  std::vector<int> got = download<int>(y, 48);
  for (int i = 0; i != 48; ++i)
    EXPECT_EQ(got[i], i);
}
