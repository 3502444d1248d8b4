// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: gamma_k relative to the sum of |a||b|, k the longest accumulation of case and
// gradient.
// DEFINE: %{golden} = %S/../goldens/linear.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=bias_f32 --input-prefix=bias.f32. --ulp=126
// RUN: %{run} --function=bias_f32 --input-prefix=bias.f32. --reference --ulp=126
// RUN: %{run} --function=bias_bf16 --input-prefix=bias.bf16. --ulp=2
// RUN: %{run} --function=bias_f16 --input-prefix=bias.f16. --ulp=2
// RUN: %{run} --function=bias_f32 --input-prefix=bias.f32. --grad --ulp=92
// RUN: %{run} --function=plain_f32 --input-prefix=plain.f32. --ulp=135
// RUN: %{run} --function=plain_f32 --input-prefix=plain.f32. --reference --ulp=135
// RUN: %{run} --function=plain_bf16 --input-prefix=plain.bf16. --ulp=2
// RUN: %{run} --function=plain_f16 --input-prefix=plain.f16. --ulp=2
// RUN: %{run} --function=plain_f32 --input-prefix=plain.f32. --grad --ulp=94
// RUN: %{run} --function=one_row_f32 --input-prefix=one_row.f32. --ulp=16
// RUN: %{run} --function=one_row_f32 --input-prefix=one_row.f32. --reference --ulp=16
// RUN: %{run} --function=one_row_bf16 --input-prefix=one_row.bf16. --ulp=2
// RUN: %{run} --function=one_row_f16 --input-prefix=one_row.f16. --ulp=2
// RUN: %{run} --function=one_row_f32 --input-prefix=one_row.f32. --grad --ulp=38
// RUN: %{run} --function=batched_f32 --input-prefix=batched.f32. --ulp=104
// RUN: %{run} --function=batched_f32 --input-prefix=batched.f32. --reference --ulp=104
// RUN: %{run} --function=batched_bf16 --input-prefix=batched.bf16. --ulp=2
// RUN: %{run} --function=batched_f16 --input-prefix=batched.f16. --ulp=2
// RUN: %{run} --function=batched_f32 --input-prefix=batched.f32. --grad --ulp=140

func.func @bias_f32(%a0: tensor<3x5xf32>, %a1: tensor<7x5xf32>, %a2: tensor<7xf32>) -> tensor<3x7xf32> {
  %0 = nn.linear %a0, %a1, %a2 : (tensor<3x5xf32>, tensor<7x5xf32>, tensor<7xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

func.func @bias_bf16(%a0: tensor<3x5xbf16>, %a1: tensor<7x5xbf16>, %a2: tensor<7xbf16>) -> tensor<3x7xbf16> {
  %0 = nn.linear %a0, %a1, %a2 {numerics = #amp.numerics<accumulate = f32>} : (tensor<3x5xbf16>, tensor<7x5xbf16>, tensor<7xbf16>) -> tensor<3x7xbf16>
  return %0 : tensor<3x7xbf16>
}

func.func @bias_f16(%a0: tensor<3x5xf16>, %a1: tensor<7x5xf16>, %a2: tensor<7xf16>) -> tensor<3x7xf16> {
  %0 = nn.linear %a0, %a1, %a2 {numerics = #amp.numerics<accumulate = f32>} : (tensor<3x5xf16>, tensor<7x5xf16>, tensor<7xf16>) -> tensor<3x7xf16>
  return %0 : tensor<3x7xf16>
}

func.func @plain_f32(%a0: tensor<3x5xf32>, %a1: tensor<7x5xf32>) -> tensor<3x7xf32> {
  %0 = nn.linear %a0, %a1 : (tensor<3x5xf32>, tensor<7x5xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

func.func @plain_bf16(%a0: tensor<3x5xbf16>, %a1: tensor<7x5xbf16>) -> tensor<3x7xbf16> {
  %0 = nn.linear %a0, %a1 {numerics = #amp.numerics<accumulate = f32>} : (tensor<3x5xbf16>, tensor<7x5xbf16>) -> tensor<3x7xbf16>
  return %0 : tensor<3x7xbf16>
}

func.func @plain_f16(%a0: tensor<3x5xf16>, %a1: tensor<7x5xf16>) -> tensor<3x7xf16> {
  %0 = nn.linear %a0, %a1 {numerics = #amp.numerics<accumulate = f32>} : (tensor<3x5xf16>, tensor<7x5xf16>) -> tensor<3x7xf16>
  return %0 : tensor<3x7xf16>
}

func.func @one_row_f32(%a0: tensor<1x17xf32>, %a1: tensor<2x17xf32>, %a2: tensor<2xf32>) -> tensor<1x2xf32> {
  %0 = nn.linear %a0, %a1, %a2 : (tensor<1x17xf32>, tensor<2x17xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

func.func @one_row_bf16(%a0: tensor<1x17xbf16>, %a1: tensor<2x17xbf16>, %a2: tensor<2xbf16>) -> tensor<1x2xbf16> {
  %0 = nn.linear %a0, %a1, %a2 {numerics = #amp.numerics<accumulate = f32>} : (tensor<1x17xbf16>, tensor<2x17xbf16>, tensor<2xbf16>) -> tensor<1x2xbf16>
  return %0 : tensor<1x2xbf16>
}

func.func @one_row_f16(%a0: tensor<1x17xf16>, %a1: tensor<2x17xf16>, %a2: tensor<2xf16>) -> tensor<1x2xf16> {
  %0 = nn.linear %a0, %a1, %a2 {numerics = #amp.numerics<accumulate = f32>} : (tensor<1x17xf16>, tensor<2x17xf16>, tensor<2xf16>) -> tensor<1x2xf16>
  return %0 : tensor<1x2xf16>
}

func.func @batched_f32(%a0: tensor<2x3x5xf32>, %a1: tensor<4x5xf32>, %a2: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %0 = nn.linear %a0, %a1, %a2 : (tensor<2x3x5xf32>, tensor<4x5xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

func.func @batched_bf16(%a0: tensor<2x3x5xbf16>, %a1: tensor<4x5xbf16>, %a2: tensor<4xbf16>) -> tensor<2x3x4xbf16> {
  %0 = nn.linear %a0, %a1, %a2 {numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3x5xbf16>, tensor<4x5xbf16>, tensor<4xbf16>) -> tensor<2x3x4xbf16>
  return %0 : tensor<2x3x4xbf16>
}

func.func @batched_f16(%a0: tensor<2x3x5xf16>, %a1: tensor<4x5xf16>, %a2: tensor<4xf16>) -> tensor<2x3x4xf16> {
  %0 = nn.linear %a0, %a1, %a2 {numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3x5xf16>, tensor<4x5xf16>, tensor<4xf16>) -> tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}
