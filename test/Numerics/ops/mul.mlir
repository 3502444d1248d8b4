// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: one correctly rounded f32 operation; rounding it to 16 bits is innocuous (24
// >= 2*11+2).
// DEFINE: %{golden} = %S/../goldens/mul.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --ulp=0
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --reference --ulp=0
// RUN: %{run} --function=odd_bf16 --input-prefix=odd.bf16. --ulp=0
// RUN: %{run} --function=odd_f16 --input-prefix=odd.f16. --ulp=0
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --grad --ulp=0
// RUN: %{run} --function=scalar_f32 --input-prefix=scalar.f32. --ulp=0
// RUN: %{run} --function=scalar_f32 --input-prefix=scalar.f32. --reference --ulp=0
// RUN: %{run} --function=scalar_bf16 --input-prefix=scalar.bf16. --ulp=0
// RUN: %{run} --function=scalar_f16 --input-prefix=scalar.f16. --ulp=0
// RUN: %{run} --function=scalar_f32 --input-prefix=scalar.f32. --grad --ulp=0
// RUN: %{run} --function=special_f32 --input-prefix=special.f32. --ulp=0
// RUN: %{run} --function=special_f32 --input-prefix=special.f32. --reference --ulp=0
// RUN: %{run} --function=special_bf16 --input-prefix=special.bf16. --ulp=0
// RUN: %{run} --function=special_f16 --input-prefix=special.f16. --ulp=0
// RUN: %{run} --function=tiny_f32 --input-prefix=tiny.f32. --ulp=0
// RUN: %{run} --function=tiny_f32 --input-prefix=tiny.f32. --reference --ulp=0
// RUN: %{run} --function=tiny_bf16 --input-prefix=tiny.bf16. --ulp=0
// RUN: %{run} --function=tiny_f16 --input-prefix=tiny.f16. --ulp=0

func.func @odd_f32(%a0: tensor<5x7xf32>, %a1: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = nn.mul %a0, %a1 : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

func.func @odd_bf16(%a0: tensor<5x7xbf16>, %a1: tensor<5x7xbf16>) -> tensor<5x7xbf16> {
  %0 = nn.mul %a0, %a1 : (tensor<5x7xbf16>, tensor<5x7xbf16>) -> tensor<5x7xbf16>
  return %0 : tensor<5x7xbf16>
}

func.func @odd_f16(%a0: tensor<5x7xf16>, %a1: tensor<5x7xf16>) -> tensor<5x7xf16> {
  %0 = nn.mul %a0, %a1 : (tensor<5x7xf16>, tensor<5x7xf16>) -> tensor<5x7xf16>
  return %0 : tensor<5x7xf16>
}

func.func @scalar_f32(%a0: tensor<f32>, %a1: tensor<f32>) -> tensor<f32> {
  %0 = nn.mul %a0, %a1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @scalar_bf16(%a0: tensor<bf16>, %a1: tensor<bf16>) -> tensor<bf16> {
  %0 = nn.mul %a0, %a1 : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @scalar_f16(%a0: tensor<f16>, %a1: tensor<f16>) -> tensor<f16> {
  %0 = nn.mul %a0, %a1 : (tensor<f16>, tensor<f16>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @special_f32(%a0: tensor<8xf32>, %a1: tensor<8xf32>) -> tensor<8xf32> {
  %0 = nn.mul %a0, %a1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @special_bf16(%a0: tensor<8xbf16>, %a1: tensor<8xbf16>) -> tensor<8xbf16> {
  %0 = nn.mul %a0, %a1 : (tensor<8xbf16>, tensor<8xbf16>) -> tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

func.func @special_f16(%a0: tensor<8xf16>, %a1: tensor<8xf16>) -> tensor<8xf16> {
  %0 = nn.mul %a0, %a1 : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

func.func @tiny_f32(%a0: tensor<5xf32>, %a1: tensor<5xf32>) -> tensor<5xf32> {
  %0 = nn.mul %a0, %a1 : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @tiny_bf16(%a0: tensor<5xbf16>, %a1: tensor<5xbf16>) -> tensor<5xbf16> {
  %0 = nn.mul %a0, %a1 : (tensor<5xbf16>, tensor<5xbf16>) -> tensor<5xbf16>
  return %0 : tensor<5xbf16>
}

func.func @tiny_f16(%a0: tensor<5xf16>, %a1: tensor<5xf16>) -> tensor<5xf16> {
  %0 = nn.mul %a0, %a1 : (tensor<5xf16>, tensor<5xf16>) -> tensor<5xf16>
  return %0 : tensor<5xf16>
}
