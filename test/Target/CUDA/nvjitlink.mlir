// REQUIRES: cuda, nvjitlink
// The assembler inside the process: same contents, a cubin of its own (the key of
// the cache tells them apart), and its errors.
// RUN: rm -rf %t && mkdir %t
// RUN: env AMP_CUDA_CACHE_DIR=%t/cache amp-opt %s -amprt-lower-gpu-kernels="arch=sm_80+sm_90" \
// RUN:   -amprt-assemble-kernels="arch=sm_80+sm_90 assembler=nvjitlink dump-dir=%t/dump" | FileCheck %s
// CHECK: properties = {contents = "sm_80 cubin, sm_90 cubin, sm_90 ptx"}
// RUN: llvm-readelf -s %t/dump/kernels.sm_80.cubin | FileCheck %s --check-prefix=SYMBOLS
// RUN: llvm-readelf -s %t/dump/kernels.sm_90.cubin | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS: GLOBAL {{.*}} double_0
// RUN: ls %t/cache | count 2

gpu.module @kernels {
  gpu.func @double_0(%x: memref<256xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<256xf32>
    %d = arith.addf %v, %v : f32
    memref.store %d, %x[%t] : memref<256xf32>
    gpu.return
  }
}
