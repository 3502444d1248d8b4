// RUN: amp-opt %s -allow-unregistered-dialect -amp-autocast=policy=cpu-f16 \
// RUN:   --remarks-filter=amp-autocast --remark-format=emitRemark --remark-policy=all \
// RUN:   -o /dev/null 2>&1 | FileCheck %s

// The pass accounts for what it decided: what runs low, what the policy keeps in
// f32, and what it does not know and leaves alone.
// CHECK-DAG: Demoted{{.*}}lower_precision_fp
// CHECK-DAG: KeptF32{{.*}}fp32
// CHECK-DAG: Uncovered{{.*}}test.unknown
func.func @main(%x: tensor<6x4xf32>, %w: tensor<2x4xf32>, %y: tensor<6x2xf32>) -> tensor<f32> {
  %0 = nn.linear %x, %w : (tensor<6x4xf32>, tensor<2x4xf32>) -> tensor<6x2xf32>
  %1 = "test.unknown"(%0) : (tensor<6x2xf32>) -> tensor<6x2xf32>
  %2 = nn.mse_loss %1, %y : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
