// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: a move, bitwise.
// DEFINE: %{golden} = %S/../goldens/element_count.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --ulp=0
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --reference --ulp=0
// RUN: %{run} --function=odd_bf16 --input-prefix=odd.bf16. --ulp=0
// RUN: %{run} --function=odd_f16 --input-prefix=odd.f16. --ulp=0

func.func @odd_f32(%a0: tensor<3x5xf32>) -> tensor<i64> {
  %0 = nn.element_count %a0 : (tensor<3x5xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}

func.func @odd_bf16(%a0: tensor<3x5xbf16>) -> tensor<i64> {
  %0 = nn.element_count %a0 : (tensor<3x5xbf16>) -> tensor<i64>
  return %0 : tensor<i64>
}

func.func @odd_f16(%a0: tensor<3x5xf16>) -> tensor<i64> {
  %0 = nn.element_count %a0 : (tensor<3x5xf16>) -> tensor<i64>
  return %0 : tensor<i64>
}
