// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: one rounded addition of exact values.
// DEFINE: %{golden} = %S/../goldens/constant.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=added_f32 --input-prefix=added.f32. --ulp=0
// RUN: %{run} --function=added_f32 --input-prefix=added.f32. --reference --ulp=0
// RUN: %{run} --function=added_bf16 --input-prefix=added.bf16. --ulp=0
// RUN: %{run} --function=added_f16 --input-prefix=added.f16. --ulp=0
// RUN: %{run} --function=added_f32 --input-prefix=added.f32. --grad --ulp=0

func.func @added_f32(%a0: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %c = nn.constant dense<[[0.5, -1.25, 3.0]]> : tensor<1x3xf32>
  %0 = nn.add %a0, %c : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}

func.func @added_bf16(%a0: tensor<1x3xbf16>) -> tensor<1x3xbf16> {
  %c = nn.constant dense<[[0.5, -1.25, 3.0]]> : tensor<1x3xbf16>
  %0 = nn.add %a0, %c : (tensor<1x3xbf16>, tensor<1x3xbf16>) -> tensor<1x3xbf16>
  return %0 : tensor<1x3xbf16>
}

func.func @added_f16(%a0: tensor<1x3xf16>) -> tensor<1x3xf16> {
  %c = nn.constant dense<[[0.5, -1.25, 3.0]]> : tensor<1x3xf16>
  %0 = nn.add %a0, %c : (tensor<1x3xf16>, tensor<1x3xf16>) -> tensor<1x3xf16>
  return %0 : tensor<1x3xf16>
}
