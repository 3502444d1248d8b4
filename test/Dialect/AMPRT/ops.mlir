// RUN: amp-opt %s | amp-opt | FileCheck %s

// Each op prints what it parses, on tensors and on memrefs.

// CHECK-LABEL: func.func @gemm
func.func @gemm(%x: tensor<64x128xf16>, %w: tensor<10x128xf16>, %b: tensor<10xf16>, %o: tensor<64x10xf16>) -> tensor<64x10xf16> {
  // CHECK: amprt.gemm ins(%{{.+}}, %{{.+}} : tensor<64x128xf16>, tensor<10x128xf16>) bias(%{{.+}} : tensor<10xf16>) outs(%{{.+}} : tensor<64x10xf16>)
  // CHECK-SAME: epilogue = #amprt.epilogue<bias>
  // CHECK-SAME: transpose_rhs
  // CHECK-SAME: -> tensor<64x10xf16>
  %0 = amprt.gemm ins(%x, %w : tensor<64x128xf16>, tensor<10x128xf16>) bias(%b : tensor<10xf16>)
      outs(%o : tensor<64x10xf16>) {transpose_rhs, epilogue = #amprt.epilogue<bias>, numerics = #amp.numerics<accumulate = f32>}
      -> tensor<64x10xf16>
  return %0 : tensor<64x10xf16>
}

// CHECK-LABEL: func.func @gemm_memref
func.func @gemm_memref(%x: memref<3x64x128xf32>, %w: memref<1x128x10xf32>, %o: memref<3x64x10xf32>) {
  // CHECK: amprt.gemm ins({{.*}}) outs({{.*}} : memref<3x64x10xf32>) {beta = 1.000000e+00 : f32
  amprt.gemm ins(%x, %w : memref<3x64x128xf32>, memref<1x128x10xf32>) outs(%o : memref<3x64x10xf32>)
      {beta = 1.0 : f32, numerics = #amp.numerics<accumulate = f32>}
  return
}

// An epilogue's second operand and second result.
// CHECK-LABEL: func.func @epilogues
func.func @epilogues(%x: tensor<64x128xf16>, %w: tensor<10x128xf16>, %b: tensor<10xf16>,
                     %o: tensor<64x10xf16>, %mask: tensor<64x16xi8>, %sum: tensor<10xf32>)
    -> (tensor<64x10xf16>, tensor<10xf32>) {
  // CHECK: %[[R:.+]]:2 = amprt.gemm ins(%{{.+}}, %{{.+}} : tensor<64x128xf16>, tensor<10x128xf16>) bias(%{{.+}} : tensor<10xf16>) outs(%{{.+}}, %{{.+}} : tensor<64x10xf16>, tensor<64x16xi8>)
  // CHECK-SAME: epilogue = #amprt.epilogue<relu_aux>
  // CHECK-SAME: -> tensor<64x10xf16>, tensor<64x16xi8>
  %0:2 = amprt.gemm ins(%x, %w : tensor<64x128xf16>, tensor<10x128xf16>) bias(%b : tensor<10xf16>)
      outs(%o, %mask : tensor<64x10xf16>, tensor<64x16xi8>)
      {transpose_rhs, epilogue = #amprt.epilogue<relu_aux>, numerics = #amp.numerics<accumulate = f32>}
      -> tensor<64x10xf16>, tensor<64x16xi8>
  // CHECK: amprt.gemm ins({{.*}}) aux(%[[R]]#1 : tensor<64x16xi8>) outs(%{{.+}}, %{{.+}} : tensor<64x10xf16>, tensor<10xf32>)
  // CHECK-SAME: epilogue = #amprt.epilogue<drelu_bgrad>
  %1:2 = amprt.gemm ins(%x, %w : tensor<64x128xf16>, tensor<10x128xf16>) aux(%0#1 : tensor<64x16xi8>)
      outs(%o, %sum : tensor<64x10xf16>, tensor<10xf32>)
      {transpose_rhs, epilogue = #amprt.epilogue<drelu_bgrad>, numerics = #amp.numerics<accumulate = f32>}
      -> tensor<64x10xf16>, tensor<10xf32>
  return %1#0, %1#1 : tensor<64x10xf16>, tensor<10xf32>
}

// CHECK-LABEL: func.func @kernel
func.func @kernel(%a: tensor<8x4xf32>, %o: tensor<8x4xf16>) -> tensor<8x4xf16> {
  // CHECK: amprt.kernel <elementwise> ins(%{{.+}} : tensor<8x4xf32>) outs(%{{.+}} : tensor<8x4xf16>) {
  // CHECK: amprt.yield
  // CHECK: } -> tensor<8x4xf16>
  %0 = amprt.kernel <elementwise> ins(%a : tensor<8x4xf32>) outs(%o : tensor<8x4xf16>) {
  ^bb0(%in: tensor<8x4xf32>, %out: tensor<8x4xf16>):
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%in : tensor<8x4xf32>) outs(%out : tensor<8x4xf16>) {
    ^bb1(%x: f32, %y: f16):
      %t = arith.truncf %x : f32 to f16
      linalg.yield %t : f16
    } -> tensor<8x4xf16>
    amprt.yield %1 : tensor<8x4xf16>
  } -> tensor<8x4xf16>
  return %0 : tensor<8x4xf16>
}

// CHECK-LABEL: func.func @concat
func.func @concat(%a: tensor<2x4xf32>, %b: tensor<3xf32>) -> tensor<32xf32> {
  // CHECK: amprt.concat %{{.+}}, %{{.+}} at [0, 16] : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<32xf32>
  %0 = amprt.concat %a, %b at [0, 16] : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// CHECK-LABEL: func.func private @body
func.func private @body(%m: memref<64xf32>, %begin: index, %end: index) {
  return
}
// CHECK-LABEL: func.func @host
func.func @host(%m: memref<64xf32>) {
  // CHECK: amprt.commit
  amprt.commit
  // CHECK: amprt.parallel_call @body(%{{.+}}) range 64 grain 16 : (memref<64xf32>) -> ()
  amprt.parallel_call @body(%m) range 64 grain 16 : (memref<64xf32>) -> ()
  return
}

gpu.module @kernels {
  gpu.func @fill(%m: memref<64xf32>) kernel {
    gpu.return
  }
}
// CHECK-LABEL: func.func @device
func.func @device(%m: memref<64xf32>) {
  // CHECK: amprt.launch @kernels::@fill blocks 2 threads 32(%{{.+}}) : memref<64xf32>
  amprt.launch @kernels::@fill blocks 2 threads 32 (%m) : memref<64xf32>
  return
}
