// Every derivative op parses, prints and parses again, in text, in generic form
// and as bytecode.
// RUN: amp-opt %s | amp-opt | FileCheck %s
// RUN: amp-opt --mlir-print-op-generic %s | amp-opt | FileCheck %s
// RUN: amp-opt --emit-bytecode %s | amp-opt | FileCheck %s

// CHECK-LABEL: func.func @contractions
func.func @contractions(%g: tensor<?x2xf16>, %x: tensor<?x4xf16>, %w: tensor<2x4xf16>) -> (tensor<?x4xf16>, tensor<2x4xf32>) {
  // CHECK: nn.linear_input_grad %{{.+}}, %{{.+}} {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<dgrad>} : (tensor<?x2xf16>, tensor<2x4xf16>) -> tensor<?x4xf16>
  %0 = nn.linear_input_grad %g, %w {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<dgrad>} : (tensor<?x2xf16>, tensor<2x4xf16>) -> tensor<?x4xf16>
  // The weight gradient is f32 straight from the accumulator.
  // CHECK: nn.linear_weight_grad %{{.+}}, %{{.+}} {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<wgrad>} : (tensor<?x2xf16>, tensor<?x4xf16>) -> tensor<2x4xf32>
  %1 = nn.linear_weight_grad %g, %x {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<wgrad>} : (tensor<?x2xf16>, tensor<?x4xf16>) -> tensor<2x4xf32>
  return %0, %1 : tensor<?x4xf16>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%g: tensor<?x4xf32>, %x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %h: tensor<?x4xf16>) -> tensor<?x4xf32> {
  // CHECK: nn.add_n %{{.+}}, %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = nn.add_n %g, %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.add_n %{{.+}}, %{{.+}} {numerics = #amp.numerics<accumulate = f32>} : (tensor<?x4xf16>, tensor<?x4xf16>) -> tensor<?x4xf16>
  %1 = nn.add_n %h, %h {numerics = #amp.numerics<accumulate = f32>} : (tensor<?x4xf16>, tensor<?x4xf16>) -> tensor<?x4xf16>
  // CHECK: nn.div_rhs_grad %{{.+}}, %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = nn.div_rhs_grad %0, %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.abs_grad %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = nn.abs_grad %2, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.sqrt_grad
  %4 = nn.sqrt_grad %3, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.rsqrt_grad
  %5 = nn.rsqrt_grad %4, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.tanh_grad
  %6 = nn.tanh_grad %5, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.sigmoid_grad
  %7 = nn.sigmoid_grad %6, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.relu_grad
  %8 = nn.relu_grad %7, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.silu_grad
  %9 = nn.silu_grad %8, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.gelu_grad %{{[^{]+}} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %10 = nn.gelu_grad %9, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.gelu_grad %{{.+}}, %{{.+}} {approximate = #nn.gelu<tanh>}
  %11 = nn.gelu_grad %10, %x {approximate = #nn.gelu<tanh>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: %{{.+}}, %{{.+}} = nn.maximum_grad %{{.+}}, %{{.+}}, %{{.+}} : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  %12, %13 = nn.maximum_grad %11, %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
  return %12 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%g: tensor<?xf32>, %k: tensor<?x1xf32>, %x: tensor<?x4xf16>, %y: tensor<?x1xf32>) -> (tensor<?x4xf16>, tensor<?x4xf16>) {
  // CHECK: nn.reduce_mean_grad %{{.+}}, %{{.+}} {dims = array<i64: 1>} : (tensor<?xf32>, tensor<?x4xf16>) -> tensor<?x4xf16>
  %0 = nn.reduce_mean_grad %g, %x {dims = array<i64: 1>} : (tensor<?xf32>, tensor<?x4xf16>) -> tensor<?x4xf16>
  // CHECK: nn.reduce_max_grad %{{.+}}, %{{.+}}, %{{.+}} {dims = array<i64: 1>, keepdims, numerics = #amp.numerics<accumulate = f32>} : (tensor<?x1xf32>, tensor<?x4xf16>, tensor<?x1xf32>) -> tensor<?x4xf16>
  %1 = nn.reduce_max_grad %k, %x, %y {dims = array<i64: 1>, keepdims, numerics = #amp.numerics<accumulate = f32>} : (tensor<?x1xf32>, tensor<?x4xf16>, tensor<?x1xf32>) -> tensor<?x4xf16>
  return %0, %1 : tensor<?x4xf16>, tensor<?x4xf16>
}

// CHECK-LABEL: func.func @normalizations
func.func @normalizations(%g: tensor<?x10xf32>, %y: tensor<?x10xf32>) -> tensor<?x10xf32> {
  // CHECK: nn.softmax_grad %{{.+}}, %{{.+}} {dim = 1 : i64} : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  %0 = nn.softmax_grad %g, %y {dim = 1 : i64} : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: nn.log_softmax_grad %{{.+}}, %{{.+}} {dim = 1 : i64} : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  %1 = nn.log_softmax_grad %0, %y {dim = 1 : i64} : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
  return %1 : tensor<?x10xf32>
}

// CHECK-LABEL: func.func @losses
func.func @losses(%g: tensor<f32>, %x: tensor<?x10xf16>, %t: tensor<?xi64>, %d: tensor<f32>, %y: tensor<?x10xf16>) -> (tensor<?x10xf16>, tensor<?x10xf16>) {
  // CHECK: nn.cross_entropy_grad %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} {ignore_index = 3 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<f32>, tensor<?x10xf16>, tensor<?xi64>, tensor<f32>) -> tensor<?x10xf16>
  %0 = nn.cross_entropy_grad %g, %x, %t, %d {ignore_index = 3 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<f32>, tensor<?x10xf16>, tensor<?xi64>, tensor<f32>) -> tensor<?x10xf16>
  // CHECK: nn.mse_loss_grad %{{.+}}, %{{.+}}, %{{.+}} {reduction = #nn.reduction<sum>} : (tensor<f32>, tensor<?x10xf16>, tensor<?x10xf16>) -> tensor<?x10xf16>
  %1 = nn.mse_loss_grad %g, %x, %y {reduction = #nn.reduction<sum>} : (tensor<f32>, tensor<?x10xf16>, tensor<?x10xf16>) -> tensor<?x10xf16>
  return %0, %1 : tensor<?x10xf16>, tensor<?x10xf16>
}
