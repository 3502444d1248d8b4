// RUN: amp-opt %s -amp-autocast=policy=cuda-f16 | FileCheck %s --check-prefix=CUDA
// RUN: amp-opt %s -amp-autocast=policy=cpu-f16 | FileCheck %s --check-prefix=CPU
// RUN: amp-opt %s -amp-autocast=policy=cuda-bf16 | FileCheck %s --check-prefix=BF16
// RUN: amp-opt %s -amp-autocast=policy=f32 | FileCheck %s --check-prefix=F32

// What the lists of the devices say of the same graph: CUDA gives f32 results of
// softmax and sum (operands not pre-cast) and f32 exp; the CPU lists name none.
// CUDA-LABEL: func.func @lists
// CPU-LABEL: func.func @lists
// BF16-LABEL: func.func @lists
// F32-LABEL: func.func @lists
// F32-NOT: amp.cast
func.func @lists(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>) {
  %0 = nn.linear %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CUDA: nn.softmax {{.*}}numerics{{.*}} : (tensor<4x4xf16>) -> tensor<4x4xf32>
  // CPU: nn.softmax {{.*}} : (tensor<4x4xf16>) -> tensor<4x4xf16>
  // BF16: nn.softmax {{.*}} : (tensor<4x4xbf16>) -> tensor<4x4xf32>
  // F32: nn.softmax {{.*}}numerics = #amp.numerics<accumulate = f32>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = nn.softmax %0 {dim = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CUDA: nn.reduce_sum {{.*}} : (tensor<4x4xf16>) -> tensor<4xf32>
  // CPU: nn.reduce_sum {{.*}} : (tensor<4x4xf16>) -> tensor<4xf16>
  %2 = nn.reduce_sum %0 {dims = array<i64: 1>} : (tensor<4x4xf32>) -> tensor<4xf32>
  // CUDA: amp.cast {{.*}} : tensor<4x4xf16> to tensor<4x4xf32>
  // CUDA: nn.exp {{.*}} -> tensor<4x4xf32>
  // CPU: nn.exp {{.*}} -> tensor<4x4xf16>
  %3 = nn.exp %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // The mean stays low on both (the kernel accumulates in f32).
  // CUDA: nn.reduce_mean {{.*}}accumulate = f32{{.*}} -> tensor<4xf16>
  // CPU: nn.reduce_mean {{.*}}accumulate = f32{{.*}} -> tensor<4xf16>
  %4 = nn.reduce_mean %0 {dims = array<i64: 1>} : (tensor<4x4xf32>) -> tensor<4xf32>
  return %1, %2, %3, %4 : tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>
}
