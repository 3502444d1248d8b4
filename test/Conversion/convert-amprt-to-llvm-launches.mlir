// RUN: amp-opt %s -split-input-file -verify-diagnostics -convert-amprt-to-llvm | FileCheck %s

// A step that launches kernels: one call that has the record function recorded.
// One descriptor per distinct launch: image, kernel, blocks, threads, pointers.
// CHECK:       llvm.mlir.global internal constant @main.train.step() {{.*}} !llvm.struct<(i64, ptr, ptr, i64)> {
// CHECK-NEXT:    llvm.mlir.constant(32 : i64)
// CHECK-NEXT:    llvm.mlir.addressof @main.train.name
// CHECK-NEXT:    llvm.mlir.addressof @main.train.record
// CHECK-NEXT:    llvm.mlir.constant(4 : i64)
// CHECK:       llvm.mlir.global internal constant @launch_1()
// CHECK:       llvm.mlir.global internal constant @launch_0() {{.*}} !llvm.struct<(i64, ptr, ptr, i32, i32, i32, i32)> {
// CHECK-NEXT:    llvm.mlir.constant(40 : i64)
// CHECK-NEXT:    llvm.mlir.addressof @kernels.image.desc
// CHECK-NEXT:    llvm.mlir.addressof @relu.name
// CHECK-NEXT:    llvm.mlir.constant(2 : i32)
// CHECK-NEXT:    llvm.mlir.constant(128 : i32)
// CHECK-NEXT:    llvm.mlir.constant(1 : i32)
// CHECK-NEXT:    llvm.mlir.constant(0 : i32)
// CHECK:       llvm.mlir.global external constant @kernels.image.desc()
// CHECK-NOT:   @launch_2

// CHECK-LABEL: llvm.func @main.train(
// CHECK-SAME:    %[[CTX:[^:]+]]: !llvm.ptr, %[[ARGS:[^:]+]]: !llvm.ptr) -> i32
// CHECK-SAME:    amprt.arguments = [{kind = "state", name = "w"
// CHECK-NEXT:    %[[STEP:.+]] = llvm.mlir.addressof @main.train.step
// CHECK-NEXT:    %[[STATUS:.+]] = llvm.call @amp_rt_step(%[[CTX]], %[[STEP]], %[[ARGS]])
// CHECK-NEXT:    llvm.return %[[STATUS]]

// CHECK-LABEL: llvm.func @main.train.prepare(
// CHECK:         %[[IMAGE:.+]] = llvm.mlir.addressof @kernels.image.desc
// CHECK-NEXT:    llvm.call @amp_rt_image_load(%{{.+}}, %[[IMAGE]])
// CHECK-NOT:     amp_rt_image_load
// CHECK:         llvm.call @amp_rt_gemm_prepare(

// CHECK-LABEL: llvm.func internal @main.train.record(
// CHECK-SAME:    %[[CTX:[^:]+]]: !llvm.ptr, %[[ARGS:[^:]+]]: !llvm.ptr) -> i32
// CHECK-NOT:     amp_rt_step
// CHECK:         llvm.call @amp_rt_gemm(%[[CTX]]
// CHECK:         llvm.store %[[PLACE:.+]], %{{.+}} : !llvm.ptr, !llvm.ptr
// CHECK-NEXT:    %[[DESC:.+]] = llvm.mlir.addressof @launch_0
// CHECK-NEXT:    llvm.call @amp_rt_launch(%[[CTX]], %[[DESC]], %[[POINTERS:.+]]) :
// CHECK:         llvm.call @amp_rt_commit(%[[CTX]])
// CHECK:         llvm.mlir.addressof @launch_1
// CHECK-NEXT:    llvm.call @amp_rt_launch(%[[CTX]], %{{.+}}, %[[POINTERS]]) :
// CHECK:         llvm.mlir.addressof @launch_0
// CHECK:         llvm.call @amp_rt_last_status(%[[CTX]])
// CHECK:       gpu.binary @kernels
func.func @main.train(%w: memref<64xf32> {amprt.state = 0 : i64, amp.name = "w"},
                %x: memref<4x16xf16>, %y: memref<8x16xf16>,
                %arena: memref<256xi8> {amprt.arena}) {
  %0 = amprt.view %arena at 128 : memref<256xi8> to memref<4x8xf32>
  amprt.gemm ins(%x, %y : memref<4x16xf16>, memref<8x16xf16>) outs(%0 : memref<4x8xf32>)
      {transpose_rhs, numerics = #amp.numerics<accumulate = f32>}
  amprt.launch @kernels::@relu blocks 2 threads 128 (%0) : memref<4x8xf32>
  amprt.commit
  amprt.launch @kernels::@update blocks 1 threads 64 (%w, %0) : memref<64xf32>, memref<4x8xf32>
  amprt.launch @kernels::@relu blocks 2 threads 128 (%0) : memref<4x8xf32>
  return
}
gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_90", features = "+ptx86">, properties = {contents = "sm_90 ptx"}, assembly = ".version">]

// -----

// expected-error @below {{expects kernels as a gpu.binary, but got the gpu.module '@kernels.sm_90'; -amprt-assemble-kernels makes it}}
gpu.module @kernels.sm_90 {
  llvm.func @relu(%p: !llvm.ptr) attributes {nvvm.kernel} {
    llvm.return
  }
}
