// RUN: amp-opt %s -split-input-file -nn-autodiff="function=f wrt=all-float-args cotangents=all" | FileCheck %s

// All four transposes of matmul: no transpose op is made, factors change places.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[A:[^:]+]]: tensor<5x2x3xf16>, %[[B:[^:]+]]: tensor<5x3x4xf16>, %[[C:[^:]+]]: tensor<5x2x4xf16>
// CHECK: nn.matmul %[[A]], %[[B]] {{.*}}phase = #amp.phase<fprop>
// CHECK-NEXT: nn.matmul %[[C]], %[[B]] {numerics = #amp.numerics<accumulate = f32, order = sequential>, phase = #amp.phase<dgrad>, transpose_rhs}
// CHECK-NEXT: nn.matmul %[[A]], %[[C]] {numerics = #amp.numerics<accumulate = f32, order = sequential>, phase = #amp.phase<dgrad>, transpose_lhs}
func.func @f(%a: tensor<5x2x3xf16>, %b: tensor<5x3x4xf16>) -> tensor<5x2x4xf16> {
  %0 = nn.matmul %a, %b {numerics = #amp.numerics<accumulate = f32, order = sequential>}
      : (tensor<5x2x3xf16>, tensor<5x3x4xf16>) -> tensor<5x2x4xf16>
  return %0 : tensor<5x2x4xf16>
}

// -----

// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[A:[^:]+]]: tensor<3x2xf32>, %[[B:[^:]+]]: tensor<3x4xf32>, %[[C:[^:]+]]: tensor<2x4xf32>
// CHECK: nn.matmul
// CHECK-NEXT: nn.matmul %[[B]], %[[C]] {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<dgrad>, transpose_rhs} : {{.*}} -> tensor<3x2xf32>
// CHECK-NEXT: nn.matmul %[[A]], %[[C]] {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<dgrad>} : {{.*}} -> tensor<3x4xf32>
func.func @f(%a: tensor<3x2xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = nn.matmul %a, %b {transpose_lhs} : (tensor<3x2xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[A:[^:]+]]: tensor<2x3xf32>, %[[B:[^:]+]]: tensor<4x3xf32>, %[[C:[^:]+]]: tensor<2x4xf32>
// CHECK: nn.matmul
// CHECK-NEXT: nn.matmul %[[C]], %[[B]] {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<dgrad>} : {{.*}} -> tensor<2x3xf32>
// CHECK-NEXT: nn.matmul %[[C]], %[[A]] {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<dgrad>, transpose_lhs} : {{.*}} -> tensor<4x3xf32>
func.func @f(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) -> tensor<2x4xf32> {
  %0 = nn.matmul %a, %b {transpose_rhs} : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[A:[^:]+]]: tensor<3x2xf32>, %[[B:[^:]+]]: tensor<4x3xf32>, %[[C:[^:]+]]: tensor<2x4xf32>
// CHECK: nn.matmul
// CHECK-NEXT: nn.matmul %[[B]], %[[C]] {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<dgrad>, transpose_lhs, transpose_rhs} : {{.*}} -> tensor<3x2xf32>
// CHECK-NEXT: nn.matmul %[[C]], %[[A]] {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<dgrad>, transpose_lhs, transpose_rhs} : {{.*}} -> tensor<4x3xf32>
func.func @f(%a: tensor<3x2xf32>, %b: tensor<4x3xf32>) -> tensor<2x4xf32> {
  %0 = nn.matmul %a, %b {transpose_lhs, transpose_rhs} : (tensor<3x2xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// Linear with several leading dimensions; f64 gradients stay f64.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x3x4xf64>, %[[W:[^:]+]]: tensor<2x4xf64>, %[[B:[^:]+]]: tensor<2xf64>, %[[C:[^:]+]]: tensor<?x3x2xf64>
// CHECK: nn.linear
// CHECK-NEXT: nn.linear_input_grad %[[C]], %[[W]] {numerics = #amp.numerics<accumulate = f64>, phase = #amp.phase<dgrad>} : {{.*}} -> tensor<?x3x4xf64>
// CHECK-NEXT: nn.linear_weight_grad %[[C]], %[[X]] {numerics = #amp.numerics<accumulate = f64>, phase = #amp.phase<wgrad>} : {{.*}} -> tensor<2x4xf64>
// CHECK-NEXT: nn.reduce_sum %[[C]] {dims = array<i64: 0, 1>, numerics = #amp.numerics<accumulate = f64>} : (tensor<?x3x2xf64>) -> tensor<2xf64>
func.func @f(%x: tensor<?x3x4xf64>, %w: tensor<2x4xf64>, %b: tensor<2xf64>) -> tensor<?x3x2xf64> {
  %0 = nn.linear %x, %w, %b : (tensor<?x3x4xf64>, tensor<2x4xf64>, tensor<2xf64>) -> tensor<?x3x2xf64>
  return %0 : tensor<?x3x2xf64>
}

// -----

// A vector input: its bias gradient is the cotangent itself.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[C:[^:]+]]: tensor<2xf32> {amp.name = "result0.cotangent"
// CHECK: return %{{.+}}, %{{.+}}, %{{.+}}, %[[C]]
func.func @f(%x: tensor<4xf32>, %w: tensor<2x4xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = nn.linear %x, %w, %b : (tensor<4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// tf32 operands: the backward contractions multiply at the forward's precision; the
// bias reduction, which multiplies nothing, keeps the accumulator only.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK: nn.linear_input_grad {{.*}}numerics = #amp.numerics<lhs = tf32, rhs = tf32, accumulate = f32>
// CHECK: nn.linear_weight_grad {{.*}}numerics = #amp.numerics<lhs = tf32, rhs = tf32, accumulate = f32>
// CHECK: nn.reduce_sum {{.*}}numerics = #amp.numerics<accumulate = f32>
func.func @f(%x: tensor<8x4xf32>, %w: tensor<2x4xf32>, %b: tensor<2xf32>) -> tensor<8x2xf32> {
  %0 = nn.linear %x, %w, %b {numerics = #amp.numerics<lhs = tf32, rhs = tf32, accumulate = f32>}
      : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}
