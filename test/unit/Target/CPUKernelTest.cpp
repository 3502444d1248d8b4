//===- CPUKernelTest.cpp - Kernels of each kind, executed -------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each case runs one kernel and compares with a loop in f64. Tolerances: inputs
// are of order 1, so a sum of n terms in f32 is held to n * 2^-24 * (sum of
// magnitudes), exp and friends to a few ulp (cpu-notes).
//
//===----------------------------------------------------------------------===//

#include "CPUHarness.h"

#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <random>

using namespace mlir::amp::test;

static const std::string maps = R"mlir(
#id1 = affine_map<(d0) -> (d0)>
#s1 = affine_map<(d0) -> ()>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#t2 = affine_map<(d0, d1) -> (d1, d0)>
#r2 = affine_map<(d0, d1) -> (d0)>
#c2 = affine_map<(d0, d1) -> (d1)>
#s2 = affine_map<(d0, d1) -> ()>
)mlir";

static std::string replaceAll(std::string text, const std::string &from,
                              const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

static void fill(const Memory &memory, unsigned seed) {
  std::mt19937 rng(seed);
  std::normal_distribution<float> normal;
  for (size_t i = 0; i < memory.size() / 4; ++i)
    memory.as<float>()[i] = normal(rng);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static const char *softmax = R"mlir(
func.func @f(%x: tensor<RxCxf32>) -> (tensor<RxCxf32>, tensor<Rxf32>) {
  %e = tensor.empty() : tensor<RxCxf32>
  %f = tensor.empty() : tensor<Rxf32>
  %r:2 = amprt.kernel <row> ins(%x : tensor<RxCxf32>) outs(%e, %f : tensor<RxCxf32>, tensor<Rxf32>) {
  ^bb0(%in: tensor<RxCxf32>, %out: tensor<RxCxf32>, %lse: tensor<Rxf32>):
    %ninf = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %e0 = tensor.empty() : tensor<Rxf32>
    %i0 = linalg.fill ins(%ninf : f32) outs(%e0 : tensor<Rxf32>) -> tensor<Rxf32>
    %max = linalg.generic {indexing_maps = [#id2, #r2], iterator_types = ["parallel", "reduction"]}
        ins(%in : tensor<RxCxf32>) outs(%i0 : tensor<Rxf32>) {
    ^bb1(%a: f32, %m: f32):
      %0 = arith.maximumf %a, %m : f32
      linalg.yield %0 : f32
    } -> tensor<Rxf32>
    %e1 = tensor.empty() : tensor<RxCxf32>
    %exp = linalg.generic {indexing_maps = [#id2, #r2, #id2], iterator_types = ["parallel", "parallel"]}
        ins(%in, %max : tensor<RxCxf32>, tensor<Rxf32>) outs(%e1 : tensor<RxCxf32>) {
    ^bb1(%a: f32, %m: f32, %o: f32):
      %0 = arith.subf %a, %m : f32
      %1 = math.exp %0 : f32
      linalg.yield %1 : f32
    } -> tensor<RxCxf32>
    %i1 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<Rxf32>) -> tensor<Rxf32>
    %sum = linalg.generic {indexing_maps = [#id2, #r2], iterator_types = ["parallel", "reduction"]}
        ins(%exp : tensor<RxCxf32>) outs(%i1 : tensor<Rxf32>) {
    ^bb1(%a: f32, %m: f32):
      %0 = arith.addf %a, %m : f32
      linalg.yield %0 : f32
    } -> tensor<Rxf32>
    %p = linalg.generic {indexing_maps = [#id2, #r2, #id2], iterator_types = ["parallel", "parallel"]}
        ins(%exp, %sum : tensor<RxCxf32>, tensor<Rxf32>) outs(%out : tensor<RxCxf32>) {
    ^bb1(%a: f32, %s: f32, %o: f32):
      %0 = arith.divf %a, %s : f32
      linalg.yield %0 : f32
    } -> tensor<RxCxf32>
    %l = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
        ins(%max, %sum : tensor<Rxf32>, tensor<Rxf32>) outs(%lse : tensor<Rxf32>) {
    ^bb1(%m: f32, %s: f32, %o: f32):
      %0 = math.log %s : f32
      %1 = arith.addf %0, %m : f32
      linalg.yield %1 : f32
    } -> tensor<Rxf32>
    amprt.yield %p, %l : tensor<RxCxf32>, tensor<Rxf32>
  } -> tensor<RxCxf32>, tensor<Rxf32>
  return %r#0, %r#1 : tensor<RxCxf32>, tensor<Rxf32>
}
)mlir";

static void checkSoftmax(int rows, int columns) {
  std::string ir =
      replaceAll(replaceAll(maps + softmax, "Rx", std::to_string(rows) + "x"),
                 "Cx", std::to_string(columns) + "x");
  Compiled compiled(ir);
  auto memory = compiled.allocate("f");
  fill(memory[0], 3);
  compiled.run("f", memory);
  const float *x = memory[0].as<float>();
  for (int r = 0; r < rows; ++r) {
    double sum = 0, max = -INFINITY;
    for (int c = 0; c < columns; ++c)
      max = std::max<double>(max, x[r * columns + c]);
    for (int c = 0; c < columns; ++c)
      sum += std::exp(x[r * columns + c] - max);
    for (int c = 0; c < columns; ++c) {
      double expected = std::exp(x[r * columns + c] - max) / sum;
      ASSERT_NEAR(memory[1].as<float>()[r * columns + c], expected,
                  expected * (columns + 8) * 0x1p-24);
    }
    ASSERT_NEAR(memory[2].as<float>()[r], max + std::log(sum), 2e-6);
  }
}

/// Three passes over a row (max, sum, result), exp kept in between.
TEST(CPUKernel, RowSoftmax) {
  checkSoftmax(5, 10);    // narrower than a vector
  checkSoftmax(300, 128); // on all threads
  checkSoftmax(1, 1000);  // one row, no multiple of the vector
  checkSoftmax(7, 1);
  checkSoftmax(0, 16); // empty batch
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

static const char *column = R"mlir(
func.func @f(%x: tensor<RxCxf32>) -> (tensor<RxCxf32>, tensor<Cxf32>, tensor<Cxf32>) {
  %e = tensor.empty() : tensor<RxCxf32>
  %f = tensor.empty() : tensor<Cxf32>
  %r:3 = amprt.kernel <column> ins(%x : tensor<RxCxf32>)
      outs(%e, %f, %f : tensor<RxCxf32>, tensor<Cxf32>, tensor<Cxf32>) {
  ^bb0(%in: tensor<RxCxf32>, %out: tensor<RxCxf32>, %o0: tensor<Cxf32>, %o1: tensor<Cxf32>):
    %zero = arith.constant 0.0 : f32
    %two = arith.constant 2.0 : f32
    %d = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
        ins(%in : tensor<RxCxf32>) outs(%out : tensor<RxCxf32>) {
    ^bb1(%a: f32, %o: f32):
      %0 = arith.mulf %a, %two : f32
      linalg.yield %0 : f32
    } -> tensor<RxCxf32>
    %i0 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<Cxf32>) -> tensor<Cxf32>
    %sum = linalg.generic {indexing_maps = [#id2, #c2], iterator_types = ["reduction", "parallel"]}
        ins(%d : tensor<RxCxf32>) outs(%i0 : tensor<Cxf32>) {
    ^bb1(%a: f32, %m: f32):
      %0 = arith.addf %a, %m : f32
      linalg.yield %0 : f32
    } -> tensor<Cxf32>
    // A second pass that needs the first one's result.
    %e1 = tensor.empty() : tensor<Cxf32>
    %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<Cxf32>) -> tensor<Cxf32>
    %dev = linalg.generic {indexing_maps = [#id2, #c2, #c2], iterator_types = ["reduction", "parallel"]}
        ins(%d, %sum : tensor<RxCxf32>, tensor<Cxf32>) outs(%i1 : tensor<Cxf32>) {
    ^bb1(%a: f32, %s: f32, %m: f32):
      %0 = arith.subf %a, %s : f32
      %1 = arith.addf %m, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<Cxf32>
    %neg = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]}
        ins(%dev : tensor<Cxf32>) outs(%o1 : tensor<Cxf32>) {
    ^bb1(%a: f32, %o: f32):
      %0 = arith.negf %a : f32
      linalg.yield %0 : f32
    } -> tensor<Cxf32>
    amprt.yield %d, %sum, %neg : tensor<RxCxf32>, tensor<Cxf32>, tensor<Cxf32>
  } -> tensor<RxCxf32>, tensor<Cxf32>, tensor<Cxf32>
  return %r#0, %r#1, %r#2 : tensor<RxCxf32>, tensor<Cxf32>, tensor<Cxf32>
}
)mlir";

static void checkColumns(int rows, int columns) {
  std::string ir =
      replaceAll(replaceAll(maps + column, "Rx", std::to_string(rows) + "x"),
                 "Cx", std::to_string(columns) + "x");
  Compiled compiled(ir);
  auto memory = compiled.allocate("f");
  std::mt19937 rng(5);
  std::uniform_int_distribution<int> integers(-8, 8);
  float *x = memory[0].as<float>();
  for (int i = 0; i < rows * columns; ++i)
    x[i] = integers(rng); // all sums exact
  compiled.run("f", memory);
  for (int c = 0; c < columns; ++c) {
    float sum = 0, deviation = 0;
    for (int r = 0; r < rows; ++r) {
      sum += 2 * x[r * columns + c];
      ASSERT_EQ(memory[1].as<float>()[r * columns + c], 2 * x[r * columns + c]);
    }
    for (int r = 0; r < rows; ++r)
      deviation += 2 * x[r * columns + c] - sum;
    ASSERT_EQ(memory[2].as<float>()[c], sum);
    ASSERT_EQ(memory[3].as<float>()[c], -deviation);
  }
}

TEST(CPUKernel, ColumnSums) {
  checkColumns(64, 10);
  checkColumns(64, 128);
  checkColumns(33, 700);  // blocks, the last one short
  checkColumns(100, 512); // blocks of equal width, on all threads
  checkColumns(1, 100);
  checkColumns(9, 1);
  checkColumns(0, 10); // sums over nothing are the identity
}

//===----------------------------------------------------------------------===//
// Flat buffers
//===----------------------------------------------------------------------===//

static const char *flat = R"mlir(
func.func @f(%s: tensor<f32> {bufferization.writable = true}, %x: tensor<Nxf32>)
    -> (tensor<f32>, tensor<f32>, tensor<i1>) {
  %e = tensor.empty() : tensor<f32>
  %b = tensor.empty() : tensor<i1>
  %r:3 = amprt.kernel <flat> ins(%x, %s : tensor<Nxf32>, tensor<f32>)
      outs(%s, %e, %b : tensor<f32>, tensor<f32>, tensor<i1>) {
  ^bb0(%in: tensor<Nxf32>, %old: tensor<f32>, %o0: tensor<f32>, %o1: tensor<f32>, %o2: tensor<i1>):
    %zero = arith.constant 0.0 : f32
    %inf = arith.constant 0x7F800000 : f32
    %false = arith.constant false
    %e0 = tensor.empty() : tensor<f32>
    %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
    %sum = linalg.generic {indexing_maps = [#id1, #s1], iterator_types = ["reduction"]}
        ins(%in : tensor<Nxf32>) outs(%i0 : tensor<f32>) {
    ^bb1(%a: f32, %m: f32):
      %0 = arith.mulf %a, %a : f32
      %1 = arith.addf %m, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<f32>
    %e2 = tensor.empty() : tensor<i1>
    %i2 = linalg.fill ins(%false : i1) outs(%e2 : tensor<i1>) -> tensor<i1>
    %bad = linalg.generic {indexing_maps = [#id1, #s1], iterator_types = ["reduction"]}
        ins(%in : tensor<Nxf32>) outs(%i2 : tensor<i1>) {
    ^bb1(%a: f32, %m: i1):
      %0 = math.absf %a : f32
      %1 = arith.cmpf uge, %0, %inf : f32
      %2 = arith.ori %m, %1 : i1
      linalg.yield %2 : i1
    } -> tensor<i1>
    %norm = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
        ins(%sum : tensor<f32>) outs(%o1 : tensor<f32>) {
    ^bb1(%a: f32, %o: f32):
      %0 = math.sqrt %a : f32
      linalg.yield %0 : f32
    } -> tensor<f32>
    %next = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
        ins(%old, %norm : tensor<f32>, tensor<f32>) outs(%o0 : tensor<f32>) {
    ^bb1(%a: f32, %n: f32, %o: f32):
      %0 = arith.addf %a, %n : f32
      linalg.yield %0 : f32
    } -> tensor<f32>
    amprt.yield %next, %norm, %bad : tensor<f32>, tensor<f32>, tensor<i1>
  } -> tensor<f32>, tensor<f32>, tensor<i1>
  return %r#0, %r#1, %r#2 : tensor<f32>, tensor<f32>, tensor<i1>
}
)mlir";

TEST(CPUKernel, FlatNorm) {
  for (int size : {0, 1, 100, 16384, 16385, 100000}) {
    std::string ir = replaceAll(maps + flat, "Nx", std::to_string(size) + "x");
    float results[2] = {};
    for (int threads : {1, 2}) {
      Compiled compiled(ir, threads);
      auto memory = compiled.allocate("f");
      fill(memory[1], 7);
      memory[0].as<float>()[0] = 1.5f;
      compiled.run("f", memory);
      double sum = 0;
      for (int i = 0; i < size; ++i)
        sum += double(memory[1].as<float>()[i]) * memory[1].as<float>()[i];
      float norm = memory[2].as<float>()[0];
      EXPECT_NEAR(norm, std::sqrt(sum),
                  std::sqrt(sum) * 1e-6 * (1 + size / 1e4));
      EXPECT_EQ(memory[0].as<float>()[0], 1.5f + norm);
      EXPECT_EQ(memory[3].as<uint8_t>()[0], 0);
      results[threads - 1] = norm;
      if (size > 0)
        for (float bad : {INFINITY, -INFINITY, NAN}) {
          memory[1].as<float>()[size / 2] = bad;
          compiled.run("f", memory);
          EXPECT_EQ(memory[3].as<uint8_t>()[0], 1) << size << " " << bad;
        }
    }
    // Bit for bit: the order of the sum doesn't depend on the threads.
    EXPECT_EQ(results[0], results[1]) << size;
  }
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

static const char *transposed = R"mlir(
func.func @f(%x: tensor<70x90xf32>, %b: tensor<90xf32>) -> tensor<90x70xf32> {
  %e = tensor.empty() : tensor<90x70xf32>
  %r = amprt.kernel <elementwise> ins(%x, %b : tensor<70x90xf32>, tensor<90xf32>)
      outs(%e : tensor<90x70xf32>) {
  ^bb0(%in: tensor<70x90xf32>, %bias: tensor<90xf32>, %out: tensor<90x70xf32>):
    %0 = linalg.generic {indexing_maps = [#t2, #r2, #id2], iterator_types = ["parallel", "parallel"]}
        ins(%in, %bias : tensor<70x90xf32>, tensor<90xf32>) outs(%out : tensor<90x70xf32>) {
    ^bb1(%a: f32, %c: f32, %o: f32):
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i64
      %f = arith.sitofp %j : i64 to f32
      %1 = arith.addf %a, %c : f32
      %2 = arith.addf %1, %f : f32
      linalg.yield %2 : f32
    } -> tensor<90x70xf32>
    amprt.yield %0 : tensor<90x70xf32>
  } -> tensor<90x70xf32>
  return %r : tensor<90x70xf32>
}
)mlir";

TEST(CPUKernel, TransposeBroadcastIndex) {
  Compiled compiled(maps + transposed);
  auto memory = compiled.allocate("f");
  fill(memory[0], 1);
  fill(memory[1], 2);
  compiled.run("f", memory);
  for (int i = 0; i < 90; ++i)
    for (int j = 0; j < 70; ++j)
      ASSERT_EQ(memory[2].as<float>()[i * 70 + j],
                memory[0].as<float>()[j * 90 + i] + memory[1].as<float>()[i] +
                    float(i));
}

/// a * b + c is two roundings: nothing fuses what isn't marked.
TEST(CPUKernel, NoContraction) {
  Compiled compiled(maps + R"mlir(
func.func @f(%a: tensor<1000xf32>, %b: tensor<1000xf32>, %c: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = amprt.kernel <elementwise> ins(%a, %b, %c : tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>)
      outs(%e : tensor<1000xf32>) {
  ^bb0(%x: tensor<1000xf32>, %y: tensor<1000xf32>, %z: tensor<1000xf32>, %out: tensor<1000xf32>):
    %0 = linalg.generic {indexing_maps = [#id1, #id1, #id1, #id1], iterator_types = ["parallel"]}
        ins(%x, %y, %z : tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>) outs(%out : tensor<1000xf32>) {
    ^bb1(%p: f32, %q: f32, %s: f32, %o: f32):
      %1 = arith.mulf %p, %q : f32
      %2 = arith.addf %1, %s : f32
      linalg.yield %2 : f32
    } -> tensor<1000xf32>
    amprt.yield %0 : tensor<1000xf32>
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
})mlir");
  auto memory = compiled.allocate("f");
  for (int i = 0; i < 3; ++i)
    fill(memory[i], 10 + i);
  compiled.run("f", memory);
  for (int i = 0; i < 1000; ++i) {
    volatile float product =
        memory[0].as<float>()[i] * memory[1].as<float>()[i];
    ASSERT_EQ(memory[3].as<float>()[i], product + memory[2].as<float>()[i]);
  }
}
