// REQUIRES: cuda, emulator, emulator-cublaslt
// 8-bit floats on a device, bit for bit, on an architecture with instructions for them and
// on one without. The golden values hold every exponent of f32, all ties of both formats
// and their neighbours, overflow, infinities and NaNs with payloads; widening is tested on
// all encodings. Made by scripts/goldens/make_device_goldens.py.

// DEFINE: %{golden} = %S/goldens/device-float8.safetensors
// DEFINE: %{run} = %emulate amp-run %s --target=cuda --inputs=%{golden} --expect=%{golden} --ulp=0
// RUN: %{run} --arch=sm_80 --function=narrow_e4m3 --input-prefix=e4m3.
// RUN: %{run} --arch=sm_80 --function=widen_e4m3 --input-prefix=e4m3.wide.
// RUN: %{run} --arch=sm_80 --function=narrow_e5m2 --input-prefix=e5m2.
// RUN: %{run} --arch=sm_80 --function=widen_e5m2 --input-prefix=e5m2.wide.
// RUN: %{run} --arch=sm_90 --function=narrow_e4m3 --input-prefix=e4m3.
// RUN: %{run} --arch=sm_90 --function=widen_e4m3 --input-prefix=e4m3.wide.
// RUN: %{run} --arch=sm_90 --function=narrow_e5m2 --input-prefix=e5m2.
// RUN: %{run} --arch=sm_90 --function=widen_e5m2 --input-prefix=e5m2.wide.

func.func @narrow_e4m3(%bits: tensor<10272xi32>) -> tensor<10272xi8> {
  %0 = arith.bitcast %bits : tensor<10272xi32> to tensor<10272xf32>
  %1 = arith.truncf %0 : tensor<10272xf32> to tensor<10272xf8E4M3FN>
  %2 = arith.bitcast %1 : tensor<10272xf8E4M3FN> to tensor<10272xi8>
  return %2 : tensor<10272xi8>
}

func.func @widen_e4m3(%code: tensor<256xi8>) -> tensor<256xi32> {
  %0 = arith.bitcast %code : tensor<256xi8> to tensor<256xf8E4M3FN>
  %1 = arith.extf %0 : tensor<256xf8E4M3FN> to tensor<256xf32>
  %2 = arith.bitcast %1 : tensor<256xf32> to tensor<256xi32>
  return %2 : tensor<256xi32>
}

func.func @narrow_e5m2(%bits: tensor<10272xi32>) -> tensor<10272xi8> {
  %0 = arith.bitcast %bits : tensor<10272xi32> to tensor<10272xf32>
  %1 = arith.truncf %0 : tensor<10272xf32> to tensor<10272xf8E5M2>
  %2 = arith.bitcast %1 : tensor<10272xf8E5M2> to tensor<10272xi8>
  return %2 : tensor<10272xi8>
}

func.func @widen_e5m2(%code: tensor<256xi8>) -> tensor<256xi32> {
  %0 = arith.bitcast %code : tensor<256xi8> to tensor<256xf8E5M2>
  %1 = arith.extf %0 : tensor<256xf8E5M2> to tensor<256xf32>
  %2 = arith.bitcast %1 : tensor<256xf32> to tensor<256xi32>
  return %2 : tensor<256xi32>
}
