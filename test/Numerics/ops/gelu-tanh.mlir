// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: poly tanh 4.5 + 1, its argument two roundings; 1 + tanh cancels for x < 0, so
// errors are relative to |x| and 1 + |x|.
// DEFINE: %{golden} = %S/../goldens/gelu_tanh.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --ulp=18
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --reference --ulp=18
// RUN: %{run} --function=odd_bf16 --input-prefix=odd.bf16. --ulp=2
// RUN: %{run} --function=odd_f16 --input-prefix=odd.f16. --ulp=2
// RUN: %{run} --function=odd_f32 --input-prefix=odd.f32. --grad --ulp=62
// RUN: %{run} --function=vector_f32 --input-prefix=vector.f32. --ulp=16
// RUN: %{run} --function=vector_f32 --input-prefix=vector.f32. --reference --ulp=16
// RUN: %{run} --function=vector_bf16 --input-prefix=vector.bf16. --ulp=2
// RUN: %{run} --function=vector_f16 --input-prefix=vector.f16. --ulp=2
// RUN: %{run} --function=vector_f32 --input-prefix=vector.f32. --grad --ulp=62
// RUN: %{run} --function=special_f32 --input-prefix=special.f32. --ulp=5
// RUN: %{run} --function=special_f32 --input-prefix=special.f32. --reference --ulp=5
// RUN: %{run} --function=special_bf16 --input-prefix=special.bf16. --ulp=2
// RUN: %{run} --function=special_f16 --input-prefix=special.f16. --ulp=2
// RUN: %{run} --function=negative_f32 --input-prefix=negative.f32. --ulp=108
// RUN: %{run} --function=negative_f32 --input-prefix=negative.f32. --reference --ulp=108
// RUN: %{run} --function=negative_bf16 --input-prefix=negative.bf16. --ulp=2
// RUN: %{run} --function=negative_f16 --input-prefix=negative.f16. --ulp=2
// RUN: %{run} --function=far_f32 --input-prefix=far.f32. --ulp=8
// RUN: %{run} --function=far_f32 --input-prefix=far.f32. --reference --ulp=8
// RUN: %{run} --function=far_bf16 --input-prefix=far.bf16. --ulp=2
// RUN: %{run} --function=far_f16 --input-prefix=far.f16. --ulp=2

func.func @odd_f32(%a0: tensor<7x13xf32>) -> tensor<7x13xf32> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<tanh>} : (tensor<7x13xf32>) -> tensor<7x13xf32>
  return %0 : tensor<7x13xf32>
}

func.func @odd_bf16(%a0: tensor<7x13xbf16>) -> tensor<7x13xbf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<tanh>} : (tensor<7x13xbf16>) -> tensor<7x13xbf16>
  return %0 : tensor<7x13xbf16>
}

func.func @odd_f16(%a0: tensor<7x13xf16>) -> tensor<7x13xf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<tanh>} : (tensor<7x13xf16>) -> tensor<7x13xf16>
  return %0 : tensor<7x13xf16>
}

func.func @vector_f32(%a0: tensor<67xf32>) -> tensor<67xf32> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<tanh>} : (tensor<67xf32>) -> tensor<67xf32>
  return %0 : tensor<67xf32>
}

func.func @vector_bf16(%a0: tensor<67xbf16>) -> tensor<67xbf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<tanh>} : (tensor<67xbf16>) -> tensor<67xbf16>
  return %0 : tensor<67xbf16>
}

func.func @vector_f16(%a0: tensor<67xf16>) -> tensor<67xf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<tanh>} : (tensor<67xf16>) -> tensor<67xf16>
  return %0 : tensor<67xf16>
}

func.func @special_f32(%a0: tensor<5xf32>) -> tensor<5xf32> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<tanh>} : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @special_bf16(%a0: tensor<5xbf16>) -> tensor<5xbf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<tanh>} : (tensor<5xbf16>) -> tensor<5xbf16>
  return %0 : tensor<5xbf16>
}

func.func @special_f16(%a0: tensor<5xf16>) -> tensor<5xf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<tanh>} : (tensor<5xf16>) -> tensor<5xf16>
  return %0 : tensor<5xf16>
}

func.func @negative_f32(%a0: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<tanh>} : (tensor<5x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

func.func @negative_bf16(%a0: tensor<5x3xbf16>) -> tensor<5x3xbf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<tanh>} : (tensor<5x3xbf16>) -> tensor<5x3xbf16>
  return %0 : tensor<5x3xbf16>
}

func.func @negative_f16(%a0: tensor<5x3xf16>) -> tensor<5x3xf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<tanh>} : (tensor<5x3xf16>) -> tensor<5x3xf16>
  return %0 : tensor<5x3xf16>
}

func.func @far_f32(%a0: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<tanh>} : (tensor<5x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

func.func @far_bf16(%a0: tensor<5x3xbf16>) -> tensor<5x3xbf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<tanh>} : (tensor<5x3xbf16>) -> tensor<5x3xbf16>
  return %0 : tensor<5x3xbf16>
}

func.func @far_f16(%a0: tensor<5x3xf16>) -> tensor<5x3xf16> {
  %0 = nn.gelu %a0 {approximate = #nn.gelu<tanh>} : (tensor<5x3xf16>) -> tensor<5x3xf16>
  return %0 : tensor<5x3xf16>
}
