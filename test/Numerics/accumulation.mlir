// What an f32 accumulator under 16-bit operands is worth, executed: interpreted and
// compiled. All sums here are exact in f32, so no tolerance.

// 256 and 256 ones: 512 in f32 and f16, and rounded once to bf16. Accumulated in
// bf16 it would be 256: the gap there is 2, and every + 1 a tie.
// RUN: amp-run %s --function=ones_after_256 --reference | FileCheck %s --check-prefix=ONES
// RUN: amp-run %s --function=ones_after_256 | FileCheck %s --check-prefix=ONES
// ONES: out0: tensor<f32> = 512{{$}}
// ONES: out1: tensor<f16> = 512{{$}}
// ONES: out2: tensor<bf16> = 512{{$}}
func.func @ones_after_256() -> (tensor<f32>, tensor<f16>, tensor<bf16>) {
  %x = call @terms() : () -> tensor<257xf32>
  %h = amp.cast %x user : tensor<257xf32> to tensor<257xf16>
  %b = amp.cast %x user : tensor<257xf32> to tensor<257xbf16>
  %0 = nn.reduce_sum %x {dims = array<i64: 0>} : (tensor<257xf32>) -> tensor<f32>
  %1 = nn.reduce_sum %h {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<257xf16>) -> tensor<f16>
  %2 = nn.reduce_sum %b {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<257xbf16>) -> tensor<bf16>
  return %0, %1, %2 : tensor<f32>, tensor<f16>, tensor<bf16>
}
// 256, then 256 ones.
func.func private @terms() -> tensor<257xf32> {
  %c = nn.constant dense<"0x000080430000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F"> : tensor<257xf32>
  %0 = nn.optimization_barrier %c : (tensor<257xf32>) -> tensor<257xf32>
  return %0 : tensor<257xf32>
}

// What the wide accumulator protects from: the same terms added one by one in the
// narrow type. bf16 stays at 256, and in f16 10000 swallows 0.001.
// RUN: amp-run %s --function=narrow_adds --reference | FileCheck %s --check-prefix=NARROW
// RUN: amp-run %s --function=narrow_adds | FileCheck %s --check-prefix=NARROW
// NARROW: out0: tensor<1xbf16> = [256]
// NARROW: out1: tensor<1xf16> = [0]
func.func @narrow_adds() -> (tensor<1xbf16>, tensor<1xf16>) {
  %c0 = nn.constant dense<256.0> : tensor<1xbf16>
  %c1 = nn.constant dense<1.0> : tensor<1xbf16>
  %c2 = nn.constant dense<1.0e4> : tensor<1xf16>
  %c3 = nn.constant dense<1.0e-3> : tensor<1xf16>
  %0:4 = nn.optimization_barrier %c0, %c1, %c2, %c3 : (tensor<1xbf16>, tensor<1xbf16>, tensor<1xf16>, tensor<1xf16>) -> (tensor<1xbf16>, tensor<1xbf16>, tensor<1xf16>, tensor<1xf16>)
  %1 = nn.add %0#0, %0#1 : (tensor<1xbf16>, tensor<1xbf16>) -> tensor<1xbf16>
  %2 = nn.add %1, %0#1 : (tensor<1xbf16>, tensor<1xbf16>) -> tensor<1xbf16>
  %3 = nn.add %2, %0#1 : (tensor<1xbf16>, tensor<1xbf16>) -> tensor<1xbf16>
  %4 = nn.add %0#2, %0#3 : (tensor<1xf16>, tensor<1xf16>) -> tensor<1xf16>
  %5 = nn.sub %4, %0#2 : (tensor<1xf16>, tensor<1xf16>) -> tensor<1xf16>
  return %3, %5 : tensor<1xbf16>, tensor<1xf16>
}

// The mean of 100,000 tens in f16: their sum, a million, is no f16.
// RUN: amp-run %s --function=mean_of_tens --reference | FileCheck %s --check-prefix=MEAN
// RUN: amp-run %s --function=mean_of_tens | FileCheck %s --check-prefix=MEAN
// MEAN: out0: tensor<f16> = 10{{$}}
func.func @mean_of_tens() -> tensor<f16> {
  %c = nn.constant dense<10.0> : tensor<100000xf16>
  %x = nn.optimization_barrier %c : (tensor<100000xf16>) -> tensor<100000xf16>
  %0 = nn.reduce_mean %x {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<100000xf16>) -> tensor<f16>
  return %0 : tensor<f16>
}

// A product of ones with K = 4096: counted in f16 it would stop at 2048, in bf16
// at 256.
// RUN: amp-run %s --function=ones_product --reference | FileCheck %s --check-prefix=PRODUCT
// RUN: amp-run %s --function=ones_product | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: out0: tensor<2x3xf16> = {{\[}}[4096, 4096, 4096], [4096, 4096, 4096]]
// PRODUCT: out1: tensor<2x3xbf16> = {{\[}}[4096, 4096, 4096], [4096, 4096, 4096]]
// (the shortest decimal that reads back as the bf16 4096)
func.func @ones_product() -> (tensor<2x3xf16>, tensor<2x3xbf16>) {
  %c0 = nn.constant dense<1.0> : tensor<2x4096xf16>
  %c1 = nn.constant dense<1.0> : tensor<4096x3xf16>
  %c2 = nn.constant dense<1.0> : tensor<2x4096xbf16>
  %c3 = nn.constant dense<1.0> : tensor<4096x3xbf16>
  %0:4 = nn.optimization_barrier %c0, %c1, %c2, %c3 : (tensor<2x4096xf16>, tensor<4096x3xf16>, tensor<2x4096xbf16>, tensor<4096x3xbf16>) -> (tensor<2x4096xf16>, tensor<4096x3xf16>, tensor<2x4096xbf16>, tensor<4096x3xbf16>)
  %1 = nn.matmul %0#0, %0#1 {numerics = #amp.numerics<accumulate = f32>} : (tensor<2x4096xf16>, tensor<4096x3xf16>) -> tensor<2x3xf16>
  %2 = nn.matmul %0#2, %0#3 {numerics = #amp.numerics<accumulate = f32>} : (tensor<2x4096xbf16>, tensor<4096x3xbf16>) -> tensor<2x3xbf16>
  return %1, %2 : tensor<2x3xf16>, tensor<2x3xbf16>
}
