// RUN: amp-opt %s -canonicalize | FileCheck %s

// A cast to the same type is no conversion.
// CHECK-LABEL: func.func @same_type
func.func @same_type(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: amp.cast
  %0 = amp.cast %x user : tensor<4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// narrow(widen(x)) is x: widening is exact.
// CHECK-LABEL: func.func @widen_narrow
// CHECK-SAME: (%[[X:.+]]: tensor<4xf16>)
func.func @widen_narrow(%x: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK: return %[[X]]
  %0 = amp.cast %x policy : tensor<4xf16> to tensor<4xf32>
  %1 = amp.cast %0 policy : tensor<4xf32> to tensor<4xf16>
  return %1 : tensor<4xf16>
}

// widen(narrow(x)) rounds: it stays, whoever asked for it.
// CHECK-LABEL: func.func @narrow_widen
func.func @narrow_widen(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-4: amp.cast
  %0 = amp.cast %x policy : tensor<4xf32> to tensor<4xf16>
  %1 = amp.cast %0 policy : tensor<4xf16> to tensor<4xf32>
  %2 = amp.cast %x user : tensor<4xf32> to tensor<4xbf16>
  %3 = amp.cast %2 user : tensor<4xbf16> to tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// A user's cast is never folded, even where it would be exact.
// CHECK-LABEL: func.func @user
func.func @user(%x: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK-COUNT-2: amp.cast
  %0 = amp.cast %x user : tensor<4xf16> to tensor<4xf32>
  %1 = amp.cast %0 user : tensor<4xf32> to tensor<4xf16>
  return %1 : tensor<4xf16>
}

// Two casts of which the first is exact are one; f16 to bf16 is not exact.
// CHECK-LABEL: func.func @merge
// CHECK-SAME: (%[[X:.+]]: tensor<4xf16>)
func.func @merge(%x: tensor<4xf16>) -> tensor<4xbf16> {
  // CHECK: %[[C:.+]] = amp.cast %[[X]] policy : tensor<4xf16> to tensor<4xbf16>
  // CHECK: return %[[C]]
  %0 = amp.cast %x policy : tensor<4xf16> to tensor<4xf32>
  %1 = amp.cast %0 policy : tensor<4xf32> to tensor<4xbf16>
  return %1 : tensor<4xbf16>
}
