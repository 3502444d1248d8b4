// RUN: amp-opt %s -split-input-file -amp-annotate-roles="print=true" | FileCheck %s

// The example of the pass's description: a parameter stays one through a cast.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<?x4xf64> {amp.name = "arg0", amp.role = #amp.role<input>}
// CHECK-SAME: tensor<2x4xf32> {amp.name = "w", amp.role = #amp.role<parameter>}
// CHECK-SAME: -> (tensor<?x2xf64> {amp.name = "result0", amp.role = #amp.role<activation>})
// CHECK: amp.cast {{.*}}amp.role = #amp.role<parameter>
// CHECK: nn.linear {{.*}}amp.role = #amp.role<activation>
func.func @main(%x: tensor<?x4xf64>, %w: tensor<2x4xf32> {amp.role = #amp.role<parameter>, amp.name = "w"})
    -> tensor<?x2xf64> {
  %0 = amp.cast %w user : tensor<2x4xf32> to tensor<2x4xf64>
  %1 = nn.linear %x, %0 : (tensor<?x4xf64>, tensor<2x4xf64>) -> tensor<?x2xf64>
  return %1 : tensor<?x2xf64>
}

// -----

// Backward from the loss: its logits are logits, also above a cast; its targets
// are targets. Results are named by their roles.
// CHECK-LABEL: func.func @classifier(
// CHECK-SAME: tensor<8xi64> {amp.name = "arg2", amp.role = #amp.role<target>}
// CHECK-SAME: -> (tensor<f32> {amp.name = "loss", amp.role = #amp.role<loss>}, tensor<8x2xf16> {amp.name = "logits", amp.role = #amp.role<logits>})
// CHECK: nn.relu {{.*}}amp.role = #amp.role<activation>
// CHECK: nn.linear {{.*}}amp.role = #amp.role<logits>
// CHECK: amp.cast {{.*}}amp.role = #amp.role<logits>
// CHECK: nn.cross_entropy {{.*}}amp.role = #amp.role<loss>
func.func @classifier(%x: tensor<8x4xf16>, %w: tensor<2x4xf16> {amp.role = #amp.role<parameter>, amp.name = "w"},
                      %y: tensor<8xi64>) -> (tensor<f32>, tensor<8x2xf16>) {
  %0 = nn.relu %x : (tensor<8x4xf16>) -> tensor<8x4xf16>
  %1 = nn.linear %0, %w {numerics = #amp.numerics<accumulate = f32>} : (tensor<8x4xf16>, tensor<2x4xf16>) -> tensor<8x2xf16>
  %2 = amp.cast %1 policy : tensor<8x2xf16> to tensor<8x2xf32>
  %3 = nn.cross_entropy %2, %y : (tensor<8x2xf32>, tensor<8xi64>) -> tensor<f32>
  return %3, %1 : tensor<f32>, tensor<8x2xf16>
}

// -----

// A loss written by hand is known by the result; softmax makes probabilities;
// constants and booleans have no role; a constant takes no role away in a
// select. A second computed loss is a metric.
// CHECK-LABEL: func.func @by_hand(
// CHECK-SAME: -> (tensor<f32> {amp.name = "loss", amp.role = #amp.role<loss>}, tensor<f32> {amp.name = "result1", amp.role = #amp.role<metric>}, tensor<4xf32> {amp.name = "result2", amp.role = #amp.role<probability>})
// CHECK: nn.constant
// CHECK-NOT: amp.role
// CHECK: nn.compare
// CHECK-NOT: amp.role
// CHECK: nn.softmax {{.*}}amp.role = #amp.role<probability>
// CHECK: nn.select {{.*}}amp.role = #amp.role<probability>
// CHECK: nn.reduce_sum {{.*}}amp.role = #amp.role<loss>
// CHECK: nn.mse_loss {{.*}}amp.role = #amp.role<loss>
func.func @by_hand(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<f32> {amp.role = #amp.role<loss>}, tensor<f32>, tensor<4xf32>) {
  %zero = nn.constant dense<0.0> : tensor<4xf32>
  %0 = nn.compare %x, %zero {predicate = #nn.predicate<gt>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = nn.softmax %x {dim = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.select %0, %1, %zero : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.reduce_sum %2 {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %4 = nn.mse_loss %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %3, %4, %2 : tensor<f32>, tensor<f32>, tensor<4xf32>
}

// -----

// Gradients come from cotangents and stay gradients.
// CHECK-LABEL: func.func @gradients(
// CHECK: nn.tanh {{.*}}amp.role = #amp.role<activation>
// CHECK: nn.tanh_grad {{.*}}amp.role = #amp.role<gradient>
// CHECK: nn.mul {{.*}}amp.role = #amp.role<gradient>
// CHECK: nn.add_n {{.*}}amp.role = #amp.role<gradient>
func.func @gradients(%x: tensor<4xf32>, %c: tensor<4xf32> {amp.role = #amp.role<gradient>}) -> tensor<4xf32> {
  %0 = nn.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.tanh_grad %c, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.mul %1, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.add_n %1, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
