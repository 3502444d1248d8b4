// RUN: amp-opt %s -nn-autodiff -amp-build-train-step="optimizer=adam loss-scale=dynamic clip=1" -amp-specialize-shapes=batch=6 -amp-pack-state | FileCheck %s

// Buffers by role, slot and element type; offsets are multiples of 64 bytes and
// equal across parameters, moments and gradients.
// CHECK: amp.buffers = [#amp.buffer<name = "parameter.f32", role = parameter, type = tensor<32xf32>>, #amp.buffer<name = "optimizer_state.exp_avg.f32", role = optimizer_state, type = tensor<32xf32>>, #amp.buffer<name = "optimizer_state.exp_avg_sq.f32", role = optimizer_state, type = tensor<32xf32>>, #amp.buffer<name = "gradient.f32", role = gradient, type = tensor<32xf32>>, #amp.buffer<name = "scaler.scale", role = scaler_state, type = tensor<f32>>
// CHECK-SAME: #amp.state<name = "bias", role = parameter, type = tensor<2xf32>, init = unit, group = "default", of = "bias", buffer = 0, offset = 16>
// CHECK-SAME: #amp.state<name = "bias.exp_avg_sq", {{.*}} buffer = 2, offset = 16>
// CHECK-SAME: #amp.state<name = "scaler.scale", {{.*}} buffer = 4, offset = 0>

// CHECK-LABEL: func.func @main.train(
// CHECK-SAME: %[[P:[^:]+]]: tensor<32xf32> {amp.name = "parameter.f32", amp.role = #amp.role<parameter>, bufferization.writable = true}
// CHECK-SAME: %[[M:[^:]+]]: tensor<32xf32> {amp.name = "optimizer_state.exp_avg.f32"
// CHECK-SAME: %[[V:[^:]+]]: tensor<32xf32> {amp.name = "optimizer_state.exp_avg_sq.f32"
// CHECK-SAME: -> (tensor<32xf32> {amp.name = "parameter.f32", amp.role = #amp.role<parameter>}
// CHECK-DAG: %[[LINE:.+]] = tensor.extract_slice %[[P]][0] [8] [1] : tensor<32xf32> to tensor<8xf32>
// CHECK-DAG: %[[W:.+]] = tensor.expand_shape %[[LINE]] {{\[\[}}0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
// CHECK-DAG: %[[B:.+]] = tensor.extract_slice %[[P]][16] [2] [1] : tensor<32xf32> to tensor<2xf32>
// CHECK: nn.linear %{{.+}}, %[[W]], %[[B]]
// CHECK: %[[DW:.+]] = nn.linear_weight_grad
// CHECK: %[[DB:.+]] = nn.reduce_sum
// CHECK: %[[DP:.+]] = amprt.concat %[[DW]], %[[DB]] at [0, 16] : (tensor<2x4xf32>, tensor<2xf32>) -> tensor<32xf32>
// CHECK: %[[G:.+]] = amp.unscale_grads @scaler(%{{.+}}) %[[DP]] : (tensor<f32>, tensor<32xf32>) -> tensor<32xf32>
// CHECK: %[[NORM:.+]] = amp.global_norm %[[G]]
// CHECK: amp.found_inf %[[G]] norm(%[[NORM]]) : (tensor<32xf32>, tensor<f32>) -> tensor<i1>
// CHECK: amp.zero_share %[[G]] {elements = 10 : i64}
// CHECK: %[[C:.+]] = amp.clip_by_global_norm norm(%[[NORM]]) %[[G]]
// CHECK: %[[NEW:.+]]:3 = amp.guarded_update skip(%{{.+}}) states(%[[P]], %[[M]], %[[V]]) gradients(%[[C]])
// CHECK: return %[[NEW]]#0, %[[NEW]]#1, %[[NEW]]#2,

// The sum over micro-batches is one op on the flat buffer.
// CHECK-LABEL: func.func @main.accumulate_next(
// CHECK-SAME: %[[OLD:[^:]+]]: tensor<32xf32> {amp.name = "gradient.f32", amp.role = #amp.role<gradient>, amp.scale_power = {scaler = 1 : i64}
// CHECK: %[[DP:.+]] = amprt.concat
// CHECK: %[[SUM:.+]] = nn.add %[[OLD]], %[[DP]] : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
// CHECK-NOT: nn.add
// CHECK: return {{.*}}, %[[SUM]],

// CHECK-LABEL: func.func @main.apply(
// CHECK-NOT: tensor.extract_slice
// CHECK-NOT: amprt.concat
// CHECK: amp.guarded_update
// CHECK-LABEL: func.func @main.count(%{{[^:]+}}: tensor<6x4xf32>
// CHECK-LABEL: func.func @main.forward(
// CHECK: tensor.extract_slice
func.func @main(%w: tensor<2x4xf32> {amp.name = "weight", amp.role = #amp.role<parameter>},
                %b: tensor<2xf32> {amp.name = "bias", amp.role = #amp.role<parameter>},
                %x: tensor<?x4xf32> {amp.name = "x", amp.role = #amp.role<input>},
                %y: tensor<?x2xf32> {amp.name = "y", amp.role = #amp.role<target>})
    -> (tensor<f32> {amp.role = #amp.role<loss>}, tensor<?x2xf32> {amp.role = #amp.role<logits>}) {
  %0 = nn.linear %x, %w, %b : (tensor<?x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %1 = nn.mse_loss %0, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<f32>
  return %1, %0 : tensor<f32>, tensor<?x2xf32>
}
