// REQUIRES: cuda
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{lower} = -amprt-lower-gpu-kernels="arch=sm_100+sm_80+sm_89+sm_90"
// DEFINE: %{assemble} = arch=sm_80+sm_89+sm_90+sm_100
// RUN: env AMP_CUDA_CACHE_DIR=%t/cache AMP_CUDA_BITCODE_DIR=%t/bitcode amp-opt %s %{lower} \
// RUN:   -amprt-assemble-kernels="%{assemble} dump-dir=%t/dump report=%t/report.json" -o %t/first.mlir
// RUN: FileCheck %s < %t/first.mlir
// RUN: FileCheck %s --check-prefix=REPORT < %t/report.json

// One binary in place of all modules, described; PTX of the newest only.
// CHECK-NOT: gpu.module
// CHECK:     gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_100", features = "+ptx86">,
// CHECK-SAME:  properties = {contents = "sm_80 cubin, sm_89 cubin, sm_90 cubin, sm_100 cubin, sm_100 ptx"}
// CHECK:     amprt.launch @kernels::@exp_0

// The same bytes from the cache, and without any cache.
// RUN: env AMP_CUDA_CACHE_DIR=%t/cache amp-opt %s %{lower} -amprt-assemble-kernels="%{assemble}" -o %t/cached.mlir
// RUN: cmp %t/first.mlir %t/cached.mlir
// RUN: ls %t/cache | count 4

// Damaged entries are no entries.
// RUN: cp -r %t/cache %t/damaged
// RUN: for f in %t/damaged/*; do head -c 400 $f > %t/short && cp %t/short $f; done
// RUN: env AMP_CUDA_CACHE_DIR=%t/damaged amp-opt %s %{lower} -amprt-assemble-kernels="%{assemble}" -o %t/repaired.mlir
// RUN: cmp %t/first.mlir %t/repaired.mlir
// RUN: diff -r %t/cache %t/damaged

// The bitcode that was published under each PTX's hash gives exactly that PTX.
// RUN: ls %t/bitcode | count 4
// RUN: sed -e 's://.*$::' %t/dump/kernels.sm_90.ptx | tr -d ' \t\n\r' | sha256sum | cut -c 1-32 | tr -d '\n' > %t/key
// RUN: cp %t/bitcode/`cat %t/key`.bc %t/published.bc
// RUN: llc -O3 -mcpu=sm_90 -mattr=+ptx86 %t/published.bc -o %t/llc.ptx
// RUN: cmp %t/llc.ptx %t/dump/kernels.sm_90.ptx

// REPORT:      "accesses": 2,
// REPORT-NEXT: "accesses_16": 2,
// REPORT-NEXT: "arch": "sm_80",
// REPORT:      "cvt.rn.f16x2.f32": 4
// REPORT:      "kernel": "exp_0",
// REPORT-NEXT: "registers": {{[1-9][0-9]*}},
// REPORT-NEXT: "shared_bytes": 0,
// REPORT-NEXT: "spill_load_bytes": 0,
// REPORT-NEXT: "spill_store_bytes": 0,
// REPORT:      "arch": "sm_100",

gpu.module @kernels {
  gpu.func @exp_0(%x: memref<2048xf16> {llvm.noalias}, %y: memref<2048xf16> {llvm.noalias})
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %i = arith.muli %t, %c8 : index
    %v = vector.load %x[%i] {alignment = 16 : i64} : memref<2048xf16>, vector<8xf16>
    %w = arith.extf %v : vector<8xf16> to vector<8xf32>
    %e = math.exp %w : vector<8xf32>
    %n = arith.truncf %e : vector<8xf32> to vector<8xf16>
    vector.store %n, %y[%i] {alignment = 16 : i64} : memref<2048xf16>, vector<8xf16>
    gpu.return
  }
}
func.func @step(%x: memref<2048xf16>, %y: memref<2048xf16>) {
  amprt.launch @kernels::@exp_0 blocks 1 threads 256 (%x, %y) : memref<2048xf16>, memref<2048xf16>
  return
}
