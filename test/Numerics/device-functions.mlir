// REQUIRES: cuda, emulator, emulator-cublaslt
// Functions on a device against f64 values rounded once, on inputs of every exponent that
// matters and at the edges. Tolerances, the bounds of CUDA's documentation: expf and
// tanhf 2 ulp, logf 1, erfcf 4 (of a correctly rounded result; the emulator's stand-ins
// for the approximate instructions are more exact than a device's). Made by
// scripts/goldens/make_device_goldens.py.

// DEFINE: %{golden} = %S/goldens/device-functions.safetensors
// DEFINE: %{run} = %emulate amp-run %s --target=cuda --inputs=%{golden} --expect=%{golden}
// RUN: %{run} --function=exp --input-prefix=exp. --ulp=2
// RUN: %{run} --function=log --input-prefix=log. --ulp=1
// RUN: %{run} --function=tanh --input-prefix=tanh. --ulp=2
// RUN: %{run} --function=erfc --input-prefix=erfc. --ulp=4

func.func @exp(%x: tensor<976xf32>) -> tensor<976xf32> {
  %0 = nn.exp %x : (tensor<976xf32>) -> tensor<976xf32>
  return %0 : tensor<976xf32>
}

func.func @log(%x: tensor<845xf32>) -> tensor<845xf32> {
  %0 = nn.log %x : (tensor<845xf32>) -> tensor<845xf32>
  return %0 : tensor<845xf32>
}

func.func @tanh(%x: tensor<938xf32>) -> tensor<938xf32> {
  %0 = nn.tanh %x : (tensor<938xf32>) -> tensor<938xf32>
  return %0 : tensor<938xf32>
}

func.func @erfc(%x: tensor<994xf32>) -> tensor<994xf32> {
  %0 = math.erfc %x : tensor<994xf32>
  return %0 : tensor<994xf32>
}
