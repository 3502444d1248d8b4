// Math that needs libdevice is an early error without it, not a call of nothing.

// RUN: not env AMP_CUDA_PATH=none amp-opt %s -split-input-file -amprt-lower-gpu-kernels -amprt-assemble-kernels="assembler=driver" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// NONE: error: cannot assemble the kernels: expects libdevice of a CUDA toolkit to compute '__nv_erff', but AMP_CUDA_PATH=none looks nowhere; './dev setup --cuda' installs it

// RUN: not amp-opt %s -amprt-lower-gpu-kernels 2>&1 -split-input-file -amprt-assemble-kernels="assembler=driver" \
// RUN:   | FileCheck %s --check-prefix=UNDEFINED
// UNDEFINED: error: cannot assemble the kernels: kernels call 'nobody', which neither they nor libdevice define

gpu.module @kernels {
  gpu.func @erf_0(%x: memref<256xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<256xf32>
    %d = math.erf %v : f32
    memref.store %d, %x[%t] : memref<256xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  llvm.func @nobody(f32) -> f32
  gpu.func @call_0(%x: memref<256xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<256xf32>
    %d = llvm.call @nobody(%v) : (f32) -> f32
    memref.store %d, %x[%t] : memref<256xf32>
    gpu.return
  }
}
