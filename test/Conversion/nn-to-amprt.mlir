// RUN: amp-opt %s -convert-nn-to-amprt -split-input-file | FileCheck %s

// The bias is the epilogue; numerics and phase are kept.
// CHECK-LABEL: func.func @linear
// CHECK-SAME: (%[[X:.+]]: tensor<64x128xf16>, %[[W:.+]]: tensor<10x128xf16>, %[[B:.+]]: tensor<10xf16>)
// CHECK: %[[INIT:.+]] = tensor.empty() : tensor<64x10xf16>
// CHECK: %[[R:.+]] = amprt.gemm ins(%[[X]], %[[W]] : tensor<64x128xf16>, tensor<10x128xf16>) bias(%[[B]] : tensor<10xf16>) outs(%[[INIT]] : tensor<64x10xf16>)
// CHECK-SAME: epilogue = #amprt.epilogue<bias>, numerics = #amp.numerics<accumulate = f32, subnormals = flush>, phase = #amp.phase<fprop>, transpose_rhs
// CHECK: return %[[R]]
func.func @linear(%x: tensor<64x128xf16>, %w: tensor<10x128xf16>, %b: tensor<10xf16>) -> tensor<64x10xf16> {
  %0 = nn.linear %x, %w, %b {numerics = #amp.numerics<accumulate = f32, subnormals = flush>, phase = #amp.phase<fprop>} : (tensor<64x128xf16>, tensor<10x128xf16>, tensor<10xf16>) -> tensor<64x10xf16>
  return %0 : tensor<64x10xf16>
}

// -----

// Leading dimensions collapse and come back. Without bias there is no epilogue,
// and f32 operands get the default contract.
// CHECK-LABEL: func.func @linear_rank3
// CHECK: %[[X:.+]] = tensor.collapse_shape %{{.+}} {{\[}}[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
// CHECK: %[[R:.+]] = amprt.gemm ins(%[[X]], %{{.+}}) outs(%{{.+}} : tensor<6x5xf32>) {numerics = #amp.numerics<accumulate = f32>, transpose_rhs}
// CHECK: tensor.expand_shape %[[R]] {{\[}}[0, 1], [2]] output_shape [2, 3, 5]
func.func @linear_rank3(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>) -> tensor<2x3x5xf32> {
  %0 = nn.linear %x, %w : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// -----

// A vector is one row.
// CHECK-LABEL: func.func @linear_rank1
// CHECK: tensor.expand_shape %{{.+}} {{\[}}[0, 1]] output_shape [1, 4]
// CHECK: amprt.gemm {{.*}} -> tensor<1x5xf32>
// CHECK: tensor.collapse_shape %{{.+}} {{\[}}[0, 1]] : tensor<1x5xf32> into tensor<5xf32>
func.func @linear_rank1(%x: tensor<4xf32>, %w: tensor<5x4xf32>) -> tensor<5xf32> {
  %0 = nn.linear %x, %w : (tensor<4xf32>, tensor<5x4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// An empty batch and an empty contraction are gemms like others.
// CHECK-LABEL: func.func @linear_empty
// CHECK: amprt.gemm {{.*}} outs(%{{.+}} : tensor<0x5xf32>)
// CHECK: amprt.gemm {{.*}} outs(%{{.+}} : tensor<5x4xf32>)
func.func @linear_empty(%x: tensor<0x4xf32>, %w: tensor<5x4xf32>, %c: tensor<0x5xf32>) -> (tensor<0x5xf32>, tensor<5x4xf32>) {
  %0 = nn.linear %x, %w : (tensor<0x4xf32>, tensor<5x4xf32>) -> tensor<0x5xf32>
  %1 = nn.linear_weight_grad %c, %x : (tensor<0x5xf32>, tensor<0x4xf32>) -> tensor<5x4xf32>
  return %0, %1 : tensor<0x5xf32>, tensor<5x4xf32>
}

// -----

// Batch dimensions collapse into one; transposes become the gemm's own.
// CHECK-LABEL: func.func @matmul
// CHECK: %[[L:.+]] = tensor.collapse_shape %{{.+}} {{\[}}[0, 1], [2], [3]] : tensor<2x3x8x4xbf16> into tensor<6x8x4xbf16>
// CHECK: %[[R:.+]] = tensor.collapse_shape %{{.+}} {{\[}}[0, 1], [2], [3]] : tensor<2x3x5x8xbf16> into tensor<6x5x8xbf16>
// CHECK: amprt.gemm ins(%[[L]], %[[R]] : {{.*}}) outs(%{{.+}} : tensor<6x4x5xbf16>)
// CHECK-SAME: transpose_lhs, transpose_rhs
// CHECK: tensor.expand_shape
func.func @matmul(%a: tensor<2x3x8x4xbf16>, %b: tensor<2x3x5x8xbf16>) -> tensor<2x3x4x5xbf16> {
  %0 = nn.matmul %a, %b {transpose_lhs, transpose_rhs, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3x8x4xbf16>, tensor<2x3x5x8xbf16>) -> tensor<2x3x4x5xbf16>
  return %0 : tensor<2x3x4x5xbf16>
}

// -----

// The weight gradient is f32 straight from the accumulator.
// CHECK-LABEL: func.func @gradients
// CHECK: amprt.gemm {{.*}} outs(%{{.+}} : tensor<6x4xf16>) {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<dgrad>}
// CHECK: amprt.gemm {{.*}} outs(%{{.+}} : tensor<5x4xf32>) {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<wgrad>, transpose_lhs}
func.func @gradients(%c: tensor<6x5xf16>, %w: tensor<5x4xf16>, %x: tensor<6x4xf16>) -> (tensor<6x4xf16>, tensor<5x4xf32>) {
  %0 = nn.linear_input_grad %c, %w {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<dgrad>} : (tensor<6x5xf16>, tensor<5x4xf16>) -> tensor<6x4xf16>
  %1 = nn.linear_weight_grad %c, %x {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<wgrad>} : (tensor<6x5xf16>, tensor<6x4xf16>) -> tensor<5x4xf32>
  return %0, %1 : tensor<6x4xf16>, tensor<5x4xf32>
}

// -----

// What the runtime has no call for stays: f64, dynamic shapes.
// CHECK-LABEL: func.func @left
// CHECK-COUNT-2: nn.linear
// CHECK-NOT: amprt.gemm
func.func @left(%x: tensor<2x4xf64>, %w: tensor<5x4xf64>, %y: tensor<?x4xf32>, %v: tensor<5x4xf32>) -> (tensor<2x5xf64>, tensor<?x5xf32>) {
  %0 = nn.linear %x, %w : (tensor<2x4xf64>, tensor<5x4xf64>) -> tensor<2x5xf64>
  %1 = nn.linear %y, %v : (tensor<?x4xf32>, tensor<5x4xf32>) -> tensor<?x5xf32>
  return %0, %1 : tensor<2x5xf64>, tensor<?x5xf32>
}

// -----

// relu commutes with rounding: it is the gemm's epilogue, unless the linear's own
// value is wanted too. gelu rounds differently inside and stays.
// CHECK-LABEL: func.func @relu
// CHECK: amprt.gemm {{.*}}epilogue = #amprt.epilogue<bias_relu>
// CHECK-NOT: nn.relu
// CHECK: amprt.gemm {{.*}}epilogue = #amprt.epilogue<bias>
// CHECK: nn.relu
// CHECK: nn.gelu
func.func @relu(%x: tensor<6x4xf16>, %w: tensor<5x4xf16>, %b: tensor<5xf16>, %v: tensor<5x5xf16>)
    -> (tensor<6x5xf16>, tensor<6x5xf16>, tensor<6x5xf16>) {
  %0 = nn.linear %x, %w, %b {numerics = #amp.numerics<accumulate = f32>} : (tensor<6x4xf16>, tensor<5x4xf16>, tensor<5xf16>) -> tensor<6x5xf16>
  %1 = nn.relu %0 : (tensor<6x5xf16>) -> tensor<6x5xf16>
  %2 = nn.linear %1, %v, %b {numerics = #amp.numerics<accumulate = f32>} : (tensor<6x5xf16>, tensor<5x5xf16>, tensor<5xf16>) -> tensor<6x5xf16>
  %3 = nn.relu %2 : (tensor<6x5xf16>) -> tensor<6x5xf16>
  %4 = nn.gelu %2 : (tensor<6x5xf16>) -> tensor<6x5xf16>
  return %2, %3, %4 : tensor<6x5xf16>, tensor<6x5xf16>, tensor<6x5xf16>
}
