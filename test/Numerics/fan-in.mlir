// The gradient of a value that is cast to f16 and used in three branches, executed:
// interpreted and compiled. f16 has no 25000: the cotangent is 24992, and the exact
// sum of the three 74992, beyond f16's largest value 65504.

// RUN: amp-run %s --function=cotangents --reference --output=%t.safetensors
// RUN: amp-run %s --function=matrix_cotangents --reference --output=%t.matrix.safetensors

// One cast per use, as autocast inserts them: each cotangent is cast back by
// itself, and they are summed in f32.
// RUN: amp-run %s --function=cast_per_use --grad --inputs=%t.safetensors --reference | FileCheck %s --check-prefix=PER-USE
// RUN: amp-run %s --function=cast_per_use --grad --inputs=%t.safetensors | FileCheck %s --check-prefix=PER-USE
// PER-USE: grad0 (x): tensor<1xf32> = [74992]
func.func @cast_per_use(%x: tensor<1xf32> {amp.name = "x"}) -> (tensor<1xf16>, tensor<1xf16>, tensor<1xf16>) {
  %0 = amp.cast %x policy : tensor<1xf32> to tensor<1xf16>
  %1 = amp.cast %x policy : tensor<1xf32> to tensor<1xf16>
  %2 = amp.cast %x policy : tensor<1xf32> to tensor<1xf16>
  return %0, %1, %2 : tensor<1xf16>, tensor<1xf16>, tensor<1xf16>
}

// The negative: one shared cast has one f16 cotangent, and their sum is no f16.
// RUN: amp-run %s --function=shared_cast --grad --inputs=%t.safetensors --reference | FileCheck %s --check-prefix=SHARED
// RUN: amp-run %s --function=shared_cast --grad --inputs=%t.safetensors | FileCheck %s --check-prefix=SHARED
// SHARED: grad0 (x): tensor<1xf32> = [inf]
func.func @shared_cast(%x: tensor<1xf32> {amp.name = "x"}) -> (tensor<1xf16>, tensor<1xf16>, tensor<1xf16>) {
  %0 = amp.cast %x policy : tensor<1xf32> to tensor<1xf16>
  return %0, %0, %0 : tensor<1xf16>, tensor<1xf16>, tensor<1xf16>
}

// The same through the policy: x feeds three projections.
// RUN: amp-run %s --function=projections --policy=cpu-f16 --grad --inputs=%t.matrix.safetensors --reference | FileCheck %s --check-prefix=POLICY
// RUN: amp-run %s --function=projections --policy=cpu-f16 --grad --inputs=%t.matrix.safetensors | FileCheck %s --check-prefix=POLICY
// POLICY: grad0 (x): tensor<1x1xf32> = {{\[}}[74992]]
func.func @projections(%x: tensor<1x1xf32> {amp.name = "x"}) -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>) {
  %w = nn.constant dense<1.0> : tensor<1x1xf32>
  %q = nn.linear %x, %w : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %k = nn.linear %x, %w : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %v = nn.linear %x, %w : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  return %q, %k, %v : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>
}

// x and the three cotangents, in the order of the arguments.
func.func @cotangents() -> (tensor<1xf32>, tensor<1xf16>, tensor<1xf16>, tensor<1xf16>) {
  %x = nn.constant dense<1.0> : tensor<1xf32>
  %0 = nn.constant dense<3.0e4> : tensor<1xf16>
  %1 = nn.constant dense<2.5e4> : tensor<1xf16>
  %2 = nn.constant dense<2.0e4> : tensor<1xf16>
  return %x, %0, %1, %2 : tensor<1xf32>, tensor<1xf16>, tensor<1xf16>, tensor<1xf16>
}

func.func @matrix_cotangents() -> (tensor<1x1xf32>, tensor<1x1xf16>, tensor<1x1xf16>, tensor<1x1xf16>) {
  %x = nn.constant dense<1.0> : tensor<1x1xf32>
  %0 = nn.constant dense<3.0e4> : tensor<1x1xf16>
  %1 = nn.constant dense<2.5e4> : tensor<1x1xf16>
  %2 = nn.constant dense<2.0e4> : tensor<1x1xf16>
  return %x, %0, %1, %2 : tensor<1x1xf32>, tensor<1x1xf16>, tensor<1x1xf16>, tensor<1x1xf16>
}
