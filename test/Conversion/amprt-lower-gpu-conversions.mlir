// RUN: amp-opt %s -amprt-lower-gpu-conversions=arch=sm_90 | FileCheck %s --check-prefixes=CHECK,HW
// RUN: amp-opt %s -amprt-lower-gpu-conversions=arch=sm_80 | FileCheck %s --check-prefixes=CHECK,SW

// The hardware converts pairs, the first operand to the high byte, and saturates: what
// rounds beyond 448 (bits above 464's, NaN too) becomes NaN by a select. sm_80 has no
// such instruction, and none is emitted.
// CHECK-LABEL: func.func @to_e4m3(
// CHECK:       %[[LIMIT:.+]] = arith.constant dense<1139277825> : vector<4xi32>
// HW-COUNT-2:  llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%{{.+}}, %{{.+}}) : (f32, f32) -> i16
// HW-NOT:      call_intrinsic
// SW-NOT:      call_intrinsic
// SW:          arith.shli
// CHECK:       arith.cmpi uge, %{{.+}}, %[[LIMIT]] : vector<4xi32>
// CHECK:       %[[BYTES:.+]] = arith.trunci %{{.+}} : vector<4xi32> to vector<4xi8>
// CHECK:       arith.bitcast %[[BYTES]] : vector<4xi8> to vector<4xf8E4M3FN>
func.func @to_e4m3(%x: vector<4xf32>) -> vector<4xf8E4M3FN> {
  %0 = arith.truncf %x : vector<4xf32> to vector<4xf8E4M3FN>
  return %0 : vector<4xf8E4M3FN>
}

// A scalar is a pair of itself.
// CHECK-LABEL: func.func @to_e5m2(
// CHECK:       arith.extf %{{.+}} : f16 to f32
// HW:          llvm.call_intrinsic "llvm.nvvm.ff.to.e5m2x2.rn"(%[[X:.+]], %[[X]]) : (f32, f32) -> i16
// SW-NOT:      call_intrinsic
func.func @to_e5m2(%x: f16) -> f8E5M2 {
  %0 = arith.truncf %x : f16 to f8E5M2
  return %0 : f8E5M2
}

// CHECK-LABEL: func.func @from_e4m3(
// HW-COUNT-2:  llvm.call_intrinsic "llvm.nvvm.e4m3x2.to.f16x2.rn"(%{{.+}}) : (i16) -> vector<2xf16>
// SW-NOT:      call_intrinsic
// SW-DAG:      %[[FACTOR:.+]] = arith.constant dense<1.329228E+36> : vector<4xf32>
// SW:          arith.mulf %{{.+}}, %[[FACTOR]]
// CHECK:       arith.truncf %{{.+}} : vector<4xf32> to vector<4xbf16>
func.func @from_e4m3(%x: vector<4xf8E4M3FN>) -> vector<4xbf16> {
  %0 = arith.extf %x : vector<4xf8E4M3FN> to vector<4xbf16>
  return %0 : vector<4xbf16>
}

// libdevice's square root is approximate.
// CHECK-LABEL: func.func @roots(
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.sqrt.rn.f"(%{{.+}}) : (f32) -> f32
// CHECK:       vector.from_elements
// CHECK:       llvm.call_intrinsic "llvm.nvvm.sqrt.rn.d"(%{{.+}}) : (f64) -> f64
func.func @roots(%x: vector<2xf32>, %y: f64) -> (vector<2xf32>, f64) {
  %0 = math.sqrt %x : vector<2xf32>
  %1 = math.sqrt %y : f64
  return %0, %1 : vector<2xf32>, f64
}

// One rounding: to odd in f32 first, lane by lane.
// CHECK-LABEL: func.func @narrow(
// CHECK:       arith.truncf %{{.+}} : vector<2xf64> to vector<2xf32>
// CHECK:       arith.truncf %{{.+}} : vector<2xf32> to vector<2xf16>
// CHECK:       arith.sitofp %{{.+}} : i64 to f64
// CHECK-NOT:   f64 to bf16
func.func @narrow(%x: vector<2xf64>, %n: i64) -> (vector<2xf16>, bf16) {
  %0 = arith.truncf %x : vector<2xf64> to vector<2xf16>
  %1 = arith.sitofp %n : i64 to bf16
  return %0, %1 : vector<2xf16>, bf16
}
