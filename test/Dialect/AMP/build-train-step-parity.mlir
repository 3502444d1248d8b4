// RUN: amp-opt %s -nn-autodiff -amp-build-train-step="loss-scale=dynamic clip=1" | FileCheck %s
// RUN: amp-opt %s -nn-autodiff -amp-build-train-step="clip=1 guard=false" | FileCheck %s --check-prefix=NOGUARD

// PyTorch's found-inf reads the scaled gradients and no norm; its growth test is exact.
// The metric `finite` is about the unscaled ones.
// CHECK-LABEL: func.func @main.train(
// CHECK: %[[DW:.+]] = nn.linear_weight_grad
// CHECK: %[[G:.+]] = amp.unscale_grads @scaler(%{{.+}}) %[[DW]]
// CHECK: amp.found_inf %[[G]] :
// CHECK: amp.found_inf %[[DW]] :
// CHECK: amp.update_scale {{.*}} {exact_interval}

// Without a guard a non-finite step is not clipped: a norm of 0 leaves it alone.
// NOGUARD-LABEL: func.func @main.train(
// NOGUARD: %[[NORM:.+]] = amp.global_norm
// NOGUARD: %[[BAD:.+]] = amp.found_inf
// NOGUARD: %[[USED:.+]] = arith.select %[[BAD]], %{{.+}}, %[[NORM]]
// NOGUARD: amp.clip_by_global_norm norm(%[[USED]])
module attributes {amp.parity = #amp.parity<pytorch>} {
  func.func @main(%w: tensor<2x4xf32> {amp.name = "weight", amp.role = #amp.role<parameter>},
                  %x: tensor<?x4xf32> {amp.name = "x", amp.role = #amp.role<input>},
                  %y: tensor<?x2xf32> {amp.name = "y", amp.role = #amp.role<target>})
      -> (tensor<f32> {amp.role = #amp.role<loss>}) {
    %0 = nn.linear %x, %w : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
    %1 = nn.mse_loss %0, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}
