// RUN: amp-opt %s -convert-nn-to-linalg -split-input-file -verify-diagnostics | FileCheck %s

// f16 is widened, computed in f32 and rounded once.
// CHECK-LABEL: func.func @add_f16
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]
// CHECK: ^bb0(%[[A:.+]]: f16, %[[B:.+]]: f16, %{{.+}}: f16):
// CHECK-DAG: %[[WA:.+]] = arith.extf %[[A]] : f16 to f32
// CHECK-DAG: %[[WB:.+]] = arith.extf %[[B]] : f16 to f32
// CHECK: %[[S:.+]] = arith.addf %[[WA]], %[[WB]] : f32
// CHECK: %[[T:.+]] = arith.truncf %[[S]] : f32 to f16
// CHECK: linalg.yield %[[T]]
func.func @add_f16(%a: tensor<4xf16>, %b: tensor<4xf16>) -> tensor<4xf16> {
  %0 = nn.add %a, %b : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// NaN stays NaN: the comparison is unordered.
// CHECK-LABEL: func.func @relu
// CHECK: ^bb0(%[[X:.+]]: f32, %{{.+}}: f32):
// CHECK: %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[K:.+]] = arith.cmpf ugt, %[[X]], %[[ZERO]] : f32
// CHECK: arith.select %[[K]], %[[X]], %[[ZERO]] : f32
func.func @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// gelu's left tail comes from erfc, not from 1 + erf.
// CHECK-LABEL: func.func @gelu
// CHECK: math.erfc
// CHECK-NOT: math.erf %
func.func @gelu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.gelu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Reduced dimensions that lead make a column domain, those that trail a row
// domain, all of them a flat one.
// CHECK-LABEL: func.func @domains
// CHECK: tensor.collapse_shape %{{.+}} {{\[}}[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]
// CHECK: tensor.collapse_shape %{{.+}} {{\[}}[0], [1, 2]] : tensor<2x3x4xf32> into tensor<2x12xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK: tensor.expand_shape %{{.+}} {{\[}}[0, 1, 2]] output_shape [2, 1, 1]
// CHECK: tensor.collapse_shape %{{.+}} {{\[}}[0, 1, 2]] : tensor<2x3x4xf32> into tensor<24xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]
func.func @domains(%x: tensor<2x3x4xf32>) -> (tensor<4xf32>, tensor<2x1x1xf32>, tensor<f32>) {
  %0 = nn.reduce_sum %x {dims = array<i64: 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4xf32>
  %1 = nn.reduce_sum %x {dims = array<i64: 1, 2>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x1xf32>
  %2 = nn.reduce_sum %x {dims = array<i64: 0, 1, 2>} : (tensor<2x3x4xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<4xf32>, tensor<2x1x1xf32>, tensor<f32>
}

// -----

// A dimension in the middle is moved to the end first.
// CHECK-DAG: #[[READ:.+]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-LABEL: func.func @middle
// CHECK: linalg.generic {indexing_maps = [#[[READ]], #{{.+}}], iterator_types = ["parallel", "parallel", "parallel"]} {{.*}} outs(%{{.+}} : tensor<2x4x3xf32>)
// CHECK: tensor.collapse_shape %{{.+}} {{\[}}[0, 1], [2]] : tensor<2x4x3xf32> into tensor<8x3xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK: tensor.expand_shape %{{.+}} {{\[}}[0, 1]] output_shape [2, 4]
func.func @middle(%x: tensor<2x3x4xf32>) -> tensor<2x4xf32> {
  %0 = nn.reduce_sum %x {dims = array<i64: 1>} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// f16 in, f32 accumulator, division there, one rounding: the mean of 100,000 tens
// is 10 although their sum is beyond f16. The order of additions is free.
// CHECK-LABEL: func.func @mean_f16
// CHECK: linalg.fill ins(%{{.+}} : f32)
// CHECK: arith.extf %{{.+}} : f16 to f32
// CHECK: arith.addf %{{.+}} fastmath<reassoc,contract> : f32
// CHECK: -> tensor<f32>
// CHECK: arith.divf %{{.+}} : f32
// CHECK: arith.truncf %{{.+}} : f32 to f16
func.func @mean_f16(%x: tensor<100000xf16>) -> tensor<f16> {
  %0 = nn.reduce_mean %x {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<100000xf16>) -> tensor<f16>
  return %0 : tensor<f16>
}

// -----

// A bf16 accumulator rounds at every step, in sequence.
// CHECK-LABEL: func.func @sum_bf16
// CHECK: linalg.fill ins(%{{.+}} : bf16)
// CHECK: %[[S:.+]] = arith.addf %{{.+}}, %{{[a-z0-9_]+}} : f32
// CHECK: arith.truncf %[[S]] : f32 to bf16
func.func @sum_bf16(%x: tensor<257xbf16>) -> tensor<bf16> {
  %0 = nn.reduce_sum %x {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = bf16, order = sequential>} : (tensor<257xbf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

// -----

// Maximum, sum of exponentials and quotient over one row domain.
// CHECK-LABEL: func.func @softmax
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: math.exp
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel"]
// CHECK: arith.divf
// CHECK: arith.truncf %{{.+}} : f32 to bf16
func.func @softmax(%x: tensor<2x3x4xbf16>) -> tensor<2x3x4xbf16> {
  %0 = nn.softmax %x {dim = 2 : i64, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x3x4xbf16>) -> tensor<2x3x4xbf16>
  return %0 : tensor<2x3x4xbf16>
}

// -----

// The target is compared with the column: no gather. The mean divides by the
// count of targets that are not ignored.
// CHECK-LABEL: func.func @cross_entropy
// CHECK: linalg.index 1 : index
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]
// CHECK: math.log
// CHECK: arith.cmpi sge
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]
// CHECK: arith.cmpi ne
// CHECK: arith.sitofp %{{.+}} : i64 to f32
// CHECK: arith.divf
func.func @cross_entropy(%x: tensor<4x10xf32>, %t: tensor<4xi64>) -> tensor<f32> {
  %0 = nn.cross_entropy %x, %t : (tensor<4x10xf32>, tensor<4xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// With a window's denominator nothing is counted.
// CHECK-LABEL: func.func @cross_entropy_denominator
// CHECK-NOT: arith.cmpi ne
// CHECK: return
func.func @cross_entropy_denominator(%x: tensor<4x10xf32>, %t: tensor<4xi64>, %d: tensor<f32>) -> tensor<f32> {
  %0 = nn.cross_entropy %x, %t, %d : (tensor<4x10xf32>, tensor<4xi64>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// One flat reduction, then the division.
// CHECK-LABEL: func.func @mse
// CHECK: tensor.collapse_shape
// CHECK: tensor.collapse_shape
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: arith.constant 1.200000e+01 : f32
// CHECK: arith.divf
func.func @mse(%x: tensor<6x2xf32>, %t: tensor<6x2xf32>) -> tensor<f32> {
  %0 = nn.mse_loss %x, %t : (tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A unit dimension that is repeated is read through a map without it.
// CHECK-DAG: #[[ROW:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @broadcast
// CHECK: %[[S:.+]] = tensor.collapse_shape %{{.+}} {{\[}}[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
// CHECK: linalg.generic {indexing_maps = [#[[ROW]], #{{.+}}]{{.*}} ins(%[[S]] : tensor<4xf32>)
func.func @broadcast(%x: tensor<4x1xf32>) -> tensor<4x3xf32> {
  %0 = nn.broadcast %x {dims = array<i64: 0, 1>} : (tensor<4x1xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// A fan-in of f16 cotangents is summed in f32 and rounded once.
// CHECK-LABEL: func.func @add_n
// CHECK: arith.addf %{{.+}} : f32
// CHECK: arith.addf %{{.+}} : f32
// CHECK: arith.truncf
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @add_n(%a: tensor<4xf16>, %b: tensor<4xf16>, %c: tensor<4xf16>) -> tensor<4xf16> {
  %0 = nn.add_n %a, %b, %c {numerics = #amp.numerics<accumulate = f32>} : (tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// f64 contractions have no runtime call: a row reduction, the bias after it.
// CHECK-LABEL: func.func @linear_f64
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK: arith.addf %{{.+}} : f64
func.func @linear_f64(%x: tensor<2x4xf64>, %w: tensor<5x4xf64>, %b: tensor<5xf64>) -> tensor<2x5xf64> {
  %0 = nn.linear %x, %w, %b : (tensor<2x4xf64>, tensor<5x4xf64>, tensor<5xf64>) -> tensor<2x5xf64>
  return %0 : tensor<2x5xf64>
}

// -----

func.func @blocked(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @below {{'nn.reduce_sum' op expects accumulation order 'any' or 'sequential' to be lowered, but got #amp.numerics<accumulate = f32, order = blocked<4>>}}
  %0 = nn.reduce_sum %x {dims = array<i64: 1>, numerics = #amp.numerics<accumulate = f32, order = blocked<4>>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
