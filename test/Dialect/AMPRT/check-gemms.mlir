// RUN: amp-opt %s -split-input-file -verify-diagnostics -amprt-check-gemms="arch=sm_80,sm_90a,sm_100"

// What f16 and bf16 training asks for is legal everywhere.
func.func @legal(%x: memref<64x128xf16>, %w: memref<10x128xf16>, %b: memref<10xf16>, %o: memref<64x10xf16>,
                 %dy: memref<64x10xbf16>, %h: memref<64x128xbf16>, %dw: memref<10x128xf32>) {
  amprt.gemm ins(%x, %w : memref<64x128xf16>, memref<10x128xf16>) bias(%b : memref<10xf16>)
      outs(%o : memref<64x10xf16>) {transpose_rhs, epilogue = #amprt.epilogue<bias>, numerics = #amp.numerics<accumulate = f32>}
  amprt.gemm ins(%dy, %h : memref<64x10xbf16>, memref<64x128xbf16>)
      outs(%dw : memref<10x128xf32>) {transpose_lhs, numerics = #amp.numerics<accumulate = f32>}
  return
}

// -----

func.func @f8(%a: memref<64x32xf8E4M3FN>, %b: memref<16x32xf8E4M3FN>, %c: memref<64x16xbf16>) {
  // expected-error @below {{'amprt.gemm' op rule L17 (documented) refuses e4m3fn x e4m3fn^T -> bf16 of 1x64x16x32 (batch x m x n x k) on sm_80: expects sm_89 or newer, which has f8 units, but got sm_80; choose a policy of f16 or bf16 for this architecture}}
  amprt.gemm ins(%a, %b : memref<64x32xf8E4M3FN>, memref<16x32xf8E4M3FN>)
      outs(%c : memref<64x16xbf16>) {transpose_rhs, numerics = #amp.numerics<accumulate = f32>}
  return
}

// -----

func.func @order(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{rule N1 (documented) refuses f32 x f32 -> f32 of 1x4x4x8 (batch x m x n x k) on sm_80: expects order = any: the library chooses how products are summed, but got order = sequential; write order = any, or run this product on the CPU}}
  %0 = amprt.gemm ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>)
      {numerics = #amp.numerics<accumulate = f32, order = sequential>} -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// One run names every GEMM, each once.
func.func @two(%a: memref<4x8xf32>, %b: memref<8x4xf16>, %c: memref<4x4xf32>) {
  // expected-error @below {{rule T1 (documented)}}
  amprt.gemm ins(%a, %b : memref<4x8xf32>, memref<8x4xf16>) outs(%c : memref<4x4xf32>)
      {numerics = #amp.numerics<accumulate = f32>}
  // expected-error @below {{rule N2 (assumed)}}
  amprt.gemm ins(%a, %a : memref<4x8xf32>, memref<4x8xf32>) outs(%c : memref<4x4xf32>)
      {transpose_rhs, numerics = #amp.numerics<accumulate = f32, subnormals = preserve>}
  return
}
