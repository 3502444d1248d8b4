// Compiled execution of functions that are no training step.

// One module at the batch sizes 1, 7, 64 and 0, forward and backward, in f32 and
// under policies. Tolerance: gamma_k * sum |a||b| of products of 20 normal numbers and
// of the chain behind them; under a policy a 16-bit rounding that falls the other way
// moves a value by an ulp of that format.
// DEFINE: %{batch} = 1
// DEFINE: %{f32} = amp-run %s --function=classifier --random-inputs=3 --dynamic-size=%{batch} --expect=reference --rtol=1e-5 --atol=2e-5
// DEFINE: %{low} = amp-run %s --function=classifier --random-inputs=3 --dynamic-size=%{batch} --expect=reference --rtol=1e-2 --atol=2e-2
// RUN: %{f32}
// RUN: %{f32} --grad
// RUN: %{low} --policy=cpu-f16
// RUN: %{low} --policy=cpu-f16 --grad
// RUN: %{low} --policy=cpu-bf16
// RUN: %{low} --policy=cpu-bf16 --grad
// REDEFINE: %{batch} = 7
// RUN: %{f32}
// RUN: %{f32} --grad
// RUN: %{low} --policy=cpu-f16 --grad
// REDEFINE: %{batch} = 64
// RUN: %{f32}
// RUN: %{f32} --grad
// RUN: %{low} --policy=cpu-f16 --grad
// REDEFINE: %{batch} = 0
// RUN: %{f32}
// RUN: %{f32} --grad
// RUN: %{low} --policy=cpu-f16 --grad
func.func @classifier(%x: tensor<?x20xf32>, %w: tensor<16x20xf32>, %b: tensor<16xf32>, %v: tensor<5x16xf32>,
                      %t: tensor<?xi64>) -> (tensor<f32>, tensor<?x5xf32>) {
  %0 = nn.linear %x, %w, %b : (tensor<?x20xf32>, tensor<16x20xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %1 = nn.gelu %0 : (tensor<?x16xf32>) -> tensor<?x16xf32>
  %2 = nn.linear %1, %v : (tensor<?x16xf32>, tensor<5x16xf32>) -> tensor<?x5xf32>
  %3 = nn.cross_entropy %2, %t : (tensor<?x5xf32>, tensor<?xi64>) -> tensor<f32>
  return %3, %2 : tensor<f32>, tensor<?x5xf32>
}

// Arguments returned as they came, once and twice, a constant, one value twice, and
// an op whose shape rule is "same type": with sizes, and empty.
// RUN: amp-run %s --function=passed --random-inputs=3 --dynamic-size=2 --expect=reference
// RUN: amp-run %s --function=passed --random-inputs=3 --dynamic-size=0 --expect=reference | FileCheck %s --check-prefix=EMPTY
// EMPTY: out0: tensor<0x3xf32> = []
// EMPTY: out3: tensor<f32> = 2
func.func @passed(%x: tensor<?x3xf32>, %y: tensor<2xi64>)
    -> (tensor<?x3xf32>, tensor<2xi64>, tensor<?x3xf32>, tensor<f32>, tensor<2xi64>, tensor<?x3xf32>) {
  %c = nn.constant dense<2.0> : tensor<f32>
  %n = nn.neg %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %x, %y, %n, %c, %y, %n : tensor<?x3xf32>, tensor<2xi64>, tensor<?x3xf32>, tensor<f32>, tensor<2xi64>, tensor<?x3xf32>
}

// f64 is not lowered to anything narrower. Tolerance: the order of four additions, and
// exp by the C library.
// RUN: amp-run %s --function=double --random-inputs=3 --expect=reference --ulp=4
func.func @double(%x: tensor<4x4xf64>, %y: tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4x4xf64>, tensor<f64>) {
  %0 = nn.exp %x : (tensor<4x4xf64>) -> tensor<4x4xf64>
  %1 = nn.softmax %y {dim = 1 : i64} : (tensor<4x4xf64>) -> tensor<4x4xf64>
  %2 = nn.reduce_max %y {dims = array<i64: 0, 1>} : (tensor<4x4xf64>) -> tensor<f64>
  return %0, %1, %2 : tensor<4x4xf64>, tensor<4x4xf64>, tensor<f64>
}

// State is updated in place and read back from there.
// RUN: amp-run %s --function=state --random-inputs=3 --expect=reference
func.func @state(%s: tensor<8xf32> {bufferization.writable = true}, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = nn.add %s, %g : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = nn.mul %s, %g : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// RUN: amp-run %s --function=state --random-inputs=3 --time=3 | FileCheck %s --check-prefix=TIME
// RUN: amp-run %s --function=state --random-inputs=3 --time | FileCheck %s --check-prefix=TIMES
// RUN: not amp-run %s --function=state --random-inputs=3 --time=0 2>&1 | FileCheck %s --check-prefix=NOTIME
// TIME: time: median {{[0-9.e+-]+}} ms, fastest {{[0-9.e+-]+}} ms of 3 runs
// TIMES: time: median {{[0-9.e+-]+}} ms, fastest {{[0-9.e+-]+}} ms of 10 runs
// NOTIME: error: expects a number of runs of at least 1 as '--time', but got '0'

// What no pass can lower is that pass's error; an unknown policy is autocast's.
// RUN: not amp-run %s --function=foreign --random-inputs=3 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: run-compiled.mlir:[[#@LINE+4]]:{{.*}}: error: 'foreign.op' op has no place among kernels and runtime calls
// RUN: not amp-run %s --function=state --random-inputs=3 --policy=nonsense 2>&1 | FileCheck %s --check-prefix=POLICY
// POLICY: error: unknown policy 'nonsense'; expects one of 'cpu-bf16', 'cpu-f16'
func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "foreign.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
