// RUN: amp-opt %s -split-input-file -nn-autodiff -amp-build-train-step="window=accumulate" | FileCheck %s

// Cross entropy counts the targets that are not ignored.
// CHECK-LABEL: func.func @cross_entropy.accumulate_first(
// CHECK: %[[D:.+]] = nn.convert
// CHECK: nn.cross_entropy %{{.+}}, %{{.+}}, %[[D]] {ignore_index = 3 : i64
// CHECK: nn.cross_entropy_grad %{{.+}}, %{{.+}}, %{{.+}}, %[[D]]
// CHECK-LABEL: func.func @cross_entropy.count(
// CHECK-NEXT: nn.valid_count %{{.+}} {ignore_index = 3 : i64}
func.func @cross_entropy(%w: tensor<2x4xf32> {amp.name = "weight", amp.role = #amp.role<parameter>},
                %x: tensor<?x4xf32> {amp.name = "x", amp.role = #amp.role<input>},
                %y: tensor<?xi64> {amp.name = "y", amp.role = #amp.role<target>})
    -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  %0 = nn.linear %x, %w : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  %1 = nn.cross_entropy %0, %y {ignore_index = 3 : i64} : (tensor<?x2xf32>, tensor<?xi64>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// A sum of losses with one count divides each of them.
// CHECK-LABEL: func.func @sum_of_two.accumulate_first(
// CHECK: %[[D:.+]] = nn.convert
// CHECK: nn.mse_loss %{{.+}}, %{{.+}}, %[[D]]
// CHECK: nn.mse_loss %{{.+}}, %{{.+}}, %[[D]]
func.func @sum_of_two(%w: tensor<2x4xf32> {amp.name = "weight", amp.role = #amp.role<parameter>},
                %x: tensor<?x4xf32> {amp.name = "x", amp.role = #amp.role<input>},
                %y: tensor<?x2xf32> {amp.name = "y", amp.role = #amp.role<target>},
                %z: tensor<?x2xf32> {amp.name = "z", amp.role = #amp.role<target>})
    -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  %0 = nn.linear %x, %w : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  %1 = nn.mse_loss %0, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<f32>
  %2 = nn.mse_loss %0, %z : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<f32>
  %3 = nn.add %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// -----

// The root of a mean is not linear in it: weighted by rows.
// CHECK-LABEL: func.func @root.accumulate_first(
// CHECK: %[[ROWS:.+]] = arith.divsi
// CHECK: %[[WEIGHT:.+]] = arith.truncf
// CHECK: nn.mse_loss %{{[^,]+}}, %{{[^,]+}} :
// CHECK: %[[LOSS:.+]] = nn.sqrt
// CHECK: arith.mulf %[[LOSS]], %[[WEIGHT]]
func.func @root(%w: tensor<2x4xf32> {amp.name = "weight", amp.role = #amp.role<parameter>},
                %x: tensor<?x4xf32> {amp.name = "x", amp.role = #amp.role<input>},
                %y: tensor<?x2xf32> {amp.name = "y", amp.role = #amp.role<target>})
    -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  %0 = nn.linear %x, %w : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  %1 = nn.mse_loss %0, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<f32>
  %2 = nn.sqrt %1 : (tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// Sums add up over the window as they are.
// CHECK-LABEL: func.func @sum.accumulate_first(
// CHECK-NOT: arith.mulf
// CHECK-NOT: nn.convert
// CHECK: nn.mse_loss %{{[^,]+}}, %{{[^,]+}} {reduction
func.func @sum(%w: tensor<2x4xf32> {amp.name = "weight", amp.role = #amp.role<parameter>},
                %x: tensor<?x4xf32> {amp.name = "x", amp.role = #amp.role<input>},
                %y: tensor<?x2xf32> {amp.name = "y", amp.role = #amp.role<target>})
    -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  %0 = nn.linear %x, %w : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  %1 = nn.mse_loss %0, %y {reduction = #nn.reduction<sum>} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
