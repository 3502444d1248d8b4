// A name that PTX does not take is said before LLVM's printer ends the process at it;
// functions of any name and kernels of theirs have such names of their own.
// REQUIRES: cuda
// RUN: not amp-opt %s -amprt-lower-gpu-kernels="arch=sm_90" -amprt-assemble-kernels="arch=sm_90" 2>&1 | FileCheck %s
// CHECK: error: cannot assemble the kernels: expects names of letters, digits, '_' and '$' that begin with no digit, as PTX does, but got 'a-b'; rename it
gpu.module @kernels {
  gpu.func @"a-b"(%x: memref<256xf32> {llvm.noalias}) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<256xf32>
    %n = arith.negf %v : f32
    memref.store %n, %x[%t] : memref<256xf32>
    gpu.return
  }
}
