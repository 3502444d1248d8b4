// RUN: amp-opt %s -split-input-file -verify-diagnostics

amp.policy @p low = f16 {
  // expected-error @below {{expects a selector: op names or 'classes'}}
  amp.rule fp32
}

// -----

amp.policy @p low = f16 {
  // expected-error @below {{expects 'advice' on a rule that bans ops}}
  amp.rule banned ["nn.exp"]
}

// -----

amp.policy @p low = f16 {
  // expected-error @below {{expects a policy class, but got 'low'}}
  amp.rule low ["nn.exp"]
}

// -----

// expected-error @below {{expects a positive finite 'initial' scale, but got 0}}
amp.scaler @s dynamic {initial = 0.0 : f32}

// -----

// expected-error @below {{expects 'growth' above 1, but got 1}}
amp.scaler @s dynamic {growth = 1.0 : f32}

// -----

// expected-error @below {{expects 'backoff' between 0 and 1, but got 2}}
amp.scaler @s dynamic {backoff = 2.0 : f32}

// -----

// expected-error @below {{expects 'interval' of at least 1, but got 0}}
amp.scaler @s dynamic {interval = 0 : i64}

// -----

// expected-error @below {{expects 'interval' of at least 1, but got -5}}
amp.scaler @s dynamic {interval = -5 : i64}

// -----

// expected-error @below {{expects 'cap' not below 'floor', but got}}
amp.scaler @s dynamic {floor = 8.0 : f32, cap = 1.0 : f32}

// -----

// expected-note @below {{see symbol defined here}}
func.func @main(%loss: tensor<f32>, %scale: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{expects @main to be an 'amp.scaler'}}
  %0 = amp.scale_loss @main(%loss, %scale) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

amp.scaler @main dynamic
func.func @unscale(%scale: tensor<f32>, %g: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error @below {{expects result #0 to have the shape of its gradient 'tensor<4xf32>', but got 'tensor<5xf32>'}}
  %0 = amp.unscale_grads @main(%scale) %g : (tensor<f32>, tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

amp.scaler @main dynamic
func.func @unscale(%scale: tensor<f32>, %g: tensor<4xf32>) {
  // expected-error @below {{expects one result per gradient, but got 0 results for 1 gradients}}
  amp.unscale_grads @main(%scale) %g : (tensor<f32>, tensor<4xf32>) -> ()
  return
}

// -----

func.func @clip(%n: tensor<f32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects a positive 'max_norm', but got 0}}
  %0 = amp.clip_by_global_norm norm(%n) %g {max_norm = 0.0 : f32} : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @states(%p: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects a positive multiple of the 2 gradients as states, but got 1}}
  %0 = amp.guarded_update states(%p) gradients(%g, %g) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p0: f32, %g0: f32):
    amp.yield %p0 : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @shapes(%p: tensor<4xf32>, %g: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects state #0 to have the shape of its gradient 'tensor<5xf32>', but got 'tensor<4xf32>'}}
  %0 = amp.guarded_update states(%p) gradients(%g) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32> {
  ^bb0(%p0: f32, %g0: f32):
    amp.yield %p0 : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @arguments(%p: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects region arguments ('f32', 'f32'), but got ('f32')}}
  %0 = amp.guarded_update states(%p) gradients(%g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p0: f32):
    amp.yield %p0 : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @yields(%p: tensor<4xf32>, %g: tensor<4xf16>) -> tensor<4xf32> {
  // expected-error @below {{expects its region to yield ('f32'), but got ('f16')}}
  %0 = amp.guarded_update states(%p) gradients(%g) : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32> {
  ^bb0(%p0: f32, %g0: f16):
    // expected-note @below {{see yield here}}
    amp.yield %g0 : f16
  }
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{failed to parse AMP_NumericsAttr parameter 'lhs'}}
// expected-error @below {{expects a float format or a split of one such as 'bf16x3', but got 'i8'}}
func.func private @f() attributes {test.numerics = #amp.numerics<lhs = i8>}

// -----

// expected-error @below {{failed to parse AMP_NumericsAttr parameter 'order'}}
// expected-error @below {{expects 'any', 'sequential' or 'blocked<k>', but got 'random'}}
func.func private @f() attributes {test.numerics = #amp.numerics<order = random>}

// -----

// expected-error @below {{expects a positive block of accumulation, but got 0}}
func.func private @f() attributes {test.numerics = #amp.numerics<order = blocked<0>>}

// -----

// expected-error @below {{expects a float accumulator, but got 'i32'}}
func.func private @f() attributes {test.numerics = #amp.numerics<accumulate = i32>}

// -----

// expected-error @below {{expects 'amp.role' to be #amp.role, but got "parameter"}}
func.func private @f(tensor<4xf32> {amp.role = "parameter"})

// -----

// expected-error @below {{unknown attribute 'amp.rule' of the amp dialect on an argument or result}}
func.func private @f(tensor<4xf32> {amp.rule = "parameter"})

// -----

// expected-error @below {{expects 'amp.scale_power' to be a dictionary of integer powers, but got}}
func.func private @f(tensor<4xf32> {amp.scale_power = {main = "1"}})

// -----

// expected-error @below {{expects 'amp.state' to be an array of #amp.state}}
module attributes {amp.state = [1 : i64]} {
}

// -----

// expected-error @below {{unknown attribute 'amp.nonsense' of the amp dialect}}
module attributes {amp.nonsense} {
}
