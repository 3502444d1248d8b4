// REQUIRES: cuda, emulator, emulator-cublaslt
// The emulator's checks find a mistake in kernels as this compiler emits them; without
// one they have nothing to say. A row of 1000 takes several warps: shuffles, shared
// memory and a barrier.

// DEFINE: %{run} = amp-run %s --function=rows --random-inputs=1 --target=cuda
// The tolerance: the sum of 1000 exponentials in another order.
// RUN: %emulate %{run} --expect=reference --rtol=2e-6 > %t 2>&1
// RUN: FileCheck %s --check-prefix=RIGHT < %t
// RIGHT-NOT: AMP emulator
// RIGHT: largest difference

// RUN: env AMP_EMULATOR_PLANT=mask %emulate not %{run} 2>&1 | FileCheck %s --check-prefix=MASK
// MASK: AMP emulator: error: kernel 'rows_row_0', block (0, 0, 0), thread (16, 0, 0): shuffle with mask 0xfffeffff is executed by lane 16, which the mask does not name
// MASK-NEXT: at: {{.*}} @llvm.nvvm.shfl.sync
// MASK: error: cannot run 'rows'

// RUN: env AMP_EMULATOR_PLANT=barrier %emulate not %{run} 2>&1 | FileCheck %s --check-prefix=BARRIER
// BARRIER: AMP emulator: error: kernel 'rows_row_0', block (0, 0, 0), thread ({{[0-9]+}}, 0, 0): load from shared memory of {{[0-9]+}} bytes reads byte {{[0-9]+}} of '{{.*}}', which nothing has written in this block
// BARRIER: error: cannot run 'rows'

// The buffers lie in one arena: the bound is the parameter's.
// RUN: env AMP_EMULATOR_PLANT=offset %emulate not %{run} 2>&1 | FileCheck %s --check-prefix=OFFSET
// OFFSET: AMP emulator: error: kernel 'rows_{{.*}}', block ({{[0-9]+}}, 0, 0), thread ({{[0-9]+}}, 0, 0): load of 32 bytes is out of bounds: offset 11984 of a parameter of 12000 bytes
// OFFSET: error: cannot run 'rows'
func.func @rows(%x: tensor<3x1000xf32>) -> tensor<3x1000xf32> {
  %0 = nn.softmax %x {dim = 1 : i64} : (tensor<3x1000xf32>) -> tensor<3x1000xf32>
  return %0 : tensor<3x1000xf32>
}
