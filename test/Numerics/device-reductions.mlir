// REQUIRES: cuda, emulator, emulator-cublaslt
// Reductions of every form that the emitter has, executed on the emulated device, which
// also looks for accesses out of bounds and races in shared memory. Tolerance: f32 sums in
// another order than the interpreter's (blocks, warps and lanes: their error is below
// that of the sequential sum of f32, of which there are at most 100,000 terms here).

// DEFINE: %{run} = %emulate amp-run %s --target=cuda --random-inputs=5 --expect=reference --rtol=1e-4 --atol=2e-3
// RUN: %{run} --function=rows_held
// RUN: %{run} --function=rows_looped
// RUN: %{run} --function=rows_narrow
// RUN: %{run} --function=rows_single
// RUN: %{run} --function=columns_sliced
// RUN: %{run} --function=columns_narrow
// RUN: %{run} --function=columns_one
// RUN: %{run} --function=columns_wide
// RUN: %{run} --function=flat_blocks
// RUN: %{run} --function=flat_odd

// Sums whose order is not free: in order, each addition rounded to the accumulator's
// type, bit for bit. Made by scripts/goldens/make_device_goldens.py.
// DEFINE: %{golden} = %S/goldens/device-orders.safetensors
// DEFINE: %{exact} = %emulate amp-run %s --target=cuda --inputs=%{golden} --expect=%{golden} --ulp=0
// RUN: %{exact} --function=rows_ordered --input-prefix=rows.
// RUN: %{exact} --function=columns_ordered --input-prefix=columns.
// RUN: %{exact} --function=flat_ordered --input-prefix=flat.

// Vectors that stay in registers (masked: 1250 vectors of 4 are no multiple of a warp).
func.func @rows_held(%x: tensor<3x5000xf32>) -> (tensor<3x5000xf32>, tensor<3x5000xf32>) {
  %0 = nn.softmax %x {dim = 1 : i64} : (tensor<3x5000xf32>) -> tensor<3x5000xf32>
  %1 = nn.log_softmax %x {dim = 1 : i64} : (tensor<3x5000xf32>) -> tensor<3x5000xf32>
  return %0, %1 : tensor<3x5000xf32>, tensor<3x5000xf32>
}

// Rows that are read again in each pass.
func.func @rows_looped(%x: tensor<2x40000xf32>) -> tensor<2x40000xf32> {
  %0 = nn.log_softmax %x {dim = 1 : i64} : (tensor<2x40000xf32>) -> tensor<2x40000xf32>
  return %0 : tensor<2x40000xf32>
}

// Odd rows: one element a thread.
func.func @rows_narrow(%x: tensor<5x33xf32>) -> (tensor<5x33xf32>, tensor<5xf32>) {
  %0 = nn.softmax %x {dim = 1 : i64} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %1 = nn.reduce_max %x {dims = array<i64: 1>} : (tensor<5x33xf32>) -> tensor<5xf32>
  return %0, %1 : tensor<5x33xf32>, tensor<5xf32>
}

func.func @rows_single(%x: tensor<7x1xf32>) -> (tensor<7x1xf32>, tensor<7xf32>) {
  %0 = nn.softmax %x {dim = 1 : i64} : (tensor<7x1xf32>) -> tensor<7x1xf32>
  %1 = nn.reduce_sum %x {dims = array<i64: 1>} : (tensor<7x1xf32>) -> tensor<7xf32>
  return %0, %1 : tensor<7x1xf32>, tensor<7xf32>
}

// Two stages; the last block of columns is partly empty.
func.func @columns_sliced(%x: tensor<1000x344xf32>) -> tensor<344xf32> {
  %0 = nn.reduce_sum %x {dims = array<i64: 0>} : (tensor<1000x344xf32>) -> tensor<344xf32>
  return %0 : tensor<344xf32>
}

func.func @columns_narrow(%x: tensor<3000x10xf32>) -> (tensor<10xf32>, tensor<10xf32>) {
  %0 = nn.reduce_sum %x {dims = array<i64: 0>} : (tensor<3000x10xf32>) -> tensor<10xf32>
  %1 = nn.reduce_mean %x {dims = array<i64: 0>} : (tensor<3000x10xf32>) -> tensor<10xf32>
  return %0, %1 : tensor<10xf32>, tensor<10xf32>
}

func.func @columns_one(%x: tensor<777x1xf32>) -> tensor<1xf32> {
  %0 = nn.reduce_sum %x {dims = array<i64: 0>} : (tensor<777x1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

func.func @columns_wide(%x: tensor<3x5001xf32>) -> tensor<5001xf32> {
  %0 = nn.reduce_max %x {dims = array<i64: 0>} : (tensor<3x5001xf32>) -> tensor<5001xf32>
  return %0 : tensor<5001xf32>
}

func.func @flat_blocks(%x: tensor<100000xf32>) -> (tensor<f32>, tensor<f32>) {
  %0 = nn.reduce_sum %x {dims = array<i64: 0>} : (tensor<100000xf32>) -> tensor<f32>
  %1 = nn.reduce_max %x {dims = array<i64: 0>} : (tensor<100000xf32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

func.func @flat_odd(%x: tensor<99999xf32>) -> tensor<f32> {
  %0 = nn.reduce_mean %x {dims = array<i64: 0>} : (tensor<99999xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @rows_ordered(%x: tensor<3x1000xf16>) -> tensor<3xf16> {
  %0 = nn.reduce_sum %x {dims = array<i64: 1>, numerics = #amp.numerics<accumulate = f16, order = sequential>} : (tensor<3x1000xf16>) -> tensor<3xf16>
  return %0 : tensor<3xf16>
}

func.func @columns_ordered(%x: tensor<500x8xf16>) -> tensor<8xf16> {
  %0 = nn.reduce_sum %x {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f16, order = sequential>} : (tensor<500x8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

func.func @flat_ordered(%x: tensor<5000xf32>) -> tensor<f32> {
  %0 = nn.reduce_sum %x {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32, order = sequential>} : (tensor<5000xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
