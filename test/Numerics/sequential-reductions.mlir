// A stated sequential order is kept by every form of reduction: 2^24 + 1 is 2^24 in f32, so
// that ones are lost one by one after 2^24, where sums of parts would count them.

// DEFINE: %{run} = amp-run %s
// RUN: %{run} --function=row | FileCheck %s --check-prefix=ROW
// RUN: %{run} --function=row_any | FileCheck %s --check-prefix=ANY
// RUN: %{run} --function=column | FileCheck %s --check-prefix=COLUMN
// RUN: %{run} --function=flat | FileCheck %s --check-prefix=FLAT

// ROW: 16777216
func.func @row() -> tensor<1xf32> {
  %x = arith.constant dense<[[16777216.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]]> : tensor<1x64xf32>
  %0 = nn.reduce_sum %x {dims = array<i64: 1>, numerics = #amp.numerics<accumulate = f32, order = sequential>} : (tensor<1x64xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// Lanes and parts see to it that ones count: the test can tell the two apart.
// ANY-NOT: 16777216
func.func @row_any() -> tensor<1xf32> {
  %x = arith.constant dense<[[16777216.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]]> : tensor<1x64xf32>
  %0 = nn.reduce_sum %x {dims = array<i64: 1>, numerics = #amp.numerics<accumulate = f32>} : (tensor<1x64xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// COLUMN: 16777216, 64
func.func @column() -> tensor<2xf32> {
  %x = arith.constant dense<[[16777216.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]> : tensor<64x2xf32>
  %0 = nn.reduce_sum %x {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32, order = sequential>} : (tensor<64x2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// More than a block of a flat buffer, where parts would be summed by themselves.
// FLAT: 16777216
func.func @flat() -> tensor<f32> {
  %x = arith.constant dense<1.0> : tensor<16777280xf32>
  %0 = nn.reduce_sum %x {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32, order = sequential>} : (tensor<16777280xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
