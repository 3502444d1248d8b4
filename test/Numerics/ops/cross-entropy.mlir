// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: log_softmax's 6, gamma of 7 rows and a quotient, relative to |x - max| + |log
// sum|; the gradient's difference to its two terms.
// DEFINE: %{golden} = %S/../goldens/cross_entropy.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=mean_f32 --input-prefix=mean.f32. --ulp=11
// RUN: %{run} --function=mean_f32 --input-prefix=mean.f32. --reference --ulp=11
// RUN: %{run} --function=mean_bf16 --input-prefix=mean.bf16. --ulp=2
// RUN: %{run} --function=mean_f16 --input-prefix=mean.f16. --ulp=2
// RUN: %{run} --function=mean_f32 --input-prefix=mean.f32. --grad --ulp=38
// RUN: %{run} --function=sum_f32 --input-prefix=sum.f32. --ulp=10
// RUN: %{run} --function=sum_f32 --input-prefix=sum.f32. --reference --ulp=10
// RUN: %{run} --function=sum_bf16 --input-prefix=sum.bf16. --ulp=2
// RUN: %{run} --function=sum_f16 --input-prefix=sum.f16. --ulp=2
// RUN: %{run} --function=sum_f32 --input-prefix=sum.f32. --grad --ulp=33
// RUN: %{run} --function=ignored_f32 --input-prefix=ignored.f32. --ulp=11
// RUN: %{run} --function=ignored_f32 --input-prefix=ignored.f32. --reference --ulp=11
// RUN: %{run} --function=ignored_bf16 --input-prefix=ignored.bf16. --ulp=2
// RUN: %{run} --function=ignored_f16 --input-prefix=ignored.f16. --ulp=2
// RUN: %{run} --function=ignored_f32 --input-prefix=ignored.f32. --grad --ulp=53
// RUN: %{run} --function=ignored_sum_f32 --input-prefix=ignored_sum.f32. --ulp=14
// RUN: %{run} --function=ignored_sum_f32 --input-prefix=ignored_sum.f32. --reference --ulp=14
// RUN: %{run} --function=ignored_sum_bf16 --input-prefix=ignored_sum.bf16. --ulp=2
// RUN: %{run} --function=ignored_sum_f16 --input-prefix=ignored_sum.f16. --ulp=2
// RUN: %{run} --function=ignored_sum_f32 --input-prefix=ignored_sum.f32. --grad --ulp=33
// RUN: %{run} --function=ignored_class_f32 --input-prefix=ignored_class.f32. --ulp=16
// RUN: %{run} --function=ignored_class_f32 --input-prefix=ignored_class.f32. --reference --ulp=16
// RUN: %{run} --function=ignored_class_bf16 --input-prefix=ignored_class.bf16. --ulp=2
// RUN: %{run} --function=ignored_class_f16 --input-prefix=ignored_class.f16. --ulp=2
// RUN: %{run} --function=ignored_class_f32 --input-prefix=ignored_class.f32. --grad --ulp=53
// RUN: %{run} --function=smoothed_f32 --input-prefix=smoothed.f32. --ulp=10
// RUN: %{run} --function=smoothed_f32 --input-prefix=smoothed.f32. --reference --ulp=10
// RUN: %{run} --function=smoothed_bf16 --input-prefix=smoothed.bf16. --ulp=2
// RUN: %{run} --function=smoothed_f16 --input-prefix=smoothed.f16. --ulp=2
// RUN: %{run} --function=smoothed_f32 --input-prefix=smoothed.f32. --grad --ulp=57
// RUN: %{run} --function=smoothed_ignored_f32 --input-prefix=smoothed_ignored.f32. --ulp=16
// RUN: %{run} --function=smoothed_ignored_f32 --input-prefix=smoothed_ignored.f32. --reference --ulp=16
// RUN: %{run} --function=smoothed_ignored_bf16 --input-prefix=smoothed_ignored.bf16. --ulp=2
// RUN: %{run} --function=smoothed_ignored_f16 --input-prefix=smoothed_ignored.f16. --ulp=2
// RUN: %{run} --function=smoothed_ignored_f32 --input-prefix=smoothed_ignored.f32. --grad --ulp=75
// RUN: %{run} --function=smoothed_sum_f32 --input-prefix=smoothed_sum.f32. --ulp=13
// RUN: %{run} --function=smoothed_sum_f32 --input-prefix=smoothed_sum.f32. --reference --ulp=13
// RUN: %{run} --function=smoothed_sum_bf16 --input-prefix=smoothed_sum.bf16. --ulp=2
// RUN: %{run} --function=smoothed_sum_f16 --input-prefix=smoothed_sum.f16. --ulp=2
// RUN: %{run} --function=smoothed_sum_f32 --input-prefix=smoothed_sum.f32. --grad --ulp=59
// RUN: %{run} --function=batched_f32 --input-prefix=batched.f32. --ulp=16
// RUN: %{run} --function=batched_f32 --input-prefix=batched.f32. --reference --ulp=16
// RUN: %{run} --function=batched_bf16 --input-prefix=batched.bf16. --ulp=2
// RUN: %{run} --function=batched_f16 --input-prefix=batched.f16. --ulp=2
// RUN: %{run} --function=batched_f32 --input-prefix=batched.f32. --grad --ulp=18
// RUN: %{run} --function=large_f32 --input-prefix=large.f32. --ulp=11
// RUN: %{run} --function=large_f32 --input-prefix=large.f32. --reference --ulp=11
// RUN: %{run} --function=large_bf16 --input-prefix=large.bf16. --ulp=2
// RUN: %{run} --function=large_f16 --input-prefix=large.f16. --ulp=2
// RUN: %{run} --function=large_f32 --input-prefix=large.f32. --grad --ulp=27
// RUN: %{run} --function=all_ignored_f32 --input-prefix=all_ignored.f32. --ulp=1
// RUN: %{run} --function=all_ignored_f32 --input-prefix=all_ignored.f32. --reference --ulp=1
// RUN: %{run} --function=all_ignored_bf16 --input-prefix=all_ignored.bf16. --ulp=1
// RUN: %{run} --function=all_ignored_f16 --input-prefix=all_ignored.f16. --ulp=1
// RUN: %{run} --function=wide_bf16 --input-prefix=wide.bf16. --ulp=11
// RUN: %{run} --function=wide_f16 --input-prefix=wide.f16. --ulp=11

func.func @mean_f32(%a0: tensor<7x5xf32>, %a1: tensor<7xi64>) -> tensor<f32> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>} : (tensor<7x5xf32>, tensor<7xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @mean_bf16(%a0: tensor<7x5xbf16>, %a1: tensor<7xi64>) -> tensor<bf16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xbf16>, tensor<7xi64>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @mean_f16(%a0: tensor<7x5xf16>, %a1: tensor<7xi64>) -> tensor<f16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xf16>, tensor<7xi64>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @sum_f32(%a0: tensor<7x5xf32>, %a1: tensor<7xi64>) -> tensor<f32> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<sum>} : (tensor<7x5xf32>, tensor<7xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @sum_bf16(%a0: tensor<7x5xbf16>, %a1: tensor<7xi64>) -> tensor<bf16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<sum>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xbf16>, tensor<7xi64>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @sum_f16(%a0: tensor<7x5xf16>, %a1: tensor<7xi64>) -> tensor<f16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<sum>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xf16>, tensor<7xi64>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @ignored_f32(%a0: tensor<7x5xf32>, %a1: tensor<7xi64>) -> tensor<f32> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>} : (tensor<7x5xf32>, tensor<7xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @ignored_bf16(%a0: tensor<7x5xbf16>, %a1: tensor<7xi64>) -> tensor<bf16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xbf16>, tensor<7xi64>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @ignored_f16(%a0: tensor<7x5xf16>, %a1: tensor<7xi64>) -> tensor<f16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xf16>, tensor<7xi64>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @ignored_sum_f32(%a0: tensor<7x5xf32>, %a1: tensor<7xi64>) -> tensor<f32> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<sum>} : (tensor<7x5xf32>, tensor<7xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @ignored_sum_bf16(%a0: tensor<7x5xbf16>, %a1: tensor<7xi64>) -> tensor<bf16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<sum>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xbf16>, tensor<7xi64>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @ignored_sum_f16(%a0: tensor<7x5xf16>, %a1: tensor<7xi64>) -> tensor<f16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<sum>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xf16>, tensor<7xi64>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @ignored_class_f32(%a0: tensor<7x5xf32>, %a1: tensor<7xi64>) -> tensor<f32> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = 2 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>} : (tensor<7x5xf32>, tensor<7xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @ignored_class_bf16(%a0: tensor<7x5xbf16>, %a1: tensor<7xi64>) -> tensor<bf16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = 2 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xbf16>, tensor<7xi64>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @ignored_class_f16(%a0: tensor<7x5xf16>, %a1: tensor<7xi64>) -> tensor<f16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = 2 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xf16>, tensor<7xi64>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @smoothed_f32(%a0: tensor<7x5xf32>, %a1: tensor<7xi64>) -> tensor<f32> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.1 : f64, reduction = #nn.reduction<mean>} : (tensor<7x5xf32>, tensor<7xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @smoothed_bf16(%a0: tensor<7x5xbf16>, %a1: tensor<7xi64>) -> tensor<bf16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.1 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xbf16>, tensor<7xi64>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @smoothed_f16(%a0: tensor<7x5xf16>, %a1: tensor<7xi64>) -> tensor<f16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.1 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xf16>, tensor<7xi64>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @smoothed_ignored_f32(%a0: tensor<7x5xf32>, %a1: tensor<7xi64>) -> tensor<f32> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.25 : f64, reduction = #nn.reduction<mean>} : (tensor<7x5xf32>, tensor<7xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @smoothed_ignored_bf16(%a0: tensor<7x5xbf16>, %a1: tensor<7xi64>) -> tensor<bf16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.25 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xbf16>, tensor<7xi64>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @smoothed_ignored_f16(%a0: tensor<7x5xf16>, %a1: tensor<7xi64>) -> tensor<f16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.25 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xf16>, tensor<7xi64>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @smoothed_sum_f32(%a0: tensor<7x5xf32>, %a1: tensor<7xi64>) -> tensor<f32> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.5 : f64, reduction = #nn.reduction<sum>} : (tensor<7x5xf32>, tensor<7xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @smoothed_sum_bf16(%a0: tensor<7x5xbf16>, %a1: tensor<7xi64>) -> tensor<bf16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.5 : f64, reduction = #nn.reduction<sum>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xbf16>, tensor<7xi64>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @smoothed_sum_f16(%a0: tensor<7x5xf16>, %a1: tensor<7xi64>) -> tensor<f16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.5 : f64, reduction = #nn.reduction<sum>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xf16>, tensor<7xi64>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @batched_f32(%a0: tensor<2x3x5xf32>, %a1: tensor<2x3xi64>) -> tensor<f32> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>} : (tensor<2x3x5xf32>, tensor<2x3xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @batched_bf16(%a0: tensor<2x3x5xbf16>, %a1: tensor<2x3xi64>) -> tensor<bf16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3x5xbf16>, tensor<2x3xi64>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @batched_f16(%a0: tensor<2x3x5xf16>, %a1: tensor<2x3xi64>) -> tensor<f16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3x5xf16>, tensor<2x3xi64>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @large_f32(%a0: tensor<1x3xf32>, %a1: tensor<1xi64>) -> tensor<f32> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>} : (tensor<1x3xf32>, tensor<1xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @large_bf16(%a0: tensor<1x3xbf16>, %a1: tensor<1xi64>) -> tensor<bf16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<1x3xbf16>, tensor<1xi64>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @large_f16(%a0: tensor<1x3xf16>, %a1: tensor<1xi64>) -> tensor<f16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<1x3xf16>, tensor<1xi64>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @all_ignored_f32(%a0: tensor<2x2xf32>, %a1: tensor<2xi64>) -> tensor<f32> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>} : (tensor<2x2xf32>, tensor<2xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @all_ignored_bf16(%a0: tensor<2x2xbf16>, %a1: tensor<2xi64>) -> tensor<bf16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x2xbf16>, tensor<2xi64>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

func.func @all_ignored_f16(%a0: tensor<2x2xf16>, %a1: tensor<2xi64>) -> tensor<f16> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x2xf16>, tensor<2xi64>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @wide_bf16(%a0: tensor<7x5xbf16>, %a1: tensor<7xi64>) -> tensor<f32> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xbf16>, tensor<7xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @wide_f16(%a0: tensor<7x5xf16>, %a1: tensor<7xi64>) -> tensor<f32> {
  %0 = nn.cross_entropy %a0, %a1 {ignore_index = -100 : i64, label_smoothing = 0.0 : f64, reduction = #nn.reduction<mean>, numerics = #amp.numerics<accumulate = f32>} : (tensor<7x5xf16>, tensor<7xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}
