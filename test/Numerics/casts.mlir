// Casts round where they stand, executed: interpreted and compiled. A rewrite that
// folds or moves one changes these values.

// A user's f32 -> f16 -> f32 is not the identity: the facts of the format survive
// every pass.
// RUN: amp-run %s --function=user_pair --reference | FileCheck %s --check-prefix=PAIR
// RUN: amp-run %s --function=user_pair | FileCheck %s --check-prefix=PAIR
// RUN: amp-run %s --function=user_pair --policy=cpu-f16 | FileCheck %s --check-prefix=PAIR
// PAIR: out0 (f16): tensor<8xf32> = [1, 1.001358e-05, inf, 0, 5.9604645e-08, 65504, inf, -0]
// PAIR: out1 (bf16): tensor<8xf32> = [1, 1.001358e-05, 99840, 2.9802322e-08, 2.9802322e-08, 65536, 65536, -0]
func.func @user_pair() -> (tensor<8xf32> {amp.name = "f16"}, tensor<8xf32> {amp.name = "bf16"}) {
  // 2^-25 and the next f32 above it.
  %c = nn.constant dense<[1.0001, 1.0e-5, 1.0e5, 0x33000000, 0x33000001, 65519.0, 65520.0, -0.0]> : tensor<8xf32>
  %x = nn.optimization_barrier %c : (tensor<8xf32>) -> tensor<8xf32>
  %0 = amp.cast %x user : tensor<8xf32> to tensor<8xf16>
  %1 = amp.cast %0 user : tensor<8xf16> to tensor<8xf32>
  %2 = amp.cast %x user : tensor<8xf32> to tensor<8xbf16>
  %3 = amp.cast %2 user : tensor<8xbf16> to tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// Operands that are cast to f16 round before the add: 1 + 2^-11 and 2^-11 become 1
// and 2^-11, whose sum is a tie that gives 1. Added first and rounded afterwards
// they give 1 + 2^-10.
// RUN: amp-run %s --function=round_before_add --reference | FileCheck %s --check-prefix=BEFORE
// RUN: amp-run %s --function=round_before_add | FileCheck %s --check-prefix=BEFORE
// BEFORE: out0 (before): tensor<1xf16> = [1]
// BEFORE: out1 (after): tensor<1xf16> = [1.001]
func.func @round_before_add() -> (tensor<1xf16> {amp.name = "before"}, tensor<1xf16> {amp.name = "after"}) {
  %c0 = nn.constant dense<1.00048828125> : tensor<1xf32>
  %c1 = nn.constant dense<0.00048828125> : tensor<1xf32>
  %a, %b = nn.optimization_barrier %c0, %c1 : (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  %0 = amp.cast %a policy : tensor<1xf32> to tensor<1xf16>
  %1 = amp.cast %b policy : tensor<1xf32> to tensor<1xf16>
  %before = nn.add %0, %1 : (tensor<1xf16>, tensor<1xf16>) -> tensor<1xf16>
  %2 = nn.add %a, %b : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %after = amp.cast %2 policy : tensor<1xf32> to tensor<1xf16>
  return %before, %after : tensor<1xf16>, tensor<1xf16>
}

// f64 -> bf16 rounds once: through f32 the value 1 + 2^-8 + 2^-26 lands on a tie.
// RUN: amp-run %s --function=double_rounding --reference | FileCheck %s --check-prefix=DOUBLE
// RUN: amp-run %s --function=double_rounding | FileCheck %s --check-prefix=DOUBLE
// DOUBLE: out0 (once): tensor<1xbf16> = [1.01]
// DOUBLE: out1 (twice): tensor<1xbf16> = [1]
func.func @double_rounding() -> (tensor<1xbf16> {amp.name = "once"}, tensor<1xbf16> {amp.name = "twice"}) {
  %c = nn.constant dense<1.00390626490116119384765625> : tensor<1xf64>
  %x = nn.optimization_barrier %c : (tensor<1xf64>) -> tensor<1xf64>
  %once = amp.cast %x user : tensor<1xf64> to tensor<1xbf16>
  %0 = amp.cast %x user : tensor<1xf64> to tensor<1xf32>
  %twice = amp.cast %0 user : tensor<1xf32> to tensor<1xbf16>
  return %once, %twice : tensor<1xbf16>, tensor<1xbf16>
}
