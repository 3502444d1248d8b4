// The ops of a step, by value. Exact: a difference of order or of one rounding would
// show in these numbers.
// DEFINE: %{run} = amp-run %s --inputs=%t.safetensors

amp.scaler @main dynamic {initial = 8.0 : f32, growth = 2.0 : f32, backoff = 0.5 : f32, interval = 2 : i64, floor = 1.0 : f32, cap = 16.0 : f32}
amp.scaler @fixed static {initial = 8.0 : f32}

// Gradients are multiplied by the rounded inverse of the scale: 3 * f32(1/3) = 1.
// RUN: amp-run %s --function=gradients --reference --output=%t.safetensors
// RUN: %{run} --function=unscale --reference | FileCheck %s --check-prefix=UNSCALE
// RUN: %{run} --function=unscale | FileCheck %s --check-prefix=UNSCALE
// UNSCALE: out0: tensor<3xf32> = [1, inf, 0.33333334]
// UNSCALE: out1: tensor<i1> = true
// UNSCALE: out2: tensor<i1> = false
// UNSCALE: out3: tensor<f32> = 5
// UNSCALE: out4: tensor<f32> = inf
// UNSCALE: out5: tensor<f32> = 0.25
// UNSCALE: out6: tensor<2xf32> = [0.6, 0.8]
// UNSCALE: out7: tensor<2xf32> = [3, 4]
func.func @gradients() -> (tensor<f32>, tensor<3xf16>, tensor<2xf32>, tensor<2xf32>, tensor<4xf32>) {
  %0 = nn.constant dense<3.0> : tensor<f32>
  %1 = nn.constant dense<[3.0, 0x7C00, 1.0]> : tensor<3xf16>
  %2 = nn.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %3 = nn.constant dense<[3.0e19, 3.0e19]> : tensor<2xf32>
  %4 = nn.constant dense<[0.0, 1.0, 1.0e-45, -2.0]> : tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<3xf16>, tensor<2xf32>, tensor<2xf32>, tensor<4xf32>
}
func.func @unscale(%s: tensor<f32>, %g: tensor<3xf16>, %h: tensor<2xf32>, %large: tensor<2xf32>, %z: tensor<4xf32>)
    -> (tensor<3xf32>, tensor<i1>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = amp.unscale_grads @main(%s) %g : (tensor<f32>, tensor<3xf16>) -> tensor<3xf32>
  %1 = amp.found_inf %0, %h : (tensor<3xf32>, tensor<2xf32>) -> tensor<i1>
  %2 = amp.found_inf %h : (tensor<2xf32>) -> tensor<i1>
  %3 = amp.global_norm %h : (tensor<2xf32>) -> tensor<f32>
  // The squares overflow though the gradients do not: that is found-inf too.
  %4 = amp.global_norm %large : (tensor<2xf32>) -> tensor<f32>
  %5 = amp.zero_share %z : (tensor<4xf32>) -> tensor<f32>
  %6 = amp.clip_by_global_norm norm(%3) %h {max_norm = 1.0 : f32, epsilon = 0.0 : f32} : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %7 = amp.clip_by_global_norm norm(%3) %h {max_norm = 10.0 : f32} : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3xf32>, tensor<i1>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>
}

// Growth after two finite steps, not beyond the cap; backoff down to the floor; a
// static scale stays.
// RUN: amp-run %s --function=scale_state --reference --output=%t.safetensors
// RUN: %{run} --function=move_scale --reference | FileCheck %s --check-prefix=SCALE
// RUN: %{run} --function=move_scale | FileCheck %s --check-prefix=SCALE
// SCALE: out0: tensor<f32> = 8
// SCALE: out1: tensor<i64> = 1
// SCALE: out2: tensor<f32> = 16
// SCALE: out3: tensor<i64> = 0
// SCALE: out4: tensor<f32> = 16
// SCALE: out5: tensor<i64> = 0
// SCALE: out6: tensor<f32> = 4
// SCALE: out7: tensor<i64> = 0
// SCALE: out8: tensor<f32> = 1
// SCALE: out9: tensor<f32> = 8
// SCALE: out10: tensor<i64> = 1
func.func @scale_state() -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>, tensor<i64>, tensor<i1>, tensor<i1>) {
  %0 = nn.constant dense<8.0> : tensor<f32>
  %1 = nn.constant dense<16.0> : tensor<f32>
  %2 = nn.constant dense<1.0> : tensor<f32>
  %3 = nn.constant dense<0> : tensor<i64>
  %4 = nn.constant dense<1> : tensor<i64>
  %5 = nn.constant dense<false> : tensor<i1>
  %6 = nn.constant dense<true> : tensor<i1>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>, tensor<i64>, tensor<i1>, tensor<i1>
}
func.func @move_scale(%s8: tensor<f32>, %s16: tensor<f32>, %s1: tensor<f32>, %t0: tensor<i64>, %t1: tensor<i64>,
                      %fine: tensor<i1>, %found: tensor<i1>)
    -> (tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>,
        tensor<f32>, tensor<f32>, tensor<i64>) {
  %0:2 = amp.update_scale @main(%s8, %t0, %fine) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  %1:2 = amp.update_scale @main(%s8, %t1, %fine) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  %2:2 = amp.update_scale @main(%s16, %t1, %fine) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  %3:2 = amp.update_scale @main(%s8, %t1, %found) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  %4:2 = amp.update_scale @main(%s1, %t1, %found) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  %5:2 = amp.update_scale @fixed(%s8, %t1, %found) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %3#0, %3#1, %4#0, %5#0, %5#1
    : tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>,
      tensor<f32>, tensor<f32>, tensor<i64>
}

// An update rounds after each of its ops: (1 + 2^-24) - 1 is 0 in f32. Held back, it
// leaves even a NaN and a -0 as they are.
// RUN: amp-run %s --function=update_state --reference --output=%t.safetensors
// RUN: %{run} --function=update --reference | FileCheck %s --check-prefix=UPDATE
// RUN: %{run} --function=update | FileCheck %s --check-prefix=UPDATE
// UPDATE: out0: tensor<3xf32> = [0, nan, 0.5]
// UPDATE: out1: tensor<3xf32> = [1, nan, 1.5]
// UPDATE: out2: tensor<3xf32> = [1, nan, -0]
// UPDATE: out3: tensor<3xf32> = [5, 6, 7]
func.func @update_state() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<i1>, tensor<i1>) {
  %0 = nn.constant dense<[1.0, 0x7FC00000, -0.0]> : tensor<3xf32>
  %1 = nn.constant dense<[5.0, 6.0, 7.0]> : tensor<3xf32>
  %2 = nn.constant dense<[5.9604644775390625e-08, 1.0, 1.5]> : tensor<3xf32>
  %3 = nn.constant dense<1.0> : tensor<f32>
  %4 = nn.constant dense<false> : tensor<i1>
  %5 = nn.constant dense<true> : tensor<i1>
  return %0, %1, %2, %3, %4, %5 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<i1>, tensor<i1>
}
func.func @update(%p: tensor<3xf32>, %m: tensor<3xf32>, %g: tensor<3xf32>, %lr: tensor<f32>, %go: tensor<i1>, %hold: tensor<i1>)
    -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:2 = amp.guarded_update skip(%go) states(%p, %m) gradients(%g) scalars(%lr)
      : (tensor<i1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%p0: f32, %m0: f32, %g0: f32, %lr0: f32):
    %2 = arith.addf %p0, %g0 : f32
    %3 = arith.subf %2, %lr0 : f32
    amp.yield %3, %2 : f32, f32
  }
  %1:2 = amp.guarded_update skip(%hold) states(%p, %m) gradients(%g) scalars(%lr)
      : (tensor<i1>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%p0: f32, %m0: f32, %g0: f32, %lr0: f32):
    %2 = arith.addf %p0, %g0 : f32
    %3 = arith.subf %2, %lr0 : f32
    amp.yield %3, %2 : f32, f32
  }
  return %0#0, %0#1, %1#0, %1#1 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// Beyond the range: infinity, or the largest value where the cast says so.
// RUN: amp-run %s --function=large --reference --output=%t.safetensors
// RUN: %{run} --function=saturate --reference | FileCheck %s --check-prefix=SATURATE
// RUN: %{run} --function=saturate | FileCheck %s --check-prefix=SATURATE
// SATURATE: out0: tensor<4xf16> = [inf, -inf, inf, nan]
// SATURATE: out1: tensor<4xf16> = [65504, -65504, 65504, nan]
func.func @large() -> tensor<4xf32> {
  %0 = nn.constant dense<[1.0e5, -1.0e5, 0x7F800000, 0x7FC00000]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @saturate(%x: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf16>) {
  %0 = amp.cast %x user : tensor<4xf32> to tensor<4xf16>
  %1 = amp.cast %x user {overflow = #amp.overflow<saturate>} : tensor<4xf32> to tensor<4xf16>
  return %0, %1 : tensor<4xf16>, tensor<4xf16>
}
