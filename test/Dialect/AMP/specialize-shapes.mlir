// RUN: amp-opt %s -split-input-file -amp-specialize-shapes=batch=6 -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @linear(
// CHECK-SAME: %{{.+}}: tensor<6x4xf32>, %{{.+}}: tensor<2x4xf32>) -> tensor<6x2xf16>
// CHECK: nn.linear %{{.+}} : (tensor<6x4xf32>, tensor<2x4xf32>) -> tensor<6x2xf32>
// CHECK: amp.cast %{{.+}} policy : tensor<6x2xf32> to tensor<6x2xf16>
func.func @linear(%x: tensor<?x4xf32>, %w: tensor<2x4xf32>) -> tensor<?x2xf16> {
  %0 = nn.linear %x, %w : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  %1 = amp.cast %0 policy : tensor<?x2xf32> to tensor<?x2xf16>
  return %1 : tensor<?x2xf16>
}

// -----

// The dynamic dimension of a reshape follows from the others; a count becomes a
// constant; a static broadcast needs no shape operand.
// CHECK-LABEL: func.func @shapes(
// CHECK-DAG: arith.constant dense<24> : tensor<i64>
// CHECK-DAG: nn.reshape %{{.+}} : (tensor<6x4xf32>) -> tensor<12x2xf32>
// CHECK-DAG: nn.broadcast %{{.+}} {dims = array<i64: 1>} : (tensor<4xf32>) -> tensor<6x4xf32>
func.func @shapes(%x: tensor<?x4xf32>, %b: tensor<4xf32>) -> (tensor<i64>, tensor<?x2xf32>, tensor<?x4xf32>) {
  %0 = nn.element_count %x : (tensor<?x4xf32>) -> tensor<i64>
  %1 = nn.reshape %x : (tensor<?x4xf32>) -> tensor<?x2xf32>
  %2 = nn.broadcast %b, %x {dims = array<i64: 1>} : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %1, %2 : tensor<i64>, tensor<?x2xf32>, tensor<?x4xf32>
}

// -----

// In a module with step functions the model itself is no longer needed.
// CHECK-NOT: @model
// CHECK: func.func @model.forward(%{{.+}}: tensor<6xf32>)
func.func @model(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func @model.forward(%x: tensor<?xf32>) -> tensor<?xf32> attributes {amp.step_kind = #amp.step_kind<forward>} {
  return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{expects argument #0 to be dynamic in its leading dimension only, but got 'tensor<4x?xf32>'}}
func.func @inner(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  return %x : tensor<4x?xf32>
}
