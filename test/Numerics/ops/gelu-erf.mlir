// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: poly erf 4.1 + 1; 1 + erf cancels for x < 0, so errors are relative to |x|
// and 1 + |x|.
// DEFINE: %{golden} = %S/../goldens/gelu_erf.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --ulp=14
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --reference --ulp=14
// RUN: %{run} --function=odd_bf16 --input-prefix=odd.bf16. --ulp=2
// RUN: %{run} --function=odd_f16 --input-prefix=odd.f16. --ulp=2
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --grad --ulp=62
// RUN: %{run} --function=vector_f32 --input-prefix=vector.f32. --ulp=12
// RUN: %{run} --function=vector_f32 --input-prefix=vector.f32. --reference --ulp=12
// RUN: %{run} --function=vector_bf16 --input-prefix=vector.bf16. --ulp=2
// RUN: %{run} --function=vector_f16 --input-prefix=vector.f16. --ulp=2
// RUN: %{run} --function=vector_f32 --input-prefix=vector.f32. --grad --ulp=62
// RUN: %{run} --function=special_f32 --input-prefix=special.f32. --ulp=4
// RUN: %{run} --function=special_f32 --input-prefix=special.f32. --reference --ulp=4
// RUN: %{run} --function=special_bf16 --input-prefix=special.bf16. --ulp=2
// RUN: %{run} --function=special_f16 --input-prefix=special.f16. --ulp=2
// RUN: %{run} --function=negative_f32 --input-prefix=negative.f32. --ulp=81
// RUN: %{run} --function=negative_f32 --input-prefix=negative.f32. --reference --ulp=81
// RUN: %{run} --function=negative_bf16 --input-prefix=negative.bf16. --ulp=2
// RUN: %{run} --function=negative_f16 --input-prefix=negative.f16. --ulp=2
// RUN: %{run} --function=far_f32 --input-prefix=far.f32. --ulp=6
// RUN: %{run} --function=far_f32 --input-prefix=far.f32. --reference --ulp=6
// RUN: %{run} --function=far_bf16 --input-prefix=far.bf16. --ulp=2
// RUN: %{run} --function=far_f16 --input-prefix=far.f16. --ulp=2

func.func @odd_f32(%a0: tensor<7x13xf32>) -> tensor<7x13xf32> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<erf>} : (tensor<7x13xf32>) -> tensor<7x13xf32>
  return %0 : tensor<7x13xf32>
}

func.func @odd_bf16(%a0: tensor<7x13xbf16>) -> tensor<7x13xbf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<erf>} : (tensor<7x13xbf16>) -> tensor<7x13xbf16>
  return %0 : tensor<7x13xbf16>
}

func.func @odd_f16(%a0: tensor<7x13xf16>) -> tensor<7x13xf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<erf>} : (tensor<7x13xf16>) -> tensor<7x13xf16>
  return %0 : tensor<7x13xf16>
}

func.func @vector_f32(%a0: tensor<67xf32>) -> tensor<67xf32> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<erf>} : (tensor<67xf32>) -> tensor<67xf32>
  return %0 : tensor<67xf32>
}

func.func @vector_bf16(%a0: tensor<67xbf16>) -> tensor<67xbf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<erf>} : (tensor<67xbf16>) -> tensor<67xbf16>
  return %0 : tensor<67xbf16>
}

func.func @vector_f16(%a0: tensor<67xf16>) -> tensor<67xf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<erf>} : (tensor<67xf16>) -> tensor<67xf16>
  return %0 : tensor<67xf16>
}

func.func @special_f32(%a0: tensor<5xf32>) -> tensor<5xf32> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<erf>} : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @special_bf16(%a0: tensor<5xbf16>) -> tensor<5xbf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<erf>} : (tensor<5xbf16>) -> tensor<5xbf16>
  return %0 : tensor<5xbf16>
}

func.func @special_f16(%a0: tensor<5xf16>) -> tensor<5xf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<erf>} : (tensor<5xf16>) -> tensor<5xf16>
  return %0 : tensor<5xf16>
}

func.func @negative_f32(%a0: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<erf>} : (tensor<5x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

func.func @negative_bf16(%a0: tensor<5x3xbf16>) -> tensor<5x3xbf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<erf>} : (tensor<5x3xbf16>) -> tensor<5x3xbf16>
  return %0 : tensor<5x3xbf16>
}

func.func @negative_f16(%a0: tensor<5x3xf16>) -> tensor<5x3xf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<erf>} : (tensor<5x3xf16>) -> tensor<5x3xf16>
  return %0 : tensor<5x3xf16>
}

func.func @far_f32(%a0: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<erf>} : (tensor<5x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

func.func @far_bf16(%a0: tensor<5x3xbf16>) -> tensor<5x3xbf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<erf>} : (tensor<5x3xbf16>) -> tensor<5x3xbf16>
  return %0 : tensor<5x3xbf16>
}

func.func @far_f16(%a0: tensor<5x3xf16>) -> tensor<5x3xf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<erf>} : (tensor<5x3xf16>) -> tensor<5x3xf16>
  return %0 : tensor<5x3xf16>
}
