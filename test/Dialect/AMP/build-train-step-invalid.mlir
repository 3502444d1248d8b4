// RUN: amp-opt %s -split-input-file -verify-diagnostics -amp-build-train-step="window=single"

// expected-error @+1 {{expects a model and its derivative '@<model>.vjp': run -nn-autodiff first}}
module {
  func.func @main(%w: tensor<2xf32> {amp.name = "w", amp.role = #amp.role<parameter>}) {
    return
  }
}

// -----

// expected-error @+1 {{expects argument #0 to be a ranked tensor with 'amp.role'}}
func.func @main(%w: tensor<2xf32>) -> tensor<f32> {
  %0 = arith.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @main.vjp(%w: tensor<2xf32>, %c: tensor<f32>) -> tensor<f32> {
  return %c : tensor<f32>
}

// -----

// expected-error @+1 {{expects argument #0 to be a parameter, input or target, but got role 'ema'}}
func.func @main(%w: tensor<2xf32> {amp.name = "w", amp.role = #amp.role<ema>}) -> tensor<f32> {
  %0 = arith.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @main.vjp(%w: tensor<2xf32>, %c: tensor<f32>) -> tensor<f32> {
  return %c : tensor<f32>
}

// -----

// expected-error @+1 {{expects parameter 'w' to be a static f32 tensor, but got 'tensor<2xf16>'}}
func.func @main(%w: tensor<2xf16> {amp.name = "w", amp.role = #amp.role<parameter>}) -> tensor<f32> {
  %0 = arith.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @main.vjp(%w: tensor<2xf16>, %c: tensor<f32>) -> tensor<f32> {
  return %c : tensor<f32>
}

// -----

func.func @main(%w: tensor<2xf32> {amp.name = "w", amp.role = #amp.role<parameter>}) -> tensor<f32> {
  %0 = arith.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}
// expected-error @+1 {{expects a result of role 'gradient' named 'w'}}
func.func private @main.vjp(%w: tensor<2xf32>, %c: tensor<f32>) -> tensor<f32> {
  return %c : tensor<f32>
}

// -----

// expected-error @+1 {{expects an input or target with rows: a leading dimension, all others static}}
func.func @main(%w: tensor<2xf32> {amp.name = "w", amp.role = #amp.role<parameter>}) -> tensor<f32> {
  %0 = arith.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @main.vjp(%w: tensor<2xf32>, %c: tensor<f32>)
    -> (tensor<f32>, tensor<2xf32> {amp.name = "w", amp.role = #amp.role<gradient>}) {
  return %c, %w : tensor<f32>, tensor<2xf32>
}

// -----

// Flat buffers hold parameters, so they have dimensions and elements.
// expected-error @+1 {{expects parameter 'w' to have a rank of at least 1, but got 'tensor<f32>'; declare it as 'tensor<1xf32>' and use 'nn.reshape'}}
func.func @main(%w: tensor<f32> {amp.name = "w", amp.role = #amp.role<parameter>}) -> tensor<f32> {
  return %w : tensor<f32>
}
func.func private @main.vjp(%w: tensor<f32>, %c: tensor<f32>)
    -> (tensor<f32>, tensor<f32> {amp.name = "w", amp.role = #amp.role<gradient>}) {
  return %w, %c : tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{expects parameter 'w' to have elements, but got 'tensor<0x4xf32>'}}
func.func @main(%w: tensor<0x4xf32> {amp.name = "w", amp.role = #amp.role<parameter>}) -> tensor<f32> {
  %0 = arith.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @main.vjp(%w: tensor<0x4xf32>, %c: tensor<f32>)
    -> (tensor<f32>, tensor<0x4xf32> {amp.name = "w", amp.role = #amp.role<gradient>}) {
  return %c, %w : tensor<f32>, tensor<0x4xf32>
}

// -----

// A parameter with the name of another state.
// expected-error @+1 {{expects no parameter named 'step', which is the name of another state of the training step; rename the parameter}}
func.func @main(%w: tensor<2xf32> {amp.name = "step", amp.role = #amp.role<parameter>},
                %x: tensor<?xf32> {amp.role = #amp.role<input>}) -> tensor<f32> {
  %0 = arith.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @main.vjp(%w: tensor<2xf32>, %x: tensor<?xf32>, %c: tensor<f32>)
    -> (tensor<f32>, tensor<2xf32> {amp.name = "step", amp.role = #amp.role<gradient>}) {
  return %c, %w : tensor<f32>, tensor<2xf32>
}

// -----

// A function with the name of a step function.
func.func @main(%w: tensor<2xf32> {amp.name = "w", amp.role = #amp.role<parameter>},
                %x: tensor<?xf32> {amp.role = #amp.role<input>}) -> tensor<f32> {
  %0 = arith.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @main.vjp(%w: tensor<2xf32>, %x: tensor<?xf32>, %c: tensor<f32>)
    -> (tensor<f32>, tensor<2xf32> {amp.name = "w", amp.role = #amp.role<gradient>}) {
  return %c, %w : tensor<f32>, tensor<2xf32>
}
// expected-error @+1 {{expects no symbol '@main.train', which the training step defines}}
func.func private @main.train()
