// RUN: amp-opt %s -split-input-file -amp-annotate-roles | FileCheck %s
// RUN: amp-opt %s -split-input-file -amp-annotate-roles -amp-annotate-roles | FileCheck %s

// Without `print` only arguments and results of public functions are written; a
// stated name is never taken twice.
// CHECK-LABEL: func.func @defaults(
// CHECK-SAME: tensor<4xf32> {amp.name = "arg1", amp.role = #amp.role<input>}
// CHECK-SAME: tensor<4xf32> {amp.name = "arg1.1", amp.role = #amp.role<input>}
// CHECK-SAME: tensor<4xi32> {amp.name = "arg2", amp.role = #amp.role<input>}
// CHECK-SAME: -> (tensor<4xf32> {amp.name = "result0", amp.role = #amp.role<activation>}, tensor<4xi32> {amp.name = "result1", amp.role = #amp.role<input>})
// CHECK: nn.add
// CHECK-NOT: amp.role
// CHECK: return
func.func @defaults(%a: tensor<4xf32> {amp.name = "arg1"}, %b: tensor<4xf32>, %c: tensor<4xi32>)
    -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = nn.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %c : tensor<4xf32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func private @helper(
// CHECK-SAME: %{{[^{]*}}) -> tensor<4xf32> {
func.func private @helper(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

// A returned constant counts as an activation; an integer result has no role.
// CHECK-LABEL: func.func @constants(
// CHECK-SAME: -> (tensor<f32> {amp.name = "result0", amp.role = #amp.role<activation>}, tensor<i64> {amp.name = "result1"})
func.func @constants(%x: tensor<4xf32>) -> (tensor<f32>, tensor<i64>) {
  %0 = nn.constant dense<1.0> : tensor<f32>
  %1 = nn.element_count %x : (tensor<4xf32>) -> tensor<i64>
  return %0, %1 : tensor<f32>, tensor<i64>
}
