// RUN: amp-opt %s -split-input-file -nn-autodiff="function=f wrt=all-float-args cotangents=all" | FileCheck %s

// Reshape and transpose go back; a barrier passes cotangents result by result.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[C:[^:]+]]: tensor<4x?x2xf32> {amp.name = "result0.cotangent"
// CHECK: nn.optimization_barrier
// CHECK-NEXT: %[[T:.+]] = nn.transpose %[[C]] {permutation = array<i64: 1, 2, 0>} : (tensor<4x?x2xf32>) -> tensor<?x2x4xf32>
// CHECK-NEXT: %[[R:.+]] = nn.reshape %[[T]] : (tensor<?x2x4xf32>) -> tensor<?x8xf32>
// CHECK-NEXT: %[[ZERO:.+]] = nn.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return %{{.+}}, %[[R]], %[[ZERO]]
func.func @f(%x: tensor<?x8xf32>, %unused: tensor<2xf32>) -> tensor<4x?x2xf32> {
  %0 = nn.reshape %x : (tensor<?x8xf32>) -> tensor<?x2x4xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 2, 0, 1>} : (tensor<?x2x4xf32>) -> tensor<4x?x2xf32>
  %2:2 = nn.optimization_barrier %1, %unused : (tensor<4x?x2xf32>, tensor<2xf32>) -> (tensor<4x?x2xf32>, tensor<2xf32>)
  return %2#0 : tensor<4x?x2xf32>
}

// -----

// Broadcast to new dimensions, along unit dimensions, and both: summed in one
// accumulation.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[C0:[^:]+]]: tensor<5x3xf16> {amp.name = "result0.cotangent"{{.*}}, %[[C1:[^:]+]]: tensor<?x3xf16> {{.*}}, %[[C2:[^:]+]]: tensor<5x4x3xf16>
// CHECK: nn.broadcast
// CHECK: nn.broadcast
// CHECK: nn.broadcast
// CHECK-NEXT: %[[S2:.+]] = nn.reduce_sum %[[C2]] {dims = array<i64: 0, 1>, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x4x3xf16>) -> tensor<3xf16>
// CHECK-NEXT: %[[D2:.+]] = nn.reshape %[[S2]] : (tensor<3xf16>) -> tensor<1x3xf16>
// CHECK-NEXT: %[[D1:.+]] = nn.reduce_sum %[[C1]] {dims = array<i64: 0>, keepdims, numerics = #amp.numerics<accumulate = f32>} : (tensor<?x3xf16>) -> tensor<1x3xf16>
// CHECK-NEXT: %[[D0:.+]] = nn.reduce_sum %[[C0]] {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x3xf16>) -> tensor<3xf16>
// CHECK-NEXT: %[[SUM:.+]] = nn.add_n %[[D2]], %[[D1]]
// CHECK: return %{{.+}}, %{{.+}}, %{{.+}}, %[[D0]], %[[SUM]]
func.func @f(%a: tensor<3xf16>, %b: tensor<1x3xf16>, %like: tensor<?x3xi32>)
    -> (tensor<5x3xf16>, tensor<?x3xf16>, tensor<5x4x3xf16>) {
  %0 = nn.broadcast %a {dims = array<i64: 1>} : (tensor<3xf16>) -> tensor<5x3xf16>
  %1 = nn.broadcast %b, %like {dims = array<i64: 0, 1>} : (tensor<1x3xf16>, tensor<?x3xi32>) -> tensor<?x3xf16>
  %2 = nn.broadcast %b {dims = array<i64: 1, 2>} : (tensor<1x3xf16>) -> tensor<5x4x3xf16>
  return %0, %1, %2 : tensor<5x3xf16>, tensor<?x3xf16>, tensor<5x4x3xf16>
}

// -----

// A cast's derivative casts back, with the same origin; an overflow in a gradient
// must show, so `saturate` is not inherited. An identity broadcast sums nothing.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[C:[^:]+]]: tensor<4xf32> {amp.name = "result0.cotangent"
// CHECK: nn.broadcast
// CHECK-NEXT: %[[D1:.+]] = amp.cast %[[C]] boundary : tensor<4xf32> to tensor<4xf16>
// CHECK-NEXT: %[[D0:.+]] = amp.cast %[[D1]] user : tensor<4xf16> to tensor<4xf32>
// CHECK-NEXT: return %{{.+}}, %[[D0]]
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = amp.cast %x user {overflow = #amp.overflow<saturate>} : tensor<4xf32> to tensor<4xf16>
  %1 = amp.cast %0 boundary : tensor<4xf16> to tensor<4xf32>
  %2 = nn.broadcast %1 {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Integer results have no cotangent argument, integer arguments no gradient.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %{{[^:]+}}: tensor<4xf32>, %{{[^:]+}}: tensor<4xi32>, %[[C:[^:]+]]: tensor<4xf32> {{[^:]*}}) -> (tensor<i64>, tensor<4xf32>, tensor<4xf32> {{[^:]*}}) {
// CHECK: return %{{.+}}, %{{.+}}, %[[C]]
func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<i64>, tensor<4xf32>) {
  %0 = nn.element_count %x : (tensor<4xf32>) -> tensor<i64>
  %1 = nn.convert %i : (tensor<4xi32>) -> tensor<4xf32>
  %2 = nn.add %x, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %2 : tensor<i64>, tensor<4xf32>
}
