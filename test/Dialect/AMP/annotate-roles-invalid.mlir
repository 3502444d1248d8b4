// RUN: amp-opt %s -split-input-file -verify-diagnostics -amp-annotate-roles

// expected-error @below {{expects argument #0 of role 'parameter' to have a name; add 'amp.name = "..."', the key of checkpoints and reports}}
func.func @unnamed(%w: tensor<4xf32> {amp.role = #amp.role<parameter>}) {
  return
}

// -----

// expected-error @below {{expects argument #0 of role 'parameter' to be a floating-point tensor, but got 'tensor<4xi32>'}}
func.func @integer_parameter(%w: tensor<4xi32> {amp.role = #amp.role<parameter>, amp.name = "w"}) {
  return
}

// -----

func.func @same_name(
    // expected-note @below {{see the first one here}}
    %a: tensor<4xf32> {amp.role = #amp.role<parameter>, amp.name = "w"},
    // expected-error @below {{expects argument names to be unique, but got 'w' for #0 and #1}}
    %b: tensor<4xf32> {amp.role = #amp.role<parameter>, amp.name = "w"}) {
  return
}

// -----

// expected-error @below {{expects result names to be unique, but got 'y' for #0 and #1}}
func.func @same_result_name(%a: tensor<4xf32>) -> (tensor<4xf32> {amp.name = "y"}, tensor<4xf32> {amp.name = "y"}) {
  return %a, %a : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{expects result #0 of role 'loss' to be a floating-point tensor of rank 0, but got 'tensor<4xf32>'}}
func.func @loss_rank(%a: tensor<4xf32>) -> (tensor<4xf32> {amp.role = #amp.role<loss>}) {
  return %a : tensor<4xf32>
}

// -----

// expected-error @below {{expects result #0 of role 'loss' to be a floating-point tensor of rank 0, but got 'tensor<i32>'}}
func.func @loss_type(%a: tensor<i32>) -> (tensor<i32> {amp.role = #amp.role<loss>}) {
  return %a : tensor<i32>
}

// -----

// expected-error @below {{expects one result of role 'loss', but got #0 and #1; add them to one loss}}
func.func @two_losses(%a: tensor<f32>) -> (tensor<f32> {amp.role = #amp.role<loss>}, tensor<f32> {amp.role = #amp.role<loss>}) {
  return %a, %a : tensor<f32>, tensor<f32>
}

// -----

// expected-error @below {{expects the loss to be result #0, but got #1}}
func.func @loss_not_first(%a: tensor<f32>) -> (tensor<f32>, tensor<f32> {amp.role = #amp.role<loss>}) {
  return %a, %a : tensor<f32>, tensor<f32>
}

// -----

// expected-error @below {{expects 'amp.role' to be #amp.role, but got "weight"}}
func.func @role_as_string(%a: tensor<f32> {amp.role = "weight"}) {
  return
}

// -----

// expected-error @below {{expected ::mlir::amp::Role to be one of: parameter, master_weight}}
// expected-error @below {{failed to parse AMP_RoleAttr parameter 'value'}}
func.func @unknown_role(%a: tensor<f32> {amp.role = #amp.role<weight>}) {
  return
}
