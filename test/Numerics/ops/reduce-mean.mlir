// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: gamma_k relative to the sum of |x|, k = 21 at most; one quotient more.
// DEFINE: %{golden} = %S/../goldens/reduce_mean.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=last_f32 --input-prefix=last.f32. --ulp=50
// RUN: %{run} --function=last_f32 --input-prefix=last.f32. --reference --ulp=50
// RUN: %{run} --function=last_bf16 --input-prefix=last.bf16. --ulp=2
// RUN: %{run} --function=last_f16 --input-prefix=last.f16. --ulp=2
// RUN: %{run} --function=last_f32 --input-prefix=last.f32. --grad --ulp=1
// RUN: %{run} --function=first_f32 --input-prefix=first.f32. --ulp=87
// RUN: %{run} --function=first_f32 --input-prefix=first.f32. --reference --ulp=87
// RUN: %{run} --function=first_bf16 --input-prefix=first.bf16. --ulp=2
// RUN: %{run} --function=first_f16 --input-prefix=first.f16. --ulp=2
// RUN: %{run} --function=first_f32 --input-prefix=first.f32. --grad --ulp=1
// RUN: %{run} --function=kept_f32 --input-prefix=kept.f32. --ulp=63
// RUN: %{run} --function=kept_f32 --input-prefix=kept.f32. --reference --ulp=63
// RUN: %{run} --function=kept_bf16 --input-prefix=kept.bf16. --ulp=2
// RUN: %{run} --function=kept_f16 --input-prefix=kept.f16. --ulp=2
// RUN: %{run} --function=kept_f32 --input-prefix=kept.f32. --grad --ulp=1
// RUN: %{run} --function=two_f32 --input-prefix=two.f32. --ulp=23
// RUN: %{run} --function=two_f32 --input-prefix=two.f32. --reference --ulp=23
// RUN: %{run} --function=two_bf16 --input-prefix=two.bf16. --ulp=2
// RUN: %{run} --function=two_f16 --input-prefix=two.f16. --ulp=2
// RUN: %{run} --function=two_f32 --input-prefix=two.f32. --grad --ulp=1
// RUN: %{run} --function=all_f32 --input-prefix=all.f32. --ulp=58
// RUN: %{run} --function=all_f32 --input-prefix=all.f32. --reference --ulp=58
// RUN: %{run} --function=all_bf16 --input-prefix=all.bf16. --ulp=2
// RUN: %{run} --function=all_f16 --input-prefix=all.f16. --ulp=2
// RUN: %{run} --function=all_f32 --input-prefix=all.f32. --grad --ulp=1
// RUN: %{run} --function=wide_bf16 --input-prefix=wide.bf16. --ulp=50
// RUN: %{run} --function=wide_f16 --input-prefix=wide.f16. --ulp=50

func.func @last_f32(%a0: tensor<5x13xf32>) -> tensor<5xf32> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 1>} : (tensor<5x13xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @last_bf16(%a0: tensor<5x13xbf16>) -> tensor<5xbf16> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 1>, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x13xbf16>) -> tensor<5xbf16>
  return %0 : tensor<5xbf16>
}

func.func @last_f16(%a0: tensor<5x13xf16>) -> tensor<5xf16> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 1>, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x13xf16>) -> tensor<5xf16>
  return %0 : tensor<5xf16>
}

func.func @first_f32(%a0: tensor<5x13xf32>) -> tensor<13xf32> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 0>} : (tensor<5x13xf32>) -> tensor<13xf32>
  return %0 : tensor<13xf32>
}

func.func @first_bf16(%a0: tensor<5x13xbf16>) -> tensor<13xbf16> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x13xbf16>) -> tensor<13xbf16>
  return %0 : tensor<13xbf16>
}

func.func @first_f16(%a0: tensor<5x13xf16>) -> tensor<13xf16> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x13xf16>) -> tensor<13xf16>
  return %0 : tensor<13xf16>
}

func.func @kept_f32(%a0: tensor<2x3x5xf32>) -> tensor<2x1x5xf32> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 1>, keepdims} : (tensor<2x3x5xf32>) -> tensor<2x1x5xf32>
  return %0 : tensor<2x1x5xf32>
}

func.func @kept_bf16(%a0: tensor<2x3x5xbf16>) -> tensor<2x1x5xbf16> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 1>, keepdims, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3x5xbf16>) -> tensor<2x1x5xbf16>
  return %0 : tensor<2x1x5xbf16>
}

func.func @kept_f16(%a0: tensor<2x3x5xf16>) -> tensor<2x1x5xf16> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 1>, keepdims, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3x5xf16>) -> tensor<2x1x5xf16>
  return %0 : tensor<2x1x5xf16>
}

func.func @two_f32(%a0: tensor<3x2x5xf32>) -> tensor<2xf32> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 0, 2>} : (tensor<3x2x5xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func @two_bf16(%a0: tensor<3x2x5xbf16>) -> tensor<2xbf16> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 0, 2>, numerics = #amp.numerics<accumulate = f32>} : (tensor<3x2x5xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}

func.func @two_f16(%a0: tensor<3x2x5xf16>) -> tensor<2xf16> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 0, 2>, numerics = #amp.numerics<accumulate = f32>} : (tensor<3x2x5xf16>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}

func.func @all_f32(%a0: tensor<3x7xf32>) -> tensor<f32> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 0, 1>} : (tensor<3x7xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @all_bf16(%a0: tensor<3x7xbf16>) -> tensor<bf16> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 0, 1>, numerics = #amp.numerics<accumulate = f32>} : (tensor<3x7xbf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @all_f16(%a0: tensor<3x7xf16>) -> tensor<f16> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 0, 1>, numerics = #amp.numerics<accumulate = f32>} : (tensor<3x7xf16>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @wide_bf16(%a0: tensor<5x13xbf16>) -> tensor<5xf32> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 1>, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x13xbf16>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @wide_f16(%a0: tensor<5x13xf16>) -> tensor<5xf32> {
  %0 = nn.reduce_mean %a0 {dims = array<i64: 1>, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x13xf16>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
