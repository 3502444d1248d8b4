// Every forward op parses, prints and parses again, in text and in generic form;
// leading dimensions may be dynamic.
// RUN: amp-opt %s | amp-opt | FileCheck %s
// RUN: amp-opt --mlir-print-op-generic %s | amp-opt | FileCheck %s
// RUN: amp-opt --emit-bytecode %s | amp-opt | FileCheck %s

// CHECK-LABEL: func.func @linear
func.func @linear(%x: tensor<?x4xf32>, %w: tensor<2x4xf32>, %b: tensor<2xf32>,
                  %h: tensor<3x5x4xf16>, %v: tensor<2x4xf16>) -> tensor<3x5x2xf16> {
  // CHECK: nn.linear %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  %0 = nn.linear %x, %w : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  // CHECK: nn.linear %{{.+}}, %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %1 = nn.linear %x, %w, %b : (tensor<?x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  // CHECK: nn.linear %{{.+}}, %{{.+}} {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<fprop>}
  %2 = nn.linear %h, %v {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<fprop>} : (tensor<3x5x4xf16>, tensor<2x4xf16>) -> tensor<3x5x2xf16>
  return %2 : tensor<3x5x2xf16>
}

// CHECK-LABEL: func.func @matmul
func.func @matmul(%a: tensor<?x3x4xf32>, %b: tensor<?x4x5xf32>, %c: tensor<4x3xbf16>,
                  %d: tensor<5x4xbf16>) -> tensor<3x5xf32> {
  // CHECK: nn.matmul %{{.+}}, %{{.+}} : (tensor<?x3x4xf32>, tensor<?x4x5xf32>) -> tensor<?x3x5xf32>
  %0 = nn.matmul %a, %b : (tensor<?x3x4xf32>, tensor<?x4x5xf32>) -> tensor<?x3x5xf32>
  // CHECK: nn.matmul %{{.+}}, %{{.+}} {numerics = #amp.numerics<accumulate = f32>, transpose_lhs, transpose_rhs}
  %1 = nn.matmul %c, %d {numerics = #amp.numerics<accumulate = f32>, transpose_lhs, transpose_rhs} : (tensor<4x3xbf16>, tensor<5x4xbf16>) -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK: nn.add %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = nn.add %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.sub
  %1 = nn.sub %0, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.mul
  %2 = nn.mul %1, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.div
  %3 = nn.div %2, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.maximum
  %4 = nn.maximum %3, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.neg %{{.+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %5 = nn.neg %4 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.abs
  %6 = nn.abs %5 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.exp
  %7 = nn.exp %6 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.log
  %8 = nn.log %7 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.sqrt
  %9 = nn.sqrt %8 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.rsqrt
  %10 = nn.rsqrt %9 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.tanh
  %11 = nn.tanh %10 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.sigmoid
  %12 = nn.sigmoid %11 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.relu
  %13 = nn.relu %12 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.silu
  %14 = nn.silu %13 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.gelu %{{[^{]+}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %15 = nn.gelu %14 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.gelu %{{.+}} {approximate = #nn.gelu<tanh>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %16 = nn.gelu %15 {approximate = #nn.gelu<tanh>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.compare %{{.+}}, %{{.+}} {predicate = #nn.predicate<lt>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xi1>
  %17 = nn.compare %a, %16 {predicate = #nn.predicate<lt>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xi1>
  // CHECK: nn.select %{{.+}}, %{{.+}}, %{{.+}} : (tensor<?x4xi1>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %18 = nn.select %17, %a, %16 : (tensor<?x4xi1>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %18 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<?x3x4xf32>, %h: tensor<?x4xf16>) -> tensor<4xf32> {
  // CHECK: nn.reduce_sum %{{.+}} {dims = array<i64: 0>} : (tensor<?x3x4xf32>) -> tensor<3x4xf32>
  %0 = nn.reduce_sum %x {dims = array<i64: 0>} : (tensor<?x3x4xf32>) -> tensor<3x4xf32>
  // CHECK: nn.reduce_mean %{{.+}} {dims = array<i64: 1, 2>, keepdims} : (tensor<?x3x4xf32>) -> tensor<?x1x1xf32>
  %1 = nn.reduce_mean %x {dims = array<i64: 1, 2>, keepdims} : (tensor<?x3x4xf32>) -> tensor<?x1x1xf32>
  // CHECK: nn.reduce_max %{{.+}} {dims = array<i64: 0, 1, 2>} : (tensor<?x3x4xf32>) -> tensor<f32>
  %2 = nn.reduce_max %x {dims = array<i64: 0, 1, 2>} : (tensor<?x3x4xf32>) -> tensor<f32>
  // A sum of f16 may be f32: the accumulator is f32 either way.
  // CHECK: nn.reduce_sum %{{.+}} {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<?x4xf16>) -> tensor<4xf32>
  %3 = nn.reduce_sum %h {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<?x4xf16>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: func.func @normalizations
func.func @normalizations(%x: tensor<?x10xf32>, %h: tensor<?x10xf16>) -> tensor<?x10xf16> {
  // CHECK: nn.softmax %{{.+}} {dim = 1 : i64} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %0 = nn.softmax %x {dim = 1 : i64} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: nn.log_softmax %{{.+}} {dim = 0 : i64, numerics = #amp.numerics<accumulate = f32>}
  %1 = nn.log_softmax %h {dim = 0 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<?x10xf16>) -> tensor<?x10xf16>
  return %1 : tensor<?x10xf16>
}

// CHECK-LABEL: func.func @losses
func.func @losses(%x: tensor<?x10xf32>, %y: tensor<?x10xf32>, %t: tensor<?xi64>, %d: tensor<f32>) -> tensor<f32> {
  // CHECK: nn.cross_entropy %{{.+}}, %{{[^{]+}} : (tensor<?x10xf32>, tensor<?xi64>) -> tensor<f32>
  %0 = nn.cross_entropy %x, %t : (tensor<?x10xf32>, tensor<?xi64>) -> tensor<f32>
  // CHECK: nn.cross_entropy %{{.+}}, %{{.+}}, %{{.+}} {ignore_index = -1 : i64, label_smoothing = 1.000000e-01 : f64}
  %1 = nn.cross_entropy %x, %t, %d {ignore_index = -1 : i64, label_smoothing = 0.1 : f64} : (tensor<?x10xf32>, tensor<?xi64>, tensor<f32>) -> tensor<f32>
  // CHECK: nn.mse_loss %{{.+}}, %{{.+}} {reduction = #nn.reduction<sum>} : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<f32>
  %2 = nn.mse_loss %x, %y {reduction = #nn.reduction<sum>} : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%x: tensor<?x6xf32>, %b: tensor<4xf32>, %like: tensor<?x4xi1>, %t: tensor<?xi64>) -> tensor<i64> {
  // CHECK: nn.reshape %{{.+}} : (tensor<?x6xf32>) -> tensor<?x2x3xf32>
  %0 = nn.reshape %x : (tensor<?x6xf32>) -> tensor<?x2x3xf32>
  // CHECK: nn.transpose %{{.+}} {permutation = array<i64: 2, 0, 1>} : (tensor<?x2x3xf32>) -> tensor<3x?x2xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 2, 0, 1>} : (tensor<?x2x3xf32>) -> tensor<3x?x2xf32>
  // CHECK: nn.broadcast %{{.+}} {dims = array<i64: 1>} : (tensor<4xf32>) -> tensor<3x4xf32>
  %2 = nn.broadcast %b {dims = array<i64: 1>} : (tensor<4xf32>) -> tensor<3x4xf32>
  // CHECK: nn.broadcast %{{.+}}, %{{.+}} {dims = array<i64: 1>} : (tensor<4xf32>, tensor<?x4xi1>) -> tensor<?x4xf32>
  %3 = nn.broadcast %b, %like {dims = array<i64: 1>} : (tensor<4xf32>, tensor<?x4xi1>) -> tensor<?x4xf32>
  // CHECK: nn.convert %{{.+}} : (tensor<?x4xi1>) -> tensor<?x4xf32>
  %4 = nn.convert %like : (tensor<?x4xi1>) -> tensor<?x4xf32>
  // CHECK: nn.constant dense<1.000000e+00> : tensor<2x2xf16>
  %5 = nn.constant dense<1.0> : tensor<2x2xf16>
  // CHECK: %{{.+}}:2 = nn.optimization_barrier %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<2x2xf16>) -> (tensor<?x4xf32>, tensor<2x2xf16>)
  %6:2 = nn.optimization_barrier %4, %5 : (tensor<?x4xf32>, tensor<2x2xf16>) -> (tensor<?x4xf32>, tensor<2x2xf16>)
  // CHECK: nn.element_count %{{.+}} : (tensor<?x4xf32>) -> tensor<i64>
  %7 = nn.element_count %6#0 : (tensor<?x4xf32>) -> tensor<i64>
  // CHECK: nn.valid_count %{{.+}} {ignore_index = -100 : i64} : (tensor<?xi64>) -> tensor<i64>
  %8 = nn.valid_count %t {ignore_index = -100 : i64} : (tensor<?xi64>) -> tensor<i64>
  return %8 : tensor<i64>
}
