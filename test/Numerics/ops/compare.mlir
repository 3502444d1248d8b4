// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: a move, bitwise.
// DEFINE: %{golden} = %S/../goldens/compare.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=eq_f32 --input-prefix=eq.f32. --ulp=0
// RUN: %{run} --function=eq_f32 --input-prefix=eq.f32. --reference --ulp=0
// RUN: %{run} --function=eq_bf16 --input-prefix=eq.bf16. --ulp=0
// RUN: %{run} --function=eq_f16 --input-prefix=eq.f16. --ulp=0
// RUN: %{run} --function=ne_f32 --input-prefix=ne.f32. --ulp=0
// RUN: %{run} --function=ne_f32 --input-prefix=ne.f32. --reference --ulp=0
// RUN: %{run} --function=ne_bf16 --input-prefix=ne.bf16. --ulp=0
// RUN: %{run} --function=ne_f16 --input-prefix=ne.f16. --ulp=0
// RUN: %{run} --function=lt_f32 --input-prefix=lt.f32. --ulp=0
// RUN: %{run} --function=lt_f32 --input-prefix=lt.f32. --reference --ulp=0
// RUN: %{run} --function=lt_bf16 --input-prefix=lt.bf16. --ulp=0
// RUN: %{run} --function=lt_f16 --input-prefix=lt.f16. --ulp=0
// RUN: %{run} --function=le_f32 --input-prefix=le.f32. --ulp=0
// RUN: %{run} --function=le_f32 --input-prefix=le.f32. --reference --ulp=0
// RUN: %{run} --function=le_bf16 --input-prefix=le.bf16. --ulp=0
// RUN: %{run} --function=le_f16 --input-prefix=le.f16. --ulp=0
// RUN: %{run} --function=gt_f32 --input-prefix=gt.f32. --ulp=0
// RUN: %{run} --function=gt_f32 --input-prefix=gt.f32. --reference --ulp=0
// RUN: %{run} --function=gt_bf16 --input-prefix=gt.bf16. --ulp=0
// RUN: %{run} --function=gt_f16 --input-prefix=gt.f16. --ulp=0
// RUN: %{run} --function=ge_f32 --input-prefix=ge.f32. --ulp=0
// RUN: %{run} --function=ge_f32 --input-prefix=ge.f32. --reference --ulp=0
// RUN: %{run} --function=ge_bf16 --input-prefix=ge.bf16. --ulp=0
// RUN: %{run} --function=ge_f16 --input-prefix=ge.f16. --ulp=0

func.func @eq_f32(%a0: tensor<7xf32>, %a1: tensor<7xf32>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<eq>} : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @eq_bf16(%a0: tensor<7xbf16>, %a1: tensor<7xbf16>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<eq>} : (tensor<7xbf16>, tensor<7xbf16>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @eq_f16(%a0: tensor<7xf16>, %a1: tensor<7xf16>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<eq>} : (tensor<7xf16>, tensor<7xf16>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @ne_f32(%a0: tensor<7xf32>, %a1: tensor<7xf32>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<ne>} : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @ne_bf16(%a0: tensor<7xbf16>, %a1: tensor<7xbf16>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<ne>} : (tensor<7xbf16>, tensor<7xbf16>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @ne_f16(%a0: tensor<7xf16>, %a1: tensor<7xf16>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<ne>} : (tensor<7xf16>, tensor<7xf16>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @lt_f32(%a0: tensor<7xf32>, %a1: tensor<7xf32>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<lt>} : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @lt_bf16(%a0: tensor<7xbf16>, %a1: tensor<7xbf16>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<lt>} : (tensor<7xbf16>, tensor<7xbf16>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @lt_f16(%a0: tensor<7xf16>, %a1: tensor<7xf16>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<lt>} : (tensor<7xf16>, tensor<7xf16>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @le_f32(%a0: tensor<7xf32>, %a1: tensor<7xf32>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<le>} : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @le_bf16(%a0: tensor<7xbf16>, %a1: tensor<7xbf16>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<le>} : (tensor<7xbf16>, tensor<7xbf16>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @le_f16(%a0: tensor<7xf16>, %a1: tensor<7xf16>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<le>} : (tensor<7xf16>, tensor<7xf16>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @gt_f32(%a0: tensor<7xf32>, %a1: tensor<7xf32>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<gt>} : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @gt_bf16(%a0: tensor<7xbf16>, %a1: tensor<7xbf16>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<gt>} : (tensor<7xbf16>, tensor<7xbf16>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @gt_f16(%a0: tensor<7xf16>, %a1: tensor<7xf16>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<gt>} : (tensor<7xf16>, tensor<7xf16>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @ge_f32(%a0: tensor<7xf32>, %a1: tensor<7xf32>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<ge>} : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @ge_bf16(%a0: tensor<7xbf16>, %a1: tensor<7xbf16>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<ge>} : (tensor<7xbf16>, tensor<7xbf16>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}

func.func @ge_f16(%a0: tensor<7xf16>, %a1: tensor<7xf16>) -> tensor<7xi1> {
  %0 = nn.compare %a0, %a1 {predicate = #nn.predicate<ge>} : (tensor<7xf16>, tensor<7xf16>) -> tensor<7xi1>
  return %0 : tensor<7xi1>
}
