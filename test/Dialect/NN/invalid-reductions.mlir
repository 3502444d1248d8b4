// Every diagnostic of the reductions, normalizations and losses. Each case names its rule.
// RUN: amp-opt --split-input-file --verify-diagnostics %s

// nn_reduce_c1
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.reduce_sum' op expects 'dims' in [0, 2), but got 2}}
  %0 = nn.reduce_sum %x {dims = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

// nn_reduce_c1
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.reduce_mean' op expects 'dims' sorted and unique, but got 0 after 1}}
  %0 = nn.reduce_mean %x {dims = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

// nn_reduce_c2
func.func @f(%x: tensor<2x3xf16>) {
  // expected-error@+1 {{'nn.reduce_max' op expects 'numerics' with an 'accumulate' type, because an operand is 'f16', but got no 'numerics'}}
  %0 = nn.reduce_max %x {dims = array<i64: 0>} : (tensor<2x3xf16>) -> tensor<3xf16>
  return
}

// -----

// the declared shape under keepdims
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.reduce_sum' op expects result #0 to have shape [1, 3], but got [3]}}
  %0 = nn.reduce_sum %x {dims = array<i64: 0>, keepdims} : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

// nn_softmax_c1
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.softmax' op expects 'dim' in [0, 2), but got -1}}
  %0 = nn.softmax %x {dim = -1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// nn_softmax_c2
func.func @f(%x: tensor<2x3xf16>) {
  // expected-error@+1 {{'nn.log_softmax' op expects 'numerics' with an 'accumulate' type, because an operand is 'f16', but got no 'numerics'}}
  %0 = nn.log_softmax %x {dim = 1 : i64} : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// -----

// nn_cross_entropy_c1
func.func @f(%x: tensor<?x10xf32>, %t: tensor<?x10xi64>) {
  // expected-error@+1 {{'nn.cross_entropy' op expects 'targets' of the shape of 'logits' without its last dimension, but got 'tensor<?x10xi64>' for 'tensor<?x10xf32>'}}
  %0 = nn.cross_entropy %x, %t : (tensor<?x10xf32>, tensor<?x10xi64>) -> tensor<f32>
  return
}

// -----

// nn_cross_entropy_c2
func.func @f(%x: tensor<?x10xf32>, %t: tensor<?xi64>) {
  // expected-error@+1 {{'nn.cross_entropy' op expects 'label_smoothing' in [0, 1], but got 1.500000e+00 : f64}}
  %0 = nn.cross_entropy %x, %t {label_smoothing = 1.5 : f64} : (tensor<?x10xf32>, tensor<?xi64>) -> tensor<f32>
  return
}

// -----

// nn_cross_entropy_c3
func.func @f(%x: tensor<?x10xf32>, %t: tensor<?xi64>, %d: tensor<f32>) {
  // expected-error@+1 {{'nn.cross_entropy' op expects 'denominator' only with reduction 'mean', but got reduction 'sum'}}
  %0 = nn.cross_entropy %x, %t, %d {reduction = #nn.reduction<sum>} : (tensor<?x10xf32>, tensor<?xi64>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// nn_cross_entropy_c4
func.func @f(%x: tensor<?x10xbf16>, %t: tensor<?xi64>) {
  // expected-error@+1 {{'nn.cross_entropy' op expects 'numerics' with an 'accumulate' type, because an operand is 'bf16', but got no 'numerics'}}
  %0 = nn.cross_entropy %x, %t : (tensor<?x10xbf16>, tensor<?xi64>) -> tensor<f32>
  return
}

// -----

// nn_mse_loss_c1
func.func @f(%x: tensor<4x2xf32>, %t: tensor<4x3xf32>) {
  // expected-error@+1 {{'nn.mse_loss' op expects 'input' and 'target' of one shape, but got 'tensor<4x2xf32>' and 'tensor<4x3xf32>'}}
  %0 = nn.mse_loss %x, %t : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<f32>
  return
}

// -----

// nn_mse_loss_c1
func.func @f(%x: tensor<4xf32>, %t: tensor<4xf16>) {
  // expected-error@+1 {{'nn.mse_loss' op expects 'input' and 'target' of one element type, but got 'f32' and 'f16'}}
  %0 = nn.mse_loss %x, %t : (tensor<4xf32>, tensor<4xf16>) -> tensor<f32>
  return
}

// -----

// nn_mse_loss_c2
func.func @f(%x: tensor<4xf32>, %d: tensor<f32>) {
  // expected-error@+1 {{'nn.mse_loss' op expects 'denominator' only with reduction 'mean', but got reduction 'sum'}}
  %0 = nn.mse_loss %x, %x, %d {reduction = #nn.reduction<sum>} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// nn_mse_loss_c3
func.func @f(%x: tensor<4xf16>) {
  // expected-error@+1 {{'nn.mse_loss' op expects 'numerics' with an 'accumulate' type, because an operand is 'f16', but got no 'numerics'}}
  %0 = nn.mse_loss %x, %x : (tensor<4xf16>, tensor<4xf16>) -> tensor<f32>
  return
}

// -----

// a loss is a scalar
func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'nn.mse_loss' op result #0 must be 0D tensor of floating-point values, but got 'tensor<4xf32>'}}
  %0 = nn.mse_loss %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
