// The recorded accumulation case: micro-batches of 2 and 4 rows, each loss the sum of
// squared errors over the window's 12 elements, scaled by 8; their unscaled gradients
// are PyTorch's full-batch f32 gradients. Tolerance 1e-6 (PyTorch's own: 6e-8).
// DEFINE: %{golden} = %S/goldens/accumulation_seed11.safetensors
// RUN: amp-run %s --function=window --inputs=%{golden} --expect=%{golden} --atol=1e-6 --reference
// RUN: amp-run %s --function=window --inputs=%{golden} --expect=%{golden} --atol=1e-6

// Negative: with a denominator per micro-batch (its own mean) they are other gradients.
// RUN: not amp-run %s --function=means --inputs=%{golden} --expect=%{golden} --atol=1e-2 --reference
amp.scaler @main static {initial = 8.0 : f32}

func.func @window(%w: tensor<2x4xf32> {amp.name = "weight"}, %b: tensor<2xf32> {amp.name = "bias"},
                  %x1: tensor<2x4xf32> {amp.name = "x1"}, %y1: tensor<2x2xf32> {amp.name = "y1"},
                  %x2: tensor<4x4xf32> {amp.name = "x2"}, %y2: tensor<4x2xf32> {amp.name = "y2"})
    -> (tensor<2x4xf32> {amp.name = "grad.weight"}, tensor<2xf32> {amp.name = "grad.bias"}) {
  %d = nn.constant dense<12.0> : tensor<f32>
  %0:2 = call @gradients(%w, %b, %x1, %y1, %x2, %y2, %d, %d) : (tensor<2x4xf32>, tensor<2xf32>, tensor<2x4xf32>, tensor<2x2xf32>, tensor<4x4xf32>, tensor<4x2xf32>, tensor<f32>, tensor<f32>) -> (tensor<2x4xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2x4xf32>, tensor<2xf32>
}

func.func @means(%w: tensor<2x4xf32> {amp.name = "weight"}, %b: tensor<2xf32> {amp.name = "bias"},
                 %x1: tensor<2x4xf32> {amp.name = "x1"}, %y1: tensor<2x2xf32> {amp.name = "y1"},
                 %x2: tensor<4x4xf32> {amp.name = "x2"}, %y2: tensor<4x2xf32> {amp.name = "y2"})
    -> (tensor<2x4xf32> {amp.name = "grad.weight"}, tensor<2xf32> {amp.name = "grad.bias"}) {
  // The mean of the two means: 2 * 4 and 2 * 8 elements.
  %d1 = nn.constant dense<8.0> : tensor<f32>
  %d2 = nn.constant dense<16.0> : tensor<f32>
  %0:2 = call @gradients(%w, %b, %x1, %y1, %x2, %y2, %d1, %d2) : (tensor<2x4xf32>, tensor<2xf32>, tensor<2x4xf32>, tensor<2x2xf32>, tensor<4x4xf32>, tensor<4x2xf32>, tensor<f32>, tensor<f32>) -> (tensor<2x4xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2x4xf32>, tensor<2xf32>
}

func.func private @gradients(%w: tensor<2x4xf32>, %b: tensor<2xf32>, %x1: tensor<2x4xf32>, %y1: tensor<2x2xf32>,
                             %x2: tensor<4x4xf32>, %y2: tensor<4x2xf32>, %d1: tensor<f32>, %d2: tensor<f32>)
    -> (tensor<2x4xf32>, tensor<2xf32>) {
  %one = nn.constant dense<1.0> : tensor<f32>
  %scale = nn.constant dense<8.0> : tensor<f32>
  %seed = amp.scale_loss @main(%one, %scale) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %z1 = nn.linear %x1, %w, %b : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %z2 = nn.linear %x2, %w, %b : (tensor<4x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %g1 = nn.mse_loss_grad %seed, %z1, %y1, %d1 {reduction = #nn.reduction<mean>} : (tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %g2 = nn.mse_loss_grad %seed, %z2, %y2, %d2 {reduction = #nn.reduction<mean>} : (tensor<f32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %dw1 = nn.linear_weight_grad %g1, %x1 : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %dw2 = nn.linear_weight_grad %g2, %x2 : (tensor<4x2xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %db1 = nn.reduce_sum %g1 {dims = array<i64: 0>} : (tensor<2x2xf32>) -> tensor<2xf32>
  %db2 = nn.reduce_sum %g2 {dims = array<i64: 0>} : (tensor<4x2xf32>) -> tensor<2xf32>
  %dw = nn.add %dw1, %dw2 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %db = nn.add %db1, %db2 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %u:2 = amp.unscale_grads @main(%scale) %dw, %db : (tensor<f32>, tensor<2x4xf32>, tensor<2xf32>) -> (tensor<2x4xf32>, tensor<2xf32>)
  return %u#0, %u#1 : tensor<2x4xf32>, tensor<2xf32>
}
