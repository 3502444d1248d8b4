// RUN: amp-opt %s -convert-nn-to-amprt -convert-nn-to-linalg -convert-amp-to-linalg -cse -amprt-form-kernels -split-input-file -verify-diagnostics | FileCheck %s

// Ops of one domain are one kernel; the value between them never leaves it.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.+]]: tensor<4x8xf32>)
// CHECK: %[[INIT:.+]] = tensor.empty() : tensor<4x8xf16>
// CHECK: %[[K:.+]] = amprt.kernel <elementwise> ins(%[[X]] : tensor<4x8xf32>) outs(%[[INIT]] : tensor<4x8xf16>)
// CHECK: ^bb0(%[[IN:.+]]: tensor<4x8xf32>, %[[OUT:.+]]: tensor<4x8xf16>):
// CHECK: %[[T:.+]] = linalg.generic {{.*}} ins(%[[IN]] : tensor<4x8xf32>)
// CHECK: math.tanh
// CHECK: %[[R:.+]] = linalg.generic {{.*}} ins(%[[T]] : tensor<4x8xf32>) outs(%[[OUT]] : tensor<4x8xf16>)
// CHECK: amprt.yield %[[R]]
// CHECK-NOT: amprt.kernel
// CHECK: return %[[K]]
func.func @chain(%x: tensor<4x8xf32>) -> tensor<4x8xf16> {
  %0 = nn.tanh %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = amp.cast %0 policy : tensor<4x8xf32> to tensor<4x8xf16>
  return %1 : tensor<4x8xf16>
}

// -----

// The whole softmax, with the cast before it, is one row kernel.
// CHECK-LABEL: func.func @softmax
// CHECK: amprt.kernel <row> ins(%{{.+}} : tensor<4x8xf16>) outs(%{{.+}} : tensor<4x8xf32>)
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT: amprt.kernel
// CHECK: return
func.func @softmax(%x: tensor<4x8xf16>) -> tensor<4x8xf32> {
  %0 = amp.cast %x policy : tensor<4x8xf16> to tensor<4x8xf32>
  %1 = nn.softmax %0 {dim = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// A bias gradient sums while the cotangent is computed; the rounding to f16 stands
// after the reduction.
// CHECK-LABEL: func.func @bias_gradient
// CHECK: amprt.kernel <column> {{.*}} outs(%{{.+}}, %{{.+}} : tensor<4x8xf16>, tensor<8xf16>)
// CHECK-NOT: amprt.kernel
// CHECK: return
func.func @bias_gradient(%c: tensor<4x8xf16>, %y: tensor<4x8xf16>) -> (tensor<4x8xf16>, tensor<8xf16>) {
  %0 = nn.relu_grad %c, %y : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x8xf16>
  %1 = nn.reduce_sum %0 {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<4x8xf16>) -> tensor<8xf16>
  return %0, %1 : tensor<4x8xf16>, tensor<8xf16>
}

// -----

// A column's sum is complete only after the kernel: what reads it over the domain
// is another kernel.
// CHECK-LABEL: func.func @column_then_domain
// CHECK: amprt.kernel <column>
// CHECK: amprt.kernel <elementwise>
// CHECK: return
func.func @column_then_domain(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = nn.reduce_sum %x {dims = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<8xf32>
  %1 = nn.broadcast %0 {dims = array<i64: 1>} : (tensor<8xf32>) -> tensor<4x8xf32>
  %2 = nn.sub %x, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// A value computed in a kernel is read at its own element only: the transposed
// read is another kernel, the transposed read of an argument is not.
// CHECK-LABEL: func.func @transposed
// CHECK: amprt.kernel <elementwise>
// CHECK: math.exp
// CHECK: amprt.kernel <elementwise>
// CHECK-NOT: amprt.kernel
// CHECK: return
func.func @transposed(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = nn.exp %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = nn.transpose %y {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = nn.add %1, %2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// The sum cannot join the kernel of tanh, on which it depends through the gemm as
// well: that would be a cycle.
// CHECK-LABEL: func.func @cycle
// CHECK: amprt.kernel <elementwise>
// CHECK: math.tanh
// CHECK: amprt.gemm
// CHECK: amprt.kernel <elementwise>
// CHECK: arith.addf
// CHECK: return
func.func @cycle(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = nn.tanh %x : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = nn.linear %0, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = nn.add %0, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// Two producers of one level become one kernel with their consumer.
// CHECK-LABEL: func.func @merge
// CHECK: amprt.kernel <elementwise> ins(%{{.+}}, %{{.+}} : tensor<8xf32>, tensor<8xf32>)
// CHECK-NOT: amprt.kernel
// CHECK: return
func.func @merge(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = nn.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = nn.exp %y : (tensor<8xf32>) -> tensor<8xf32>
  %2 = nn.mul %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// A step's end. Unscaled gradients, norm and check are one flat kernel; the
// update is another, which computes the unscaled gradient again instead of loading
// it, and writes the parameter in place, after the cast that reads its old value.
// The scale is written last, although the metric and the update come before.
// CHECK-LABEL: func.func @step
// CHECK-SAME: (%[[P:[a-z0-9]+]]: tensor<16xf32> {bufferization.writable = true}, %[[S:[a-z0-9]+]]: tensor<f32> {bufferization.writable = true}, %[[T:[a-z0-9]+]]: tensor<i64> {bufferization.writable = true}, %[[G:[a-z0-9]+]]: tensor<16xf32>, %[[LR:[a-z0-9]+]]: tensor<f32>)
// CHECK: amprt.kernel <flat> ins(%[[G]],
// CHECK-SAME: outs(%{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} : tensor<f32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<i64>)
// CHECK: amprt.kernel <elementwise> ins(%[[P]] : tensor<16xf32>) outs(%{{.+}} : tensor<16xf16>)
// CHECK: %[[NEW:.+]] = amprt.kernel <elementwise> ins(%[[G]], %{{.+}}, %[[P]], %[[LR]], %{{.+}} : {{.+}}) outs(%[[P]] : tensor<16xf32>)
// CHECK: %[[STATE:.+]]:2 = amprt.kernel <elementwise> ins(%{{.+}}, %{{.+}} : tensor<f32>, tensor<i64>) outs(%[[S]], %[[T]] : tensor<f32>, tensor<i64>)
// CHECK: return %[[NEW]], %[[STATE]]#0, %[[STATE]]#1,
amp.scaler @s dynamic
func.func @step(%p: tensor<16xf32> {bufferization.writable = true}, %scale: tensor<f32> {bufferization.writable = true}, %tracker: tensor<i64> {bufferization.writable = true}, %g: tensor<16xf32>, %lr: tensor<f32>)
    -> (tensor<16xf32>, tensor<f32>, tensor<i64>, tensor<f32>, tensor<f32>, tensor<16xf16>) {
  %u = amp.unscale_grads @s(%scale) %g : (tensor<f32>, tensor<16xf32>) -> tensor<16xf32>
  %n = amp.global_norm %u : (tensor<16xf32>) -> tensor<f32>
  %f = amp.found_inf %u norm(%n) : (tensor<16xf32>, tensor<f32>) -> tensor<i1>
  %c = amp.clip_by_global_norm norm(%n) %u {max_norm = 1.0 : f32} : (tensor<f32>, tensor<16xf32>) -> tensor<16xf32>
  %p1 = amp.guarded_update skip(%f) states(%p) gradients(%c) scalars(%lr)
      : (tensor<i1>, tensor<16xf32>, tensor<16xf32>, tensor<f32>) -> tensor<16xf32> {
  ^bb0(%old: f32, %d: f32, %l: f32):
    %m = arith.mulf %d, %l : f32
    %q = arith.subf %old, %m : f32
    amp.yield %q : f32
  }
  %s1, %t1 = amp.update_scale @s(%scale, %tracker, %f) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  %low = amp.cast %p policy : tensor<16xf32> to tensor<16xf16>
  return %p1, %s1, %t1, %s1, %n, %low : tensor<16xf32>, tensor<f32>, tensor<i64>, tensor<f32>, tensor<f32>, tensor<16xf16>
}

// -----

// The old value is read by what depends on the new one: the new value goes to a
// temporary and is copied at the end.
// CHECK-LABEL: func.func @read_after_update
// CHECK-SAME: (%[[P:.+]]: tensor<16xf32> {bufferization.writable = true}
// CHECK: %[[TMP:.+]] = tensor.empty() : tensor<16xf32>
// CHECK: %[[NEW:.+]] = amprt.kernel <elementwise> {{.*}} outs(%[[TMP]] : tensor<16xf32>)
// CHECK: amprt.kernel <elementwise> ins(%{{.+}}, %{{.+}} : tensor<4x4xf32>, tensor<4x4xf32>)
// CHECK: %[[COPY:.+]] = amprt.kernel <elementwise> ins(%[[NEW]] : tensor<16xf32>) outs(%[[P]] : tensor<16xf32>)
// CHECK: return %[[COPY]]
func.func @read_after_update(%p: tensor<16xf32> {bufferization.writable = true}) -> (tensor<16xf32>, tensor<4x4xf32>) {
  %0 = nn.exp %p : (tensor<16xf32>) -> tensor<16xf32>
  %1 = nn.reshape %0 : (tensor<16xf32>) -> tensor<4x4xf32>
  %2 = nn.reshape %p : (tensor<16xf32>) -> tensor<4x4xf32>
  %3 = nn.sub %1, %2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %3 : tensor<16xf32>, tensor<4x4xf32>
}

// -----

// A permuted read of the state in the updating kernel is no in-place update.
// CHECK-LABEL: func.func @transposed_update
// CHECK-SAME: (%[[P:.+]]: tensor<4x4xf32> {bufferization.writable = true}
// CHECK: amprt.kernel <elementwise> ins(%[[P]] : tensor<4x4xf32>) outs(%[[TMP:[0-9]+]] : tensor<4x4xf32>)
// CHECK: amprt.kernel <elementwise> ins(%{{.+}}) outs(%[[P]] : tensor<4x4xf32>)
func.func @transposed_update(%p: tensor<4x4xf32> {bufferization.writable = true}) -> tensor<4x4xf32> {
  %0 = nn.transpose %p {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = nn.sub %p, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// A result is a value of its own: not an argument, not a constant, not another
// result.
// CHECK-LABEL: func.func @results
// CHECK-SAME: (%[[X:.+]]: tensor<f32>)
// CHECK: %[[K:.+]]:4 = amprt.kernel <elementwise> ins(%[[X]] : tensor<f32>)
// CHECK: return %[[K]]#1, %[[K]]#2, %[[K]]#0, %[[K]]#3
func.func @results(%x: tensor<f32>) -> (tensor<f32>, tensor<i64>, tensor<f32>, tensor<f32>) {
  %c = arith.constant dense<3> : tensor<i64>
  %0 = nn.exp %x : (tensor<f32>) -> tensor<f32>
  return %x, %c, %0, %0 : tensor<f32>, tensor<i64>, tensor<f32>, tensor<f32>
}

// -----

// States that change places: both are read before either is written.
// CHECK-LABEL: func.func @swap
// CHECK-SAME: (%[[A:.+]]: tensor<f32> {{.+}}, %[[B:.+]]: tensor<f32> {{.+}})
// CHECK: %[[OLD:.+]]:2 = amprt.kernel <elementwise> ins(%[[B]], %[[A]] : tensor<f32>, tensor<f32>)
// CHECK: amprt.kernel <elementwise> ins(%[[OLD]]#0, %[[OLD]]#1 : tensor<f32>, tensor<f32>) outs(%[[A]], %[[B]] : tensor<f32>, tensor<f32>)
func.func @swap(%a: tensor<f32> {bufferization.writable = true}, %b: tensor<f32> {bufferization.writable = true}) -> (tensor<f32>, tensor<f32>) {
  return %b, %a : tensor<f32>, tensor<f32>
}

// -----

// A forward step returns no state, whatever the types of its results.
// CHECK-LABEL: func.func @forward
// CHECK: %[[INIT:.+]] = tensor.empty() : tensor<f32>
// CHECK: amprt.kernel <elementwise> {{.*}} outs(%[[INIT]] : tensor<f32>)
// CHECK-NOT: amprt.kernel
// CHECK: return
func.func @forward(%lr: tensor<f32> {bufferization.writable = true}, %x: tensor<f32>) -> tensor<f32> attributes {amp.step_kind = #amp.step_kind<forward>} {
  %0 = nn.exp %x : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @not_lowered(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{has no place among kernels and runtime calls: expects it to be lowered to linalg before}}
  %0 = nn.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
