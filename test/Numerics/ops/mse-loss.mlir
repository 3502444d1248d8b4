// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: gamma_15 of positive terms, two roundings each; three in the gradient.
// DEFINE: %{golden} = %S/../goldens/mse_loss.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=mean_f32 --input-prefix=mean.f32. --ulp=18
// RUN: %{run} --function=mean_f32 --input-prefix=mean.f32. --reference --ulp=18
// RUN: %{run} --function=mean_bf16 --input-prefix=mean.bf16. --ulp=1
// RUN: %{run} --function=mean_f16 --input-prefix=mean.f16. --ulp=1
// RUN: %{run} --function=mean_f32 --input-prefix=mean.f32. --grad --ulp=3
// RUN: %{run} --function=sum_f32 --input-prefix=sum.f32. --ulp=18
// RUN: %{run} --function=sum_f32 --input-prefix=sum.f32. --reference --ulp=18
// RUN: %{run} --function=sum_bf16 --input-prefix=sum.bf16. --ulp=1
// RUN: %{run} --function=sum_f16 --input-prefix=sum.f16. --ulp=1
// RUN: %{run} --function=sum_f32 --input-prefix=sum.f32. --grad --ulp=3
// RUN: %{run} --function=one_f32 --input-prefix=one.f32. --ulp=18
// RUN: %{run} --function=one_f32 --input-prefix=one.f32. --reference --ulp=18
// RUN: %{run} --function=one_bf16 --input-prefix=one.bf16. --ulp=1
// RUN: %{run} --function=one_f16 --input-prefix=one.f16. --ulp=1
// RUN: %{run} --function=one_f32 --input-prefix=one.f32. --grad --ulp=3
// RUN: %{run} --function=wide_bf16 --input-prefix=wide.bf16. --ulp=18
// RUN: %{run} --function=wide_f16 --input-prefix=wide.f16. --ulp=18

func.func @mean_f32(%a0: tensor<5x3xf32>, %a1: tensor<5x3xf32>) -> tensor<f32> {
  %0 = nn.mse_loss %a0, %a1 {reduction = #nn.reduction<mean>} : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @mean_bf16(%a0: tensor<5x3xbf16>, %a1: tensor<5x3xbf16>) -> tensor<bf16> {
  %0 = nn.mse_loss %a0, %a1 {reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x3xbf16>, tensor<5x3xbf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @mean_f16(%a0: tensor<5x3xf16>, %a1: tensor<5x3xf16>) -> tensor<f16> {
  %0 = nn.mse_loss %a0, %a1 {reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x3xf16>, tensor<5x3xf16>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @sum_f32(%a0: tensor<5x3xf32>, %a1: tensor<5x3xf32>) -> tensor<f32> {
  %0 = nn.mse_loss %a0, %a1 {reduction = #nn.reduction<sum>} : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @sum_bf16(%a0: tensor<5x3xbf16>, %a1: tensor<5x3xbf16>) -> tensor<bf16> {
  %0 = nn.mse_loss %a0, %a1 {reduction = #nn.reduction<sum>, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x3xbf16>, tensor<5x3xbf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @sum_f16(%a0: tensor<5x3xf16>, %a1: tensor<5x3xf16>) -> tensor<f16> {
  %0 = nn.mse_loss %a0, %a1 {reduction = #nn.reduction<sum>, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x3xf16>, tensor<5x3xf16>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @one_f32(%a0: tensor<1x1xf32>, %a1: tensor<1x1xf32>) -> tensor<f32> {
  %0 = nn.mse_loss %a0, %a1 {reduction = #nn.reduction<mean>} : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @one_bf16(%a0: tensor<1x1xbf16>, %a1: tensor<1x1xbf16>) -> tensor<bf16> {
  %0 = nn.mse_loss %a0, %a1 {reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<1x1xbf16>, tensor<1x1xbf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @one_f16(%a0: tensor<1x1xf16>, %a1: tensor<1x1xf16>) -> tensor<f16> {
  %0 = nn.mse_loss %a0, %a1 {reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<1x1xf16>, tensor<1x1xf16>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @wide_bf16(%a0: tensor<5x3xbf16>, %a1: tensor<5x3xbf16>) -> tensor<f32> {
  %0 = nn.mse_loss %a0, %a1 {reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x3xbf16>, tensor<5x3xbf16>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @wide_f16(%a0: tensor<5x3xf16>, %a1: tensor<5x3xf16>) -> tensor<f32> {
  %0 = nn.mse_loss %a0, %a1 {reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<5x3xf16>, tensor<5x3xf16>) -> tensor<f32>
  return %0 : tensor<f32>
}
