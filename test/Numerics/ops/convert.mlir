// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: integers below 2^8 are exact in every type; to integer rounds toward zero.
// DEFINE: %{golden} = %S/../goldens/convert.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=from_int_f32 --input-prefix=from_int.f32. --ulp=0
// RUN: %{run} --function=from_int_f32 --input-prefix=from_int.f32. --reference --ulp=0
// RUN: %{run} --function=from_int_bf16 --input-prefix=from_int.bf16. --ulp=0
// RUN: %{run} --function=from_int_f16 --input-prefix=from_int.f16. --ulp=0
// RUN: %{run} --function=from_bool_f32 --input-prefix=from_bool.f32. --ulp=0
// RUN: %{run} --function=from_bool_f32 --input-prefix=from_bool.f32. --reference --ulp=0
// RUN: %{run} --function=from_bool_bf16 --input-prefix=from_bool.bf16. --ulp=0
// RUN: %{run} --function=from_bool_f16 --input-prefix=from_bool.f16. --ulp=0
// RUN: %{run} --function=to_int_f32 --input-prefix=to_int.f32. --ulp=0
// RUN: %{run} --function=to_int_f32 --input-prefix=to_int.f32. --reference --ulp=0
// RUN: %{run} --function=to_int_bf16 --input-prefix=to_int.bf16. --ulp=0
// RUN: %{run} --function=to_int_f16 --input-prefix=to_int.f16. --ulp=0

func.func @from_int_f32(%a0: tensor<3x5xi64>) -> tensor<3x5xf32> {
  %0 = nn.convert %a0 : (tensor<3x5xi64>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

func.func @from_int_bf16(%a0: tensor<3x5xi64>) -> tensor<3x5xbf16> {
  %0 = nn.convert %a0 : (tensor<3x5xi64>) -> tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}

func.func @from_int_f16(%a0: tensor<3x5xi64>) -> tensor<3x5xf16> {
  %0 = nn.convert %a0 : (tensor<3x5xi64>) -> tensor<3x5xf16>
  return %0 : tensor<3x5xf16>
}

func.func @from_bool_f32(%a0: tensor<3x5xi1>) -> tensor<3x5xf32> {
  %0 = nn.convert %a0 : (tensor<3x5xi1>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

func.func @from_bool_bf16(%a0: tensor<3x5xi1>) -> tensor<3x5xbf16> {
  %0 = nn.convert %a0 : (tensor<3x5xi1>) -> tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}

func.func @from_bool_f16(%a0: tensor<3x5xi1>) -> tensor<3x5xf16> {
  %0 = nn.convert %a0 : (tensor<3x5xi1>) -> tensor<3x5xf16>
  return %0 : tensor<3x5xf16>
}

func.func @to_int_f32(%a0: tensor<8xf32>) -> tensor<8xi64> {
  %0 = nn.convert %a0 : (tensor<8xf32>) -> tensor<8xi64>
  return %0 : tensor<8xi64>
}

func.func @to_int_bf16(%a0: tensor<8xbf16>) -> tensor<8xi64> {
  %0 = nn.convert %a0 : (tensor<8xbf16>) -> tensor<8xi64>
  return %0 : tensor<8xi64>
}

func.func @to_int_f16(%a0: tensor<8xf16>) -> tensor<8xi64> {
  %0 = nn.convert %a0 : (tensor<8xf16>) -> tensor<8xi64>
  return %0 : tensor<8xi64>
}
