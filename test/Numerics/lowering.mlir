// What the lowering writes out itself, compiled against the interpreter on normally
// distributed numbers.
//
// f64 contractions are row reductions: gamma_6 of f64, rtol 1e-13 with room for
// cancellation.
// RUN: amp-run %s --function=f64_contractions --random-inputs=3 --expect=reference --rtol=1e-13
// Conversions are exact: 0 ulp.
// RUN: amp-run %s --function=casts --random-inputs=3 --expect=reference --ulp=0
// Derivatives round once: 1 ulp for an f32 result on the other side of a tie.
// RUN: amp-run %s --function=gradients --random-inputs=1 --expect=reference --ulp=1

func.func @f64_contractions(%x: tensor<3x2x4xf64>, %w: tensor<5x4xf64>, %b: tensor<5xf64>, %c: tensor<3x2x5xf64>, %p: tensor<2x3x4x6xf64>, %q: tensor<2x3x5x4xf64>)
    -> (tensor<3x2x5xf64>, tensor<3x2x4xf64>, tensor<5x4xf64>, tensor<2x3x6x5xf64>) {
  %0 = nn.linear %x, %w, %b : (tensor<3x2x4xf64>, tensor<5x4xf64>, tensor<5xf64>) -> tensor<3x2x5xf64>
  %1 = nn.linear_input_grad %c, %w : (tensor<3x2x5xf64>, tensor<5x4xf64>) -> tensor<3x2x4xf64>
  %2 = nn.linear_weight_grad %c, %x : (tensor<3x2x5xf64>, tensor<3x2x4xf64>) -> tensor<5x4xf64>
  %3 = nn.matmul %p, %q {transpose_lhs, transpose_rhs} : (tensor<2x3x4x6xf64>, tensor<2x3x5x4xf64>) -> tensor<2x3x6x5xf64>
  return %0, %1, %2, %3 : tensor<3x2x5xf64>, tensor<3x2x4xf64>, tensor<5x4xf64>, tensor<2x3x6x5xf64>
}

// Rounding 3 is toward zero.
func.func @casts(%x: tensor<4096xf64>, %y: tensor<4096xf32>)
    -> (tensor<4096xbf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xf32>) {
  %0 = amp.cast %x user : tensor<4096xf64> to tensor<4096xbf16>
  %1 = amp.cast %x user : tensor<4096xf64> to tensor<4096xf16>
  %2 = amp.cast %y user {rounding = 3 : i32} : tensor<4096xf32> to tensor<4096xf16>
  %3 = amp.cast %y user {overflow = #amp.overflow<saturate>} : tensor<4096xf32> to tensor<4096xbf16>
  %4 = amp.cast %x user {rounding = 3 : i32} : tensor<4096xf64> to tensor<4096xbf16>
  %5 = amp.cast %x user {rounding = 3 : i32} : tensor<4096xf64> to tensor<4096xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4096xbf16>, tensor<4096xf16>, tensor<4096xf16>, tensor<4096xbf16>, tensor<4096xbf16>, tensor<4096xf32>
}

// Golden gradients are f32: this is the f16 form of every derivative op of one
// operand, and of sums.
func.func @gradients(%c: tensor<4x3xf16>, %x: tensor<4x3xf16>, %y: tensor<4x3xf16>, %r: tensor<4xf16>)
    -> (tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>) {
  %0 = nn.div_rhs_grad %c, %x, %y : (tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>) -> tensor<4x3xf16>
  %1 = nn.abs_grad %c, %x : (tensor<4x3xf16>, tensor<4x3xf16>) -> tensor<4x3xf16>
  %2 = nn.tanh_grad %c, %x : (tensor<4x3xf16>, tensor<4x3xf16>) -> tensor<4x3xf16>
  %3 = nn.sigmoid_grad %c, %x : (tensor<4x3xf16>, tensor<4x3xf16>) -> tensor<4x3xf16>
  %4 = nn.relu_grad %c, %x : (tensor<4x3xf16>, tensor<4x3xf16>) -> tensor<4x3xf16>
  %5 = nn.silu_grad %c, %x : (tensor<4x3xf16>, tensor<4x3xf16>) -> tensor<4x3xf16>
  %6 = nn.gelu_grad %c, %x : (tensor<4x3xf16>, tensor<4x3xf16>) -> tensor<4x3xf16>
  %7 = nn.gelu_grad %c, %x {approximate = #nn.gelu<tanh>} : (tensor<4x3xf16>, tensor<4x3xf16>) -> tensor<4x3xf16>
  %8 = nn.reduce_mean_grad %r, %x {dims = array<i64: 1>} : (tensor<4xf16>, tensor<4x3xf16>) -> tensor<4x3xf16>
  %9 = nn.softmax_grad %c, %x {dim = 0 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<4x3xf16>, tensor<4x3xf16>) -> tensor<4x3xf16>
  %10 = nn.log_softmax_grad %c, %x {dim = 1 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<4x3xf16>, tensor<4x3xf16>) -> tensor<4x3xf16>
  %11 = nn.add_n %c, %x, %y {numerics = #amp.numerics<accumulate = f32>} : (tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>) -> tensor<4x3xf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>
}
