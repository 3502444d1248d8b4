// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: a move, bitwise.
// DEFINE: %{golden} = %S/../goldens/valid_count.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=some_f32 --input-prefix=some.f32. --ulp=0
// RUN: %{run} --function=some_f32 --input-prefix=some.f32. --reference --ulp=0
// RUN: %{run} --function=none_f32 --input-prefix=none.f32. --ulp=0
// RUN: %{run} --function=none_f32 --input-prefix=none.f32. --reference --ulp=0

func.func @some_f32(%a0: tensor<5xi64>) -> tensor<i64> {
  %0 = nn.valid_count %a0 {ignore_index = -100 : i64} : (tensor<5xi64>) -> tensor<i64>
  return %0 : tensor<i64>
}

func.func @none_f32(%a0: tensor<1x2xi64>) -> tensor<i64> {
  %0 = nn.valid_count %a0 {ignore_index = 2 : i64} : (tensor<1x2xi64>) -> tensor<i64>
  return %0 : tensor<i64>
}
