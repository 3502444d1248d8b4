// What the interpreter does beside evaluating nn ops: shapes from the arguments,
// regions, packed state, scalar arithmetic on rank-0 tensors.

// Dynamic dimensions take the arguments' sizes: reshape, broadcast and counts follow.
// RUN: amp-run %s --function=shapes --random-inputs=1 --dynamic-size=3 --reference | FileCheck %s --check-prefix=SHAPES
// RUN: amp-run %s --function=shapes --random-inputs=1 --dynamic-size=0 --reference | FileCheck %s --check-prefix=EMPTY
// SHAPES: out0: tensor<6x2xf32> =
// SHAPES: out1: tensor<3x4xf32> = {{\[\[}}7, 7, 7, 7], [7, 7, 7, 7], [7, 7, 7, 7]]
// SHAPES: out2: tensor<i64> = 12
// SHAPES: out3: tensor<4x3xf32> =
// EMPTY: out0: tensor<0x2xf32> = []
// EMPTY: out1: tensor<0x4xf32> = []
// EMPTY: out2: tensor<i64> = 0
// EMPTY: out3: tensor<4x0xf32> = {{\[\[}}], [], [], []]
// EMPTY: out4: tensor<f32> = 0
// EMPTY: out5: tensor<f32> = nan
func.func @shapes(%x: tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<?x4xf32>, tensor<i64>, tensor<4x?xf32>, tensor<f32>, tensor<f32>) {
  %0 = nn.reshape %x : (tensor<?x4xf32>) -> tensor<?x2xf32>
  %c = nn.constant dense<7.0> : tensor<f32>
  %1 = nn.broadcast %c, %x {dims = array<i64>} : (tensor<f32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = nn.element_count %x : (tensor<?x4xf32>) -> tensor<i64>
  %3 = nn.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x4xf32>) -> tensor<4x?xf32>
  %4 = nn.reduce_sum %x {dims = array<i64: 0, 1>} : (tensor<?x4xf32>) -> tensor<f32>
  %5 = nn.reduce_mean %x {dims = array<i64: 0, 1>} : (tensor<?x4xf32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5 : tensor<?x2xf32>, tensor<?x4xf32>, tensor<i64>, tensor<4x?xf32>, tensor<f32>, tensor<f32>
}

// A region runs as written, on values from around it.
// RUN: amp-run %s --function=region --reference | FileCheck %s --check-prefix=REGION
// REGION: out0: tensor<1xf32> = [5]
func.func @region() -> tensor<1xf32> {
  %x = nn.constant dense<2.0> : tensor<1xf32>
  %y = amp.autocast_region enabled = false -> tensor<1xf32> {
    %0 = nn.mul %x, %x : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %one = nn.constant dense<1.0> : tensor<1xf32>
    %1 = nn.add %0, %one : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    amp.yield %1 : tensor<1xf32>
  }
  return %y : tensor<1xf32>
}

// Views of a flat buffer, and pieces laid into one: the gap is zero.
// RUN: amp-run %s --function=packed --reference | FileCheck %s --check-prefix=PACKED
// PACKED: out0: tensor<2x2xf32> = {{\[\[}}2, 3], [4, 5]]
// PACKED: out1: tensor<8xf32> = [2, 3, 4, 5, 0, 0, 1, 2]
// PACKED: out2: tensor<6xf32> = [1, 1, 2, 4, 5, 6]
func.func @packed() -> (tensor<2x2xf32>, tensor<8xf32>, tensor<6xf32>) {
  %flat = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %0 = tensor.extract_slice %flat[1] [4] [1] : tensor<6xf32> to tensor<4xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %2 = tensor.extract_slice %flat[0] [2] [1] : tensor<6xf32> to tensor<2xf32>
  %3 = amprt.concat %1, %2 at [0, 6] : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<8xf32>
  %4 = tensor.insert_slice %2 into %flat[1] [2] [1] : tensor<2xf32> into tensor<6xf32>
  return %1, %3, %4 : tensor<2x2xf32>, tensor<8xf32>, tensor<6xf32>
}

// Scalar arithmetic rounds after each op, to its own type; integers wrap.
// RUN: amp-run %s --function=scalars --reference | FileCheck %s --check-prefix=SCALARS
// SCALARS: out0: tensor<f32> = 0
// SCALARS: out1: tensor<f64> = 5.9604644775390625e-08
// SCALARS: out2: tensor<i64> = -9223372036854775808
// SCALARS: out3: tensor<i64> = 1
// SCALARS: out4: tensor<f32> = 16777216
// SCALARS: out5: tensor<i1> = true
// SCALARS: out6: tensor<f32> = 0.000999
func.func @scalars() -> (tensor<f32>, tensor<f64>, tensor<i64>, tensor<i64>, tensor<f32>, tensor<i1>, tensor<f32>) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %tiny = arith.constant dense<5.9604644775390625e-08> : tensor<f32>
  %0 = arith.addf %one, %tiny : tensor<f32>
  %1 = arith.subf %0, %one : tensor<f32>
  %2 = arith.extf %one : tensor<f32> to tensor<f64>
  %3 = arith.extf %tiny : tensor<f32> to tensor<f64>
  %4 = arith.addf %2, %3 : tensor<f64>
  %5 = arith.subf %4, %2 : tensor<f64>
  %max = arith.constant dense<9223372036854775807> : tensor<i64>
  %i1 = arith.constant dense<1> : tensor<i64>
  %6 = arith.addi %max, %i1 : tensor<i64>
  %true = arith.cmpi slt, %6, %i1 : tensor<i64>
  %7 = arith.extui %true : tensor<i1> to tensor<i64>
  %big = arith.constant dense<16777217> : tensor<i64>
  %8 = arith.sitofp %big : tensor<i64> to tensor<f32>
  %nan = arith.constant dense<0x7FC00000> : tensor<f32>
  %9 = arith.cmpf une, %nan, %nan : tensor<f32>
  %beta = arith.constant dense<0.999> : tensor<f64>
  %step = arith.constant dense<1.0> : tensor<f64>
  %10 = math.powf %beta, %step : tensor<f64>
  %11 = arith.subf %2, %10 : tensor<f64>
  %12 = arith.mulf %11, %10 : tensor<f64>
  %13 = arith.truncf %12 : tensor<f64> to tensor<f32>
  %14 = arith.select %9, %13, %nan : tensor<i1>, tensor<f32>
  return %1, %5, %6, %7, %8, %9, %14 : tensor<f32>, tensor<f64>, tensor<i64>, tensor<i64>, tensor<f32>, tensor<i1>, tensor<f32>
}
