// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: a move, bitwise.
// DEFINE: %{golden} = %S/../goldens/transpose.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=matrix_f32 --input-prefix=matrix.f32. --ulp=0
// RUN: %{run} --function=matrix_f32 --input-prefix=matrix.f32. --reference --ulp=0
// RUN: %{run} --function=matrix_bf16 --input-prefix=matrix.bf16. --ulp=0
// RUN: %{run} --function=matrix_f16 --input-prefix=matrix.f16. --ulp=0
// RUN: %{run} --function=matrix_f32 --input-prefix=matrix.f32. --grad --ulp=0
// RUN: %{run} --function=rank3_f32 --input-prefix=rank3.f32. --ulp=0
// RUN: %{run} --function=rank3_f32 --input-prefix=rank3.f32. --reference --ulp=0
// RUN: %{run} --function=rank3_bf16 --input-prefix=rank3.bf16. --ulp=0
// RUN: %{run} --function=rank3_f16 --input-prefix=rank3.f16. --ulp=0
// RUN: %{run} --function=rank3_f32 --input-prefix=rank3.f32. --grad --ulp=0

func.func @matrix_f32(%a0: tensor<3x7xf32>) -> tensor<7x3xf32> {
  %0 = nn.transpose %a0 {permutation = array<i64: 1, 0>} : (tensor<3x7xf32>) -> tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}

func.func @matrix_bf16(%a0: tensor<3x7xbf16>) -> tensor<7x3xbf16> {
  %0 = nn.transpose %a0 {permutation = array<i64: 1, 0>} : (tensor<3x7xbf16>) -> tensor<7x3xbf16>
  return %0 : tensor<7x3xbf16>
}

func.func @matrix_f16(%a0: tensor<3x7xf16>) -> tensor<7x3xf16> {
  %0 = nn.transpose %a0 {permutation = array<i64: 1, 0>} : (tensor<3x7xf16>) -> tensor<7x3xf16>
  return %0 : tensor<7x3xf16>
}

func.func @rank3_f32(%a0: tensor<2x3x5xf32>) -> tensor<5x2x3xf32> {
  %0 = nn.transpose %a0 {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x5xf32>) -> tensor<5x2x3xf32>
  return %0 : tensor<5x2x3xf32>
}

func.func @rank3_bf16(%a0: tensor<2x3x5xbf16>) -> tensor<5x2x3xbf16> {
  %0 = nn.transpose %a0 {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x5xbf16>) -> tensor<5x2x3xbf16>
  return %0 : tensor<5x2x3xbf16>
}

func.func @rank3_f16(%a0: tensor<2x3x5xf16>) -> tensor<5x2x3xf16> {
  %0 = nn.transpose %a0 {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x5xf16>) -> tensor<5x2x3xf16>
  return %0 : tensor<5x2x3xf16>
}
