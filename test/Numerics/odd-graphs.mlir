// Graphs that no recorded run has: what is computed once and kept for the rest of a
// row, and tensors without elements.

// A derivative that reads its row three times, of which one pass only takes the shape
// of what another computes. Tolerance: sums of 8 terms in another order.
// RUN: amp-run %s --function=chained --random-inputs=1 --expect=reference --rtol=1e-5 --atol=1e-5
// RUN: amp-run %s --function=chained --random-inputs=1 --expect=reference --rtol=1e-5 --atol=1e-5 --grad
// RUN: amp-run %s --function=shape_only --random-inputs=1 --expect=reference --rtol=1e-5 --atol=1e-5
func.func @chained(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = nn.softmax %x {dim = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = nn.log_softmax %0 {dim = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}
func.func @shape_only(%x: tensor<2x8xf32>, %c: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = nn.softmax %x {dim = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = nn.log_softmax_grad %c, %0 {dim = 1 : i64} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = nn.softmax_grad %1, %0 {dim = 1 : i64} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %2 : tensor<2x8xf32>
}

// One column, and a single element.
// RUN: amp-run %s --function=single --random-inputs=1 --expect=reference --rtol=1e-6 --atol=1e-6
func.func @single(%x: tensor<7x1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %0 = nn.reduce_mean %x {dims = array<i64: 0>} : (tensor<7x1xf32>) -> tensor<1xf32>
  %1 = nn.softmax %0 {dim = 0 : i64} : (tensor<1xf32>) -> tensor<1xf32>
  return %0, %1 : tensor<1xf32>, tensor<1xf32>
}

// No elements: moved, in rows of no columns, and in columns of no rows. Exact.
// RUN: amp-run %s --function=empty --random-inputs=1 --expect=reference | FileCheck %s --check-prefix=EMPTY
// EMPTY: out0: tensor<3x0xf32> = {{\[\[\], \[\], \[\]\]}}
// EMPTY: out2: tensor<2xf32> = [0, 0]
// EMPTY: out3: tensor<3xf32> = [0, 0, 0]
func.func @empty(%x: tensor<0x3xf32>, %y: tensor<2x0xf32>)
    -> (tensor<3x0xf32>, tensor<2x0xf32>, tensor<2xf32>, tensor<3xf32>, tensor<0x3xf32>) {
  %0 = nn.transpose %x {permutation = array<i64: 1, 0>} : (tensor<0x3xf32>) -> tensor<3x0xf32>
  %1 = nn.softmax %y {dim = 1 : i64} : (tensor<2x0xf32>) -> tensor<2x0xf32>
  %2 = nn.reduce_sum %y {dims = array<i64: 1>} : (tensor<2x0xf32>) -> tensor<2xf32>
  %3 = nn.reduce_sum %x {dims = array<i64: 0>} : (tensor<0x3xf32>) -> tensor<3xf32>
  %4 = nn.log_softmax %x {dim = 0 : i64} : (tensor<0x3xf32>) -> tensor<0x3xf32>
  return %0, %1, %2, %3, %4 : tensor<3x0xf32>, tensor<2x0xf32>, tensor<2xf32>, tensor<3xf32>, tensor<0x3xf32>
}

// Targets of one bit are the classes 0 and 1. Tolerance: sums of two terms.
// RUN: amp-run %s --function=two_classes --random-inputs=1 --expect=reference --rtol=1e-6 --atol=1e-6
// RUN: amp-run %s --function=two_classes --random-inputs=1 --expect=reference --rtol=1e-6 --atol=1e-6 --grad
func.func @two_classes(%x: tensor<5x2xf32>, %y: tensor<5xi1>) -> (tensor<f32>, tensor<f32>, tensor<i64>) {
  %0 = nn.cross_entropy %x, %y : (tensor<5x2xf32>, tensor<5xi1>) -> tensor<f32>
  %1 = nn.cross_entropy %x, %y {ignore_index = 1 : i64} : (tensor<5x2xf32>, tensor<5xi1>) -> tensor<f32>
  %2 = nn.valid_count %y {ignore_index = 1 : i64} : (tensor<5xi1>) -> tensor<i64>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<i64>
}
