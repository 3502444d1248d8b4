// RUN: amp-opt %s | amp-opt | FileCheck %s

// Each op prints what it parses.

// CHECK: amp.policy @mine low = bf16 {
// CHECK-NEXT: amp.rule lower_precision_fp ["nn.linear", "nn.matmul*"]
// CHECK-NEXT: amp.rule fp32 {classes = [#amp.numeric_class<loss>]}
// CHECK-NEXT: amp.rule fp32 ["nn.linear"] {name_pattern = "head.*", operand = "weight", phase = #amp.phase<dgrad>}
// CHECK-NEXT: amp.rule banned ["nn.exp"] {advice = "use nn.softmax"}
amp.policy @mine low = bf16 {
  amp.rule lower_precision_fp ["nn.linear", "nn.matmul*"]
  amp.rule fp32 {classes = [#amp.numeric_class<loss>]}
  amp.rule fp32 ["nn.linear"] {operand = "weight", phase = #amp.phase<dgrad>, name_pattern = "head.*"}
  amp.rule banned ["nn.exp"] {advice = "use nn.softmax"}
}

// CHECK: amp.scaler @main dynamic {interval = 50 : i64}
amp.scaler @main dynamic {interval = 50 : i64}
// CHECK: amp.scaler @fixed static {initial = 1.280000e+02 : f32}
amp.scaler @fixed static {initial = 128.0 : f32}

// CHECK-LABEL: func.func @casts
func.func @casts(%x: tensor<?x4xf32>) -> (tensor<?x4xf16>, tensor<?x4xbf16>) {
  // CHECK: amp.cast %{{.+}} policy : tensor<?x4xf32> to tensor<?x4xf16>
  %0 = amp.cast %x policy : tensor<?x4xf32> to tensor<?x4xf16>
  // CHECK: amp.cast %{{.+}} user {overflow = #amp.overflow<saturate>, rounding = 1 : i32} : tensor<?x4xf32> to tensor<?x4xbf16>
  %1 = amp.cast %x {overflow = #amp.overflow<saturate>, rounding = 1 : i32} : tensor<?x4xf32> to tensor<?x4xbf16>
  return %0, %1 : tensor<?x4xf16>, tensor<?x4xbf16>
}

// CHECK-LABEL: func.func @region
func.func @region(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: amp.autocast_region enabled = false entry_cast = f32 -> tensor<4xf32> {
  // CHECK: amp.autocast_region enabled = true policy = @mine -> tensor<4xf32> {
  %0 = amp.autocast_region enabled = false entry_cast = f32 -> tensor<4xf32> {
    %1 = amp.autocast_region enabled = true policy = @mine -> tensor<4xf32> {
      amp.yield %x : tensor<4xf32>
    }
    amp.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @step
func.func @step(%p: tensor<4xf32>, %m: tensor<4xf32>, %g: tensor<4xf16>, %loss: tensor<f32>,
                %scale: tensor<f32>, %tracker: tensor<i64>, %lr: tensor<f32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: amp.scale_loss @main(%{{.+}}, %{{.+}}) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %0 = amp.scale_loss @main(%loss, %scale) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: amp.unscale_grads @main(%{{.+}}) %{{.+}} : (tensor<f32>, tensor<4xf16>) -> tensor<4xf32>
  %u = amp.unscale_grads @main(%scale) %g : (tensor<f32>, tensor<4xf16>) -> tensor<4xf32>
  // CHECK: amp.global_norm %{{.+}} {numerics = #amp.numerics<accumulate = f32>}
  %n = amp.global_norm %u {numerics = #amp.numerics<accumulate = f32>} : (tensor<4xf32>) -> tensor<f32>
  // CHECK: amp.found_inf %{{.+}} norm(%{{.+}}) : (tensor<4xf32>, tensor<f32>) -> tensor<i1>
  %f = amp.found_inf %u norm(%n) : (tensor<4xf32>, tensor<f32>) -> tensor<i1>
  // CHECK: amp.zero_share %{{.+}} {elements = 3 : i64}
  %z = amp.zero_share %u {elements = 3 : i64} : (tensor<4xf32>) -> tensor<f32>
  // CHECK: amp.clip_by_global_norm norm(%{{.+}}) %{{.+}} {max_norm = 1.000000e+00 : f32}
  %c = amp.clip_by_global_norm norm(%n) %u {max_norm = 1.0 : f32} : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: amp.guarded_update skip(%{{.+}}) states(%{{.+}}, %{{.+}}) gradients(%{{.+}}) scalars(%{{.+}})
  %new:2 = amp.guarded_update skip(%f) states(%p, %m) gradients(%c) scalars(%lr)
      : (tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%p0: f32, %m0: f32, %g0: f32, %lr0: f32):
    %m1 = arith.addf %m0, %g0 : f32
    %d = arith.mulf %lr0, %m1 : f32
    %p1 = arith.subf %p0, %d : f32
    // CHECK: amp.yield
    amp.yield %p1, %m1 : f32, f32
  }
  // CHECK: amp.update_scale @main(%{{.+}}, %{{.+}}, %{{.+}}) {exact_interval}
  %s:2 = amp.update_scale @main(%scale, %tracker, %f) {exact_interval} : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  return %new#0, %new#1 : tensor<4xf32>, tensor<4xf32>
}

// Every parameter of a contract, and the manifest.
// CHECK: #amp.numerics<lhs = bf16x3, rhs = tf32, accumulate = f32, order = blocked<128>, subnormals = preserve, excess = allow>
func.func private @contract() attributes {
  test.numerics = #amp.numerics<lhs = bf16x3, rhs = tf32, accumulate = f32, order = blocked<128>, subnormals = preserve, excess = allow>,
  test.sequential = #amp.numerics<accumulate = f64, order = sequential>}
