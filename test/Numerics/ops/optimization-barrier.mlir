// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: a move, bitwise.
// DEFINE: %{golden} = %S/../goldens/optimization_barrier.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=two_f32 --input-prefix=two.f32. --ulp=0
// RUN: %{run} --function=two_f32 --input-prefix=two.f32. --reference --ulp=0
// RUN: %{run} --function=two_bf16 --input-prefix=two.bf16. --ulp=0
// RUN: %{run} --function=two_f16 --input-prefix=two.f16. --ulp=0
// RUN: %{run} --function=two_f32 --input-prefix=two.f32. --grad --ulp=0

func.func @two_f32(%a0: tensor<3x5xf32>, %a1: tensor<7xf32>) -> (tensor<3x5xf32>, tensor<7xf32>) {
  %0:2 = nn.optimization_barrier %a0, %a1 : (tensor<3x5xf32>, tensor<7xf32>) -> (tensor<3x5xf32>, tensor<7xf32>)
  return %0#0, %0#1 : tensor<3x5xf32>, tensor<7xf32>
}

func.func @two_bf16(%a0: tensor<3x5xbf16>, %a1: tensor<7xbf16>) -> (tensor<3x5xbf16>, tensor<7xbf16>) {
  %0:2 = nn.optimization_barrier %a0, %a1 : (tensor<3x5xbf16>, tensor<7xbf16>) -> (tensor<3x5xbf16>, tensor<7xbf16>)
  return %0#0, %0#1 : tensor<3x5xbf16>, tensor<7xbf16>
}

func.func @two_f16(%a0: tensor<3x5xf16>, %a1: tensor<7xf16>) -> (tensor<3x5xf16>, tensor<7xf16>) {
  %0:2 = nn.optimization_barrier %a0, %a1 : (tensor<3x5xf16>, tensor<7xf16>) -> (tensor<3x5xf16>, tensor<7xf16>)
  return %0#0, %0#1 : tensor<3x5xf16>, tensor<7xf16>
}
