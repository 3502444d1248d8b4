// What amp-run prints, writes and compares.

// Small results in full, in the shortest decimals that read back; larger ones as a
// range.
// RUN: amp-run %s --function=small --reference | FileCheck %s --check-prefix=SMALL
// SMALL: out0 (third): tensor<2xf16> = [0.3333, inf]
// SMALL-NEXT: out1: tensor<2xf32> = [0.1, -0]
// SMALL-NEXT: out2: tensor<2x1xi64> = {{\[}}[-3], [4]]
// SMALL-NEXT: out3: tensor<i1> = true
func.func @small() -> (tensor<2xf16> {amp.name = "third"}, tensor<2xf32>, tensor<2x1xi64>, tensor<i1>) {
  %0 = nn.constant dense<[0.33333, 0x7C00]> : tensor<2xf16>
  %1 = nn.constant dense<[0.1, -0.0]> : tensor<2xf32>
  %2 = nn.constant dense<[[-3], [4]]> : tensor<2x1xi64>
  %3 = nn.constant dense<true> : tensor<i1>
  return %0, %1, %2, %3 : tensor<2xf16>, tensor<2xf32>, tensor<2x1xi64>, tensor<i1>
}

// RUN: amp-run %s --function=large --reference | FileCheck %s --check-prefix=LARGE
// LARGE: out0: tensor<10x10xf32> = min 0.5, max 0.5, mean 0.5, 0 non-finite
func.func @large() -> tensor<10x10xf32> {
  %0 = nn.constant dense<0.5> : tensor<10x10xf32>
  return %0 : tensor<10x10xf32>
}

// Random arguments are a function of the seed; what one run writes, another reads
// and finds equal, and a run from another seed does not.
// RUN: amp-run %s --function=affine --random-inputs=7 --reference --output=%t.safetensors
// RUN: amp-run %s --function=affine --random-inputs=7 --reference --expect=%t.safetensors | FileCheck %s --check-prefix=SAME
// RUN: not amp-run %s --function=affine --random-inputs=8 --reference --expect=%t.safetensors --rtol=1e-3 2>&1 | FileCheck %s --check-prefix=OTHER
// SAME: largest difference: 0 ulp, 0 relative, 0 absolute
// OTHER: error: 'out0' of 'affine' differs in 8 of 8 elements (rtol=0.001); worst at [{{[0-3]}}, {{[01]}}]: expects {{.*}}, but got {{.*}}
func.func @affine(%x: tensor<?x3xf32>, %w: tensor<2x3xf32>, %b: tensor<2xf32>) -> tensor<?x2xf32> {
  %0 = nn.linear %x, %w, %b : (tensor<?x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// One result also as .npy, and back as the argument of a function that adds one to
// it: an ulp of f32 at 0.5 is 2^-24, so 1 + 1.5 ulp off is told from 1.
// RUN: amp-run %s --function=large --reference --output=%t.npy
// RUN: amp-run %s --function=step --inputs=%t.npy --reference --expect=%t.npy --ulp=1
// RUN: not amp-run %s --function=step --inputs=%t.npy --reference --expect=%t.npy 2>&1 | FileCheck %s --check-prefix=ULP
// ULP: largest difference: 1 ulp, 1.19e-07 relative, 5.96e-08 absolute
// ULP: error: 'out0' of 'step' differs in 100 of 100 elements (exact)
func.func @step(%x: tensor<10x10xf32>) -> tensor<10x10xf32> {
  %0 = nn.constant dense<5.9604644775390625e-08> : tensor<10x10xf32>
  %1 = nn.add %x, %0 : (tensor<10x10xf32>, tensor<10x10xf32>) -> tensor<10x10xf32>
  return %1 : tensor<10x10xf32>
}

// A call runs its callee; NaN equals NaN.
// RUN: amp-run %s --function=caller --reference --output=%t.nan.safetensors | FileCheck %s --check-prefix=CALL
// RUN: amp-run %s --function=caller --reference --expect=%t.nan.safetensors
// CALL: out0: tensor<2xf32> = [nan, 2]
func.func private @root(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = nn.sqrt %x : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @caller() -> tensor<2xf32> {
  %0 = nn.constant dense<[-1.0, 4.0]> : tensor<2xf32>
  %1 = call @root(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
