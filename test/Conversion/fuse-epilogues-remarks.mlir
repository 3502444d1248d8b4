// RUN: amp-opt %s -amprt-fuse-epilogues="arch=sm_80+sm_90 nan-relu=assume-propagates" -remarks-filter=amprt-fuse-epilogues -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR --input-file=%t
// RUN: amp-opt %s -amprt-fuse-epilogues -remarks-filter=amprt-fuse-epilogues 2>&1 | FileCheck %s --check-prefix=ASSUMED
// RUN: amp-opt %s -amprt-fuse-epilogues="epilogues=bias-grad" -remarks-filter=amprt-fuse-epilogues 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not amp-opt %s -amprt-fuse-epilogues="epilogues=tanh" 2>&1 | FileCheck %s --check-prefix=FAMILY
// RUN: not amp-opt %s -amprt-fuse-epilogues="arch=hopper" 2>&1 | FileCheck %s --check-prefix=ARCH

// Each fusion and each refusal says so once, and a rule of an architecture that
// refuses is quoted with its id.
// FAMILY: error: expects epilogues among relu, drelu, gelu, dgelu, bias-grad and none, but got 'tanh'
// ARCH: error: expects architectures such as sm_90, but got 'hopper'

// CHECK-DAG: [Passed] Fused | Category:amprt-fuse-epilogues | Function=types | epilogue=bias_grad_lhs
// CHECK-DAG: [Missed] NotFused | Category:amprt-fuse-epilogues | Function=types | {{.*}}rule T5 (documented){{.*}}expects a bias gradient of the result's type, but got bf16 instead of f32
// CHECK-DAG: [Passed] Fused | Category:amprt-fuse-epilogues | Function=relu | epilogue=relu
// CHECK-DAG: [Missed] NotFused | Category:amprt-fuse-epilogues | Function=gelu | {{.*}}this is the erf form
// CHECK-DAG: [Missed] NotFused | Category:amprt-fuse-epilogues | Function=gelu_of_7 | {{.*}}rows of a multiple of 8 elements
// ASSUMED: Function=relu | {{.*}}whether the library's relu keeps NaN is assumed
// ONE-NOT: Function=relu
// ONE-NOT: Function=gelu
// ONE:     Function=types | epilogue=bias_grad_lhs

// IR-LABEL: func.func @types(
// IR:         amprt.gemm {{.*}}bias_grad_lhs
// IR:         nn.reduce_sum
func.func @types(%c: tensor<64x16xbf16>, %d: tensor<64x16xbf16>, %x: tensor<64x8xbf16>)
    -> (tensor<16x8xf32>, tensor<16xf32>, tensor<16x8xf32>, tensor<16xbf16>) {
  %e = tensor.empty() : tensor<16x8xf32>
  %0 = amprt.gemm ins(%c, %x : tensor<64x16xbf16>, tensor<64x8xbf16>) outs(%e : tensor<16x8xf32>) {numerics = #amp.numerics<accumulate = f32>, transpose_lhs} -> tensor<16x8xf32>
  %1 = nn.reduce_sum %c {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<64x16xbf16>) -> tensor<16xf32>
  %2 = amprt.gemm ins(%d, %x : tensor<64x16xbf16>, tensor<64x8xbf16>) outs(%e : tensor<16x8xf32>) {numerics = #amp.numerics<accumulate = f32>, transpose_lhs} -> tensor<16x8xf32>
  %3 = nn.reduce_sum %d {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<64x16xbf16>) -> tensor<16xbf16>
  return %0, %1, %2, %3 : tensor<16x8xf32>, tensor<16xf32>, tensor<16x8xf32>, tensor<16xbf16>
}

func.func @relu(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
  %e = tensor.empty() : tensor<8x8xf16>
  %0 = amprt.gemm ins(%x, %x : tensor<8x8xf16>, tensor<8x8xf16>) outs(%e : tensor<8x8xf16>) {numerics = #amp.numerics<accumulate = f32>} -> tensor<8x8xf16>
  %1 = nn.relu %0 : (tensor<8x8xf16>) -> tensor<8x8xf16>
  return %1 : tensor<8x8xf16>
}

func.func @gelu(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = amprt.gemm ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {numerics = #amp.numerics<accumulate = f32>} -> tensor<8x8xf32>
  %1 = nn.gelu %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

func.func @gelu_of_7(%x: tensor<7x7xf32>) -> (tensor<7x7xf32>, tensor<7x7xf32>) {
  %e = tensor.empty() : tensor<7x7xf32>
  %0 = amprt.gemm ins(%x, %x : tensor<7x7xf32>, tensor<7x7xf32>) outs(%e : tensor<7x7xf32>) {numerics = #amp.numerics<accumulate = f32>} -> tensor<7x7xf32>
  %1 = nn.gelu %0 {approximate = #nn.gelu<tanh>} : (tensor<7x7xf32>) -> tensor<7x7xf32>
  return %0, %1 : tensor<7x7xf32>, tensor<7x7xf32>
}
