// RUN: amp-opt %s -amp-verify -split-input-file -verify-diagnostics

// The right order: scale, backward, unscale once, check, clip, update.
amp.scaler @main dynamic
func.func @right(%p: tensor<4xf32>, %scale: tensor<f32>, %tracker: tensor<i64>, %x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<f32>, tensor<i64>) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %seed = amp.scale_loss @main(%one, %scale) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %b = nn.broadcast %seed {dims = array<i64>} : (tensor<f32>) -> tensor<4xf32>
  %g = nn.mul %b, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // Zero carries any power: adding it to a scaled gradient is fine.
  %zero = nn.constant dense<0.0> : tensor<4xf32>
  %sum = nn.add %g, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %u = amp.unscale_grads @main(%scale) %sum : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %n = amp.global_norm %u : (tensor<4xf32>) -> tensor<f32>
  %found = amp.found_inf %u norm(%n) : (tensor<4xf32>, tensor<f32>) -> tensor<i1>
  %c = amp.clip_by_global_norm norm(%n) %u {max_norm = 1.0 : f32} : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %new = amp.guarded_update skip(%found) states(%p) gradients(%c) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p0: f32, %g0: f32):
    %p1 = arith.subf %p0, %g0 : f32
    amp.yield %p1 : f32
  }
  %s:2 = amp.update_scale @main(%scale, %tracker, %found) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  return %new, %s#0, %s#1 : tensor<4xf32>, tensor<f32>, tensor<i64>
}

// -----

// Clip before unscale: the threshold means nothing to a scaled gradient.
amp.scaler @main dynamic
func.func @clip_before_unscale(%g: tensor<4xf32> {amp.scale_power = {main = 1 : i64}}) -> tensor<4xf32> {
  // expected-note @below {{see scaled value defined here}}
  %n = amp.global_norm %g : (tensor<4xf32>) -> tensor<f32>
  // expected-error @below {{'amp.clip_by_global_norm' op expects a norm without a loss scale, but got @main^1; clip after 'amp.unscale_grads': a threshold means nothing to a scaled gradient}}
  %c = amp.clip_by_global_norm norm(%n) %g {max_norm = 1.0 : f32} : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// Unscaling twice.
amp.scaler @main dynamic
func.func @unscale_twice(%scale: tensor<f32>, %g: tensor<4xf32> {amp.scale_power = {main = 1 : i64}}) -> tensor<4xf32> {
  // expected-note @below {{see gradient defined here}}
  %u = amp.unscale_grads @main(%scale) %g : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{expects gradients that carry @main^1, but gradient #0 carries no scale; it was unscaled before, or never scaled}}
  %v = amp.unscale_grads @main(%scale) %u : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %v : tensor<4xf32>
}

// -----

// Never unscaled.
amp.scaler @main dynamic
// expected-note @below {{see scaled value defined here}}
func.func @step_on_scaled(%p: tensor<4xf32>, %g: tensor<4xf32> {amp.scale_power = {main = 1 : i64}}) -> tensor<4xf32> {
  // expected-error @below {{'amp.guarded_update' op expects operands without a loss scale, but got @main^1; apply 'amp.unscale_grads' before the update}}
  %new = amp.guarded_update states(%p) gradients(%g) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p0: f32, %g0: f32):
    amp.yield %g0 : f32
  }
  return %new : tensor<4xf32>
}

// -----

// Gradients of two scales (the mixed window 8 and 16) cannot be summed.
amp.scaler @a dynamic
amp.scaler @b dynamic
// expected-note @below {{see operand of @a^1 here}}
// expected-note @below {{see operand of @b^1 here}}
func.func @mixed_scales(%g: tensor<4xf32> {amp.scale_power = {a = 1 : i64}}, %h: tensor<4xf32> {amp.scale_power = {b = 1 : i64}}) -> tensor<4xf32> {
  // expected-error @below {{'nn.add_n' op expects operands of one loss scale, but operand #0 carries @a^1 and operand #1 carries @b^1; scale or unscale both alike}}
  %s = nn.add_n %g, %h {numerics = #amp.numerics<accumulate = f32>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// A scaled value into an op that is not linear in it. Positively homogeneous ops
// keep the power, a root halves it.
amp.scaler @main dynamic
func.func @nonlinear(%g: tensor<4xf32> {amp.scale_power = {main = 1 : i64}}) -> tensor<4xf32> {
  %r = nn.relu %g : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @below {{see scaled value defined here}}
  %s = nn.sqrt %r : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{'nn.exp' op expects operand #0 without a loss scale, but it carries @main^1/2; apply 'amp.unscale_grads' first: the op is not linear in it}}
  %e = nn.exp %s : (tensor<4xf32>) -> tensor<4xf32>
  return %e : tensor<4xf32>
}

// -----

// Found-inf must cover every updated parameter.
amp.scaler @main dynamic
// expected-note @below {{see gradient defined here}}
func.func @uncovered(%p: tensor<4xf32>, %q: tensor<2xf32>, %g: tensor<4xf32>, %h: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  // expected-note @below {{see flag defined here}}
  %found = amp.found_inf %g : (tensor<4xf32>) -> tensor<i1>
  // expected-error @below {{expects its 'skip' flag to cover every gradient, but gradient #1 is not among the operands of an 'amp.found_inf'; add it there}}
  %new:2 = amp.guarded_update skip(%found) states(%p, %q) gradients(%g, %h) : (tensor<i1>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  ^bb0(%p0: f32, %g0: f32):
    amp.yield %g0 : f32
  }
  return %new#0, %new#1 : tensor<4xf32>, tensor<2xf32>
}

// -----

// A flag that folded to true, as that of an empty batch does, holds every update.
func.func @always_held(%p: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %held = arith.constant dense<true> : tensor<i1>
  %new = amp.guarded_update skip(%held) states(%p) gradients(%g) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p0: f32, %g0: f32):
    amp.yield %g0 : f32
  }
  return %new : tensor<4xf32>
}

// -----

// One scale update per path.
amp.scaler @main dynamic
func.func @two_updates(%scale: tensor<f32>, %tracker: tensor<i64>, %found: tensor<i1>) -> tensor<f32> {
  // expected-note @below {{see first update here}}
  %a:2 = amp.update_scale @main(%scale, %tracker, %found) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  // expected-error @below {{expects one update of scaler @main per step, but it is the second}}
  %b:2 = amp.update_scale @main(%a#0, %a#1, %found) : (tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<f32>, tensor<i64>)
  return %b#0 : tensor<f32>
}

// -----

// A loss is scaled once.
amp.scaler @main dynamic
func.func @scale_twice(%loss: tensor<f32>, %scale: tensor<f32>) -> tensor<f32> {
  // expected-note @below {{see scaled value defined here}}
  %a = amp.scale_loss @main(%loss, %scale) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-error @below {{expects a loss without a loss scale, but got @main^1; the loss is scaled once}}
  %b = amp.scale_loss @main(%a, %scale) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}

// -----

// An accumulator that cannot hold its operands.
func.func @narrow_accumulator(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{expects an accumulator that holds operand #0 of 'f32', but got 'f16'}}
  %0 = nn.linear %x, %x {numerics = #amp.numerics<accumulate = f16>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// A contract that a pass changed after autocast decided on it.
func.func @changed_contract(%x: tensor<4x4xf16>) -> tensor<4x4xf16> {
  // expected-error @unknown {{expects the accumulator contract that autocast decided on, #amp.numerics<accumulate = f32>, but got #amp.numerics<accumulate = f16>}}
  %0 = nn.linear %x, %x {numerics = #amp.numerics<accumulate = f16>} : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
    loc(fused<#amp.decision<rule = "lower_precision_fp", source = "cpu-f16", numerics = #amp.numerics<accumulate = f32>>>[unknown])
  return %0 : tensor<4x4xf16>
}

// -----

// Neither a tensor that only gives a shape nor a condition takes part in the scale.
amp.scaler @main dynamic
func.func @shapes_and_conditions(%loss: tensor<f32>, %scale: tensor<f32>, %x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %a = amp.scale_loss @main(%loss, %scale) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %b = nn.broadcast %a, %x {dims = array<i64>} : (tensor<f32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %c = nn.compare %x, %x {predicate = #nn.predicate<gt>} : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xi1>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %z = nn.broadcast %zero, %b {dims = array<i64>} : (tensor<f32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %d = nn.select %c, %b, %z : (tensor<?x3xi1>, tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %d : tensor<?x3xf32>
}

// -----

// The values between which a condition chooses do.
amp.scaler @main dynamic
// expected-note @below {{see operand of no scale here}}
func.func @mixed_choice(%loss: tensor<f32>, %scale: tensor<f32>, %x: tensor<f32>, %c: tensor<i1>) -> tensor<f32> {
  // expected-note @below {{see operand of @main^1 here}}
  %a = amp.scale_loss @main(%loss, %scale) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-error @below {{expects operands of one loss scale, but operand #1 carries @main^1 and operand #2 carries no scale}}
  %d = nn.select %c, %a, %x : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}
