// RUN: amp-opt %s -amp-optimize-casts | FileCheck %s

// Equal casts merge; the result is one cast and the same values.
// CHECK-LABEL: func.func @merge
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>)
func.func @merge(%x: tensor<4xf32>) -> tensor<4xf16> {
  // CHECK: %[[C:.+]] = amp.cast %[[X]] policy : tensor<4xf32> to tensor<4xf16>
  // CHECK-NOT: amp.cast
  %0 = amp.cast %x policy : tensor<4xf32> to tensor<4xf16>
  %1 = amp.cast %x policy : tensor<4xf32> to tensor<4xf16>
  // CHECK: nn.add %[[C]], %[[C]]
  %2 = nn.add %0, %1 : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %2 : tensor<4xf16>
}

// A user's cast survives the merge as one; another overflow rule is another cast.
// CHECK-LABEL: func.func @keep
func.func @keep(%x: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) {
  // CHECK: %[[C:.+]] = amp.cast %{{.+}} user : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[S:.+]] = amp.cast %{{.+}} policy {overflow = #amp.overflow<saturate>}
  // CHECK: return %[[C]], %[[C]], %[[S]]
  %0 = amp.cast %x policy : tensor<4xf32> to tensor<4xf16>
  %1 = amp.cast %x user : tensor<4xf32> to tensor<4xf16>
  %2 = amp.cast %x policy {overflow = #amp.overflow<saturate>} : tensor<4xf32> to tensor<4xf16>
  return %0, %1, %2 : tensor<4xf16>, tensor<4xf16>, tensor<4xf16>
}

// Origin and round trips in canonical form are in canonicalize.mlir.
