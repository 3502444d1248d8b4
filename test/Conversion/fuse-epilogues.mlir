// RUN: amp-opt %s -split-input-file -amprt-fuse-epilogues="nan-relu=assume-propagates" | FileCheck %s

// relu of a product, seen through a reshape.
// CHECK-LABEL: func.func @relu(
// CHECK:         amprt.gemm {{.*}} {epilogue = #amprt.epilogue<bias_relu>
// CHECK:         %[[Y:.+]] = tensor.expand_shape
// CHECK-NOT:     nn.relu
// CHECK:         return %[[Y]]
func.func @relu(%x: tensor<6x8xf16>, %w: tensor<16x8xf16>, %b: tensor<16xf16>) -> tensor<2x3x16xf16> {
  %e = tensor.empty() : tensor<6x16xf16>
  %0 = amprt.gemm ins(%x, %w : tensor<6x8xf16>, tensor<16x8xf16>) bias(%b : tensor<16xf16>)
      outs(%e : tensor<6x16xf16>) {epilogue = #amprt.epilogue<bias>, numerics = #amp.numerics<accumulate = f32>, transpose_rhs} -> tensor<6x16xf16>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 3, 16] : tensor<6x16xf16> into tensor<2x3x16xf16>
  %2 = nn.relu %1 : (tensor<2x3x16xf16>) -> tensor<2x3x16xf16>
  return %2 : tensor<2x3x16xf16>
}

// -----

// A product that others read stays what they read.
// CHECK-LABEL: func.func @relu_of_two_readers(
// CHECK:         %[[P:.+]] = amprt.gemm
// CHECK-NOT:     epilogue
// CHECK:         nn.relu %[[P]]
// CHECK:         nn.neg %[[P]]
func.func @relu_of_two_readers(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = amprt.gemm ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {numerics = #amp.numerics<accumulate = f32>} -> tensor<8x8xf32>
  %1 = nn.relu %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = nn.neg %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// f32: the forward relu keeps a mask, the product of the backward pass takes it,
// and the bias gradient is its second result.
// CHECK-LABEL: func.func @drelu_bgrad(
// CHECK-SAME:    %[[X:.+]]: tensor<64x32xf32>, %[[W:.+]]: tensor<200x32xf32>, %[[B:.+]]: tensor<200xf32>, %[[C:.+]]: tensor<64x10xf32>, %[[V:.+]]: tensor<10x200xf32>)
// CHECK:         %[[F:.+]]:2 = amprt.gemm ins(%[[X]], %[[W]] : {{.*}}) bias(%[[B]] : tensor<200xf32>) outs({{.*}} : tensor<64x200xf32>, tensor<64x32xi8>)
// CHECK-SAME:      epilogue = #amprt.epilogue<relu_aux>
// CHECK-SAME:      phase = #amp.phase<fprop>
// CHECK:         %[[D:.+]]:2 = amprt.gemm ins(%[[C]], %[[V]] : {{.*}}) aux(%[[F]]#1 : tensor<64x32xi8>) outs({{.*}} : tensor<64x200xf32>, tensor<200xf32>)
// CHECK-SAME:      epilogue = #amprt.epilogue<drelu_bgrad>
// CHECK-SAME:      phase = #amp.phase<dgrad>
// CHECK-NOT:     nn.
// CHECK:         return %[[F]]#0, %[[D]]#0, %[[D]]#1
func.func @drelu_bgrad(%x: tensor<64x32xf32>, %w: tensor<200x32xf32>, %b: tensor<200xf32>,
                       %c: tensor<64x10xf32>, %v: tensor<10x200xf32>)
    -> (tensor<64x200xf32>, tensor<64x200xf32>, tensor<200xf32>) {
  %e = tensor.empty() : tensor<64x200xf32>
  %h = amprt.gemm ins(%x, %w : tensor<64x32xf32>, tensor<200x32xf32>) bias(%b : tensor<200xf32>)
      outs(%e : tensor<64x200xf32>) {epilogue = #amprt.epilogue<bias_relu>, numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<fprop>, transpose_rhs} -> tensor<64x200xf32>
  %0 = amprt.gemm ins(%c, %v : tensor<64x10xf32>, tensor<10x200xf32>)
      outs(%e : tensor<64x200xf32>) {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<dgrad>} -> tensor<64x200xf32>
  %1 = nn.relu_grad %0, %h : (tensor<64x200xf32>, tensor<64x200xf32>) -> tensor<64x200xf32>
  %2 = nn.reduce_sum %1 {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<64x200xf32>) -> tensor<200xf32>
  return %h, %1, %2 : tensor<64x200xf32>, tensor<64x200xf32>, tensor<200xf32>
}

// -----

// f16 without excess: a value that rounds to 0 is above 0 before rounding, so the
// derivative keeps the rounded result; bf16 has no such values but subnormals.
// CHECK-LABEL: func.func @mask_of_f16(
// CHECK:         epilogue = #amprt.epilogue<relu>
// CHECK:         nn.relu_grad
// CHECK-LABEL: func.func @mask_of_f16_excess(
// CHECK:         epilogue = #amprt.epilogue<relu_aux>
// CHECK:         epilogue = #amprt.epilogue<drelu>
// CHECK-NOT:     nn.
// CHECK-LABEL: func.func @mask_of_bf16(
// CHECK:         epilogue = #amprt.epilogue<relu_aux>
// CHECK:         epilogue = #amprt.epilogue<drelu>
// CHECK-NOT:     nn.
// CHECK-LABEL: func.func @mask_of_bf16_subnormals(
// CHECK:         epilogue = #amprt.epilogue<relu>
// CHECK:         nn.relu_grad
func.func @mask_of_f16(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
  %e = tensor.empty() : tensor<8x8xf16>
  %h = amprt.gemm ins(%x, %x : tensor<8x8xf16>, tensor<8x8xf16>) outs(%e : tensor<8x8xf16>)
      {epilogue = #amprt.epilogue<relu>, numerics = #amp.numerics<accumulate = f32>} -> tensor<8x8xf16>
  %0 = amprt.gemm ins(%h, %x : tensor<8x8xf16>, tensor<8x8xf16>) outs(%e : tensor<8x8xf16>) {numerics = #amp.numerics<accumulate = f32>} -> tensor<8x8xf16>
  %1 = nn.relu_grad %0, %h : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  return %1 : tensor<8x8xf16>
}
func.func @mask_of_f16_excess(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
  %e = tensor.empty() : tensor<8x8xf16>
  %h = amprt.gemm ins(%x, %x : tensor<8x8xf16>, tensor<8x8xf16>) outs(%e : tensor<8x8xf16>)
      {epilogue = #amprt.epilogue<relu>, numerics = #amp.numerics<accumulate = f32, excess = allow>} -> tensor<8x8xf16>
  %0 = amprt.gemm ins(%h, %x : tensor<8x8xf16>, tensor<8x8xf16>) outs(%e : tensor<8x8xf16>) {numerics = #amp.numerics<accumulate = f32>} -> tensor<8x8xf16>
  %1 = nn.relu_grad %0, %h : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  return %1 : tensor<8x8xf16>
}
func.func @mask_of_bf16(%x: tensor<8x8xbf16>) -> tensor<8x8xbf16> {
  %e = tensor.empty() : tensor<8x8xbf16>
  %h = amprt.gemm ins(%x, %x : tensor<8x8xbf16>, tensor<8x8xbf16>) outs(%e : tensor<8x8xbf16>)
      {epilogue = #amprt.epilogue<relu>, numerics = #amp.numerics<accumulate = f32>} -> tensor<8x8xbf16>
  %0 = amprt.gemm ins(%h, %x : tensor<8x8xbf16>, tensor<8x8xbf16>) outs(%e : tensor<8x8xbf16>) {numerics = #amp.numerics<accumulate = f32>} -> tensor<8x8xbf16>
  %1 = nn.relu_grad %0, %h : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  return %1 : tensor<8x8xbf16>
}
func.func @mask_of_bf16_subnormals(%x: tensor<8x8xbf16>) -> tensor<8x8xbf16> {
  %e = tensor.empty() : tensor<8x8xbf16>
  %h = amprt.gemm ins(%x, %x : tensor<8x8xbf16>, tensor<8x8xbf16>) outs(%e : tensor<8x8xbf16>)
      {epilogue = #amprt.epilogue<relu>, numerics = #amp.numerics<accumulate = f32, subnormals = preserve>} -> tensor<8x8xbf16>
  %0 = amprt.gemm ins(%h, %x : tensor<8x8xbf16>, tensor<8x8xbf16>) outs(%e : tensor<8x8xbf16>) {numerics = #amp.numerics<accumulate = f32>} -> tensor<8x8xbf16>
  %1 = nn.relu_grad %0, %h : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  return %1 : tensor<8x8xbf16>
}

// -----

// The sum of a cotangent goes to the weight gradient's product, which reads it
// rounded, as the sum did. The sum may stand before or after the product, and the
// cotangent be transposed in either place.
// CHECK-LABEL: func.func @bias_grad_lhs(
// CHECK:         %[[W:.+]]:2 = amprt.gemm {{.*}} outs({{.*}} : tensor<16x8xf32>, tensor<16xf32>) {epilogue = #amprt.epilogue<bias_grad_lhs>
// CHECK-NOT:     nn.
// CHECK:         return %[[W]]#0, %[[W]]#1
func.func @bias_grad_lhs(%c: tensor<2x32x16xf16>, %x: tensor<2x32x8xf16>) -> (tensor<16x8xf32>, tensor<16xf32>) {
  %0 = tensor.collapse_shape %c [[0, 1], [2]] : tensor<2x32x16xf16> into tensor<64x16xf16>
  %1 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x32x8xf16> into tensor<64x8xf16>
  %e = tensor.empty() : tensor<16x8xf32>
  %2 = nn.reduce_sum %c {dims = array<i64: 0, 1>, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x32x16xf16>) -> tensor<16xf32>
  %3 = amprt.gemm ins(%0, %1 : tensor<64x16xf16>, tensor<64x8xf16>) outs(%e : tensor<16x8xf32>) {numerics = #amp.numerics<accumulate = f32>, transpose_lhs} -> tensor<16x8xf32>
  return %3, %2 : tensor<16x8xf32>, tensor<16xf32>
}
// CHECK-LABEL: func.func @bias_grad_rhs(
// CHECK:         amprt.gemm {{.*}} outs({{.*}} : tensor<8x16xf32>, tensor<16xf32>) {epilogue = #amprt.epilogue<bias_grad_rhs>
// CHECK-NOT:     nn.
func.func @bias_grad_rhs(%c: tensor<64x16xbf16>, %x: tensor<64x8xbf16>) -> (tensor<8x16xf32>, tensor<16xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = amprt.gemm ins(%x, %c : tensor<64x8xbf16>, tensor<64x16xbf16>) outs(%e : tensor<8x16xf32>) {numerics = #amp.numerics<accumulate = f32>, transpose_lhs} -> tensor<8x16xf32>
  %1 = nn.reduce_sum %c {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<64x16xbf16>) -> tensor<16xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<16xf32>
}
// A reader of the sum before a product that cannot move.
// CHECK-LABEL: func.func @bias_grad_too_late(
// CHECK:         nn.reduce_sum
// CHECK-NOT:     bias_grad
// CHECK:         return
func.func @bias_grad_too_late(%c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16xf32>) {
  %e = tensor.empty() : tensor<16x16xf32>
  %0 = nn.reduce_sum %c {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<16x16xf32>) -> tensor<16xf32>
  %1 = nn.neg %0 : (tensor<16xf32>) -> tensor<16xf32>
  %2 = nn.neg %c : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %3 = amprt.gemm ins(%c, %2 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {numerics = #amp.numerics<accumulate = f32>, transpose_lhs} -> tensor<16x16xf32>
  return %3, %1 : tensor<16x16xf32>, tensor<16xf32>
}
// Sums that the library does not promise: in a stated order, in another type, of
// other dimensions, of operands that are narrowed.
// CHECK-LABEL: func.func @other_sums(
// CHECK-COUNT-4: nn.reduce_sum
// CHECK-NOT:     bias_grad
// CHECK:         return
func.func @other_sums(%c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %e = tensor.empty() : tensor<16x16xf32>
  %0 = amprt.gemm ins(%c, %c : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {numerics = #amp.numerics<accumulate = f32>, transpose_lhs} -> tensor<16x16xf32>
  %1 = nn.reduce_sum %c {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32, order = sequential>} : (tensor<16x16xf32>) -> tensor<16xf32>
  %2 = nn.reduce_sum %c {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f64>} : (tensor<16x16xf32>) -> tensor<16xf32>
  %3 = nn.reduce_sum %c {dims = array<i64: 1>, numerics = #amp.numerics<accumulate = f32>} : (tensor<16x16xf32>) -> tensor<16xf32>
  %4 = amprt.gemm ins(%0, %0 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>)
      {numerics = #amp.numerics<lhs = tf32, rhs = tf32, accumulate = f32>, transpose_lhs} -> tensor<16x16xf32>
  %5 = nn.reduce_sum %0 {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<16x16xf32>) -> tensor<16xf32>
  return %0, %4, %1, %2, %3, %5 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
