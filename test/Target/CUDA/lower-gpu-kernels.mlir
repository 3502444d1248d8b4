// RUN: amp-opt %s -amprt-lower-gpu-kernels="arch=sm_80+sm_90" | FileCheck %s
// RUN: amp-opt %s -amprt-lower-gpu-kernels | FileCheck %s --check-prefix=DEFAULT

// One module per architecture, oldest first, in place of the source; the launch
// names the source still.
// CHECK-NOT:   gpu.module @kernels {
// CHECK:       gpu.module @kernels.sm_80 [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx86">] {
// Bare pointers, math by libdevice, vector accesses with their alignment.
// CHECK:         llvm.func @__nv_expf(f32) -> f32
// CHECK:         llvm.func @exp_0(%{{.+}}: !llvm.ptr {llvm.noalias}, %{{.+}}: !llvm.ptr {llvm.noalias})
// CHECK-SAME:      nvvm.kernel
// CHECK:           nvvm.read.ptx.sreg.tid.x
// CHECK:           llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:           llvm.call @__nv_expf
// CHECK:           llvm.store %{{.+}}, %{{.+}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
// CHECK:       gpu.module @kernels.sm_90 [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx86">] {
// CHECK:         llvm.func @exp_0
// CHECK:       amprt.launch @kernels::@exp_0

// DEFAULT:     gpu.module @kernels.sm_90
// DEFAULT-NOT: gpu.module

gpu.module @kernels {
  gpu.func @exp_0(%x: memref<1024xf32> {llvm.noalias}, %y: memref<1024xf32> {llvm.noalias})
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %i = arith.muli %t, %c4 : index
    %v = vector.load %x[%i] {alignment = 16 : i64} : memref<1024xf32>, vector<4xf32>
    %e = math.exp %v : vector<4xf32>
    vector.store %e, %y[%i] {alignment = 16 : i64} : memref<1024xf32>, vector<4xf32>
    gpu.return
  }
}
func.func @step(%x: memref<1024xf32>, %y: memref<1024xf32>) {
  amprt.launch @kernels::@exp_0 blocks 1 threads 256 (%x, %y) : memref<1024xf32>, memref<1024xf32>
  return
}
