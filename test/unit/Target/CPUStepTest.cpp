//===- CPUStepTest.cpp - Steps run through the CPU lowering -----*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPUHarness.h"

#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace mlir::amp::test;

static const char *step = R"mlir(
#id = affine_map<(d0, d1) -> (d0, d1)>
#f = affine_map<(d0) -> (d0)>
#s = affine_map<(d0) -> ()>
func.func @step(
    %w: tensor<8192xf32> {bufferization.writable = true, amp.name = "params"},
    %lr: tensor<f32> {bufferization.writable = true, amp.name = "lr"},
    %x: tensor<64x128xf32>, %dy: tensor<64x64xf32>)
    -> (tensor<8192xf32>, tensor<f32>, tensor<64x64xf32>) {
  %wm = tensor.expand_shape %w [[0, 1]] output_shape [64, 128]
      : tensor<8192xf32> into tensor<64x128xf32>
  %e0 = tensor.empty() : tensor<64x64xf32>
  %y = amprt.gemm ins(%x, %wm : tensor<64x128xf32>, tensor<64x128xf32>)
      outs(%e0 : tensor<64x64xf32>)
      {transpose_rhs, numerics = #amp.numerics<accumulate = f32>} -> tensor<64x64xf32>
  %e1 = tensor.empty() : tensor<64x64xf32>
  %r = amprt.kernel <elementwise> ins(%y : tensor<64x64xf32>) outs(%e1 : tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %o: tensor<64x64xf32>):
    %c0 = arith.constant 0.0 : f32
    %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<64x64xf32>) outs(%o : tensor<64x64xf32>) {
    ^bb1(%i: f32, %j: f32):
      %1 = arith.maximumf %i, %c0 : f32
      linalg.yield %1 : f32
    } -> tensor<64x64xf32>
    amprt.yield %0 : tensor<64x64xf32>
  } -> tensor<64x64xf32>
  %e2 = tensor.empty() : tensor<64x128xf32>
  %dw = amprt.gemm ins(%dy, %x : tensor<64x64xf32>, tensor<64x128xf32>)
      outs(%e2 : tensor<64x128xf32>)
      {transpose_lhs, numerics = #amp.numerics<accumulate = f32>} -> tensor<64x128xf32>
  %g = amprt.concat %dw at [0] : (tensor<64x128xf32>) -> tensor<8192xf32>
  %nw = amprt.kernel <flat> ins(%g, %lr : tensor<8192xf32>, tensor<f32>)
      outs(%w : tensor<8192xf32>) {
  ^bb0(%a: tensor<8192xf32>, %l: tensor<f32>, %o: tensor<8192xf32>):
    %0 = linalg.generic {indexing_maps = [#f, #s, #f], iterator_types = ["parallel"]}
        ins(%a, %l : tensor<8192xf32>, tensor<f32>) outs(%o : tensor<8192xf32>) {
    ^bb1(%gi: f32, %li: f32, %wi: f32):
      %1 = arith.mulf %gi, %li : f32
      %2 = arith.subf %wi, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<8192xf32>
    amprt.yield %0 : tensor<8192xf32>
  } -> tensor<8192xf32>
  return %nw, %lr, %r : tensor<8192xf32>, tensor<f32>, tensor<64x64xf32>
}
)mlir";

namespace {
/// GEMM, elementwise kernel, gradient in place of the concat, update in place.
TEST(CPUStep, UpdatesStateInPlace) {
  Compiled compiled(step);
  auto memory = compiled.allocate("step");
  ASSERT_EQ(memory.size(), 6u); // w, lr, x, dy, relu, arena
  std::mt19937 rng(1);
  // Small integers: every sum is exact in f32, so results are compared for
  // equality.
  std::uniform_int_distribution<int> integers(-4, 4);
  float *w = memory[0].as<float>(), *x = memory[2].as<float>(),
        *dy = memory[3].as<float>();
  for (int i = 0; i < 8192; ++i) {
    w[i] = integers(rng);
    x[i] = integers(rng);
  }
  for (int i = 0; i < 4096; ++i)
    dy[i] = integers(rng);
  memory[1].as<float>()[0] = 0.5f;
  std::vector<float> oldW(w, w + 8192);
  compiled.run("step", memory);
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j) {
      float sum = 0;
      for (int k = 0; k < 128; ++k)
        sum += x[i * 128 + k] * oldW[j * 128 + k];
      ASSERT_EQ(memory[4].as<float>()[i * 64 + j], std::max(sum, 0.0f));
    }
  for (int o = 0; o < 64; ++o)
    for (int k = 0; k < 128; ++k) {
      float sum = 0;
      for (int i = 0; i < 64; ++i)
        sum += dy[i * 64 + o] * x[i * 128 + k];
      ASSERT_EQ(w[o * 128 + k], oldW[o * 128 + k] - 0.5f * sum);
    }
}

/// The commit rule: a failed GEMM leaves the state as it was.
TEST(CPUStep, LeavesStateOnFailure) {
  Compiled compiled(step);
  auto memory = compiled.allocate("step");
  float *w = memory[0].as<float>();
  for (int i = 0; i < 8192; ++i)
    w[i] = memory[2].as<float>()[i] = 1;
  for (int i = 0; i < 4096; ++i)
    memory[3].as<float>()[i] = 1;
  memory[1].as<float>()[0] = 1;
  for (const char *site : {"gemm", "commit"}) {
    amp_rt_inject_fault(compiled.context(), site, 1);
    EXPECT_EQ(compiled.tryRun("step", memory), AMP_RT_INJECTED_FAULT) << site;
    for (int i = 0; i < 8192; ++i)
      ASSERT_EQ(w[i], 1.0f) << site;
    amp_rt_clear_error(compiled.context());
  }
  compiled.run("step", memory);
  EXPECT_EQ(w[0], 1.0f - 64.0f);
}
} // namespace
