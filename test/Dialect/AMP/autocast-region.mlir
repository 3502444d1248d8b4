// RUN: amp-opt %s -amp-autocast=policy=cpu-f16 -split-input-file | FileCheck %s

// Disabled inside enabled: no cast is inserted; f16 values that enter stay f16.
// CHECK-LABEL: func.func @keep
func.func @keep(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[Z:.+]] = nn.linear {{.*}} -> tensor<4x4xf16>
  %0 = nn.linear %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK-NOT: amp.autocast_region
  // CHECK: nn.relu %[[Z]] : (tensor<4x4xf16>) -> tensor<4x4xf16>
  // CHECK: nn.linear %{{.+}}, %{{.+}} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1:2 = amp.autocast_region enabled = false -> tensor<4x4xf32>, tensor<4x4xf32> {
    %2 = nn.relu %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = nn.linear %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    amp.yield %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  return %1#1 : tensor<4x4xf32>
}

// -----

// entry_cast = f32: what enters low comes in f32.
// CHECK-LABEL: func.func @f32
func.func @f32(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[Z:.+]] = nn.linear {{.*}} -> tensor<4x4xf16>
  %0 = nn.linear %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[F:.+]] = amp.cast %[[Z]] policy : tensor<4x4xf16> to tensor<4x4xf32>
  // CHECK: nn.relu %[[F]] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = amp.autocast_region enabled = false entry_cast = f32 -> tensor<4x4xf32> {
    %2 = nn.relu %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    // Enabled again inside, with another policy.
    // CHECK: nn.linear {{.*}} -> tensor<4x4xbf16>
    %3 = amp.autocast_region enabled = true policy = @"cpu-bf16" -> tensor<4x4xf32> {
      %4 = nn.linear %2, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      amp.yield %4 : tensor<4x4xf32>
    }
    amp.yield %3 : tensor<4x4xf32>
  }
  return %1 : tensor<4x4xf32>
}
