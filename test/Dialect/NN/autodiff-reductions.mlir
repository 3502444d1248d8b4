// RUN: amp-opt %s -split-input-file -nn-autodiff="function=f wrt=all-float-args cotangents=all" | FileCheck %s

// Sums: the cotangent repeated, with and without kept dimensions. A wider result
// (`fp32_output`) hands its cotangent back in the operand's type.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x3xf16>, %[[C0:[^:]+]]: tensor<?xf32> {{.*}}, %[[C1:[^:]+]]: tensor<1x3xf16>
// CHECK: nn.reduce_sum
// CHECK: nn.reduce_sum
// CHECK-NEXT: %[[KEPT:.+]] = nn.broadcast %[[C1]], %[[X]] {dims = array<i64: 0, 1>} : (tensor<1x3xf16>, tensor<?x3xf16>) -> tensor<?x3xf16>
// CHECK-NEXT: %[[C0H:.+]] = amp.cast %[[C0]] policy : tensor<?xf32> to tensor<?xf16>
// CHECK-NEXT: %[[GONE:.+]] = nn.broadcast %[[C0H]], %[[X]] {dims = array<i64: 0>} : (tensor<?xf16>, tensor<?x3xf16>) -> tensor<?x3xf16>
// CHECK-NEXT: nn.add_n %[[KEPT]], %[[GONE]] {numerics = #amp.numerics<accumulate = f32>}
func.func @f(%x: tensor<?x3xf16>) -> (tensor<?xf32>, tensor<1x3xf16>) {
  %0 = nn.reduce_sum %x {dims = array<i64: 1>, numerics = #amp.numerics<accumulate = f32>} : (tensor<?x3xf16>) -> tensor<?xf32>
  %1 = nn.reduce_sum %x {dims = array<i64: 0>, keepdims, numerics = #amp.numerics<accumulate = f32>} : (tensor<?x3xf16>) -> tensor<1x3xf16>
  return %0, %1 : tensor<?xf32>, tensor<1x3xf16>
}

// -----

// Mean and maximum: one op each, which takes the cotangent of a wider result
// unrounded.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x3xf16>, %[[C0:[^:]+]]: tensor<f32> {{.*}}, %[[C1:[^:]+]]: tensor<2x1xf16>
// CHECK: nn.reduce_mean
// CHECK: %[[MAX:.+]] = nn.reduce_max
// CHECK-NEXT: %[[D1:.+]] = nn.reduce_max_grad %[[C1]], %[[X]], %[[MAX]] {dims = array<i64: 1>, keepdims, numerics = #amp.numerics<accumulate = f32>} : {{.*}} -> tensor<2x3xf16>
// CHECK-NEXT: %[[D0:.+]] = nn.reduce_mean_grad %[[C0]], %[[X]] {dims = array<i64: 0, 1>} : (tensor<f32>, tensor<2x3xf16>) -> tensor<2x3xf16>
func.func @f(%x: tensor<2x3xf16>) -> (tensor<f32>, tensor<2x1xf16>) {
  %0 = nn.reduce_mean %x {dims = array<i64: 0, 1>, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3xf16>) -> tensor<f32>
  %1 = nn.reduce_max %x {dims = array<i64: 1>, keepdims, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3xf16>) -> tensor<2x1xf16>
  return %0, %1 : tensor<f32>, tensor<2x1xf16>
}

// -----

// Softmax and its logarithm from their outputs; a wider output is differentiated in
// its own type and rounded once to the operand's.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x3xf16>, %[[C:[^:]+]]: tensor<2x3xf32>
// CHECK: %[[S:.+]] = nn.softmax %[[X]]
// CHECK: %[[L:.+]] = nn.log_softmax %[[S]]
// CHECK-NEXT: %[[DL:.+]] = nn.log_softmax_grad %[[C]], %[[L]] {dim = 1 : i64, numerics = #amp.numerics<accumulate = f32>} : {{.*}} -> tensor<2x3xf32>
// CHECK-NEXT: %[[DLH:.+]] = amp.cast %[[DL]] policy : tensor<2x3xf32> to tensor<2x3xf16>
// CHECK-NEXT: nn.softmax_grad %[[DLH]], %[[S]] {dim = 0 : i64, numerics = #amp.numerics<accumulate = f32>} : {{.*}} -> tensor<2x3xf16>
func.func @f(%x: tensor<2x3xf16>) -> tensor<2x3xf32> {
  %0 = nn.softmax %x {dim = 0 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = nn.log_softmax %0 {dim = 1 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3xf16>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// -----

// Losses keep their attributes; targets of integers and denominators have no
// cotangent (zero), a floating target has the negative one.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[X:[^:]+]]: tensor<8x3xf32>, %[[T:[^:]+]]: tensor<8xi64>, %[[Y:[^:]+]]: tensor<8x3xf32>, %[[N:[^:]+]]: tensor<f32>, %[[C0:[^:]+]]: tensor<f32> {{.*}}, %[[C1:[^:]+]]: tensor<f32>
// CHECK: nn.cross_entropy
// CHECK: nn.mse_loss
// CHECK-NEXT: %[[M:.+]] = nn.mse_loss_grad %[[C1]], %[[X]], %[[Y]] {reduction = #nn.reduction<sum>}
// CHECK-NEXT: %[[DY:.+]] = nn.neg %[[M]]
// CHECK-NEXT: %[[E:.+]] = nn.cross_entropy_grad %[[C0]], %[[X]], %[[T]], %[[N]] {ignore_index = -1 : i64, label_smoothing = 1.000000e-01 : f64, numerics = #amp.numerics<accumulate = f32>}
// CHECK-NEXT: %[[DX:.+]] = nn.add_n %[[M]], %[[E]]
// CHECK-NEXT: %[[DN:.+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: return %{{.+}}, %{{.+}}, %[[DX]], %[[DY]], %[[DN]]
func.func @f(%x: tensor<8x3xf32>, %t: tensor<8xi64>, %y: tensor<8x3xf32>, %n: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = nn.cross_entropy %x, %t, %n {ignore_index = -1 : i64, label_smoothing = 1.000000e-01 : f64}
      : (tensor<8x3xf32>, tensor<8xi64>, tensor<f32>) -> tensor<f32>
  %1 = nn.mse_loss %x, %y {reduction = #nn.reduction<sum>} : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// A sum of several tensors hands its cotangent to each.
// CHECK-LABEL: func.func private @f.vjp(
// CHECK-SAME: %[[C:[^:]+]]: tensor<4xf32> {amp.name = "result0.cotangent"
// CHECK: nn.add_n
// CHECK-NEXT: return %{{.+}}, %[[C]], %[[C]]
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.add_n %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
