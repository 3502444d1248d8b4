// Every diagnostic of the derivative ops. Each case names its rule.
// RUN: amp-opt --split-input-file --verify-diagnostics %s

// nn_add_n_c1
func.func @f(%g: tensor<4xf16>) {
  // expected-error@+1 {{'nn.add_n' op expects 'numerics' with an 'accumulate' type, because an operand is 'f16', but got no 'numerics'}}
  %0 = nn.add_n %g, %g : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return
}

// -----

// nothing to add
func.func @f() {
  // expected-error@+1 {{'nn.add_n' op expected 1 or more operands, but found 0}}
  %0 = "nn.add_n"() : () -> tensor<4xf32>
  return
}

// -----

// nn_linear_input_grad_c1
func.func @f(%g: tensor<3x2xf32>, %w: tensor<2xf32>) {
  // expected-error@+1 {{'nn.linear_input_grad' op expects 'weight' of rank 2, but got 'tensor<2xf32>'}}
  %0 = nn.linear_input_grad %g, %w : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x4xf32>
  return
}

// -----

// nn_linear_input_grad_c1
func.func @f(%g: tensor<f32>, %w: tensor<2x4xf32>) {
  // expected-error@+1 {{'nn.linear_input_grad' op expects 'cotangent' of rank at least 1, but got 'tensor<f32>'}}
  %0 = nn.linear_input_grad %g, %w : (tensor<f32>, tensor<2x4xf32>) -> tensor<4xf32>
  return
}

// -----

// nn_linear_input_grad_c1
func.func @f(%g: tensor<3x4xf32>, %w: tensor<2x4xf32>) {
  // expected-error@+1 {{'nn.linear_input_grad' op expects the last dimension of 'cotangent' to equal the first dimension of 'weight', but got 4 and 2}}
  %0 = nn.linear_input_grad %g, %w : (tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

// nn_linear_input_grad_c2
func.func @f(%g: tensor<3x2xf32>, %w: tensor<2x4xf16>) {
  // expected-error@+1 {{'nn.linear_input_grad' op expects 'cotangent' and 'weight' of one element type, but got 'f32' and 'f16'}}
  %0 = nn.linear_input_grad %g, %w : (tensor<3x2xf32>, tensor<2x4xf16>) -> tensor<3x4xf32>
  return
}

// -----

// nn_linear_input_grad_c3
func.func @f(%g: tensor<3x2xf16>, %w: tensor<2x4xf16>) {
  // expected-error@+1 {{'nn.linear_input_grad' op expects 'numerics' with an 'accumulate' type, because an operand is 'f16', but got no 'numerics'}}
  %0 = nn.linear_input_grad %g, %w : (tensor<3x2xf16>, tensor<2x4xf16>) -> tensor<3x4xf16>
  return
}

// -----

// nn_linear_weight_grad_c1
func.func @f(%g: tensor<3x2xf32>, %x: tensor<5x4xf32>) {
  // expected-error@+1 {{'nn.linear_weight_grad' op expects 'cotangent' and 'input' of equal leading dimensions, but got 'tensor<3x2xf32>' and 'tensor<5x4xf32>'}}
  %0 = nn.linear_weight_grad %g, %x : (tensor<3x2xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// nn_linear_weight_grad_c2
func.func @f(%g: tensor<3x2xf16>, %x: tensor<3x4xf32>) {
  // expected-error@+1 {{'nn.linear_weight_grad' op expects 'cotangent' and 'input' of one element type, but got 'f16' and 'f32'}}
  %0 = nn.linear_weight_grad %g, %x : (tensor<3x2xf16>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// nn_linear_weight_grad_c3
func.func @f(%g: tensor<3x2xf16>, %x: tensor<3x4xf16>) {
  // expected-error@+1 {{'nn.linear_weight_grad' op expects 'numerics' with an 'accumulate' type, because an operand is 'f16', but got no 'numerics'}}
  %0 = nn.linear_weight_grad %g, %x : (tensor<3x2xf16>, tensor<3x4xf16>) -> tensor<2x4xf32>
  return
}

// -----

// the declared shape
func.func @f(%g: tensor<?x2xf32>, %x: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.linear_weight_grad' op expects result #0 to have shape [2, 4], but got [4, 2]}}
  %0 = nn.linear_weight_grad %g, %x : (tensor<?x2xf32>, tensor<?x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

// the saved value's type
func.func @f(%g: tensor<4xf32>, %x: tensor<4xf16>) {
  // expected-error@+1 {{'nn.tanh_grad' op failed to verify that all of {cotangent, output, result} have same type}}
  %0 = nn.tanh_grad %g, %x : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

// nn_reduce_mean_grad_c1
func.func @f(%g: tensor<2xf32>, %x: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.reduce_mean_grad' op expects 'dims' in [0, 2), but got -1}}
  %0 = nn.reduce_mean_grad %g, %x {dims = array<i64: -1>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// nn_reduce_mean_grad_c2
func.func @f(%g: tensor<3xf32>, %x: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.reduce_mean_grad' op expects 'cotangent' of type 'tensor<2xf32>', the reduced shape of 'input', but got 'tensor<3xf32>'}}
  %0 = nn.reduce_mean_grad %g, %x {dims = array<i64: 1>} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// nn_reduce_mean_grad_c3
func.func @f(%g: tensor<2xf32>, %x: tensor<2x3xf16>) {
  // expected-error@+1 {{'nn.reduce_mean_grad' op expects 'input' and 'result' of one element type, but got 'f16' and 'f32'}}
  %0 = nn.reduce_mean_grad %g, %x {dims = array<i64: 1>} : (tensor<2xf32>, tensor<2x3xf16>) -> tensor<2x3xf32>
  return
}

// -----

// nn_reduce_max_grad_c1
func.func @f(%g: tensor<2xf32>, %x: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.reduce_max_grad' op expects 'dims' sorted and unique, but got 1 after 1}}
  %0 = nn.reduce_max_grad %g, %x, %g {dims = array<i64: 1, 1>} : (tensor<2xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// nn_reduce_max_grad_c2
func.func @f(%g: tensor<2xf32>, %x: tensor<2x3xf32>, %y: tensor<2x1xf32>) {
  // expected-error@+1 {{'nn.reduce_max_grad' op expects 'output' of type 'tensor<2xf32>', the reduced shape of 'input', but got 'tensor<2x1xf32>'}}
  %0 = nn.reduce_max_grad %g, %x, %y {dims = array<i64: 1>} : (tensor<2xf32>, tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return
}

// -----

// nn_reduce_max_grad_c3
func.func @f(%g: tensor<2xf32>, %x: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.reduce_max_grad' op expects 'input' and 'result' of one element type, but got 'f32' and 'f64'}}
  %0 = nn.reduce_max_grad %g, %x, %g {dims = array<i64: 1>} : (tensor<2xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf64>
  return
}

// -----

// nn_reduce_max_grad_c4
func.func @f(%g: tensor<2xf16>, %x: tensor<2x3xf16>) {
  // expected-error@+1 {{'nn.reduce_max_grad' op expects 'numerics' with an 'accumulate' type, because an operand is 'f16', but got no 'numerics'}}
  %0 = nn.reduce_max_grad %g, %x, %g {dims = array<i64: 1>} : (tensor<2xf16>, tensor<2x3xf16>, tensor<2xf16>) -> tensor<2x3xf16>
  return
}

// -----

// nn_softmax_grad_c1
func.func @f(%g: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.softmax_grad' op expects 'dim' in [0, 2), but got 2}}
  %0 = nn.softmax_grad %g, %g {dim = 2 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// nn_softmax_grad_c2
func.func @f(%g: tensor<2x3xf32>, %y: tensor<2x3xf64>) {
  // expected-error@+1 {{'nn.softmax_grad' op expects 'cotangent' and 'output' of one element type, but got 'f32' and 'f64'}}
  %0 = nn.softmax_grad %g, %y {dim = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<2x3xf32>
  return
}

// -----

// nn_softmax_grad_c3
func.func @f(%g: tensor<2x3xbf16>) {
  // expected-error@+1 {{'nn.log_softmax_grad' op expects 'numerics' with an 'accumulate' type, because an operand is 'bf16', but got no 'numerics'}}
  %0 = nn.log_softmax_grad %g, %g {dim = 1 : i64} : (tensor<2x3xbf16>, tensor<2x3xbf16>) -> tensor<2x3xbf16>
  return
}

// -----

// nn_cross_entropy_c1
func.func @f(%g: tensor<f32>, %x: tensor<?x10xf32>, %t: tensor<4x2xi64>) {
  // expected-error@+1 {{'nn.cross_entropy_grad' op expects 'targets' of the shape of 'logits' without its last dimension, but got 'tensor<4x2xi64>' for 'tensor<?x10xf32>'}}
  %0 = nn.cross_entropy_grad %g, %x, %t : (tensor<f32>, tensor<?x10xf32>, tensor<4x2xi64>) -> tensor<?x10xf32>
  return
}

// -----

// nn_cross_entropy_grad_c1
func.func @f(%g: tensor<f32>, %x: tensor<?x10xf32>, %t: tensor<?xi64>) {
  // expected-error@+1 {{'nn.cross_entropy_grad' op expects 'logits' and 'result' of one element type, but got 'f32' and 'f16'}}
  %0 = nn.cross_entropy_grad %g, %x, %t : (tensor<f32>, tensor<?x10xf32>, tensor<?xi64>) -> tensor<?x10xf16>
  return
}

// -----

// nn_mse_loss_c2
func.func @f(%g: tensor<f32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'nn.mse_loss_grad' op expects 'denominator' only with reduction 'mean', but got reduction 'sum'}}
  %0 = nn.mse_loss_grad %g, %x, %x, %g {reduction = #nn.reduction<sum>} : (tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// nn_mse_loss_grad_c1
func.func @f(%g: tensor<f32>, %x: tensor<4xf16>) {
  // expected-error@+1 {{'nn.mse_loss_grad' op expects 'input' and 'result' of one element type, but got 'f16' and 'f32'}}
  %0 = nn.mse_loss_grad %g, %x, %x : (tensor<f32>, tensor<4xf16>, tensor<4xf16>) -> tensor<4xf32>
  return
}
