// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: a move, bitwise.
// DEFINE: %{golden} = %S/../goldens/select.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --ulp=0
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --reference --ulp=0
// RUN: %{run} --function=odd_bf16 --input-prefix=odd.bf16. --ulp=0
// RUN: %{run} --function=odd_f16 --input-prefix=odd.f16. --ulp=0
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --grad --ulp=0

func.func @odd_f32(%a0: tensor<5x7xi1>, %a1: tensor<5x7xf32>, %a2: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = nn.select %a0, %a1, %a2 : (tensor<5x7xi1>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

func.func @odd_bf16(%a0: tensor<5x7xi1>, %a1: tensor<5x7xbf16>, %a2: tensor<5x7xbf16>) -> tensor<5x7xbf16> {
  %0 = nn.select %a0, %a1, %a2 : (tensor<5x7xi1>, tensor<5x7xbf16>, tensor<5x7xbf16>) -> tensor<5x7xbf16>
  return %0 : tensor<5x7xbf16>
}

func.func @odd_f16(%a0: tensor<5x7xi1>, %a1: tensor<5x7xf16>, %a2: tensor<5x7xf16>) -> tensor<5x7xf16> {
  %0 = nn.select %a0, %a1, %a2 : (tensor<5x7xi1>, tensor<5x7xf16>, tensor<5x7xf16>) -> tensor<5x7xf16>
  return %0 : tensor<5x7xf16>
}
