// What only actual shapes and values can show: an error at the op, exit 1.
// RUN: amp-run %s --function=make --reference --output=%t.safetensors

// RUN: not amp-run %s --function=shapes --inputs=%t.safetensors --reference 2>&1 | FileCheck %s --check-prefix=SHAPES
// SHAPES: invalid.mlir:[[#@LINE+7]]:{{.*}}: error: 'nn.add' op expects operands of one shape, but got 'tensor<2xf32>' and 'tensor<3xf32>'
func.func @make() -> (tensor<2xf32>, tensor<3xf32>) {
  %0 = nn.constant dense<1.0e5> : tensor<2xf32>
  %1 = nn.constant dense<1.0> : tensor<3xf32>
  return %0, %1 : tensor<2xf32>, tensor<3xf32>
}
func.func @shapes(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = nn.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// RUN: not amp-run %s --function=reshape --inputs=%t.safetensors --reference 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RESHAPE: error: 'nn.reshape' op cannot reshape 'tensor<3xf32>' to 'tensor<?x2xf32>'
func.func @reshape(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?x2xf32> {
  %0 = nn.reshape %y : (tensor<?xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// RUN: not amp-run %s --function=overflow --inputs=%t.safetensors --reference 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: error: 'amp.cast' op value 1.000000e+05 overflows 'f16'
func.func @overflow(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf16> {
  %0 = amp.cast %x user {overflow = #amp.overflow<error>} : tensor<?xf32> to tensor<?xf16>
  return %0 : tensor<?xf16>
}

// RUN: not amp-run %s --function=caller --inputs=%t.safetensors --reference 2>&1 | FileCheck %s --check-prefix=CALLED
// CALLED: error: 'nn.add' op expects operands of one shape
// CALLED: remark: in this call of 'shapes'
func.func @caller(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @shapes(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
