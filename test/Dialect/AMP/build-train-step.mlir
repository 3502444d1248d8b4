// RUN: amp-opt %s -nn-autodiff -amp-build-train-step="optimizer=sgd lr=0.1 momentum=0.9 loss-scale=dynamic scale=8 interval=2 clip=1" -amp-verify | FileCheck %s
// RUN: amp-opt %s -nn-autodiff -amp-build-train-step="optimizer=sgd lr=0.1 guard=false window=single" -amp-verify | FileCheck %s --check-prefix=PLAIN
// RUN: amp-opt %s -nn-autodiff -amp-build-train-step="loss-scale=dynamic weighting=rows" -amp-verify | FileCheck %s --check-prefix=ROWS

// The order of a step: scale the loss, backward, unscale once, norm, found-inf over
// unscaled gradients and their norm, clip, guarded update, scale, counters.

// CHECK: module attributes {amp.buffers = [#amp.buffer<name = "weight", role = parameter, type = tensor<2x4xf32>>
// CHECK-SAME: #amp.buffer<name = "weight.momentum", role = optimizer_state
// CHECK-SAME: #amp.buffer<name = "weight.gradient", role = gradient
// CHECK-SAME: amp.state = [#amp.state<name = "weight", role = parameter, type = tensor<2x4xf32>, init = unit, group = "default", of = "weight", buffer = 0, offset = 0>
// CHECK-SAME: #amp.state<name = "scaler.scale", role = scaler_state, type = tensor<f32>, init = 8.000000e+00 : f32
// CHECK-SAME: #amp.state<name = "lr", role = schedule, type = tensor<f32>, init = 1.000000e-01 : f32
// CHECK: amp.scaler @scaler dynamic {initial = 8.000000e+00 : f32, interval = 2 : i64}
// CHECK-LABEL: func.func @main(

// CHECK-LABEL: func.func @main.train(
// CHECK-SAME: %[[W:[^:]+]]: tensor<2x4xf32> {amp.name = "weight", amp.role = #amp.role<parameter>, bufferization.writable = true}
// CHECK-SAME: %[[M:[^:]+]]: tensor<2x4xf32> {amp.name = "weight.momentum"
// CHECK-SAME: %[[SCALE:[^:]+]]: tensor<f32> {amp.name = "scaler.scale"
// CHECK-SAME: %[[TRACKER:[^:]+]]: tensor<i64> {amp.name = "scaler.growth_tracker"
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x4xf32> {amp.name = "x", amp.role = #amp.role<input>, bufferization.writable = false}
// CHECK-SAME: amp.step_kind = #amp.step_kind<train>
// CHECK: %[[COUNT:.+]] = nn.element_count
// CHECK: %[[EMPTY:.+]] = arith.cmpi eq, %[[COUNT]]
// CHECK: %[[SEED:.+]] = amp.scale_loss @scaler(%{{.+}}, %[[SCALE]])
// CHECK: %[[LOSS:.+]] = nn.mse_loss
// CHECK: nn.mse_loss_grad %[[SEED]]
// CHECK: %[[DW:.+]] = nn.linear_weight_grad
// CHECK: %[[G:.+]] = amp.unscale_grads @scaler(%[[SCALE]]) %[[DW]]
// CHECK: %[[NORM:.+]] = amp.global_norm %[[G]]
// CHECK: amp.found_inf %[[G]] :
// CHECK: %[[FOUND:.+]] = amp.found_inf %[[G]] norm(%[[NORM]])
// CHECK: %[[FULL:.+]] = arith.xori %[[EMPTY]]
// CHECK: %[[INF:.+]] = arith.andi %[[FOUND]], %[[FULL]]
// CHECK: %[[HOLD:.+]] = arith.ori %[[INF]], %[[EMPTY]]
// CHECK: %[[CLIPPED:.+]] = amp.clip_by_global_norm norm(%[[NORM]]) %[[G]] {max_norm = 1.000000e+00 : f32}
// CHECK: %[[UPDATED:.+]]:2 = amp.guarded_update skip(%[[HOLD]]) states(%[[W]], %[[M]]) gradients(%[[CLIPPED]])
// CHECK: amp.update_scale @scaler(%[[SCALE]], %[[TRACKER]], %[[INF]])
// CHECK: return %[[UPDATED]]#0, %[[UPDATED]]#1

// The first micro-batch writes the gradient buffer, later ones add to it; both
// divide by the window's denominator.
// CHECK-LABEL: func.func @main.accumulate_first(
// CHECK-SAME: %[[D:[^:]+]]: tensor<i64> {amp.name = "denominator"
// CHECK: %[[DF:.+]] = nn.convert %[[D]] : (tensor<i64>) -> tensor<f32>
// CHECK: nn.mse_loss %{{.+}}, %{{.+}}, %[[DF]]
// CHECK: nn.mse_loss_grad %{{.+}}, %{{.+}}, %{{.+}}, %[[DF]]
// CHECK-NOT: nn.add
// CHECK-LABEL: func.func @main.accumulate_next(
// CHECK-SAME: %[[G:[^:]+]]: tensor<2x4xf32> {amp.name = "weight.gradient", amp.role = #amp.role<gradient>, amp.scale_power = {scaler = 1 : i64}
// CHECK: %[[DW:.+]] = nn.linear_weight_grad
// CHECK: nn.add %[[G]], %[[DW]]
// CHECK-LABEL: func.func @main.apply(
// CHECK-NOT: nn.
// CHECK: amp.guarded_update
// CHECK-LABEL: func.func @main.count(
// CHECK: nn.element_count
// CHECK-LABEL: func.func @main.forward(
// CHECK: nn.mse_loss
// CHECK-NOT: @main.vjp

// Without scaling and guard nothing is scaled and nothing is held.
// PLAIN-NOT: amp.scaler
// PLAIN-LABEL: func.func @main.train(
// PLAIN-NOT: amp.scale_loss
// PLAIN: amp.guarded_update states(
// PLAIN-NOT: func.func @main.apply

// By rows, the loss and its seed are multiplied by rows / denominator.
// ROWS-LABEL: func.func @main.accumulate_first(
// ROWS: %[[ROWS:.+]] = arith.divsi
// ROWS: %[[RATIO:.+]] = arith.divf
// ROWS: %[[WEIGHT:.+]] = arith.truncf %[[RATIO]]
// ROWS: amp.scale_loss @scaler(%[[WEIGHT]]
// ROWS: %[[LOSS:.+]] = nn.mse_loss %{{[^,]+}}, %{{[^,]+}} :
// ROWS: arith.mulf %[[LOSS]], %[[WEIGHT]]
func.func @main(%w: tensor<2x4xf32> {amp.name = "weight", amp.role = #amp.role<parameter>},
                %x: tensor<?x4xf32> {amp.name = "x", amp.role = #amp.role<input>},
                %y: tensor<?x2xf32> {amp.name = "y", amp.role = #amp.role<target>})
    -> (tensor<f32> {amp.role = #amp.role<loss>}, tensor<?x2xf32> {amp.role = #amp.role<logits>}) {
  %0 = nn.linear %x, %w : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  %1 = nn.mse_loss %0, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<f32>
  return %1, %0 : tensor<f32>, tensor<?x2xf32>
}
