// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: gamma_2; the gradient is copied.
// DEFINE: %{golden} = %S/../goldens/add_n.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=three_f32 --input-prefix=three.f32. --ulp=2
// RUN: %{run} --function=three_f32 --input-prefix=three.f32. --reference --ulp=2
// RUN: %{run} --function=three_bf16 --input-prefix=three.bf16. --ulp=2
// RUN: %{run} --function=three_f16 --input-prefix=three.f16. --ulp=2
// RUN: %{run} --function=three_f32 --input-prefix=three.f32. --grad --ulp=0
// RUN: %{run} --function=overflow_f32 --input-prefix=overflow.f32. --ulp=3
// RUN: %{run} --function=overflow_f32 --input-prefix=overflow.f32. --reference --ulp=3
// RUN: %{run} --function=overflow_bf16 --input-prefix=overflow.bf16. --ulp=2
// RUN: %{run} --function=overflow_f16 --input-prefix=overflow.f16. --ulp=2
// RUN: %{run} --function=overflow_f32 --input-prefix=overflow.f32. --grad --ulp=0

func.func @three_f32(%a0: tensor<5x7xf32>, %a1: tensor<5x7xf32>, %a2: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = nn.add_n %a0, %a1, %a2 : (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

func.func @three_bf16(%a0: tensor<5x7xbf16>, %a1: tensor<5x7xbf16>, %a2: tensor<5x7xbf16>) -> tensor<5x7xbf16> {
  %0 = nn.add_n %a0, %a1, %a2 {numerics = #amp.numerics<accumulate = f32>} : (tensor<5x7xbf16>, tensor<5x7xbf16>, tensor<5x7xbf16>) -> tensor<5x7xbf16>
  return %0 : tensor<5x7xbf16>
}

func.func @three_f16(%a0: tensor<5x7xf16>, %a1: tensor<5x7xf16>, %a2: tensor<5x7xf16>) -> tensor<5x7xf16> {
  %0 = nn.add_n %a0, %a1, %a2 {numerics = #amp.numerics<accumulate = f32>} : (tensor<5x7xf16>, tensor<5x7xf16>, tensor<5x7xf16>) -> tensor<5x7xf16>
  return %0 : tensor<5x7xf16>
}

func.func @overflow_f32(%a0: tensor<2xf32>, %a1: tensor<2xf32>, %a2: tensor<2xf32>) -> tensor<2xf32> {
  %0 = nn.add_n %a0, %a1, %a2 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func @overflow_bf16(%a0: tensor<2xbf16>, %a1: tensor<2xbf16>, %a2: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = nn.add_n %a0, %a1, %a2 {numerics = #amp.numerics<accumulate = f32>} : (tensor<2xbf16>, tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}

func.func @overflow_f16(%a0: tensor<2xf16>, %a1: tensor<2xf16>, %a2: tensor<2xf16>) -> tensor<2xf16> {
  %0 = nn.add_n %a0, %a1, %a2 {numerics = #amp.numerics<accumulate = f32>} : (tensor<2xf16>, tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}
