// RUN: amp-opt %s -amprt-expand-cpu-math | FileCheck %s

// The hardware's bf16 conversion flushes subnormals: none may be left.
// CHECK-LABEL: func.func @bf16(
// CHECK-NOT:     arith.extf
// CHECK-NOT:     arith.truncf
// CHECK:         return
func.func @bf16(%x: bf16) -> bf16 {
  %0 = arith.extf %x : bf16 to f32
  %1 = arith.addf %0, %0 : f32
  %2 = arith.truncf %1 : f32 to bf16
  return %2 : bf16
}

// f64 goes to f16 through f32 rounded to odd, in one rounding.
// CHECK-LABEL: func.func @f64(
// CHECK-SAME:    %[[X:[^:]+]]: f64)
// CHECK:         %[[N:.+]] = arith.truncf %[[X]] : f64 to f32
// CHECK:         %[[B:.+]] = arith.bitcast %[[N]] : f32 to i32
// CHECK:         %[[A:.+]] = arith.addi %[[B]],
// CHECK:         %[[O:.+]] = arith.bitcast %[[A]] : i32 to f32
// CHECK:         arith.truncf %[[O]] : f32 to f16
func.func @f64(%x: f64) -> f16 {
  %0 = arith.truncf %x : f64 to f16
  return %0 : f16
}

// f32 to f16 is an instruction of every x86-64-v3, and exact.
// CHECK-LABEL: func.func @f16(
// CHECK-NEXT:    arith.truncf
// CHECK-NEXT:    return
func.func @f16(%x: f32) -> f16 {
  %0 = arith.truncf %x : f32 to f16
  return %0 : f16
}

// CHECK-LABEL: func.func @functions(
// CHECK-NOT:     math.exp
// CHECK-NOT:     math.tanh
// CHECK:         math.exp %{{.+}} : f64
// CHECK:         return
func.func @functions(%x: f32, %y: f64) -> (f32, f32, f64) {
  %0 = math.exp %x : f32
  %1 = math.tanh %x : f32
  %2 = math.exp %y : f64
  return %0, %1, %2 : f32, f32, f64
}

// The logarithm of a subnormal goes by way of x * 2^24; erf keeps the sign of
// -0.
// CHECK-LABEL: func.func @edges(
// CHECK-SAME:    %[[X:[^:]+]]: f32)
// CHECK-DAG:     %[[LEAST:.+]] = arith.constant 1.17549435E-38 : f32
// CHECK-DAG:     %[[SCALE:.+]] = arith.constant 0x4B800000 : f32
// CHECK:         %[[SMALL:.+]] = arith.cmpf olt, %[[X]], %[[LEAST]]
// CHECK:         %[[SCALED:.+]] = arith.mulf %[[X]], %[[SCALE]]
// CHECK:         arith.select %[[SMALL]], %[[SCALED]], %[[X]]
// CHECK:         math.copysign %{{.+}}, %[[X]]
func.func @edges(%x: f32) -> (f32, f32) {
  %0 = math.log %x : f32
  %1 = math.erf %x : f32
  return %0, %1 : f32, f32
}
