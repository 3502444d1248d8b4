// RUN: amp-opt %s -split-input-file -allow-unregistered-dialect -nn-autodiff | FileCheck %s

// The derivative of a model: arguments and a loss cotangent in, results and one
// gradient per parameter out, an unused parameter's being 0. Contractions of both
// functions get a phase.
// CHECK-LABEL: func.func @main
// CHECK: nn.linear {{.*}}phase = #amp.phase<fprop>
// CHECK-LABEL: func.func private @main.vjp(
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x4xf32>
// CHECK-SAME: %[[W:[^:]+]]: tensor<2x4xf32>
// CHECK-SAME: %[[B:[^:]+]]: tensor<2xf32>
// CHECK-SAME: %[[U:[^:]+]]: tensor<3x?xf32>
// CHECK-SAME: %[[Y:[^:]+]]: tensor<?x2xf32>
// CHECK-SAME: %[[C:[^:]+]]: tensor<f32> {amp.name = "loss.cotangent", amp.role = #amp.role<gradient>}
// CHECK-SAME: -> (tensor<f32> {amp.role = #amp.role<loss>}
// CHECK-SAME: tensor<2x4xf32> {amp.name = "w", amp.role = #amp.role<gradient>}
// CHECK-SAME: tensor<2xf32> {amp.name = "b", amp.role = #amp.role<gradient>}
// CHECK-SAME: tensor<3x?xf32> {amp.name = "u", amp.role = #amp.role<gradient>})
// CHECK: %[[H:.+]] = nn.linear %[[X]], %[[W]], %[[B]] {phase = #amp.phase<fprop>}
// CHECK: %[[L:.+]] = nn.mse_loss %[[H]], %[[Y]]
// CHECK: %[[DH:.+]] = nn.mse_loss_grad %[[C]], %[[H]], %[[Y]]
// CHECK-NOT: nn.linear_input_grad
// CHECK: %[[DW:.+]] = nn.linear_weight_grad %[[DH]], %[[X]] {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<wgrad>}
// CHECK: %[[DB:.+]] = nn.reduce_sum %[[DH]] {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>}
// CHECK: %[[ZERO:.+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK: %[[DU:.+]] = nn.broadcast %[[ZERO]], %[[U]] {dims = array<i64>}
// CHECK: return %[[L]], %[[DW]], %[[DB]], %[[DU]]
func.func @main(%x: tensor<?x4xf32> {amp.role = #amp.role<input>, amp.name = "x"},
                %w: tensor<2x4xf32> {amp.role = #amp.role<parameter>, amp.name = "w"},
                %b: tensor<2xf32> {amp.role = #amp.role<parameter>, amp.name = "b"},
                %u: tensor<3x?xf32> {amp.role = #amp.role<parameter>, amp.name = "u"},
                %y: tensor<?x2xf32> {amp.role = #amp.role<target>, amp.name = "y"})
    -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  %0 = nn.linear %x, %w, %b : (tensor<?x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %1 = nn.mse_loss %0, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// Through casts: a weight gradient leaves the accumulator in f32 and meets no
// cast; the input's cotangent goes back through the cast of x. A user's cast has a
// user's cast as derivative.
// CHECK-LABEL: func.func private @through_casts.vjp(
// CHECK-SAME: %[[X:[^:]+]]: tensor<8x4xf32>
// CHECK: %[[XH:.+]] = amp.cast %[[X]]
// CHECK: %[[WH:.+]] = amp.cast %{{.+}} policy : tensor<2x4xf32> to tensor<2x4xf16>
// CHECK: %[[Y:.+]] = nn.linear %[[XH]], %[[WH]]
// CHECK: %[[DY:.+]] = nn.mse_loss_grad
// CHECK: %[[DYH:.+]] = amp.cast %[[DY]] policy : tensor<8x2xf32> to tensor<8x2xf16>
// CHECK: %[[DX:.+]] = nn.linear_input_grad %[[DYH]], %[[WH]] {numerics = #amp.numerics<accumulate = f32>, phase = #amp.phase<dgrad>} : {{.*}} -> tensor<8x4xf16>
// CHECK: %[[DW:.+]] = nn.linear_weight_grad %[[DYH]], %[[XH]] {{.*}} -> tensor<2x4xf32>
// CHECK: %[[DX32:.+]] = amp.cast %[[DX]] user : tensor<8x4xf16> to tensor<8x4xf32>
// CHECK: return %{{.+}}, %[[DX32]], %[[DW]]
func.func @through_casts(%x: tensor<8x4xf32> {amp.role = #amp.role<parameter>, amp.name = "x"},
                         %w: tensor<2x4xf32> {amp.role = #amp.role<parameter>, amp.name = "w"},
                         %y: tensor<8x2xf32>) -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  %xh = amp.cast %x user : tensor<8x4xf32> to tensor<8x4xf16>
  %wh = amp.cast %w policy : tensor<2x4xf32> to tensor<2x4xf16>
  %0 = nn.linear %xh, %wh {numerics = #amp.numerics<accumulate = f32>}
      : (tensor<8x4xf16>, tensor<2x4xf16>) -> tensor<8x2xf16>
  %1 = amp.cast %0 policy : tensor<8x2xf16> to tensor<8x2xf32>
  %2 = nn.mse_loss %1, %y : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// parity = pytorch: weight and bias gradients are rounded to the operand's type
// first and go back through the casts.
module attributes {amp.parity = #amp.parity<pytorch>} {
  // CHECK-LABEL: func.func private @parity.vjp(
  // CHECK: %[[DW:.+]] = nn.linear_weight_grad {{.*}} -> tensor<2x4xf16>
  // CHECK: %[[DB:.+]] = nn.reduce_sum {{.*}} : (tensor<8x2xf16>) -> tensor<2xf16>
  // CHECK: %[[DB32:.+]] = amp.cast %[[DB]] policy : tensor<2xf16> to tensor<2xf32>
  // CHECK: %[[DW32:.+]] = amp.cast %[[DW]] policy : tensor<2x4xf16> to tensor<2x4xf32>
  // CHECK: return %{{.+}}, %[[DW32]], %[[DB32]]
  func.func @parity(%x: tensor<8x4xf16>,
                    %w: tensor<2x4xf32> {amp.role = #amp.role<parameter>, amp.name = "w"},
                    %b: tensor<2xf32> {amp.role = #amp.role<parameter>, amp.name = "b"},
                    %y: tensor<8x2xf32>) -> (tensor<f32> {amp.role = #amp.role<loss>}) {
    %wh = amp.cast %w policy : tensor<2x4xf32> to tensor<2x4xf16>
    %bh = amp.cast %b policy : tensor<2xf32> to tensor<2xf16>
    %0 = nn.linear %x, %wh, %bh {numerics = #amp.numerics<accumulate = f32>}
        : (tensor<8x4xf16>, tensor<2x4xf16>, tensor<2xf16>) -> tensor<8x2xf16>
    %1 = amp.cast %0 policy : tensor<8x2xf16> to tensor<8x2xf32>
    %2 = nn.mse_loss %1, %y : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
}

// -----

// Fan-in is one n-ary sum at the f32 value, after each cast's own derivative: the
// three cotangents are never added in f16.
// CHECK-LABEL: func.func private @fan_in.vjp(
// CHECK-DAG: %[[A:.+]] = amp.cast %{{.+}} policy : tensor<4xf16> to tensor<4xf32>
// CHECK-DAG: %[[B:.+]] = amp.cast %{{.+}} policy : tensor<4xf16> to tensor<4xf32>
// CHECK: %[[SUM:.+]] = nn.add_n %{{.+}}, %{{.+}}, %{{.+}} {numerics = #amp.numerics<accumulate = f32>} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NOT: nn.add_n
// CHECK: return %{{.+}}, %{{.+}}, %{{.+}}, %[[SUM]]
func.func @fan_in(%x: tensor<4xf32> {amp.role = #amp.role<parameter>, amp.name = "x"})
    -> (tensor<f32> {amp.role = #amp.role<loss>}, tensor<4xf16>, tensor<4xf16>) {
  %0 = amp.cast %x policy : tensor<4xf32> to tensor<4xf16>
  %1 = amp.cast %x policy : tensor<4xf32> to tensor<4xf16>
  %2 = nn.tanh %0 : (tensor<4xf16>) -> tensor<4xf16>
  %3 = nn.mul %2, %1 : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %4 = amp.cast %3 policy : tensor<4xf16> to tensor<4xf32>
  %5 = nn.mul %4, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = nn.reduce_sum %5 {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  return %6, %2, %3 : tensor<f32>, tensor<4xf16>, tensor<4xf16>
}

// -----

// One f16 value with an f32 weight gradient and an f16 cotangent: summed in f32,
// unrounded, and through the transpose and the cast as f32.
// CHECK-LABEL: func.func private @mixed_fan_in.vjp(
// CHECK: nn.add
// CHECK: %[[MUL:.+]] = nn.mul %{{.+}} : (tensor<2x4xf16>, tensor<2x4xf16>) -> tensor<2x4xf16>
// CHECK: %[[DW:.+]] = nn.linear_weight_grad {{.*}} -> tensor<2x4xf32>
// CHECK: %[[WIDE:.+]] = amp.cast %[[MUL]] policy : tensor<2x4xf16> to tensor<2x4xf32>
// CHECK: %[[SUM:.+]] = nn.add_n %[[WIDE]], %[[DW]] {numerics = #amp.numerics<accumulate = f32>} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %[[T:.+]] = nn.transpose %[[SUM]] {permutation = array<i64: 1, 0>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: return %{{.+}}, %[[T]]
func.func @mixed_fan_in(%w: tensor<4x2xf32> {amp.role = #amp.role<parameter>, amp.name = "w"},
                        %x: tensor<2x4xf16>, %s: tensor<2x4xf16>)
    -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  %0 = amp.cast %w policy : tensor<4x2xf32> to tensor<4x2xf16>
  %1 = nn.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<4x2xf16>) -> tensor<2x4xf16>
  %2 = nn.linear %x, %1 {numerics = #amp.numerics<accumulate = f32>}
      : (tensor<2x4xf16>, tensor<2x4xf16>) -> tensor<2x2xf16>
  %3 = nn.mul %1, %s : (tensor<2x4xf16>, tensor<2x4xf16>) -> tensor<2x4xf16>
  %4 = nn.reduce_sum %2 {dims = array<i64: 0, 1>, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x2xf16>) -> tensor<f32>
  %5 = nn.reduce_sum %3 {dims = array<i64: 0, 1>, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x4xf16>) -> tensor<f32>
  %6 = nn.add %4, %5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %6 : tensor<f32>
}

// -----

// A weight that was computed in f16: its f32 gradient is rounded to f16 once,
// before the derivative of the op that made it.
// CHECK-LABEL: func.func private @computed_weight.vjp(
// CHECK: %[[DW:.+]] = nn.linear_weight_grad {{.*}} -> tensor<2x4xf32>
// CHECK: %[[DWH:.+]] = amp.cast %[[DW]] policy : tensor<2x4xf32> to tensor<2x4xf16>
// CHECK: nn.tanh_grad %[[DWH]], %{{.+}} : (tensor<2x4xf16>
func.func @computed_weight(%w: tensor<2x4xf32> {amp.role = #amp.role<parameter>, amp.name = "w"},
                           %x: tensor<2x4xf16>) -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  %0 = amp.cast %w policy : tensor<2x4xf32> to tensor<2x4xf16>
  %1 = nn.tanh %0 : (tensor<2x4xf16>) -> tensor<2x4xf16>
  %2 = nn.linear %x, %1 {numerics = #amp.numerics<accumulate = f32>}
      : (tensor<2x4xf16>, tensor<2x4xf16>) -> tensor<2x2xf16>
  %3 = nn.reduce_sum %2 {dims = array<i64: 0, 1>, numerics = #amp.numerics<accumulate = f32>} : (tensor<2x2xf16>) -> tensor<f32>
  return %3 : tensor<f32>
}

// -----

// Integer side paths carry no cotangent, select hands it to both arms, and an
// op without a derivative is no error off the path.
// CHECK-LABEL: func.func private @side_paths.vjp(
// CHECK-SAME: %[[X:[^:]+]]: tensor<4xf32>
// CHECK: %[[P:.+]] = nn.compare
// CHECK: "unknown.metric"
// CHECK: %[[C:.+]] = nn.broadcast %{{.+}} : (tensor<f32>) -> tensor<4xf32>
// CHECK: %[[ZERO:.+]] = nn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[L:.+]] = nn.select %[[P]], %[[C]], %[[ZERO]]
// CHECK: %[[R:.+]] = nn.select %[[P]], %[[ZERO]], %[[C]]
// CHECK: %[[NEG:.+]] = nn.neg %[[R]]
// CHECK: %[[SUM:.+]] = nn.add_n %[[L]], %[[NEG]]
// CHECK: return %{{.+}}, %{{.+}}, %[[SUM]]
func.func @side_paths(%x: tensor<4xf32> {amp.role = #amp.role<parameter>, amp.name = "x"})
    -> (tensor<f32> {amp.role = #amp.role<loss>}, tensor<f32>) {
  %zero = nn.constant dense<0.0> : tensor<4xf32>
  %0 = nn.compare %x, %zero {predicate = #nn.predicate<gt>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = nn.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.select %0, %x, %1 : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.convert %0 : (tensor<4xi1>) -> tensor<4xf32>
  %4 = nn.add %2, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = "unknown.metric"(%4) : (tensor<4xf32>) -> tensor<f32>
  %6 = nn.reduce_sum %4 {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  return %6, %5 : tensor<f32>, tensor<f32>
}

// -----

// A loss in f16 still takes its cotangent in f32: the scale is an f32 number.
// CHECK-LABEL: func.func private @f16_loss.vjp(
// CHECK-SAME: %[[C:[^:]+]]: tensor<f32> {amp.name = "loss.cotangent"
// CHECK: amp.cast %[[C]] policy : tensor<f32> to tensor<f16>
func.func @f16_loss(%x: tensor<4xf16> {amp.role = #amp.role<parameter>, amp.name = "x"})
    -> (tensor<f16> {amp.role = #amp.role<loss>}) {
  %0 = nn.reduce_sum %x {dims = array<i64: 0>, numerics = #amp.numerics<accumulate = f32>} : (tensor<4xf16>) -> tensor<f16>
  return %0 : tensor<f16>
}
