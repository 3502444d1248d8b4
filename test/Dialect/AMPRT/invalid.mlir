// RUN: amp-opt %s -split-input-file -verify-diagnostics

func.func @rank(%a: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects 'outs' of rank 2 or 3, but got 'tensor<4xf32>'}}
  %0 = amprt.gemm ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%o : tensor<4xf32>) {numerics = #amp.numerics<accumulate = f32>} -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @ranks(%a: tensor<4x4xf32>, %b: tensor<1x4x4xf32>, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{expects operands of rank 2, but got 'tensor<4x4xf32>' and 'tensor<1x4x4xf32>'}}
  %0 = amprt.gemm ins(%a, %b : tensor<4x4xf32>, tensor<1x4x4xf32>) outs(%o : tensor<4x4xf32>) {numerics = #amp.numerics<accumulate = f32>} -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @contracted(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>, %o: tensor<2x5xf32>) -> tensor<2x5xf32> {
  // expected-error @below {{expects equal contracted dimensions, but got 3 in 'tensor<2x3xf32>' and 4 in 'tensor<4x5xf32>'}}
  %0 = amprt.gemm ins(%a, %b : tensor<2x3xf32>, tensor<4x5xf32>) outs(%o : tensor<2x5xf32>) {numerics = #amp.numerics<accumulate = f32>} -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// -----

func.func @result(%a: tensor<2x3xf32>, %b: tensor<5x3xf32>, %o: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{expects 'outs' of 2x5, but got 'tensor<2x3xf32>'}}
  %0 = amprt.gemm ins(%a, %b : tensor<2x3xf32>, tensor<5x3xf32>) outs(%o : tensor<2x3xf32>) {transpose_rhs, numerics = #amp.numerics<accumulate = f32>} -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @batch(%a: tensor<3x2x2xf32>, %b: tensor<2x2x2xf32>, %o: tensor<3x2x2xf32>) -> tensor<3x2x2xf32> {
  // expected-error @below {{expects a batch of 1 or 3, but got 'tensor<2x2x2xf32>'}}
  %0 = amprt.gemm ins(%a, %b : tensor<3x2x2xf32>, tensor<2x2x2xf32>) outs(%o : tensor<3x2x2xf32>) {numerics = #amp.numerics<accumulate = f32>} -> tensor<3x2x2xf32>
  return %0 : tensor<3x2x2xf32>
}

// -----

func.func @epilogue(%a: tensor<2x2xf32>, %o: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{expects 'bias' exactly with an epilogue that adds it, but got epilogue 'bias_relu'}}
  %0 = amprt.gemm ins(%a, %a : tensor<2x2xf32>, tensor<2x2xf32>) outs(%o : tensor<2x2xf32>) {epilogue = #amprt.epilogue<bias_relu>, numerics = #amp.numerics<accumulate = f32>} -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

func.func @bias(%a: tensor<2x2xf32>, %b: tensor<3xf32>, %o: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{expects a bias of 2 elements, but got 'tensor<3xf32>'}}
  %0 = amprt.gemm ins(%a, %a : tensor<2x2xf32>, tensor<2x2xf32>) bias(%b : tensor<3xf32>) outs(%o : tensor<2x2xf32>) {epilogue = #amprt.epilogue<bias>, numerics = #amp.numerics<accumulate = f32>} -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

func.func @unwanted_bias(%a: memref<2x2xf32>, %b: memref<2xf32>) {
  // expected-error @below {{expects 'bias' exactly with an epilogue that adds it, but got epilogue 'relu'}}
  amprt.gemm ins(%a, %a : memref<2x2xf32>, memref<2x2xf32>) bias(%b : memref<2xf32>) outs(%a : memref<2x2xf32>) {epilogue = #amprt.epilogue<relu>, numerics = #amp.numerics<accumulate = f32>}
  return
}

// -----

func.func @no_aux(%a: memref<2x2xf32>) {
  // expected-error @below {{expects 'aux' exactly with an epilogue that reads it, but got epilogue 'drelu'}}
  amprt.gemm ins(%a, %a : memref<2x2xf32>, memref<2x2xf32>) outs(%a : memref<2x2xf32>) {epilogue = #amprt.epilogue<drelu>, numerics = #amp.numerics<accumulate = f32>}
  return
}

// -----

func.func @unwanted_aux(%a: memref<2x2xf32>, %k: memref<2x16xi8>) {
  // expected-error @below {{expects 'aux' exactly with an epilogue that reads it, but got epilogue 'relu_aux'}}
  amprt.gemm ins(%a, %a : memref<2x2xf32>, memref<2x2xf32>) aux(%k : memref<2x16xi8>) outs(%a, %k : memref<2x2xf32>, memref<2x16xi8>) {epilogue = #amprt.epilogue<relu_aux>, numerics = #amp.numerics<accumulate = f32>}
  return
}

// -----

func.func @no_mask(%a: memref<2x2xf32>) {
  // expected-error @below {{expects 2 'outs' with epilogue 'relu_aux', but got 1}}
  amprt.gemm ins(%a, %a : memref<2x2xf32>, memref<2x2xf32>) outs(%a : memref<2x2xf32>) {epilogue = #amprt.epilogue<relu_aux>, numerics = #amp.numerics<accumulate = f32>}
  return
}

// -----

func.func @unwanted_out(%a: memref<2x2xf32>) {
  // expected-error @below {{expects 1 'outs' with epilogue 'relu', but got 2}}
  amprt.gemm ins(%a, %a : memref<2x2xf32>, memref<2x2xf32>) outs(%a, %a : memref<2x2xf32>, memref<2x2xf32>) {epilogue = #amprt.epilogue<relu>, numerics = #amp.numerics<accumulate = f32>}
  return
}

// -----

func.func @mask(%a: memref<2x2xf32>, %k: memref<2x1xi8>) {
  // expected-error @below {{expects a bit mask of ceil(n / 128) * 16 bytes (i8) per row, but got 'memref<2x1xi8>'}}
  amprt.gemm ins(%a, %a : memref<2x2xf32>, memref<2x2xf32>) outs(%a, %k : memref<2x2xf32>, memref<2x1xi8>) {epilogue = #amprt.epilogue<relu_aux>, numerics = #amp.numerics<accumulate = f32>}
  return
}

// -----

func.func @gelu_input(%a: memref<2x2xf32>, %k: memref<2xf32>) {
  // expected-error @below {{expects the input of gelu to have the shape of 'outs' and float elements, but got 'memref<2xf32>'}}
  amprt.gemm ins(%a, %a : memref<2x2xf32>, memref<2x2xf32>) aux(%k : memref<2xf32>) outs(%a : memref<2x2xf32>) {epilogue = #amprt.epilogue<dgelu>, numerics = #amp.numerics<accumulate = f32>}
  return
}

// -----

func.func @row_sums(%a: memref<2x2xf32>, %b: memref<2x3xf32>, %k: memref<3xf32>) {
  // expected-error @below {{expects a sum of float elements, one per row of 'outs', but got 'memref<3xf32>'}}
  amprt.gemm ins(%a, %b : memref<2x2xf32>, memref<2x3xf32>) outs(%b, %k : memref<2x3xf32>, memref<3xf32>) {epilogue = #amprt.epilogue<bias_grad_lhs>, numerics = #amp.numerics<accumulate = f32>}
  return
}

// -----

func.func @column_sums(%a: memref<2x2xf32>, %b: memref<2x3xf32>, %k: memref<3xi32>) {
  // expected-error @below {{expects a sum of float elements, one per column of 'outs', but got 'memref<3xi32>'}}
  amprt.gemm ins(%a, %b : memref<2x2xf32>, memref<2x3xf32>) outs(%b, %k : memref<2x3xf32>, memref<3xi32>) {epilogue = #amprt.epilogue<bias_grad_rhs>, numerics = #amp.numerics<accumulate = f32>}
  return
}

// -----

func.func @sums_of_batch(%a: memref<2x2x2xf32>, %k: memref<2xf32>) {
  // expected-error @below {{expects rank 2 with epilogue 'bias_grad_lhs', but got 'memref<2x2x2xf32>'}}
  amprt.gemm ins(%a, %a : memref<2x2x2xf32>, memref<2x2x2xf32>) outs(%a, %k : memref<2x2x2xf32>, memref<2xf32>) {epilogue = #amprt.epilogue<bias_grad_lhs>, numerics = #amp.numerics<accumulate = f32>}
  return
}

// -----

func.func @results(%a: memref<2x2xf32>, %o: tensor<2x2xf32>) {
  // expected-error @below {{expects results ('tensor<2x2xf32>'), one per tensor in 'outs', but got ()}}
  amprt.gemm ins(%a, %a : memref<2x2xf32>, memref<2x2xf32>) outs(%o : tensor<2x2xf32>) {numerics = #amp.numerics<accumulate = f32>}
  return
}

// -----

func.func @arguments(%a: tensor<2xf32>, %o: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{expects one block argument per operand (2), but got 1}}
  %0 = amprt.kernel <flat> ins(%a : tensor<2xf32>) outs(%o : tensor<2xf32>) {
  ^bb0(%in: tensor<2xf32>):
    amprt.yield %in : tensor<2xf32>
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @types(%a: tensor<2xf32>, %o: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{expects block argument #0 to be the tensor of operand type 'tensor<2xf32>', but got 'tensor<2xf16>'}}
  %0 = amprt.kernel <flat> ins(%a : tensor<2xf32>) outs(%o : tensor<2xf32>) {
  ^bb0(%in: tensor<2xf16>, %out: tensor<2xf32>):
    amprt.yield %out : tensor<2xf32>
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @yields(%a: tensor<2xf16>, %o: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{expects its body to yield the types of 'outs' ('tensor<2xf32>'), but got ('tensor<2xf16>')}}
  %0 = amprt.kernel <flat> ins(%a : tensor<2xf16>) outs(%o : tensor<2xf32>) {
  ^bb0(%in: tensor<2xf16>, %out: tensor<2xf32>):
    amprt.yield %in : tensor<2xf16>
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @offsets(%a: tensor<2xf32>) -> tensor<8xf32> {
  // expected-error @below {{expects one offset per piece (1), but got 2}}
  %0 = amprt.concat %a at [0, 2] : (tensor<2xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @overlap(%a: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @below {{expects piece #1 at 4 or later, but got offset 2}}
  %0 = amprt.concat %a, %a at [0, 2] : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @end(%a: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @below {{expects pieces to end within 8 elements, but the last ends at 10}}
  %0 = amprt.concat %a at [6] : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @element(%a: tensor<4xf16>) -> tensor<8xf32> {
  // expected-error @below {{expects piece #0 of element type 'f32', but got 'tensor<4xf16>'}}
  %0 = amprt.concat %a at [0] : (tensor<4xf16>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @callee(%m: memref<4xf32>) {
  // expected-error @below {{expects @nobody to be a function}}
  amprt.parallel_call @nobody(%m) range 4 grain 1 : (memref<4xf32>) -> ()
  return
}

// -----

// expected-note @below {{see callee defined here}}
func.func private @body(memref<4xf32>)
func.func @bounds(%m: memref<4xf32>) {
  // expected-error @below {{expects @body to take ('memref<4xf32>') and two bounds of type index, but got ('memref<4xf32>')}}
  amprt.parallel_call @body(%m) range 4 grain 1 : (memref<4xf32>) -> ()
  return
}

// -----

gpu.module @kernels {
  // expected-note @below {{see the kernel defined here}}
  gpu.func @fill(%m: memref<64xf32>) kernel {
    gpu.return
  }
}
func.func @operands(%m: memref<32xf32>) {
  // expected-error @below {{expects @kernels::@fill to take ('memref<32xf32>'), but got ('memref<64xf32>')}}
  amprt.launch @kernels::@fill blocks 1 threads 32 (%m) : memref<32xf32>
  return
}

// -----

func.func @no_module(%m: memref<32xf32>) {
  // expected-error @below {{expects @kernels to be a module of kernels, but there is no such symbol}}
  amprt.launch @kernels::@fill blocks 1 threads 32 (%m) : memref<32xf32>
  return
}

// -----

gpu.module @kernels {}
func.func @no_kernel(%m: memref<32xf32>) {
  // expected-error @below {{expects @kernels::@fill to be a function}}
  amprt.launch @kernels::@fill blocks 1 threads 32 (%m) : memref<32xf32>
  return
}

// -----

gpu.module @kernels {}
func.func @threads(%m: memref<32xf32>) {
  // expected-error @below {{expects 1 to 1024 threads, but got 2048}}
  amprt.launch @kernels::@fill blocks 1 threads 2048 (%m) : memref<32xf32>
  return
}

// -----

gpu.module @kernels {}
func.func @blocks(%m: memref<32xf32>) {
  // expected-error @below {{expects 1 to 2147483647 blocks, but got 0}}
  amprt.launch @kernels::@fill blocks 0 threads 32 (%m) : memref<32xf32>
  return
}

// -----

func.func @callee(%m: memref<32xf32>) {
  // expected-error @below {{expects the callee to be a kernel inside a module, '@module::@kernel', but got @fill}}
  amprt.launch @fill blocks 1 threads 32 (%m) : memref<32xf32>
  return
}

// -----

gpu.module @kernels {}
func.func @layout(%m: memref<8xf32, strided<[2]>>) {
  // expected-error @below {{expects operands of static shape with the identity layout, but got 'memref<8xf32, strided<[2]>>'}}
  amprt.launch @kernels::@fill blocks 1 threads 32 (%m) : memref<8xf32, strided<[2]>>
  return
}
