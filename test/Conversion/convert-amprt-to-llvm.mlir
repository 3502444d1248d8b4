// RUN: amp-opt %s -convert-amprt-to-llvm | FileCheck %s

// One descriptor for two equal GEMMs: types f16 x f16 -> f32, rhs transposed,
// batch 1, 4 x 8 x 16, alpha 1, beta 0.
// CHECK-COUNT-1: llvm.mlir.global internal constant @gemm_0()
// CHECK:           llvm.mlir.constant(192 : i64)
// CHECK:           llvm.mlir.constant(dense<[2, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]> : tensor<20xi32>)
// CHECK:           llvm.mlir.constant(dense<[1, 4, 8, 16, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<12xi64>)
// CHECK:           llvm.mlir.constant(dense<[1.000000e+00, 0.000000e+00]> : tensor<2xf32>)
// CHECK-NOT:     @gemm_1

// CHECK-LABEL: llvm.func @step(
// CHECK-SAME:    %[[CTX:[^:]+]]: !llvm.ptr, %[[ARGS:[^:]+]]: !llvm.ptr) -> i32
// CHECK-SAME:    amprt.arguments = [{kind = "state", name = "w", result = 0 : i64, type = tensor<65536xf32>}, {kind = "input", type = tensor<4x16xf16>}
// CHECK-SAME:    {kind = "arena", type = tensor<256xi8>}]
// CHECK:         llvm.call @amp_rt_step_begin(%[[CTX]],
// CHECK:         %[[SLOT:.+]] = llvm.getelementptr %[[ARGS]][0]
// CHECK:         %[[W:.+]] = llvm.load %[[SLOT]]
// CHECK:         llvm.call @amp_rt_gemm(%[[CTX]],
// CHECK:         llvm.call @amp_rt_gemm(%[[CTX]],
// A range of one piece is a plain call.
// CHECK:         llvm.call @kernel(%{{.+}}, %{{.+}}, %{{.+}}) : (!llvm.ptr, i64, i64) -> ()
// CHECK:         %[[STATUS:.+]] = llvm.call @amp_rt_commit(%[[CTX]]) : (!llvm.ptr) -> i32
// CHECK:         %[[BAD:.+]] = llvm.icmp "ne" %[[STATUS]]
// CHECK:         llvm.cond_br %[[BAD]], ^[[FAIL:.+]], ^[[GO:.+]]
// CHECK:       ^[[FAIL]]:
// CHECK:         llvm.call @amp_rt_step_end(%[[CTX]])
// CHECK:         llvm.return %[[STATUS]] : i32
// CHECK:       ^[[GO]]:
// CHECK:         llvm.mlir.addressof @kernel.piece
// CHECK:         llvm.call @amp_rt_parallel_for(%[[CTX]],
// CHECK:         llvm.call @amp_rt_step_end(%[[CTX]])
// CHECK:         %[[LAST:.+]] = llvm.call @amp_rt_last_status(%[[CTX]])
// CHECK:         llvm.return %[[LAST]] : i32
func.func @step(%w: memref<65536xf32> {amprt.state = 0 : i64, amp.name = "w"},
                %x: memref<4x16xf16>, %y: memref<8x16xf16>,
                %arena: memref<256xi8> {amprt.arena}) {
  %0 = amprt.view %arena at 0 : memref<256xi8> to memref<4x8xf32>
  %1 = amprt.view %arena at 128 : memref<256xi8> to memref<4x8xf32>
  amprt.gemm ins(%x, %y : memref<4x16xf16>, memref<8x16xf16>) outs(%0 : memref<4x8xf32>)
      {transpose_rhs, numerics = #amp.numerics<accumulate = f32>}
  amprt.gemm ins(%x, %y : memref<4x16xf16>, memref<8x16xf16>) outs(%1 : memref<4x8xf32>)
      {transpose_rhs, numerics = #amp.numerics<accumulate = f32>}
  amprt.parallel_call @kernel(%w) range 65536 grain 65536 : (memref<65536xf32>) -> ()
  amprt.commit
  amprt.parallel_call @kernel(%w) range 65536 grain 16384 : (memref<65536xf32>) -> ()
  return
}

// CHECK-LABEL: llvm.func @step.prepare(
// CHECK-COUNT-1: llvm.call @amp_rt_gemm_prepare(
// CHECK-NOT:     amp_rt_gemm_prepare
// CHECK:         llvm.return

// CHECK-LABEL: llvm.func internal @kernel(
// CHECK-SAME:    !llvm.ptr {llvm.noalias}, %{{.+}}: i64, %{{.+}}: i64) attributes {no_inline
func.func private @kernel(%w: memref<65536xf32> {llvm.noalias}, %b: index, %e: index)
    attributes {amprt.kernel_function} {
  %0 = memref.load %w[%b] : memref<65536xf32>
  memref.store %0, %w[%e] : memref<65536xf32>
  return
}

// CHECK-LABEL: llvm.func internal @kernel.piece(
// CHECK-SAME:    %[[CAPTURES:[^:]+]]: !llvm.ptr, %[[B:[^:]+]]: i64, %[[E:[^:]+]]: i64)
// CHECK:         %[[P:.+]] = llvm.load
// CHECK:         llvm.call @kernel(%[[P]], %[[B]], %[[E]])
