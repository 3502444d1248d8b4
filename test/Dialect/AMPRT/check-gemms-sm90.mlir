// RUN: amp-opt %s -split-input-file -verify-diagnostics -amprt-check-gemms=arch=sm_90
// RUN: not amp-opt %s -amprt-check-gemms=arch=hopper 2>&1 | FileCheck %s --check-prefix=ARCH

// ARCH: 'amprt-check-gemms' expects architectures such as sm_90, but got 'hopper'

// Hopper reads f8 along k only.
func.func @forward(%a: memref<64x32xf8E4M3FN>, %b: memref<16x32xf8E5M2>, %c: memref<64x16xf32>) {
  amprt.gemm ins(%a, %b : memref<64x32xf8E4M3FN>, memref<16x32xf8E5M2>)
      outs(%c : memref<64x16xf32>) {transpose_rhs, numerics = #amp.numerics<accumulate = f32>}
  return
}

// -----

func.func @not_tn(%a: memref<64x32xf8E4M3FN>, %b: memref<32x16xf8E5M2>, %c: memref<64x16xf32>) {
  // expected-error @below {{rule L1 (documented) refuses e4m3fn x e5m2 -> f32 of 1x64x16x32 (batch x m x n x k) on sm_90: expects both operands contiguous along k (transpose_lhs = 0, transpose_rhs = 1), but got transpose_lhs = 0 and transpose_rhs = 0; store a transposed f8 copy of the operand that is not}}
  amprt.gemm ins(%a, %b : memref<64x32xf8E4M3FN>, memref<32x16xf8E5M2>)
      outs(%c : memref<64x16xf32>) {numerics = #amp.numerics<accumulate = f32>}
  return
}

// -----

func.func @unpadded(%a: memref<64x40xf8E4M3FN>, %b: memref<16x40xf8E4M3FN>, %c: memref<64x16xf32>) {
  // expected-error @below {{rule L2 (documented)}}
  amprt.gemm ins(%a, %b : memref<64x40xf8E4M3FN>, memref<16x40xf8E4M3FN>)
      outs(%c : memref<64x16xf32>) {transpose_rhs, numerics = #amp.numerics<accumulate = f32>}
  return
}

// -----

// An operand that is stored wider than it is to be multiplied needs a cast, but
// for tf32 on both sides.
func.func @compute(%a: memref<8x8xf32>, %c: memref<8x8xf32>) {
  amprt.gemm ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
      {numerics = #amp.numerics<accumulate = f32, lhs = tf32, rhs = tf32>}
  // expected-error @below {{rule N3 (documented)}}
  amprt.gemm ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
      {numerics = #amp.numerics<accumulate = f32, lhs = bf16, rhs = bf16>}
  return
}
