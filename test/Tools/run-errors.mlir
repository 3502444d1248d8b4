// Each mistake is one error, and exit 1.
// RUN: amp-run %s --function=pair --random-inputs=1 --reference --output=%t.safetensors

// RUN: not amp-run %s.missing --reference 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot open input file '{{.*}}run-errors.mlir.missing': No such file or directory

// RUN: not amp-run %s --function=nothing --reference 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: '{{.*}}run-errors.mlir' has no function 'nothing', but 'pair', 'unknown', 'recursive'

// RUN: not amp-run %s --function=pair --reference 2>&1 | FileCheck %s --check-prefix=INPUTS
// INPUTS: error: 'pair' takes 2 arguments: give '--inputs=FILE' or '--random-inputs=SEED'

// RUN: not amp-run %s --function=pair --reference --inputs=%t.none.safetensors 2>&1 | FileCheck %s --check-prefix=UNREADABLE
// UNREADABLE: error: {{.*}}none.safetensors

// RUN: not amp-run %s --function=pair --reference --inputs=%s 2>&1 | FileCheck %s --check-prefix=SUFFIX
// SUFFIX: error: expects .safetensors or .npy files, but got '{{.*}}run-errors.mlir'

// RUN: not amp-run %s --function=pair --reference --inputs=%t.safetensors --input-prefix=p. 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: '{{.*}}.safetensors' has no tensor 'p.in0' or 'p.x'

// The two results by order as arguments: the second does not fit.
// RUN: not amp-run %s --function=pair --reference --inputs=%t.safetensors 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: 'in1' of '{{.*}}.safetensors' expects 'tensor<3xf16>', but got 'tensor<3xf32>'

// RUN: not amp-run %s --function=pair --reference --random-inputs=1 --expect=%t.safetensors --ulp=x 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: expects a number of at least 0 as '--ulp', but got 'x'

// RUN: not amp-run %s --function=pair --reference --random-inputs=1 --expect=reference 2>&1 | FileCheck %s --check-prefix=SELF
// SELF: error: '--reference --expect=reference' would compare the interpreter with itself: leave one out

// RUN: not amp-run %s --function=pair --reference --random-inputs=1 --output=%t.npy 2>&1 | FileCheck %s --check-prefix=NPY
// NPY: error: '{{.*}}.npy' holds one tensor, but there are 2 results: write a .safetensors file
func.func @pair(%x: tensor<3xf32> {amp.name = "x"}, %y: tensor<3xf16>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = nn.neg %x : (tensor<3xf32>) -> tensor<3xf32>
  return %x, %0 : tensor<3xf32>, tensor<3xf32>
}

// RUN: not amp-run %s --function=unknown --reference --random-inputs=1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: run-errors.mlir:[[#@LINE+2]]:{{.*}}: error: 'foreign.op' op has no reference semantics
func.func @unknown(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "foreign.op"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// RUN: not amp-run %s --function=recursive --reference --random-inputs=1 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: error: calls of 'recursive' nest deeper than 256
func.func @recursive(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = call @recursive(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// RUN: not amp-run %s --function=dynamic --random-inputs=1 --dynamic-size=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: expects '--dynamic-size' of at least 0, but got -1
// RUN: not amp-run %s --function=dynamic --random-inputs=1 --dynamic-size=9223372036854775807 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: error: cannot make random values for 'in0' of 'dynamic'
func.func @dynamic(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  return %x : tensor<?x3xf32>
}

// RUN: not amp-run %s --function=dynamic --random-inputs=1 --target=rocm 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: unknown target 'rocm'; expects 'cpu' or 'cuda'
// RUN: not amp-run %s --function=dynamic --random-inputs=1 --arch=sm_90 2>&1 | FileCheck %s --check-prefix=NOARCH
// NOARCH: error: '--arch' expects '--target=cuda'
// RUN: not amp-run %s --function=dynamic --random-inputs=1 --target=cuda --arch=sm_75 2>&1 | FileCheck %s --check-prefix=ARCH
// ARCH: error: unknown architecture 'sm_75'; expects sm_80, sm_89, sm_90, sm_100, several joined by '+'
