// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: gamma_k relative to the sum of |a||b|, k the longest accumulation of case and
// gradient.
// DEFINE: %{golden} = %S/../goldens/matmul.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=plain_f32 --input-prefix=plain.f32. --ulp=65
// RUN: %{run} --function=plain_f32 --input-prefix=plain.f32. --reference --ulp=65
// RUN: %{run} --function=plain_bf16 --input-prefix=plain.bf16. --ulp=2
// RUN: %{run} --function=plain_f16 --input-prefix=plain.f16. --ulp=2
// RUN: %{run} --function=plain_f32 --input-prefix=plain.f32. --grad --ulp=81
// RUN: %{run} --function=batched_f32 --input-prefix=batched.f32. --ulp=63
// RUN: %{run} --function=batched_f32 --input-prefix=batched.f32. --reference --ulp=63
// RUN: %{run} --function=batched_bf16 --input-prefix=batched.bf16. --ulp=2
// RUN: %{run} --function=batched_f16 --input-prefix=batched.f16. --ulp=2
// RUN: %{run} --function=batched_f32 --input-prefix=batched.f32. --grad --ulp=101
// RUN: %{run} --function=batched_rank4_f32 --input-prefix=batched_rank4.f32. --ulp=44
// RUN: %{run} --function=batched_rank4_f32 --input-prefix=batched_rank4.f32. --reference --ulp=44
// RUN: %{run} --function=batched_rank4_bf16 --input-prefix=batched_rank4.bf16. --ulp=2
// RUN: %{run} --function=batched_rank4_f16 --input-prefix=batched_rank4.f16. --ulp=2
// RUN: %{run} --function=batched_rank4_f32 --input-prefix=batched_rank4.f32. --grad --ulp=28
// RUN: %{run} --function=lhs_f32 --input-prefix=lhs.f32. --ulp=42
// RUN: %{run} --function=lhs_f32 --input-prefix=lhs.f32. --reference --ulp=42
// RUN: %{run} --function=lhs_bf16 --input-prefix=lhs.bf16. --ulp=2
// RUN: %{run} --function=lhs_f16 --input-prefix=lhs.f16. --ulp=2
// RUN: %{run} --function=lhs_f32 --input-prefix=lhs.f32. --grad --ulp=66
// RUN: %{run} --function=rhs_f32 --input-prefix=rhs.f32. --ulp=46
// RUN: %{run} --function=rhs_f32 --input-prefix=rhs.f32. --reference --ulp=46
// RUN: %{run} --function=rhs_bf16 --input-prefix=rhs.bf16. --ulp=2
// RUN: %{run} --function=rhs_f16 --input-prefix=rhs.f16. --ulp=2
// RUN: %{run} --function=rhs_f32 --input-prefix=rhs.f32. --grad --ulp=197
// RUN: %{run} --function=both_f32 --input-prefix=both.f32. --ulp=75
// RUN: %{run} --function=both_f32 --input-prefix=both.f32. --reference --ulp=75
// RUN: %{run} --function=both_bf16 --input-prefix=both.bf16. --ulp=2
// RUN: %{run} --function=both_f16 --input-prefix=both.f16. --ulp=2
// RUN: %{run} --function=both_f32 --input-prefix=both.f32. --grad --ulp=49

func.func @plain_f32(%a0: tensor<3x5xf32>, %a1: tensor<5x7xf32>) -> tensor<3x7xf32> {
  %0 = nn.matmul %a0, %a1 : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

func.func @plain_bf16(%a0: tensor<3x5xbf16>, %a1: tensor<5x7xbf16>) -> tensor<3x7xbf16> {
  %0 = nn.matmul %a0, %a1 {numerics = #amp.numerics<accumulate = f32>} : (tensor<3x5xbf16>, tensor<5x7xbf16>) -> tensor<3x7xbf16>
  return %0 : tensor<3x7xbf16>
}

func.func @plain_f16(%a0: tensor<3x5xf16>, %a1: tensor<5x7xf16>) -> tensor<3x7xf16> {
  %0 = nn.matmul %a0, %a1 {numerics = #amp.numerics<accumulate = f32>} : (tensor<3x5xf16>, tensor<5x7xf16>) -> tensor<3x7xf16>
  return %0 : tensor<3x7xf16>
}

func.func @batched_f32(%a0: tensor<2x3x5xf32>, %a1: tensor<2x5x4xf32>) -> tensor<2x3x4xf32> {
  %0 = nn.matmul %a0, %a1 : (tensor<2x3x5xf32>, tensor<2x5x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

func.func @batched_bf16(%a0: tensor<2x3x5xbf16>, %a1: tensor<2x5x4xbf16>) -> tensor<2x3x4xbf16> {
  %0 = nn.matmul %a0, %a1 {numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3x5xbf16>, tensor<2x5x4xbf16>) -> tensor<2x3x4xbf16>
  return %0 : tensor<2x3x4xbf16>
}

func.func @batched_f16(%a0: tensor<2x3x5xf16>, %a1: tensor<2x5x4xf16>) -> tensor<2x3x4xf16> {
  %0 = nn.matmul %a0, %a1 {numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3x5xf16>, tensor<2x5x4xf16>) -> tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

func.func @batched_rank4_f32(%a0: tensor<2x3x1x5xf32>, %a1: tensor<2x3x5x2xf32>) -> tensor<2x3x1x2xf32> {
  %0 = nn.matmul %a0, %a1 : (tensor<2x3x1x5xf32>, tensor<2x3x5x2xf32>) -> tensor<2x3x1x2xf32>
  return %0 : tensor<2x3x1x2xf32>
}

func.func @batched_rank4_bf16(%a0: tensor<2x3x1x5xbf16>, %a1: tensor<2x3x5x2xbf16>) -> tensor<2x3x1x2xbf16> {
  %0 = nn.matmul %a0, %a1 {numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3x1x5xbf16>, tensor<2x3x5x2xbf16>) -> tensor<2x3x1x2xbf16>
  return %0 : tensor<2x3x1x2xbf16>
}

func.func @batched_rank4_f16(%a0: tensor<2x3x1x5xf16>, %a1: tensor<2x3x5x2xf16>) -> tensor<2x3x1x2xf16> {
  %0 = nn.matmul %a0, %a1 {numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3x1x5xf16>, tensor<2x3x5x2xf16>) -> tensor<2x3x1x2xf16>
  return %0 : tensor<2x3x1x2xf16>
}

func.func @lhs_f32(%a0: tensor<5x3xf32>, %a1: tensor<5x7xf32>) -> tensor<3x7xf32> {
  %0 = nn.matmul %a0, %a1 {transpose_lhs} : (tensor<5x3xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

func.func @lhs_bf16(%a0: tensor<5x3xbf16>, %a1: tensor<5x7xbf16>) -> tensor<3x7xbf16> {
  %0 = nn.matmul %a0, %a1 {transpose_lhs, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x3xbf16>, tensor<5x7xbf16>) -> tensor<3x7xbf16>
  return %0 : tensor<3x7xbf16>
}

func.func @lhs_f16(%a0: tensor<5x3xf16>, %a1: tensor<5x7xf16>) -> tensor<3x7xf16> {
  %0 = nn.matmul %a0, %a1 {transpose_lhs, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x3xf16>, tensor<5x7xf16>) -> tensor<3x7xf16>
  return %0 : tensor<3x7xf16>
}

func.func @rhs_f32(%a0: tensor<2x3x5xf32>, %a1: tensor<2x7x5xf32>) -> tensor<2x3x7xf32> {
  %0 = nn.matmul %a0, %a1 {transpose_rhs} : (tensor<2x3x5xf32>, tensor<2x7x5xf32>) -> tensor<2x3x7xf32>
  return %0 : tensor<2x3x7xf32>
}

func.func @rhs_bf16(%a0: tensor<2x3x5xbf16>, %a1: tensor<2x7x5xbf16>) -> tensor<2x3x7xbf16> {
  %0 = nn.matmul %a0, %a1 {transpose_rhs, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3x5xbf16>, tensor<2x7x5xbf16>) -> tensor<2x3x7xbf16>
  return %0 : tensor<2x3x7xbf16>
}

func.func @rhs_f16(%a0: tensor<2x3x5xf16>, %a1: tensor<2x7x5xf16>) -> tensor<2x3x7xf16> {
  %0 = nn.matmul %a0, %a1 {transpose_rhs, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3x5xf16>, tensor<2x7x5xf16>) -> tensor<2x3x7xf16>
  return %0 : tensor<2x3x7xf16>
}

func.func @both_f32(%a0: tensor<5x3xf32>, %a1: tensor<7x5xf32>) -> tensor<3x7xf32> {
  %0 = nn.matmul %a0, %a1 {transpose_lhs, transpose_rhs} : (tensor<5x3xf32>, tensor<7x5xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

func.func @both_bf16(%a0: tensor<5x3xbf16>, %a1: tensor<7x5xbf16>) -> tensor<3x7xbf16> {
  %0 = nn.matmul %a0, %a1 {transpose_lhs, transpose_rhs, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x3xbf16>, tensor<7x5xbf16>) -> tensor<3x7xbf16>
  return %0 : tensor<3x7xbf16>
}

func.func @both_f16(%a0: tensor<5x3xf16>, %a1: tensor<7x5xf16>) -> tensor<3x7xf16> {
  %0 = nn.matmul %a0, %a1 {transpose_lhs, transpose_rhs, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x3xf16>, tensor<7x5xf16>) -> tensor<3x7xf16>
  return %0 : tensor<3x7xf16>
}
