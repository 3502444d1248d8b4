// RUN: amp-opt %s -amp-autocast=policy=cpu-f16 -split-input-file | FileCheck %s
// Twice is once.
// RUN: amp-opt %s -amp-autocast=policy=cpu-f16 -amp-autocast=policy=cpu-f16 -split-input-file | FileCheck %s

// A contraction takes both operands in the low type, one cast per use, and an f32
// accumulator; the result type of a function without callers follows.
// CHECK: module attributes {amp.policy = "cpu-f16", amp.policy_hash = "{{[0-9a-f]+}}"}
// CHECK-LABEL: func.func @linear
// CHECK-SAME: -> tensor<6x2xf16>
func.func @linear(%x: tensor<6x4xf32>, %w: tensor<2x4xf32>, %b: tensor<2xf32>) -> tensor<6x2xf32> {
  // CHECK: %[[X:.+]] = amp.cast %{{.+}} policy : tensor<6x4xf32> to tensor<6x4xf16>
  // CHECK: %[[W:.+]] = amp.cast %{{.+}} policy : tensor<2x4xf32> to tensor<2x4xf16>
  // CHECK: %[[B:.+]] = amp.cast %{{.+}} policy : tensor<2xf32> to tensor<2xf16>
  // CHECK: nn.linear %[[X]], %[[W]], %[[B]] {numerics = #amp.numerics<accumulate = f32>}
  // CHECK-SAME: -> tensor<6x2xf16>
  %0 = nn.linear %x, %w, %b : (tensor<6x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}

// -----

// The same value used three times is cast three times: merged casts would sum
// their cotangents in f16.
// CHECK-LABEL: func.func @cast_per_use
func.func @cast_per_use(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK-COUNT-4: amp.cast %{{.+}} policy
  %0 = nn.linear %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = nn.linear %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: nn.add {{.*}} -> tensor<4x4xf16>
  %2 = nn.add %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// A loss of the fp32 class takes f32 operands again.
// CHECK-LABEL: func.func @loss
func.func @loss(%x: tensor<6x4xf32>, %w: tensor<2x4xf32>, %y: tensor<6x2xf32>) -> tensor<f32> {
  %0 = nn.linear %x, %w : (tensor<6x4xf32>, tensor<2x4xf32>) -> tensor<6x2xf32>
  // CHECK: %[[Z:.+]] = nn.linear
  // CHECK: %[[F:.+]] = amp.cast %[[Z]] policy : tensor<6x2xf16> to tensor<6x2xf32>
  // CHECK: nn.mse_loss %[[F]], %{{.+}} {numerics = #amp.numerics<accumulate = f32>}
  %1 = nn.mse_loss %0, %y : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// f64 and integers are left alone.
// CHECK-LABEL: func.func @untouched
func.func @untouched(%a: tensor<4x4xf64>, %i: tensor<4xi64>) -> (tensor<4x4xf64>, tensor<4xi1>) {
  // CHECK-NOT: amp.cast
  // CHECK: nn.linear {{.*}}{numerics = #amp.numerics<accumulate = f64>} {{.*}} -> tensor<4x4xf64>
  %0 = nn.linear %a, %a : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %1 = nn.compare %i, %i {predicate = #nn.predicate<eq>} : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  return %0, %1 : tensor<4x4xf64>, tensor<4xi1>
}

// -----

// Native promotion: the widest operand wins, but a rank-0 one, seen through its
// broadcast, does not widen a tensor.
// CHECK-LABEL: func.func @native
func.func @native(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %s: tensor<f32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: %[[Z:.+]] = nn.linear
  %0 = nn.linear %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = nn.broadcast %s {dims = array<i64>} : (tensor<f32>) -> tensor<4x4xf32>
  // CHECK: %[[S:.+]] = amp.cast %{{.+}} policy : tensor<4x4xf32> to tensor<4x4xf16>
  // CHECK: nn.mul %[[Z]], %[[S]] : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
  %2 = nn.mul %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[F:.+]] = amp.cast %[[Z]] policy : tensor<4x4xf16> to tensor<4x4xf32>
  // CHECK: nn.add %[[F]], %{{.+}} -> tensor<4x4xf32>
  %3 = nn.add %0, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A user's cast stays where it is, and a called function keeps its signature.
// CHECK-LABEL: func.func private @callee(%{{.+}}: tensor<4x4xf32>) -> tensor<4x4xf32>
func.func private @callee(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: amp.cast %{{.+}} user : tensor<4x4xf32> to tensor<4x4xbf16>
  %0 = amp.cast %x user : tensor<4x4xf32> to tensor<4x4xbf16>
  // CHECK: amp.cast %{{.+}} user : tensor<4x4xbf16> to tensor<4x4xf32>
  %1 = amp.cast %0 user : tensor<4x4xbf16> to tensor<4x4xf32>
  %2 = nn.linear %1, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[R:.+]] = amp.cast %{{.+}} boundary : tensor<4x4xf16> to tensor<4x4xf32>
  // CHECK: return %[[R]]
  return %2 : tensor<4x4xf32>
}
func.func @caller(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = call @callee(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
