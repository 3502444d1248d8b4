// REQUIRES: emulator
// UNSUPPORTED: cuda-driver
// Without a driver: what is missing, where it was looked for, what to do.
// RUN: not amp-run %s --random-inputs=1 --target=cuda 2>&1 | FileCheck %s
// CHECK: error: cannot run 'main': cannot run on target 'cuda': the CUDA driver is not found: {{.*}}libcuda.so.1{{.*}}; install the NVIDIA driver, use AMP_RT_BACKEND_CPU, or run under ./dev emulate
// CHECK-NOT: error
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = nn.neg %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
