// RUN: amp-opt %s -split-input-file -verify-diagnostics -nn-autodiff -amp-build-train-step -o /dev/null
// RUN: amp-opt %s -split-input-file -nn-autodiff -amp-build-train-step="window=single" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SINGLE --allow-empty
// SINGLE-NOT: warning: expects

// A sum over rows that is no loss op: what a window counts is not known, and a share
// of the rows is the wrong weight.
func.func @main(%w: tensor<2x4xf32> {amp.name = "w", amp.role = #amp.role<parameter>},
                %x: tensor<?x4xf32> {amp.name = "x", amp.role = #amp.role<input>})
    -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  %0 = nn.linear %x, %w : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  // expected-warning @below {{expects a mean over rows, but this op sums over them: micro-batches of a window are weighted by their share of the rows; end the model in a sum of 'nn' losses, or use windows of one micro-batch}}
  %1 = nn.reduce_sum %0 {dims = array<i64: 0, 1>} : (tensor<?x2xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// A mean over rows, and a sum over parameters: both weights are right.
func.func @main(%w: tensor<2x4xf32> {amp.name = "w", amp.role = #amp.role<parameter>},
                %x: tensor<?x4xf32> {amp.name = "x", amp.role = #amp.role<input>})
    -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  %0 = nn.linear %x, %w : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  %1 = nn.reduce_mean %0 {dims = array<i64: 0, 1>} : (tensor<?x2xf32>) -> tensor<f32>
  %2 = nn.reduce_sum %w {dims = array<i64: 0, 1>} : (tensor<2x4xf32>) -> tensor<f32>
  %3 = nn.add %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}
