// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: a move, bitwise.
// DEFINE: %{golden} = %S/../goldens/reshape.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=split_f32 --input-prefix=split.f32. --ulp=0
// RUN: %{run} --function=split_f32 --input-prefix=split.f32. --reference --ulp=0
// RUN: %{run} --function=split_bf16 --input-prefix=split.bf16. --ulp=0
// RUN: %{run} --function=split_f16 --input-prefix=split.f16. --ulp=0
// RUN: %{run} --function=split_f32 --input-prefix=split.f32. --grad --ulp=0
// RUN: %{run} --function=merge_f32 --input-prefix=merge.f32. --ulp=0
// RUN: %{run} --function=merge_f32 --input-prefix=merge.f32. --reference --ulp=0
// RUN: %{run} --function=merge_bf16 --input-prefix=merge.bf16. --ulp=0
// RUN: %{run} --function=merge_f16 --input-prefix=merge.f16. --ulp=0
// RUN: %{run} --function=merge_f32 --input-prefix=merge.f32. --grad --ulp=0
// RUN: %{run} --function=scalar_f32 --input-prefix=scalar.f32. --ulp=0
// RUN: %{run} --function=scalar_f32 --input-prefix=scalar.f32. --reference --ulp=0
// RUN: %{run} --function=scalar_bf16 --input-prefix=scalar.bf16. --ulp=0
// RUN: %{run} --function=scalar_f16 --input-prefix=scalar.f16. --ulp=0
// RUN: %{run} --function=scalar_f32 --input-prefix=scalar.f32. --grad --ulp=0

func.func @split_f32(%a0: tensor<3x10xf32>) -> tensor<3x2x5xf32> {
  %0 = nn.reshape %a0 : (tensor<3x10xf32>) -> tensor<3x2x5xf32>
  return %0 : tensor<3x2x5xf32>
}

func.func @split_bf16(%a0: tensor<3x10xbf16>) -> tensor<3x2x5xbf16> {
  %0 = nn.reshape %a0 : (tensor<3x10xbf16>) -> tensor<3x2x5xbf16>
  return %0 : tensor<3x2x5xbf16>
}

func.func @split_f16(%a0: tensor<3x10xf16>) -> tensor<3x2x5xf16> {
  %0 = nn.reshape %a0 : (tensor<3x10xf16>) -> tensor<3x2x5xf16>
  return %0 : tensor<3x2x5xf16>
}

func.func @merge_f32(%a0: tensor<2x3x5xf32>) -> tensor<6x5xf32> {
  %0 = nn.reshape %a0 : (tensor<2x3x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}

func.func @merge_bf16(%a0: tensor<2x3x5xbf16>) -> tensor<6x5xbf16> {
  %0 = nn.reshape %a0 : (tensor<2x3x5xbf16>) -> tensor<6x5xbf16>
  return %0 : tensor<6x5xbf16>
}

func.func @merge_f16(%a0: tensor<2x3x5xf16>) -> tensor<6x5xf16> {
  %0 = nn.reshape %a0 : (tensor<2x3x5xf16>) -> tensor<6x5xf16>
  return %0 : tensor<6x5xf16>
}

func.func @scalar_f32(%a0: tensor<1x1xf32>) -> tensor<f32> {
  %0 = nn.reshape %a0 : (tensor<1x1xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @scalar_bf16(%a0: tensor<1x1xbf16>) -> tensor<bf16> {
  %0 = nn.reshape %a0 : (tensor<1x1xbf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @scalar_f16(%a0: tensor<1x1xf16>) -> tensor<f16> {
  %0 = nn.reshape %a0 : (tensor<1x1xf16>) -> tensor<f16>
  return %0 : tensor<f16>
}
