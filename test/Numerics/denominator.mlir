// The denominator of a window is known before its first backward, executed:
// interpreted and compiled. Micro-batches of 7 and 13 rows have 3 and 11 targets
// that count.

// Each micro-batch's loss is its sum over 14: losses and weight gradients of both
// together equal those of the full batch. Tolerance 1e-6: sums of 20 terms of
// magnitude at most 2 in another order.
// RUN: amp-run %s --function=window --reference --output=%t.safetensors | FileCheck %s
// RUN: amp-run %s --function=window | FileCheck %s
// RUN: amp-run %s --function=window --expect=%t.safetensors --rtol=1e-4 --atol=1e-6
// CHECK: out0 (count): tensor<f32> = 14{{$}}
// CHECK: out1 (loss_agrees): tensor<i1> = true
// CHECK: out2 (gradient_agrees): tensor<i1> = true
// The mean of the two means is another loss: the 3 targets would weigh as much as
// the 11.
// CHECK: out3 (mean_of_means_agrees): tensor<i1> = false
func.func @window() -> (tensor<f32> {amp.name = "count"}, tensor<i1> {amp.name = "loss_agrees"}, tensor<i1> {amp.name = "gradient_agrees"},
                        tensor<i1> {amp.name = "mean_of_means_agrees"}, tensor<f32> {amp.name = "loss"}, tensor<3x2xf32> {amp.name = "gradient"}) {
  %wc = nn.constant dense<[[0.5, -1.0], [0.2, 0.3], [-0.7, 0.9]]> : tensor<3x2xf32>
  %w = nn.optimization_barrier %wc : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %x = nn.constant dense<[[0.8, -1.7], [-0.6, -0.8], [0.8, -1.3], [-0.1, -1.3], [-1.0, 1.8], [1.8, -0.6], [-0.4, 0.2], [-0.3, -0.5], [1.4, -0.2], [0.8, 0.5], [1.8, -1.5], [-1.0, 1.3], [-0.2, 0.0], [1.6, -1.0], [-0.1, 0.4], [1.1, -0.5], [-0.8, -0.3], [1.9, -1.2], [0.1, -0.5], [-1.4, -0.9]]> : tensor<20x2xf32>
  %x1 = nn.constant dense<[[0.8, -1.7], [-0.6, -0.8], [0.8, -1.3], [-0.1, -1.3], [-1.0, 1.8], [1.8, -0.6], [-0.4, 0.2]]> : tensor<7x2xf32>
  %x2 = nn.constant dense<[[-0.3, -0.5], [1.4, -0.2], [0.8, 0.5], [1.8, -1.5], [-1.0, 1.3], [-0.2, 0.0], [1.6, -1.0], [-0.1, 0.4], [1.1, -0.5], [-0.8, -0.3], [1.9, -1.2], [0.1, -0.5], [-1.4, -0.9]]> : tensor<13x2xf32>
  %t = nn.constant dense<[1, -100, 1, -100, -100, 0, -100, 0, 0, 1, 0, -100, 1, -100, 1, 2, 2, 0, 2, 2]> : tensor<20xi64>
  %t1 = nn.constant dense<[1, -100, 1, -100, -100, 0, -100]> : tensor<7xi64>
  %t2 = nn.constant dense<[0, 0, 1, 0, -100, 1, -100, 1, 2, 2, 0, 2, 2]> : tensor<13xi64>

  // What the window counts before its first backward.
  %n1 = nn.valid_count %t1 {ignore_index = -100 : i64} : (tensor<7xi64>) -> tensor<i64>
  %n2 = nn.valid_count %t2 {ignore_index = -100 : i64} : (tensor<13xi64>) -> tensor<i64>
  %d1 = nn.convert %n1 : (tensor<i64>) -> tensor<f32>
  %d2 = nn.convert %n2 : (tensor<i64>) -> tensor<f32>
  %d = nn.add %d1, %d2 : (tensor<f32>, tensor<f32>) -> tensor<f32>

  %full, %gfull = call @full(%w, %x, %t) : (tensor<3x2xf32>, tensor<20x2xf32>, tensor<20xi64>) -> (tensor<f32>, tensor<3x2xf32>)
  %y1 = nn.linear %x1, %w : (tensor<7x2xf32>, tensor<3x2xf32>) -> tensor<7x3xf32>
  %y2 = nn.linear %x2, %w : (tensor<13x2xf32>, tensor<3x2xf32>) -> tensor<13x3xf32>
  %l1 = nn.cross_entropy %y1, %t1, %d {ignore_index = -100 : i64, reduction = #nn.reduction<mean>} : (tensor<7x3xf32>, tensor<7xi64>, tensor<f32>) -> tensor<f32>
  %l2 = nn.cross_entropy %y2, %t2, %d {ignore_index = -100 : i64, reduction = #nn.reduction<mean>} : (tensor<13x3xf32>, tensor<13xi64>, tensor<f32>) -> tensor<f32>
  %loss = nn.add %l1, %l2 : (tensor<f32>, tensor<f32>) -> tensor<f32>

  %one = nn.constant dense<1.0> : tensor<f32>
  %dy1 = nn.cross_entropy_grad %one, %y1, %t1, %d {ignore_index = -100 : i64, reduction = #nn.reduction<mean>} : (tensor<f32>, tensor<7x3xf32>, tensor<7xi64>, tensor<f32>) -> tensor<7x3xf32>
  %dy2 = nn.cross_entropy_grad %one, %y2, %t2, %d {ignore_index = -100 : i64, reduction = #nn.reduction<mean>} : (tensor<f32>, tensor<13x3xf32>, tensor<13xi64>, tensor<f32>) -> tensor<13x3xf32>
  %g1 = nn.linear_weight_grad %dy1, %x1 : (tensor<7x3xf32>, tensor<7x2xf32>) -> tensor<3x2xf32>
  %g2 = nn.linear_weight_grad %dy2, %x2 : (tensor<13x3xf32>, tensor<13x2xf32>) -> tensor<3x2xf32>
  %g = nn.add %g1, %g2 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>

  %m1 = nn.cross_entropy %y1, %t1 {ignore_index = -100 : i64, reduction = #nn.reduction<mean>} : (tensor<7x3xf32>, tensor<7xi64>) -> tensor<f32>
  %m2 = nn.cross_entropy %y2, %t2 {ignore_index = -100 : i64, reduction = #nn.reduction<mean>} : (tensor<13x3xf32>, tensor<13xi64>) -> tensor<f32>
  %m = nn.add %m1, %m2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %mean = nn.mul %m, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>

  %0 = nn.sub %loss, %full : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %loss_agrees = call @is_small(%0) : (tensor<f32>) -> tensor<i1>
  %1 = nn.sub %g, %gfull : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %2 = nn.abs %1 : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = nn.reduce_max %2 {dims = array<i64: 0, 1>} : (tensor<3x2xf32>) -> tensor<f32>
  %gradient_agrees = call @is_small(%3) : (tensor<f32>) -> tensor<i1>
  %4 = nn.sub %mean, %full : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %mean_agrees = call @is_small(%4) : (tensor<f32>) -> tensor<i1>
  return %d, %loss_agrees, %gradient_agrees, %mean_agrees, %loss, %g : tensor<f32>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<f32>, tensor<3x2xf32>
}

// The full batch in one: the mean over what is not ignored.
func.func private @full(%w: tensor<3x2xf32>, %x: tensor<20x2xf32>, %t: tensor<20xi64>) -> (tensor<f32>, tensor<3x2xf32>) {
  %y = nn.linear %x, %w : (tensor<20x2xf32>, tensor<3x2xf32>) -> tensor<20x3xf32>
  %loss = nn.cross_entropy %y, %t {ignore_index = -100 : i64, reduction = #nn.reduction<mean>} : (tensor<20x3xf32>, tensor<20xi64>) -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %dy = nn.cross_entropy_grad %one, %y, %t {ignore_index = -100 : i64, reduction = #nn.reduction<mean>} : (tensor<f32>, tensor<20x3xf32>, tensor<20xi64>) -> tensor<20x3xf32>
  %g = nn.linear_weight_grad %dy, %x : (tensor<20x3xf32>, tensor<20x2xf32>) -> tensor<3x2xf32>
  return %loss, %g : tensor<f32>, tensor<3x2xf32>
}

func.func private @is_small(%x: tensor<f32>) -> tensor<i1> {
  %limit = nn.constant dense<1.0e-6> : tensor<f32>
  %0 = nn.abs %x : (tensor<f32>) -> tensor<f32>
  %1 = nn.compare %0, %limit {predicate = #nn.predicate<le>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %1 : tensor<i1>
}
