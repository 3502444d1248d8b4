// Softmax and its relatives at the edges, executed: interpreted and compiled.

// The row maximum is subtracted: exp(1000) is never formed. Tolerance: the compiled
// exp is within 1.4 ulp, the sum and the quotient add one each.
// RUN: amp-run %s --function=large_logits --reference | FileCheck %s --check-prefix=LARGE
// RUN: amp-run %s --function=large_logits --expect=reference --ulp=4
// LARGE: out0: tensor<1x2xf32> = {{\[}}[0.26894143, 0.7310586]]
// LARGE: out1: tensor<1x2xf32> = {{\[}}[-1.3132616, -0.3132617]]
// LARGE: out2: tensor<f32> = 1.3132616{{$}}
func.func @large_logits() -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<f32>) {
  %c = nn.constant dense<[[1000.0, 1001.0]]> : tensor<1x2xf32>
  %target = nn.constant dense<0> : tensor<1xi64>
  %x = nn.optimization_barrier %c : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %0 = nn.softmax %x {dim = 1 : i64} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %1 = nn.log_softmax %x {dim = 1 : i64} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %2 = nn.cross_entropy %x, %target {reduction = #nn.reduction<mean>} : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<f32>
  return %0, %1, %2 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<f32>
}

// exp(12) = 162754.79 is no f16, but a softmax over 0 and 12 in f16 is: the
// exponentials are those of shifted values, in f32.
// RUN: amp-run %s --function=exp_overflow --reference | FileCheck %s --check-prefix=EXP
// RUN: amp-run %s --function=exp_overflow | FileCheck %s --check-prefix=EXP
// EXP: out0: tensor<1x2xf16> = {{\[}}[1, inf]]
// EXP: out1: tensor<1x2xf16> = {{\[}}[6.14e-06, 1]]
func.func @exp_overflow() -> (tensor<1x2xf16>, tensor<1x2xf16>) {
  %c = nn.constant dense<[[0.0, 12.0]]> : tensor<1x2xf16>
  %x = nn.optimization_barrier %c : (tensor<1x2xf16>) -> tensor<1x2xf16>
  %0 = nn.exp %x : (tensor<1x2xf16>) -> tensor<1x2xf16>
  %1 = nn.softmax %x {dim = 1 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<1x2xf16>) -> tensor<1x2xf16>
  return %0, %1 : tensor<1x2xf16>, tensor<1x2xf16>
}

// A fully masked row and a row with an infinite logit are NaN, as in PyTorch; a
// partly masked row is not.
// RUN: amp-run %s --function=masked --reference | FileCheck %s --check-prefix=MASKED
// RUN: amp-run %s --function=masked | FileCheck %s --check-prefix=MASKED
// MASKED: out0: tensor<3x2xf32> = {{\[}}[nan, nan], [nan, nan], [0, 1]]
func.func @masked() -> tensor<3x2xf32> {
  %c = nn.constant dense<[[0xFF800000, 0xFF800000], [0.0, 0x7F800000], [0xFF800000, 0.0]]> : tensor<3x2xf32>
  %x = nn.optimization_barrier %c : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %0 = nn.softmax %x {dim = 1 : i64} : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
