// Folds give the same bits for every input; what would not, or would remove a
// rounding or a cast of the user, stays.
// RUN: amp-opt --canonicalize --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @neutral_elements
// CHECK-SAME: (%[[X:.+]]: tensor<4xf16>)
// CHECK-NEXT: return %[[X]]
func.func @neutral_elements(%x: tensor<4xf16>) -> tensor<4xf16> {
  %mz = nn.constant dense<-0.0> : tensor<4xf16>
  %z = nn.constant dense<0.0> : tensor<4xf16>
  %one = nn.constant dense<1.0> : tensor<4xf16>
  %0 = nn.add %mz, %x : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %1 = nn.sub %0, %z : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %2 = nn.mul %1, %one : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %3 = nn.div %2, %one : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %3 : tensor<4xf16>
}

// -----

// -0.0 + 0.0 is 0.0, and -0.0 - -0.0 is 0.0: neither is the identity. 0.0 * x is
// not 0.0 for a NaN or an infinity, 1 / x and x - x have no neutral operand.
// CHECK-LABEL: func.func @no_neutral_element
func.func @no_neutral_element(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %mz = nn.constant dense<-0.0> : tensor<4xf32>
  %z = nn.constant dense<0.0> : tensor<4xf32>
  %one = nn.constant dense<1.0> : tensor<4xf32>
  // CHECK: nn.add
  %0 = nn.add %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: nn.sub
  %1 = nn.sub %x, %mz : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: nn.mul
  %2 = nn.mul %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: nn.div
  %3 = nn.div %one, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: nn.sub
  %4 = nn.sub %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @involutions
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>)
func.func @involutions(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = nn.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.neg %0 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[ABS:.+]] = nn.abs %[[X]]
  %2 = nn.abs %0 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.abs %2 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[RELU:.+]] = nn.relu %[[X]]
  %4 = nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %5 = nn.relu %4 : (tensor<4xf32>) -> tensor<4xf32>
  %6 = nn.maximum %5, %5 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: return %[[X]], %[[ABS]], %[[ABS]], %[[RELU]]
  return %1, %2, %3, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @selects
// CHECK-SAME: (%[[C:.+]]: tensor<4xi1>, %[[X:.+]]: tensor<4xf32>, %[[Y:.+]]: tensor<4xf32>)
func.func @selects(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = nn.constant dense<true> : tensor<4xi1>
  %false = nn.constant dense<false> : tensor<4xi1>
  %0 = nn.select %c, %x, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.select %true, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.select %false, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[S:.+]] = nn.select %[[C]], %[[X]], %[[Y]]
  %3 = nn.select %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: return %[[X]], %[[X]], %[[Y]], %[[S]]
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// One rounding each, to nearest even: 1 + 2^-11 is a tie in f16 and gives 1.
// CHECK-LABEL: func.func @splats
func.func @splats() -> (tensor<2xf16>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %h1 = nn.constant dense<1.0> : tensor<2xf16>
  %tie = nn.constant dense<4.8828125e-4> : tensor<2xf16>
  %a = nn.constant dense<3.0> : tensor<2xf32>
  %b = nn.constant dense<-7.0> : tensor<2xf32>
  %s = nn.constant dense<2.0> : tensor<f32>
  %0 = nn.add %h1, %tie : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  %1 = nn.sub %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = nn.div %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = nn.mul %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %4 = nn.neg %a : (tensor<2xf32>) -> tensor<2xf32>
  %5 = nn.abs %b : (tensor<2xf32>) -> tensor<2xf32>
  %6 = nn.maximum %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-DAG: %[[ADD:.+]] = nn.constant dense<1.000000e+00> : tensor<2xf16>
  // CHECK-DAG: %[[SUB:.+]] = nn.constant dense<1.000000e+01> : tensor<2xf32>
  // CHECK-DAG: %[[DIV:.+]] = nn.constant dense<-0.428571433> : tensor<2xf32>
  // CHECK-DAG: %[[MUL:.+]] = nn.constant dense<4.000000e+00> : tensor<f32>
  // CHECK-DAG: %[[NEG:.+]] = nn.constant dense<-3.000000e+00> : tensor<2xf32>
  // CHECK-DAG: %[[ABS:.+]] = nn.constant dense<7.000000e+00> : tensor<2xf32>
  // CHECK-DAG: %[[MAX:.+]] = nn.constant dense<3.000000e+00> : tensor<2xf32>
  // CHECK: return %[[ADD]], %[[SUB]], %[[DIV]], %[[MUL]], %[[NEG]], %[[ABS]], %[[MAX]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2xf16>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: (%[[X:.+]]: tensor<?x6xf32>)
func.func @reshapes(%x: tensor<?x6xf32>) -> (tensor<?x6xf32>, tensor<?x3xf32>) {
  %0 = nn.reshape %x : (tensor<?x6xf32>) -> tensor<?x2x3xf32>
  %1 = nn.reshape %0 : (tensor<?x2x3xf32>) -> tensor<?x6xf32>
  // CHECK-NEXT: %[[R:.+]] = nn.reshape %[[X]] : (tensor<?x6xf32>) -> tensor<?x3xf32>
  %2 = nn.reshape %0 : (tensor<?x2x3xf32>) -> tensor<?x3xf32>
  // CHECK-NEXT: return %[[X]], %[[R]]
  return %1, %2 : tensor<?x6xf32>, tensor<?x3xf32>
}

// -----

// The sizes contradict each other: an error at run time, which the combined
// reshape would turn into invalid IR.
// CHECK-LABEL: func.func @contradicting_reshapes
func.func @contradicting_reshapes(%x: tensor<8xf32>) -> tensor<4xf32> {
  // CHECK-COUNT-2: nn.reshape
  %0 = nn.reshape %x : (tensor<8xf32>) -> tensor<?xf32>
  %1 = nn.reshape %0 : (tensor<?xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @transposes
// CHECK-SAME: (%[[X:.+]]: tensor<2x3x4xf32>)
func.func @transposes(%x: tensor<2x3x4xf32>) -> (tensor<3x2x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  // CHECK-NEXT: %[[T:.+]] = nn.transpose %[[X]] {permutation = array<i64: 1, 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 2, 1, 0>} : (tensor<4x2x3xf32>) -> tensor<3x2x4xf32>
  %2 = nn.transpose %0 {permutation = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  %3 = nn.transpose %x {permutation = array<i64: 0, 1, 2>} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: return %[[T]], %[[X]], %[[X]]
  return %1, %2, %3 : tensor<3x2x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: func.func @moves_of_constants
func.func @moves_of_constants() -> (tensor<4xf32>, tensor<3x2xf32>, tensor<5x7xf16>) {
  %c = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %s = nn.constant dense<5.0> : tensor<2x3xf32>
  %h = nn.constant dense<6.0> : tensor<f16>
  %0 = nn.reshape %c : (tensor<2x2xf32>) -> tensor<4xf32>
  %1 = nn.transpose %s {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = nn.broadcast %h {dims = array<i64>} : (tensor<f16>) -> tensor<5x7xf16>
  // CHECK-DAG: %[[R:.+]] = nn.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
  // CHECK-DAG: %[[T:.+]] = nn.constant dense<5.000000e+00> : tensor<3x2xf32>
  // CHECK-DAG: %[[B:.+]] = nn.constant dense<6.000000e+00> : tensor<5x7xf16>
  // CHECK: return %[[R]], %[[T]], %[[B]]
  return %0, %1, %2 : tensor<4xf32>, tensor<3x2xf32>, tensor<5x7xf16>
}

// -----

// A broadcast to a dynamic shape may repeat: only a static one is an identity.
// CHECK-LABEL: func.func @broadcasts
// CHECK-SAME: (%[[X:.+]]: tensor<4xf32>, %[[Y:.+]]: tensor<?xf32>, %[[LIKE:.+]]: tensor<?xi1>)
func.func @broadcasts(%x: tensor<4xf32>, %y: tensor<?xf32>, %like: tensor<?xi1>) -> (tensor<4xf32>, tensor<?xf32>) {
  %0 = nn.broadcast %x {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[B:.+]] = nn.broadcast %[[Y]], %[[LIKE]]
  %1 = nn.broadcast %y, %like {dims = array<i64: 0>} : (tensor<?xf32>, tensor<?xi1>) -> tensor<?xf32>
  // CHECK-NEXT: return %[[X]], %[[B]]
  return %0, %1 : tensor<4xf32>, tensor<?xf32>
}

// -----

// A reduction over no dimensions to another type is a conversion: it stays.
// CHECK-LABEL: func.func @reductions_and_sums
// CHECK-SAME: (%[[X:.+]]: tensor<4xf16>)
func.func @reductions_and_sums(%x: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>, tensor<4xf32>, tensor<4xf16>, tensor<i64>) {
  %0 = nn.reduce_sum %x {dims = array<i64>, numerics = #amp.numerics<accumulate = f32>} : (tensor<4xf16>) -> tensor<4xf16>
  %1 = nn.reduce_max %x {dims = array<i64>, numerics = #amp.numerics<accumulate = f32>} : (tensor<4xf16>) -> tensor<4xf16>
  // CHECK-DAG: %[[S:.+]] = nn.reduce_sum %[[X]]
  %2 = nn.reduce_sum %x {dims = array<i64>, numerics = #amp.numerics<accumulate = f32>} : (tensor<4xf16>) -> tensor<4xf32>
  %3 = nn.add_n %x {numerics = #amp.numerics<accumulate = f32>} : (tensor<4xf16>) -> tensor<4xf16>
  // CHECK-DAG: %[[N:.+]] = nn.constant dense<4> : tensor<i64>
  %4 = nn.element_count %x : (tensor<4xf16>) -> tensor<i64>
  // CHECK: return %[[X]], %[[X]], %[[S]], %[[X]], %[[N]]
  return %0, %1, %2, %3, %4 : tensor<4xf16>, tensor<4xf16>, tensor<4xf32>, tensor<4xf16>, tensor<i64>
}

// -----

// A round trip through f16 asked for by the user is a rounding: no fold of this
// dialect looks through it.
// CHECK-LABEL: func.func @user_casts
func.func @user_casts(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: nn.neg
  // CHECK: amp.cast {{.+}} user : tensor<4xf32> to tensor<4xf16>
  // CHECK: amp.cast {{.+}} user : tensor<4xf16> to tensor<4xf32>
  // CHECK: nn.neg
  %0 = nn.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = amp.cast %0 user : tensor<4xf32> to tensor<4xf16>
  %2 = amp.cast %1 user : tensor<4xf16> to tensor<4xf32>
  %3 = nn.neg %2 : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// Neither contents nor identical copies are merged across a barrier.
// CHECK-LABEL: func.func @barrier
func.func @barrier(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: nn.neg
  // CHECK: nn.optimization_barrier
  // CHECK: nn.neg
  %0 = nn.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.optimization_barrier %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.neg %1 : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
