// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: poly exp 1.4 + 1; one product more in the gradient.
// DEFINE: %{golden} = %S/../goldens/exp.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --ulp=3
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --reference --ulp=3
// RUN: %{run} --function=odd_bf16 --input-prefix=odd.bf16. --ulp=1
// RUN: %{run} --function=odd_f16 --input-prefix=odd.f16. --ulp=1
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --grad --ulp=4
// RUN: %{run} --function=vector_f32 --input-prefix=vector.f32. --ulp=3
// RUN: %{run} --function=vector_f32 --input-prefix=vector.f32. --reference --ulp=3
// RUN: %{run} --function=vector_bf16 --input-prefix=vector.bf16. --ulp=1
// RUN: %{run} --function=vector_f16 --input-prefix=vector.f16. --ulp=1
// RUN: %{run} --function=vector_f32 --input-prefix=vector.f32. --grad --ulp=4
// RUN: %{run} --function=special_f32 --input-prefix=special.f32. --ulp=3
// RUN: %{run} --function=special_f32 --input-prefix=special.f32. --reference --ulp=3
// RUN: %{run} --function=special_bf16 --input-prefix=special.bf16. --ulp=1
// RUN: %{run} --function=special_f16 --input-prefix=special.f16. --ulp=1

func.func @odd_f32(%a0: tensor<7x13xf32>) -> tensor<7x13xf32> {
  %0 = nn.exp %a0 : (tensor<7x13xf32>) -> tensor<7x13xf32>
  return %0 : tensor<7x13xf32>
}

func.func @odd_bf16(%a0: tensor<7x13xbf16>) -> tensor<7x13xbf16> {
  %0 = nn.exp %a0 : (tensor<7x13xbf16>) -> tensor<7x13xbf16>
  return %0 : tensor<7x13xbf16>
}

func.func @odd_f16(%a0: tensor<7x13xf16>) -> tensor<7x13xf16> {
  %0 = nn.exp %a0 : (tensor<7x13xf16>) -> tensor<7x13xf16>
  return %0 : tensor<7x13xf16>
}

func.func @vector_f32(%a0: tensor<67xf32>) -> tensor<67xf32> {
  %0 = nn.exp %a0 : (tensor<67xf32>) -> tensor<67xf32>
  return %0 : tensor<67xf32>
}

func.func @vector_bf16(%a0: tensor<67xbf16>) -> tensor<67xbf16> {
  %0 = nn.exp %a0 : (tensor<67xbf16>) -> tensor<67xbf16>
  return %0 : tensor<67xbf16>
}

func.func @vector_f16(%a0: tensor<67xf16>) -> tensor<67xf16> {
  %0 = nn.exp %a0 : (tensor<67xf16>) -> tensor<67xf16>
  return %0 : tensor<67xf16>
}

func.func @special_f32(%a0: tensor<7xf32>) -> tensor<7xf32> {
  %0 = nn.exp %a0 : (tensor<7xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

func.func @special_bf16(%a0: tensor<7xbf16>) -> tensor<7xbf16> {
  %0 = nn.exp %a0 : (tensor<7xbf16>) -> tensor<7xbf16>
  return %0 : tensor<7xbf16>
}

func.func @special_f16(%a0: tensor<7xf16>) -> tensor<7xf16> {
  %0 = nn.exp %a0 : (tensor<7xf16>) -> tensor<7xf16>
  return %0 : tensor<7xf16>
}
