// Every diagnostic of the contractions, of shape inference and of the ops that
// move elements. Each case names its rule.
// RUN: amp-opt --split-input-file --verify-diagnostics %s

// nn_linear_c1
func.func @f(%x: tensor<3x4xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{'nn.linear' op expects 'weight' of rank 2, but got 'tensor<4xf32>'}}
  %0 = nn.linear %x, %w : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x2xf32>
  return
}

// -----

// nn_linear_c1
func.func @f(%x: tensor<f32>, %w: tensor<2x4xf32>) {
  // expected-error@+1 {{'nn.linear' op expects 'input' of rank at least 1, but got 'tensor<f32>'}}
  %0 = nn.linear %x, %w : (tensor<f32>, tensor<2x4xf32>) -> tensor<2xf32>
  return
}

// -----

// nn_linear_c1
func.func @f(%x: tensor<3x5xf32>, %w: tensor<2x4xf32>) {
  // expected-error@+1 {{'nn.linear' op expects the last dimension of 'input' to equal the last dimension of 'weight', but got 5 and 4}}
  %0 = nn.linear %x, %w : (tensor<3x5xf32>, tensor<2x4xf32>) -> tensor<3x2xf32>
  return
}

// -----

// nn_linear_c2
func.func @f(%x: tensor<3x4xf32>, %w: tensor<2x4xf32>, %b: tensor<1x2xf32>) {
  // expected-error@+1 {{'nn.linear' op expects 'bias' of rank 1, but got 'tensor<1x2xf32>'}}
  %0 = nn.linear %x, %w, %b : (tensor<3x4xf32>, tensor<2x4xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// nn_linear_c2
func.func @f(%x: tensor<3x4xf32>, %w: tensor<2x4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'nn.linear' op expects the length of 'bias' to equal the first dimension of 'weight', but got 4 and 2}}
  %0 = nn.linear %x, %w, %b : (tensor<3x4xf32>, tensor<2x4xf32>, tensor<4xf32>) -> tensor<3x2xf32>
  return
}

// -----

// nn_linear_c3
func.func @f(%x: tensor<3x4xf32>, %w: tensor<2x4xf16>) {
  // expected-error@+1 {{'nn.linear' op expects 'input' and 'weight' of one element type, but got 'f32' and 'f16'}}
  %0 = nn.linear %x, %w : (tensor<3x4xf32>, tensor<2x4xf16>) -> tensor<3x2xf32>
  return
}

// -----

// nn_linear_c3
func.func @f(%x: tensor<3x4xf32>, %w: tensor<2x4xf32>, %b: tensor<2xf16>) {
  // expected-error@+1 {{'nn.linear' op expects 'weight' and 'bias' of one element type, but got 'f32' and 'f16'}}
  %0 = nn.linear %x, %w, %b : (tensor<3x4xf32>, tensor<2x4xf32>, tensor<2xf16>) -> tensor<3x2xf32>
  return
}

// -----

// nn_linear_c4
func.func @f(%x: tensor<3x4xf16>, %w: tensor<2x4xf16>) {
  // expected-error@+1 {{'nn.linear' op expects 'numerics' with an 'accumulate' type, because an operand is 'f16', but got no 'numerics'}}
  %0 = nn.linear %x, %w : (tensor<3x4xf16>, tensor<2x4xf16>) -> tensor<3x2xf16>
  return
}

// -----

// nn_linear_c4: `numerics` without an accumulator is not enough
func.func @f(%x: tensor<3x4xbf16>, %w: tensor<2x4xbf16>) {
  // expected-error@+1 {{'nn.linear' op expects 'numerics' with an 'accumulate' type, because an operand is 'bf16', but got none in it}}
  %0 = nn.linear %x, %w {numerics = #amp.numerics<order = sequential>} : (tensor<3x4xbf16>, tensor<2x4xbf16>) -> tensor<3x2xbf16>
  return
}

// -----

// the declared shape
func.func @f(%x: tensor<?x4xf32>, %w: tensor<2x4xf32>) {
  // expected-error@+1 {{'nn.linear' op expects result #0 to have shape [?, 2], but got [?, 4]}}
  %0 = nn.linear %x, %w : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

// nn_softmax_c1: a scalar has no dimension to normalize
func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{'nn.softmax' op expects 'dim' in [0, 0), but got 0}}
  %0 = nn.softmax %x {dim = 0 : i64} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// one type for all operands and results
func.func @f(%g: tensor<4xf32>) {
  // expected-error@+1 {{'nn.maximum_grad' op failed to verify that all of {cotangent, lhs, rhs, lhs_grad, rhs_grad} have same type}}
  %0, %1 = nn.maximum_grad %g, %g, %g : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<5xf32>)
  return
}

// -----

// one type
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error@+1 {{'nn.add' op failed to verify that all of {lhs, rhs, result} have same type}}
  %0 = nn.add %x, %y : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

// nn_matmul_c1
func.func @f(%a: tensor<3x4xf32>, %b: tensor<1x4x5xf32>) {
  // expected-error@+1 {{'nn.matmul' op expects operands of one rank, at least 2, but got 'tensor<3x4xf32>' and 'tensor<1x4x5xf32>'}}
  %0 = nn.matmul %a, %b : (tensor<3x4xf32>, tensor<1x4x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

// nn_matmul_c2
func.func @f(%a: tensor<2x3x4xf32>, %b: tensor<3x4x5xf32>) {
  // expected-error@+1 {{'nn.matmul' op expects equal batch dimensions, but got 'tensor<2x3x4xf32>' and 'tensor<3x4x5xf32>'}}
  %0 = nn.matmul %a, %b : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// nn_matmul_c3
func.func @f(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) {
  // expected-error@+1 {{'nn.matmul' op expects dimension 1 of 'lhs' to equal dimension 1 of 'rhs', but got 4 and 5}}
  %0 = nn.matmul %a, %b {transpose_rhs} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x4xf32>
  return
}

// -----

// nn_matmul_c4
func.func @f(%a: tensor<3x4xf16>, %b: tensor<4x5xbf16>) {
  // expected-error@+1 {{'nn.matmul' op expects 'lhs' and 'rhs' of one element type, but got 'f16' and 'bf16'}}
  %0 = nn.matmul %a, %b {numerics = #amp.numerics<accumulate = f32>} : (tensor<3x4xf16>, tensor<4x5xbf16>) -> tensor<3x5xf32>
  return
}

// -----

// nn_matmul_c5
func.func @f(%a: tensor<3x4xf16>, %b: tensor<4x5xf16>) {
  // expected-error@+1 {{'nn.matmul' op expects 'numerics' with an 'accumulate' type, because an operand is 'f16', but got no 'numerics'}}
  %0 = nn.matmul %a, %b : (tensor<3x4xf16>, tensor<4x5xf16>) -> tensor<3x5xf16>
  return
}

// -----

// nn_reshape_c1
func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'nn.reshape' op expects 'input' and 'result' of one element type, but got 'f32' and 'f16'}}
  %0 = nn.reshape %x : (tensor<4xf32>) -> tensor<2x2xf16>
  return
}

// -----

// nn_reshape_c2
func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'nn.reshape' op expects 4 elements in the result, but got 6}}
  %0 = nn.reshape %x : (tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

// nn_reshape_c3
func.func @f(%x: tensor<?xf32>) {
  // expected-error@+1 {{'nn.reshape' op expects at most one dynamic dimension in the result, but got 'tensor<?x?xf32>'}}
  %0 = nn.reshape %x : (tensor<?xf32>) -> tensor<?x?xf32>
  return
}

// -----

// nn_transpose_c1
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.transpose' op expects 'permutation' to be a permutation of rank 2, but got [1, 1]}}
  %0 = nn.transpose %x {permutation = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

// nn_transpose_c2
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.transpose' op expects 'input' and 'result' of one element type, but got 'f32' and 'f16'}}
  %0 = nn.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf16>
  return
}

// -----

// nn_broadcast_c1
func.func @f(%x: tensor<3xf32>) {
  // expected-error@+1 {{'nn.broadcast' op expects one entry in 'dims' per input dimension (1), but got 2}}
  %0 = nn.broadcast %x {dims = array<i64: 0, 1>} : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// nn_broadcast_c1
func.func @f(%x: tensor<3x3xf32>) {
  // expected-error@+1 {{'nn.broadcast' op expects 'dims' sorted and unique, but got 0 after 1}}
  %0 = nn.broadcast %x {dims = array<i64: 1, 0>} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

// nn_broadcast_c2
func.func @f(%x: tensor<3xf32>) {
  // expected-error@+1 {{'nn.broadcast' op expects input dimension 0 to be 1 or 4, but got 3}}
  %0 = nn.broadcast %x {dims = array<i64: 1>} : (tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

// nn_broadcast_c3
func.func @f(%x: tensor<3xf32>) {
  // expected-error@+1 {{'nn.broadcast' op expects 'like' for a result with dynamic dimensions, but got none for 'tensor<?x3xf32>'}}
  %0 = nn.broadcast %x {dims = array<i64: 1>} : (tensor<3xf32>) -> tensor<?x3xf32>
  return
}

// -----

// nn_broadcast_c3
func.func @f(%x: tensor<3xf32>, %y: tensor<?x4xf32>) {
  // expected-error@+1 {{'nn.broadcast' op expects result #0 to have shape [?, 4], but got [?, 3]}}
  %0 = nn.broadcast %x, %y {dims = array<i64: 1>} : (tensor<3xf32>, tensor<?x4xf32>) -> tensor<?x3xf32>
  return
}

// -----

// nn_broadcast_c4
func.func @f(%x: tensor<3xf32>) {
  // expected-error@+1 {{'nn.broadcast' op expects 'input' and 'result' of one element type, but got 'f32' and 'f16'}}
  %0 = nn.broadcast %x {dims = array<i64: 1>} : (tensor<3xf32>) -> tensor<2x3xf16>
  return
}

// -----

// nn_convert_c1
func.func @f(%x: tensor<3xf32>) {
  // expected-error@+1 {{'nn.convert' op expects an integer input or result (a cast between floats is 'amp.cast'), but got 'tensor<3xf32>' to 'tensor<3xf16>'}}
  %0 = nn.convert %x : (tensor<3xf32>) -> tensor<3xf16>
  return
}

// -----

// the type of a constant
func.func @f() {
  // expected-error@+1 {{'nn.constant' op failed to verify that all of {value, result} have same type}}
  %0 = "nn.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return
}

// -----

// the types of a barrier
func.func @f(%x: tensor<3xf32>) {
  // expected-error@+1 {{'nn.optimization_barrier' op failed to verify that all of {inputs, outputs} have same type}}
  %0 = nn.optimization_barrier %x : (tensor<3xf32>) -> tensor<3xf16>
  return
}

// -----

// the shape of a comparison
func.func @f(%x: tensor<3xf32>) {
  // expected-error@+1 {{'nn.compare' op expects result #0 to have shape [3], but got [4]}}
  %0 = nn.compare %x, %x {predicate = #nn.predicate<eq>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xi1>
  return
}
