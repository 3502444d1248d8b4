// Functions whose names PTX does not take, and two whose kernels would have one name. Exact.
// REQUIRES: cuda, emulator
// RUN: %emulate amp-run --target=cuda %s --function="1-a.b" --random-inputs=1 --expect=reference
// RUN: %emulate amp-run --target=cuda %s --function="1 a b" --random-inputs=1 --expect=reference
func.func @"1-a.b"(%x: tensor<7x3xf32>) -> tensor<3x7xf32> {
  %0 = nn.neg %x : (tensor<7x3xf32>) -> tensor<7x3xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<7x3xf32>) -> tensor<3x7xf32>
  return %1 : tensor<3x7xf32>
}
func.func @"1 a b"(%x: tensor<7x3xf32>) -> tensor<7x3xf32> {
  %0 = nn.abs %x : (tensor<7x3xf32>) -> tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}
