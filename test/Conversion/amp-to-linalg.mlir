// RUN: amp-opt %s -convert-amp-to-linalg -split-input-file -verify-diagnostics | FileCheck %s

// One rounding; the operand's format is the one it has.
// CHECK-LABEL: func.func @cast
// CHECK: arith.truncf %{{.+}} : f32 to f16
// CHECK: arith.extf %{{.+}} : bf16 to f32
// CHECK-NEXT: arith.truncf %{{.+}} : f32 to f16
func.func @cast(%x: tensor<4xf32>, %y: tensor<4xbf16>) -> (tensor<4xf16>, tensor<4xf16>) {
  %0 = amp.cast %x policy : tensor<4xf32> to tensor<4xf16>
  %1 = amp.cast %y user : tensor<4xbf16> to tensor<4xf16>
  return %0, %1 : tensor<4xf16>, tensor<4xf16>
}

// -----

// f64 to bf16 goes through an f32 rounded to odd, which cannot round twice.
// CHECK-LABEL: func.func @cast_f64
// CHECK: %[[N:.+]] = arith.truncf %[[X:.+]] : f64 to f32
// CHECK: %[[BACK:.+]] = arith.extf %[[N]] : f32 to f64
// CHECK: arith.bitcast %[[N]] : f32 to i32
// CHECK: arith.cmpf one, %[[BACK]], %[[X]] : f64
// CHECK: %[[ODD:.+]] = arith.bitcast %{{.+}} : i32 to f32
// CHECK: arith.truncf %[[ODD]] : f32 to bf16
func.func @cast_f64(%x: tensor<4xf64>) -> tensor<4xbf16> {
  %0 = amp.cast %x user : tensor<4xf64> to tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// -----

// Saturation clamps in the source's format.
// CHECK-LABEL: func.func @saturate
// CHECK-DAG: arith.constant 6.550400e+04 : f32
// CHECK-DAG: arith.constant -6.550400e+04 : f32
// CHECK: arith.truncf
func.func @saturate(%x: tensor<4xf32>) -> tensor<4xf16> {
  %0 = amp.cast %x user {overflow = #amp.overflow<saturate>} : tensor<4xf32> to tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// The inverse scale is f32(1/f64(S)), computed once.
// CHECK-LABEL: func.func @unscale
// CHECK: arith.extf %{{.+}} : f32 to f64
// CHECK: arith.divf %{{.+}} : f64
// CHECK: %[[INV:.+]] = arith.truncf %{{.+}} : f64 to f32
// CHECK: linalg.yield %[[INV]]
// CHECK-COUNT-2: arith.mulf
amp.scaler @s dynamic
func.func @unscale(%scale: tensor<f32>, %a: tensor<4xf32>, %b: tensor<3xf16>) -> (tensor<4xf32>, tensor<3xf32>) {
  %0:2 = amp.unscale_grads @s(%scale) %a, %b : (tensor<f32>, tensor<4xf32>, tensor<3xf16>) -> (tensor<4xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<3xf32>
}

// -----

// Flat reductions; infinite or NaN is "not below infinity".
// CHECK-LABEL: func.func @norm_and_found
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]
// CHECK: arith.mulf %{{.+}} fastmath<reassoc,contract>
// CHECK: math.sqrt
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]
// CHECK: math.absf
// CHECK: arith.cmpf uge
// CHECK: arith.ori
func.func @norm_and_found(%g: tensor<2x4xf32>) -> (tensor<f32>, tensor<i1>) {
  %0 = amp.global_norm %g : (tensor<2x4xf32>) -> tensor<f32>
  %1 = amp.found_inf %g norm(%0) : (tensor<2x4xf32>, tensor<f32>) -> tensor<i1>
  return %0, %1 : tensor<f32>, tensor<i1>
}

// -----

// The padding's zeros are taken off: 8 elements, 6 of them real.
// CHECK-LABEL: func.func @zero_share
// CHECK: arith.constant -2 : i64
// CHECK: arith.constant 6.000000e+00 : f64
func.func @zero_share(%g: tensor<8xf32>) -> tensor<f32> {
  %0 = amp.zero_share %g {elements = 6 : i64} : (tensor<8xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// The select is inside the loop, the update's arithmetic as it was written.
// CHECK-LABEL: func.func @update
// CHECK: %[[R:.+]]:2 = linalg.generic
// CHECK: ^bb0(%[[P:.+]]: f32, %[[M:.+]]: f32, %[[G:.+]]: f32, %[[LR:.+]]: f32, %[[SKIP:.+]]: i1, %{{.+}}: f32, %{{.+}}: f32):
// CHECK-NEXT: %[[M1:.+]] = arith.addf %[[M]], %[[G]] : f32
// CHECK-NEXT: %[[D:.+]] = arith.mulf %[[M1]], %[[LR]] : f32
// CHECK-NEXT: %[[P1:.+]] = arith.subf %[[P]], %[[D]] : f32
// CHECK-NEXT: %[[P2:.+]] = arith.select %[[SKIP]], %[[P]], %[[P1]] : f32
// CHECK-NEXT: %[[M2:.+]] = arith.select %[[SKIP]], %[[M]], %[[M1]] : f32
// CHECK-NEXT: linalg.yield %[[P2]], %[[M2]]
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @update(%skip: tensor<i1>, %p: tensor<8xf32>, %m: tensor<8xf32>, %g: tensor<8xf32>, %lr: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = amp.guarded_update skip(%skip) states(%p, %m) gradients(%g) scalars(%lr)
      : (tensor<i1>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%p0: f32, %m0: f32, %g0: f32, %l: f32):
    %m1 = arith.addf %m0, %g0 : f32
    %d = arith.mulf %m1, %l : f32
    %p1 = arith.subf %p0, %d : f32
    amp.yield %p1, %m1 : f32, f32
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Two parameters are two ops: state k of parameter p is operand k*P + p.
// CHECK-LABEL: func.func @two_parameters
// CHECK-SAME: (%[[P0:[a-z0-9]+]]: tensor<8xf32>, %[[P1:[a-z0-9]+]]: tensor<3xf32>, %[[M0:[a-z0-9]+]]: tensor<8xf32>, %[[M1:[a-z0-9]+]]: tensor<3xf32>
// CHECK: %[[A:.+]]:2 = linalg.generic {{.*}} ins(%[[P0]], %[[M0]], %{{.+}} : tensor<8xf32>
// CHECK-NOT: arith.select
// CHECK: %[[B:.+]]:2 = linalg.generic {{.*}} ins(%[[P1]], %[[M1]], %{{.+}} : tensor<3xf32>
// CHECK: return %[[A]]#0, %[[B]]#0, %[[A]]#1, %[[B]]#1
func.func @two_parameters(%p0: tensor<8xf32>, %p1: tensor<3xf32>, %m0: tensor<8xf32>, %m1: tensor<3xf32>, %g0: tensor<8xf32>, %g1: tensor<3xf32>)
    -> (tensor<8xf32>, tensor<3xf32>, tensor<8xf32>, tensor<3xf32>) {
  %0:4 = amp.guarded_update states(%p0, %p1, %m0, %m1) gradients(%g0, %g1)
      : (tensor<8xf32>, tensor<3xf32>, tensor<8xf32>, tensor<3xf32>, tensor<8xf32>, tensor<3xf32>)
      -> (tensor<8xf32>, tensor<3xf32>, tensor<8xf32>, tensor<3xf32>) {
  ^bb0(%p: f32, %m: f32, %g: f32):
    %n = arith.addf %m, %g : f32
    %q = arith.subf %p, %n : f32
    amp.yield %q, %n : f32, f32
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<8xf32>, tensor<3xf32>, tensor<8xf32>, tensor<3xf32>
}

// -----

// Growth at `interval` or beyond it; not beyond the cap; backoff not below the
// floor.
// CHECK-LABEL: func.func @update_scale
// CHECK: ^bb0(%[[S:.+]]: f32, %[[T:.+]]: i64, %[[F:.+]]: i1,
// CHECK: %[[FLOOR:.+]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[DOWN:.+]] = arith.maximumf %{{.+}}, %[[FLOOR]] : f32
// CHECK: arith.cmpi sge
// CHECK: %[[CAP:.+]] = arith.constant 1.024000e+03 : f32
// CHECK: arith.cmpf ole, %{{.+}}, %[[CAP]] : f32
// CHECK: arith.select %[[F]], %[[DOWN]], %{{.+}} : f32
// CHECK: arith.select %[[F]], %{{.+}} : i64
amp.scaler @s dynamic {interval = 3 : i64, floor = 1.0 : f32, cap = 1024.0 : f32}
func.func @update_scale(%s: tensor<f32>, %t: tensor<i64>, %f: tensor<i1>) -> (tensor<f32>, tensor<i64>) {
  %0:2 = amp.update_scale @s(%s, %t, %f) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  return %0#0, %0#1 : tensor<f32>, tensor<i64>
}

// -----

// A static scaler's state stays; under exact_interval growth is at `interval` only.
// CHECK-LABEL: func.func @update_scale_variants
// CHECK-SAME: (%[[S:.+]]: tensor<f32>, %[[T:.+]]: tensor<i64>
// CHECK: arith.cmpi eq
// CHECK: return %[[S]], %[[T]],
amp.scaler @fixed static
amp.scaler @s dynamic
func.func @update_scale_variants(%s: tensor<f32>, %t: tensor<i64>, %f: tensor<i1>) -> (tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>) {
  %0:2 = amp.update_scale @fixed(%s, %t, %f) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  %1:2 = amp.update_scale @s(%s, %t, %f) {exact_interval} : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  return %0#0, %0#1, %1#0, %1#1 : tensor<f32>, tensor<i64>, tensor<f32>, tensor<i64>
}

// -----

// Arithmetic of metrics and schedules on rank-0 tensors.
// CHECK-LABEL: func.func @rank0
// CHECK-NOT: arith.{{.*}} : tensor<
// CHECK: linalg.generic {{.*}}iterator_types = []
// CHECK: arith.addi %{{.+}} : i64
// CHECK: arith.select %{{.+}} : i64
func.func @rank0(%c: tensor<i1>, %n: tensor<i64>, %one: tensor<i64>) -> tensor<i64> {
  %0 = arith.addi %n, %one : tensor<i64>
  %1 = arith.select %c, %0, %n : tensor<i1>, tensor<i64>
  return %1 : tensor<i64>
}

// -----

// The casts of a packed buffer's parameters are one.
// CHECK-LABEL: func.func @packed
// CHECK-SAME: (%[[FLAT:.+]]: tensor<16xf32>)
// CHECK: %[[LOW:.+]] = linalg.generic {{.*}} ins(%[[FLAT]] : tensor<16xf32>) outs(%{{.+}} : tensor<16xf16>)
// CHECK: %[[W:.+]] = tensor.extract_slice %[[LOW]][0] [8] [1] : tensor<16xf16> to tensor<8xf16>
// CHECK: tensor.expand_shape %[[W]] {{\[}}[0, 1]] output_shape [2, 4] : tensor<8xf16> into tensor<2x4xf16>
// CHECK: tensor.extract_slice %[[LOW]][8] [2] [1]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @packed(%flat: tensor<16xf32>) -> (tensor<2x4xf16>, tensor<2xf16>) {
  %0 = tensor.extract_slice %flat[0] [8] [1] : tensor<16xf32> to tensor<8xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %2 = amp.cast %1 policy : tensor<2x4xf32> to tensor<2x4xf16>
  %3 = tensor.extract_slice %flat[8] [2] [1] : tensor<16xf32> to tensor<2xf32>
  %4 = amp.cast %3 policy : tensor<2xf32> to tensor<2xf16>
  return %2, %4 : tensor<2x4xf16>, tensor<2xf16>
}

// -----

// Casts of less than half of a buffer stay.
// CHECK-LABEL: func.func @packed_little
// CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<2xf16>)
// CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<2xf16>)
func.func @packed_little(%flat: tensor<16xf32>) -> (tensor<2xf16>, tensor<2xf16>) {
  %0 = tensor.extract_slice %flat[0] [2] [1] : tensor<16xf32> to tensor<2xf32>
  %1 = amp.cast %0 policy : tensor<2xf32> to tensor<2xf16>
  %2 = tensor.extract_slice %flat[8] [2] [1] : tensor<16xf32> to tensor<2xf32>
  %3 = amp.cast %2 policy : tensor<2xf32> to tensor<2xf16>
  return %1, %3 : tensor<2xf16>, tensor<2xf16>
}

// -----

// A widening cast is done on the flat tensor that reads it.
// CHECK-LABEL: func.func @flat
// CHECK: %[[C:.+]] = tensor.collapse_shape %{{.+}} {{\[}}[0, 1]] : tensor<4x2xf16> into tensor<8xf16>
// CHECK: linalg.generic {{.*}} ins(%[[C]] : tensor<8xf16>) outs(%{{.+}} : tensor<8xf32>)
func.func @flat(%x: tensor<4x2xf16>) -> tensor<8xf32> {
  %0 = amp.cast %x policy : tensor<4x2xf16> to tensor<4x2xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<4x2xf32> into tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

func.func @overflow_error(%x: tensor<4xf32>) -> tensor<4xf16> {
  // expected-error @below {{'amp.cast' op has no lowering with overflow 'error': a kernel cannot stop a step; use 'ieee' or 'saturate'}}
  %0 = amp.cast %x user {overflow = #amp.overflow<error>} : tensor<4xf32> to tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

func.func @rounding_upward(%x: tensor<4xf32>) -> tensor<4xf16> {
  // expected-error @below {{'amp.cast' op has no lowering with rounding mode 'upward'; use 'to_nearest_even' or 'toward_zero'}}
  %0 = amp.cast %x user {rounding = 2 : i32} : tensor<4xf32> to tensor<4xf16>
  return %0 : tensor<4xf16>
}
