// RUN: amp-opt %s -split-input-file -amprt-fuse-epilogues | FileCheck %s

// The only reader of an f32 product: nothing was rounded before gelu. The example of
// the pass's documentation.
// CHECK-LABEL: func.func @gelu(
// CHECK:         amprt.gemm {{.*}} {epilogue = #amprt.epilogue<gelu_tanh>
// CHECK-NOT:     nn.
// CHECK:         return
func.func @gelu(%x: tensor<64x128xf32>, %w: tensor<16x128xf32>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x16xf32>
  %1 = amprt.gemm ins(%x, %w : tensor<64x128xf32>, tensor<16x128xf32>) outs(%e : tensor<64x16xf32>) {numerics = #amp.numerics<accumulate = f32>, transpose_rhs} -> tensor<64x16xf32>
  %2 = nn.gelu %1 {approximate = #nn.gelu<tanh>} : (tensor<64x16xf32>) -> tensor<64x16xf32>
  return %2 : tensor<64x16xf32>
}

// -----

// With a bias and a second reader, which gets the second result; the derivative and
// its sum over the rows go to the product of the backward pass.
// CHECK-LABEL: func.func @gelu_aux(
// CHECK:         %[[F:.+]]:2 = amprt.gemm {{.*}} bias({{.*}}) outs({{.*}} : tensor<64x16xf32>, tensor<64x16xf32>) {epilogue = #amprt.epilogue<gelu_aux>
// CHECK:         %[[D:.+]]:2 = amprt.gemm {{.*}} aux(%[[F]]#1 : tensor<64x16xf32>) outs({{.*}} : tensor<64x16xf32>, tensor<16xf32>) {epilogue = #amprt.epilogue<dgelu_bgrad>
// CHECK-NOT:     nn.
// CHECK:         return %[[F]]#0, %[[D]]#0, %[[D]]#1
func.func @gelu_aux(%x: tensor<64x128xf32>, %w: tensor<16x128xf32>, %b: tensor<16xf32>, %c: tensor<64x8xf32>, %v: tensor<8x16xf32>)
    -> (tensor<64x16xf32>, tensor<64x16xf32>, tensor<16xf32>) {
  %e = tensor.empty() : tensor<64x16xf32>
  %0 = amprt.gemm ins(%x, %w : tensor<64x128xf32>, tensor<16x128xf32>) bias(%b : tensor<16xf32>) outs(%e : tensor<64x16xf32>)
      {epilogue = #amprt.epilogue<bias>, numerics = #amp.numerics<accumulate = f32>, transpose_rhs} -> tensor<64x16xf32>
  %1 = nn.gelu %0 {approximate = #nn.gelu<tanh>} : (tensor<64x16xf32>) -> tensor<64x16xf32>
  %2 = amprt.gemm ins(%c, %v : tensor<64x8xf32>, tensor<8x16xf32>) outs(%e : tensor<64x16xf32>) {numerics = #amp.numerics<accumulate = f32>} -> tensor<64x16xf32>
  %3 = nn.gelu_grad %2, %0 {approximate = #nn.gelu<tanh>} : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %4 = nn.reduce_sum %3 {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<64x16xf32>) -> tensor<16xf32>
  return %1, %3, %4 : tensor<64x16xf32>, tensor<64x16xf32>, tensor<16xf32>
}

// -----

// The erf form never fuses, forward or backward, whatever the numerics allow.
// CHECK-LABEL: func.func @erf(
// CHECK-NOT:     epilogue
// CHECK:         nn.gelu %
// CHECK-NOT:     epilogue
// CHECK:         nn.gelu_grad
// CHECK-NOT:     epilogue
// CHECK:         return
func.func @erf(%x: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %e = tensor.empty() : tensor<16x16xf32>
  %0 = amprt.gemm ins(%x, %x : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {numerics = #amp.numerics<accumulate = f32, excess = allow>} -> tensor<16x16xf32>
  %1 = nn.gelu %0 {approximate = #nn.gelu<erf>} : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %2 = amprt.gemm ins(%x, %1 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {numerics = #amp.numerics<accumulate = f32, excess = allow>} -> tensor<16x16xf32>
  %3 = nn.gelu_grad %2, %0 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %1, %3 : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// A product of f16 is rounded before gelu, unless its numerics allow otherwise.
// CHECK-LABEL: func.func @rounded(
// CHECK-NOT:     epilogue
// CHECK:         nn.gelu %
// CHECK-NOT:     epilogue
// CHECK:         nn.gelu_grad
// CHECK-NOT:     epilogue
// CHECK-LABEL: func.func @excess(
// CHECK:         epilogue = #amprt.epilogue<gelu_aux>
// CHECK:         epilogue = #amprt.epilogue<dgelu>
// CHECK-NOT:     nn.
// CHECK:         return
func.func @rounded(%x: tensor<16x16xf16>) -> (tensor<16x16xf16>, tensor<16x16xf16>) {
  %e = tensor.empty() : tensor<16x16xf16>
  %0 = amprt.gemm ins(%x, %x : tensor<16x16xf16>, tensor<16x16xf16>) outs(%e : tensor<16x16xf16>) {numerics = #amp.numerics<accumulate = f32>} -> tensor<16x16xf16>
  %1 = nn.gelu %0 {approximate = #nn.gelu<tanh>} : (tensor<16x16xf16>) -> tensor<16x16xf16>
  %2 = amprt.gemm ins(%x, %1 : tensor<16x16xf16>, tensor<16x16xf16>) outs(%e : tensor<16x16xf16>) {numerics = #amp.numerics<accumulate = f32>} -> tensor<16x16xf16>
  %3 = nn.gelu_grad %2, %0 {approximate = #nn.gelu<tanh>} : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf16>
  return %1, %3 : tensor<16x16xf16>, tensor<16x16xf16>
}
func.func @excess(%x: tensor<16x16xf16>) -> (tensor<16x16xf16>, tensor<16x16xf16>) {
  %e = tensor.empty() : tensor<16x16xf16>
  %0 = amprt.gemm ins(%x, %x : tensor<16x16xf16>, tensor<16x16xf16>) outs(%e : tensor<16x16xf16>) {numerics = #amp.numerics<accumulate = f32, excess = allow>} -> tensor<16x16xf16>
  %1 = nn.gelu %0 {approximate = #nn.gelu<tanh>} : (tensor<16x16xf16>) -> tensor<16x16xf16>
  %2 = amprt.gemm ins(%x, %1 : tensor<16x16xf16>, tensor<16x16xf16>) outs(%e : tensor<16x16xf16>) {numerics = #amp.numerics<accumulate = f32, excess = allow>} -> tensor<16x16xf16>
  %3 = nn.gelu_grad %2, %0 {approximate = #nn.gelu<tanh>} : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf16>
  return %1, %3 : tensor<16x16xf16>, tensor<16x16xf16>
}

// -----

// What the default takes for granted of NaN is nothing: the relu that
// -convert-nn-to-amprt fused is a kernel again, and its derivative too.
// CHECK-LABEL: func.func @relu(
// CHECK:         %[[P:.+]] = amprt.gemm {{.*}} {epilogue = #amprt.epilogue<bias>
// CHECK:         %[[H:.+]] = nn.relu %[[P]]
// CHECK:         nn.relu_grad %{{.+}}, %[[H]]
// CHECK:         return %[[H]]
func.func @relu(%x: tensor<16x16xf32>, %b: tensor<16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %e = tensor.empty() : tensor<16x16xf32>
  %h = amprt.gemm ins(%x, %x : tensor<16x16xf32>, tensor<16x16xf32>) bias(%b : tensor<16xf32>) outs(%e : tensor<16x16xf32>)
      {epilogue = #amprt.epilogue<bias_relu>, numerics = #amp.numerics<accumulate = f32>} -> tensor<16x16xf32>
  %0 = amprt.gemm ins(%h, %x : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) {numerics = #amp.numerics<accumulate = f32>} -> tensor<16x16xf32>
  %1 = nn.relu_grad %0, %h : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %h, %1 : tensor<16x16xf32>, tensor<16x16xf32>
}
