// REQUIRES: cuda, emulator, emulator-cublaslt
// A function compiled to a GPU program, executed by the emulated device.

// Tolerances as in run-compiled.mlir: the order of sums, and a 16-bit rounding that
// falls the other way.
// DEFINE: %{batch} = 7
// DEFINE: %{run} = %emulate amp-run %s --function=classifier --random-inputs=3 --dynamic-size=%{batch} --target=cuda
// RUN: %{run} --expect=reference --rtol=1e-5 --atol=2e-5
// RUN: %{run} --expect=reference --rtol=1e-5 --atol=2e-5 --grad
// RUN: %{run} --expect=reference --rtol=1e-2 --atol=2e-2 --grad --policy=cuda-f16
// RUN: %{run} --expect=reference --rtol=1e-2 --atol=2e-2 --grad --policy=cuda-bf16
// REDEFINE: %{batch} = 0
// RUN: %{run} --expect=reference --rtol=1e-2 --atol=2e-2 --grad --policy=cuda-f16

// The same bits in a second run, without recorded graphs, when the step is repeated,
// and from code of two architectures.
// REDEFINE: %{batch} = 64
// RUN: %{run} --grad --policy=cuda-f16 --output=%t.first.safetensors
// RUN: %{run} --grad --policy=cuda-f16 --output=%t.second.safetensors --time=3 | FileCheck %s --check-prefix=TIME
// RUN: cmp %t.first.safetensors %t.second.safetensors
// RUN: env AMP_RT_GRAPHS=0 %{run} --grad --policy=cuda-f16 --output=%t.plain.safetensors
// RUN: cmp %t.first.safetensors %t.plain.safetensors
// RUN: %{run} --grad --policy=cuda-f16 --arch=sm_80+sm_90 --output=%t.archs.safetensors
// RUN: cmp %t.first.safetensors %t.archs.safetensors
// TIME: time: median {{.*}} of 3 runs
func.func @classifier(%x: tensor<?x20xf32>, %w: tensor<16x20xf32>, %b: tensor<16xf32>, %v: tensor<5x16xf32>,
                      %t: tensor<?xi64>) -> (tensor<f32>, tensor<?x5xf32>) {
  %0 = nn.linear %x, %w, %b : (tensor<?x20xf32>, tensor<16x20xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %1 = nn.gelu %0 : (tensor<?x16xf32>) -> tensor<?x16xf32>
  %2 = nn.linear %1, %v : (tensor<?x16xf32>, tensor<5x16xf32>) -> tensor<?x5xf32>
  %3 = nn.cross_entropy %2, %t : (tensor<?x5xf32>, tensor<?xi64>) -> tensor<f32>
  return %3, %2 : tensor<f32>, tensor<?x5xf32>
}
