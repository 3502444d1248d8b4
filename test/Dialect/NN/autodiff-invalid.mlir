// RUN: amp-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect -nn-autodiff

// expected-error @below {{expects a public function with a result of role 'loss', but got none; mark the loss with 'amp.role = #amp.role<loss>'}}
module {
  func.func private @hidden(%x: tensor<f32>) -> (tensor<f32> {amp.role = #amp.role<loss>}) {
    return %x : tensor<f32>
  }
}

// -----

// expected-note @below {{see the first one here}}
func.func @first(%x: tensor<f32> {amp.role = #amp.role<parameter>}) -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  return %x : tensor<f32>
}
// expected-error @below {{expects one public function with a result of role 'loss', but got 2; choose one with the option 'function'}}
func.func @second(%x: tensor<f32> {amp.role = #amp.role<parameter>}) -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  return %x : tensor<f32>
}

// -----

// expected-error @below {{expects one result of role 'loss' to differentiate, but has 2}}
func.func @two_losses(%x: tensor<f32> {amp.role = #amp.role<parameter>})
    -> (tensor<f32> {amp.role = #amp.role<loss>}, tensor<f32> {amp.role = #amp.role<loss>}) {
  return %x, %x : tensor<f32>, tensor<f32>
}

// -----

// expected-error @below {{expects a floating-point argument of role 'parameter' to differentiate by, but has none; mark one with 'amp.role = #amp.role<parameter>', or name arguments with the option 'wrt'}}
func.func @no_parameter(%x: tensor<f32>) -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  return %x : tensor<f32>
}

// -----

// expected-error @below {{non-differentiable loss: expects result #0 to be a floating-point tensor of rank 0, but got 'tensor<4xf32>'; reduce it with 'nn.reduce_mean' or 'nn.reduce_sum'}}
func.func @loss_rank(%x: tensor<4xf32> {amp.role = #amp.role<parameter>}) -> (tensor<4xf32> {amp.role = #amp.role<loss>}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{non-differentiable loss: expects result #0 to be a floating-point tensor of rank 0, but got 'tensor<i64>'; compute it in floating point, without 'nn.compare' or a conversion to integers}}
func.func @loss_integer(%x: tensor<4xf32> {amp.role = #amp.role<parameter>}) -> (tensor<i64> {amp.role = #amp.role<loss>}) {
  %0 = nn.element_count %x : (tensor<4xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

// A loss of right and wrong answers (an accuracy) depends on the parameter through
// booleans only: the note names the op at which the path ends.
func.func @accuracy(%x: tensor<4xf32> {amp.role = #amp.role<parameter>}, %y: tensor<4xf32>) -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  // expected-note @below {{no cotangent flows through the integer result of 'nn.compare'; compute the loss from its operands instead}}
  %0 = nn.compare %x, %y {predicate = #nn.predicate<eq>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = nn.convert %0 : (tensor<4xi1>) -> tensor<4xf32>
  // expected-error @below {{non-differentiable loss: it does not depend on any of the differentiated arguments through floating-point values}}
  %2 = nn.reduce_mean %1 {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// A constant loss, and a loss of the inputs alone.
func.func @constant_loss(%x: tensor<4xf32> {amp.role = #amp.role<parameter>}) -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  // expected-error @below {{non-differentiable loss: it does not depend on any of the differentiated arguments through floating-point values}}
  %0 = nn.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @unknown_op(%x: tensor<4xf32> {amp.role = #amp.role<parameter>}) -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  // expected-error @below {{'other.square' op has no derivative rule, but lies between a differentiated argument and the loss; give it an 'amp::VJPOpInterface' model, inline it, or keep it off this path}}
  %0 = "other.square"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @below {{see the loss computed here}}
  %1 = nn.reduce_sum %0 {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func @region(%x: tensor<f32> {amp.role = #amp.role<parameter>}) -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  // expected-error @below {{has no derivative; run '-amp-autocast' before '-nn-autodiff' to inline it}}
  %0 = amp.autocast_region enabled = false -> tensor<f32> {
    amp.yield %x : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// A parameter that a region captures is on the path too.
func.func @captured(%x: tensor<f32> {amp.role = #amp.role<parameter>}, %p: i1) -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  // expected-error @below {{'scf.if' op has no derivative rule}}
  // expected-note @below {{see the loss computed here}}
  %0 = scf.if %p -> tensor<f32> {
    scf.yield %x : tensor<f32>
  } else {
    %1 = nn.neg %x : (tensor<f32>) -> tensor<f32>
    scf.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// expected-error @below {{expects one block to differentiate, but got 2}}
func.func @blocks(%x: tensor<f32> {amp.role = #amp.role<parameter>}) -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  cf.br ^next
^next:
  return %x : tensor<f32>
}

// -----

// expected-error @below {{expects no symbol '@main.vjp', but it is defined already}}
func.func @main(%x: tensor<f32> {amp.role = #amp.role<parameter>}) -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  return %x : tensor<f32>
}
// expected-note @below {{see the definition here}}
func.func private @main.vjp()

// -----

func.func @reshape(%x: tensor<?x?xf32> {amp.role = #amp.role<parameter>}) -> (tensor<f32> {amp.role = #amp.role<loss>}) {
  // expected-error @below {{expects an input with at most one dynamic dimension to be differentiated, but got 'tensor<?x?xf32>'; specialize shapes first, or keep one dimension dynamic}}
  %0 = nn.reshape %x : (tensor<?x?xf32>) -> tensor<?xf32>
  %1 = nn.reduce_sum %0 {dims = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
