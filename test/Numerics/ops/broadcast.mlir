// Made by scripts/goldens/make_op_goldens.py.
// Tolerance: a move; its gradient sums up to 15 terms.
// DEFINE: %{golden} = %S/../goldens/broadcast.safetensors
// DEFINE: %{run} = amp-run %s --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=row_f32 --input-prefix=row.f32. --ulp=0
// RUN: %{run} --function=row_f32 --input-prefix=row.f32. --reference --ulp=0
// RUN: %{run} --function=row_bf16 --input-prefix=row.bf16. --ulp=0
// RUN: %{run} --function=row_f16 --input-prefix=row.f16. --ulp=0
// RUN: %{run} --function=row_f32 --input-prefix=row.f32. --grad --ulp=45
// RUN: %{run} --function=column_f32 --input-prefix=column.f32. --ulp=0
// RUN: %{run} --function=column_f32 --input-prefix=column.f32. --reference --ulp=0
// RUN: %{run} --function=column_bf16 --input-prefix=column.bf16. --ulp=0
// RUN: %{run} --function=column_f16 --input-prefix=column.f16. --ulp=0
// RUN: %{run} --function=column_f32 --input-prefix=column.f32. --grad --ulp=40
// RUN: %{run} --function=scalar_f32 --input-prefix=scalar.f32. --ulp=0
// RUN: %{run} --function=scalar_f32 --input-prefix=scalar.f32. --reference --ulp=0
// RUN: %{run} --function=scalar_bf16 --input-prefix=scalar.bf16. --ulp=0
// RUN: %{run} --function=scalar_f16 --input-prefix=scalar.f16. --ulp=0
// RUN: %{run} --function=scalar_f32 --input-prefix=scalar.f32. --grad --ulp=54
// RUN: %{run} --function=middle_f32 --input-prefix=middle.f32. --ulp=0
// RUN: %{run} --function=middle_f32 --input-prefix=middle.f32. --reference --ulp=0
// RUN: %{run} --function=middle_bf16 --input-prefix=middle.bf16. --ulp=0
// RUN: %{run} --function=middle_f16 --input-prefix=middle.f16. --ulp=0
// RUN: %{run} --function=middle_f32 --input-prefix=middle.f32. --grad --ulp=50

func.func @row_f32(%a0: tensor<5xf32>) -> tensor<3x5xf32> {
  %0 = nn.broadcast %a0 {dims = array<i64: 1>} : (tensor<5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

func.func @row_bf16(%a0: tensor<5xbf16>) -> tensor<3x5xbf16> {
  %0 = nn.broadcast %a0 {dims = array<i64: 1>} : (tensor<5xbf16>) -> tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}

func.func @row_f16(%a0: tensor<5xf16>) -> tensor<3x5xf16> {
  %0 = nn.broadcast %a0 {dims = array<i64: 1>} : (tensor<5xf16>) -> tensor<3x5xf16>
  return %0 : tensor<3x5xf16>
}

func.func @column_f32(%a0: tensor<3x1xf32>) -> tensor<3x5xf32> {
  %0 = nn.broadcast %a0 {dims = array<i64: 0, 1>} : (tensor<3x1xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

func.func @column_bf16(%a0: tensor<3x1xbf16>) -> tensor<3x5xbf16> {
  %0 = nn.broadcast %a0 {dims = array<i64: 0, 1>} : (tensor<3x1xbf16>) -> tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}

func.func @column_f16(%a0: tensor<3x1xf16>) -> tensor<3x5xf16> {
  %0 = nn.broadcast %a0 {dims = array<i64: 0, 1>} : (tensor<3x1xf16>) -> tensor<3x5xf16>
  return %0 : tensor<3x5xf16>
}

func.func @scalar_f32(%a0: tensor<f32>) -> tensor<3x5xf32> {
  %0 = nn.broadcast %a0 {dims = array<i64>} : (tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

func.func @scalar_bf16(%a0: tensor<bf16>) -> tensor<3x5xbf16> {
  %0 = nn.broadcast %a0 {dims = array<i64>} : (tensor<bf16>) -> tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}

func.func @scalar_f16(%a0: tensor<f16>) -> tensor<3x5xf16> {
  %0 = nn.broadcast %a0 {dims = array<i64>} : (tensor<f16>) -> tensor<3x5xf16>
  return %0 : tensor<3x5xf16>
}

func.func @middle_f32(%a0: tensor<2x3xf32>) -> tensor<2x4x3xf32> {
  %0 = nn.broadcast %a0 {dims = array<i64: 0, 2>} : (tensor<2x3xf32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}

func.func @middle_bf16(%a0: tensor<2x3xbf16>) -> tensor<2x4x3xbf16> {
  %0 = nn.broadcast %a0 {dims = array<i64: 0, 2>} : (tensor<2x3xbf16>) -> tensor<2x4x3xbf16>
  return %0 : tensor<2x4x3xbf16>
}

func.func @middle_f16(%a0: tensor<2x3xf16>) -> tensor<2x4x3xf16> {
  %0 = nn.broadcast %a0 {dims = array<i64: 0, 2>} : (tensor<2x3xf16>) -> tensor<2x4x3xf16>
  return %0 : tensor<2x4x3xf16>
}
