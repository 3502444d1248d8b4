// RUN: amp-opt %s -convert-amprt-to-llvm | FileCheck %s

// Epilogues with a second operand or result. Of the descriptor, the 5th int is the type of gelu's input,
// the 15th the epilogue, the last the type of the sums; the 8th long is aux_ld in
// elements, 0 for a mask.
// CHECK-LABEL: @gemm_3()
// CHECK:         dense<[2, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 7, 0, 0, 0, 0, 1]> : tensor<20xi32>
// CHECK-LABEL: @gemm_2()
// CHECK:         dense<[2, 2, 2, 2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0]> : tensor<20xi32>
// CHECK:         dense<[1, 8, 8, 8, 0, 0, 0, 8, 0, 0, 0, 0]> : tensor<12xi64>
// CHECK-LABEL: @gemm_1()
// CHECK:         dense<[2, 2, 2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 2]> : tensor<20xi32>
// CHECK-LABEL: @gemm_0()
// CHECK:         dense<[2, 2, 2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0]> : tensor<20xi32>
// CHECK:         dense<[1, 8, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<12xi64>

// The pointers of aux (field 5) and bias_grad (field 11) of each call.
// CHECK-LABEL: llvm.func @step(
// CHECK:         %[[AT:.+]] = llvm.mlir.constant(128 : i64)
// CHECK-NEXT:    %[[MASK:.+]] = llvm.getelementptr %{{.+}}[%[[AT]]]
// CHECK:         %[[AUX:.+]] = llvm.getelementptr {{.*}}[0, 5]
// CHECK:         %[[AUX:.+]] = llvm.getelementptr {{.*}}[0, 5]
// CHECK-NEXT:    llvm.store %[[MASK]], %[[AUX]]
// CHECK:         llvm.call @amp_rt_gemm(
// CHECK:         %[[AUX:.+]] = llvm.getelementptr {{.*}}[0, 5]
// CHECK-NEXT:    llvm.store %[[MASK]], %[[AUX]]
// CHECK-NEXT:    %[[GRAD:.+]] = llvm.getelementptr {{.*}}[0, 11]
// CHECK-NEXT:    llvm.store %{{.+}}, %[[GRAD]]
// CHECK:         llvm.call @amp_rt_gemm(
func.func @step(%x: memref<8x8xf16>, %b: memref<8xf16>, %arena: memref<1024xi8> {amprt.arena}) {
  %o = amprt.view %arena at 0 : memref<1024xi8> to memref<8x8xf16>
  %mask = amprt.view %arena at 128 : memref<1024xi8> to memref<8x16xi8>
  %p = amprt.view %arena at 256 : memref<1024xi8> to memref<8x8xf16>
  %s = amprt.view %arena at 384 : memref<1024xi8> to memref<8xf16>
  %w = amprt.view %arena at 512 : memref<1024xi8> to memref<8x8xf32>
  %t = amprt.view %arena at 768 : memref<1024xi8> to memref<8xf32>
  amprt.gemm ins(%x, %x : memref<8x8xf16>, memref<8x8xf16>) outs(%o, %mask : memref<8x8xf16>, memref<8x16xi8>)
      {epilogue = #amprt.epilogue<relu_aux>, numerics = #amp.numerics<accumulate = f32>}
  amprt.gemm ins(%x, %x : memref<8x8xf16>, memref<8x8xf16>) aux(%mask : memref<8x16xi8>)
      outs(%p, %s : memref<8x8xf16>, memref<8xf16>)
      {epilogue = #amprt.epilogue<drelu_bgrad>, numerics = #amp.numerics<accumulate = f32>}
  amprt.gemm ins(%x, %x : memref<8x8xf16>, memref<8x8xf16>) bias(%b : memref<8xf16>)
      outs(%o, %p : memref<8x8xf16>, memref<8x8xf16>)
      {epilogue = #amprt.epilogue<gelu_aux>, numerics = #amp.numerics<accumulate = f32>}
  amprt.gemm ins(%p, %x : memref<8x8xf16>, memref<8x8xf16>) outs(%w, %t : memref<8x8xf32>, memref<8xf32>)
      {epilogue = #amprt.epilogue<bias_grad_lhs>, transpose_lhs, numerics = #amp.numerics<accumulate = f32>}
  return
}
