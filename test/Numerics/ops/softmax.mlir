// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: poly exp 1.4 + 1, gamma_7, a quotient; the gradient's difference cancels, so
// relative to its terms.
// DEFINE: %{golden} = %S/../goldens/softmax.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=last_f32 --input-prefix=last.f32. --ulp=13
// RUN: %{run} --function=last_f32 --input-prefix=last.f32. --reference --ulp=13
// RUN: %{run} --function=last_bf16 --input-prefix=last.bf16. --ulp=1
// RUN: %{run} --function=last_f16 --input-prefix=last.f16. --ulp=1
// RUN: %{run} --function=last_f32 --input-prefix=last.f32. --grad --ulp=93
// RUN: %{run} --function=middle_f32 --input-prefix=middle.f32. --ulp=13
// RUN: %{run} --function=middle_f32 --input-prefix=middle.f32. --reference --ulp=13
// RUN: %{run} --function=middle_bf16 --input-prefix=middle.bf16. --ulp=1
// RUN: %{run} --function=middle_f16 --input-prefix=middle.f16. --ulp=1
// RUN: %{run} --function=middle_f32 --input-prefix=middle.f32. --grad --ulp=125
// RUN: %{run} --function=large_f32 --input-prefix=large.f32. --ulp=13
// RUN: %{run} --function=large_f32 --input-prefix=large.f32. --reference --ulp=13
// RUN: %{run} --function=large_bf16 --input-prefix=large.bf16. --ulp=1
// RUN: %{run} --function=large_f16 --input-prefix=large.f16. --ulp=1
// RUN: %{run} --function=large_f32 --input-prefix=large.f32. --grad --ulp=32
// RUN: %{run} --function=undefined_f32 --input-prefix=undefined.f32. --ulp=13
// RUN: %{run} --function=undefined_f32 --input-prefix=undefined.f32. --reference --ulp=13
// RUN: %{run} --function=undefined_bf16 --input-prefix=undefined.bf16. --ulp=1
// RUN: %{run} --function=undefined_f16 --input-prefix=undefined.f16. --ulp=1
// RUN: %{run} --function=wide_bf16 --input-prefix=wide.bf16. --ulp=13
// RUN: %{run} --function=wide_f16 --input-prefix=wide.f16. --ulp=13

func.func @last_f32(%a0: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = nn.softmax %a0 {dim = 1 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

func.func @last_bf16(%a0: tensor<5x7xbf16>) -> tensor<5x7xbf16> {
  %0 = nn.softmax %a0 {dim = 1 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x7xbf16>) -> tensor<5x7xbf16>
  return %0 : tensor<5x7xbf16>
}

func.func @last_f16(%a0: tensor<5x7xf16>) -> tensor<5x7xf16> {
  %0 = nn.softmax %a0 {dim = 1 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x7xf16>) -> tensor<5x7xf16>
  return %0 : tensor<5x7xf16>
}

func.func @middle_f32(%a0: tensor<2x5x3xf32>) -> tensor<2x5x3xf32> {
  %0 = nn.softmax %a0 {dim = 1 : i64} : (tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  return %0 : tensor<2x5x3xf32>
}

func.func @middle_bf16(%a0: tensor<2x5x3xbf16>) -> tensor<2x5x3xbf16> {
  %0 = nn.softmax %a0 {dim = 1 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x5x3xbf16>) -> tensor<2x5x3xbf16>
  return %0 : tensor<2x5x3xbf16>
}

func.func @middle_f16(%a0: tensor<2x5x3xf16>) -> tensor<2x5x3xf16> {
  %0 = nn.softmax %a0 {dim = 1 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x5x3xf16>) -> tensor<2x5x3xf16>
  return %0 : tensor<2x5x3xf16>
}

func.func @large_f32(%a0: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %0 = nn.softmax %a0 {dim = 1 : i64} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

func.func @large_bf16(%a0: tensor<1x2xbf16>) -> tensor<1x2xbf16> {
  %0 = nn.softmax %a0 {dim = 1 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<1x2xbf16>) -> tensor<1x2xbf16>
  return %0 : tensor<1x2xbf16>
}

func.func @large_f16(%a0: tensor<1x2xf16>) -> tensor<1x2xf16> {
  %0 = nn.softmax %a0 {dim = 1 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<1x2xf16>) -> tensor<1x2xf16>
  return %0 : tensor<1x2xf16>
}

func.func @undefined_f32(%a0: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = nn.softmax %a0 {dim = 1 : i64} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func @undefined_bf16(%a0: tensor<4x3xbf16>) -> tensor<4x3xbf16> {
  %0 = nn.softmax %a0 {dim = 1 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<4x3xbf16>) -> tensor<4x3xbf16>
  return %0 : tensor<4x3xbf16>
}

func.func @undefined_f16(%a0: tensor<4x3xf16>) -> tensor<4x3xf16> {
  %0 = nn.softmax %a0 {dim = 1 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<4x3xf16>) -> tensor<4x3xf16>
  return %0 : tensor<4x3xf16>
}

func.func @wide_bf16(%a0: tensor<5x7xbf16>) -> tensor<5x7xf32> {
  %0 = nn.softmax %a0 {dim = 1 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x7xbf16>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

func.func @wide_f16(%a0: tensor<5x7xf16>) -> tensor<5x7xf32> {
  %0 = nn.softmax %a0 {dim = 1 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x7xf16>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
