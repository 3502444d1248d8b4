// RUN: amp-opt %s -split-input-file -verify-diagnostics -amprt-plan-memory

// Two states swapped: each copy overwrites what the other one reads.
func.func @swap(%a: tensor<8xf32> {bufferization.writable = true},
                %b: tensor<8xf32> {bufferization.writable = true})
    -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-error @below {{updates a value in place, but a reader of the old value can only run after it}}
  // expected-note @below {{see the reader 'amprt.kernel' here}}
  return %b, %a : tensor<8xf32>, tensor<8xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// The old value is needed after the update.
func.func @late_reader(%s: tensor<8xf32> {bufferization.writable = true})
    -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error @below {{updates a value in place, but a reader of the old value can only run after it}}
  %0 = amprt.kernel <elementwise> ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %o: tensor<8xf32>):
    %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<8xf32>) outs(%o : tensor<8xf32>) {
    ^bb1(%p: f32, %r: f32):
      %2 = arith.addf %p, %p : f32
      linalg.yield %2 : f32
    } -> tensor<8xf32>
    amprt.yield %1 : tensor<8xf32>
  } -> tensor<8xf32>
  // expected-note @below {{see the reader 'amprt.kernel' here}}
  %3 = amprt.kernel <elementwise> ins(%s, %0 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>, %o: tensor<8xf32>):
    %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%o : tensor<8xf32>) {
    ^bb1(%p: f32, %q: f32, %r: f32):
      %2 = arith.subf %p, %q : f32
      linalg.yield %2 : f32
    } -> tensor<8xf32>
    amprt.yield %1 : tensor<8xf32>
  } -> tensor<8xf32>
  return %0, %3 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A kernel that reads other elements than it writes cannot update in place.
func.func @transpose(%s: tensor<4x4xf32> {bufferization.writable = true, amp.name = "w"})
    -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-error @below {{updates state 'w' in place, but operand #0 reads other elements of it}}
  %0 = amprt.kernel <elementwise> ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: tensor<4x4xf32>, %o: tensor<4x4xf32>):
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
    ^bb1(%p: f32, %r: f32):
      linalg.yield %p : f32
    } -> tensor<4x4xf32>
    amprt.yield %1 : tensor<4x4xf32>
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// The commit rule: a GEMM of the updated state could fail after the update.
func.func @late_gemm(%s: tensor<4x4xf32> {bufferization.writable = true})
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-note @below {{must run after this op}}
  %0 = amprt.kernel <elementwise> ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: tensor<4x4xf32>, %o: tensor<4x4xf32>):
    %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
    ^bb1(%p: f32, %r: f32):
      %2 = arith.addf %p, %p : f32
      linalg.yield %2 : f32
    } -> tensor<4x4xf32>
    amprt.yield %1 : tensor<4x4xf32>
  } -> tensor<4x4xf32>
  // expected-error @below {{can fail, but must run after a write of state: a failed step could not leave the state as it was}}
  %3 = amprt.gemm ins(%0, %0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
      {numerics = #amp.numerics<accumulate = f32>} -> tensor<4x4xf32>
  return %0, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

func.func @slice(%x: tensor<4x4xf32>) -> tensor<4x2xf32> {
  // expected-error @below {{expects a static slice that is contiguous in its source, but got 'tensor<4x2xf32>' of 'tensor<4x4xf32>'}}
  %0 = tensor.extract_slice %x[0, 0] [4, 2] [1, 1] : tensor<4x4xf32> to tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// expected-error @below {{expects ranked tensors of static shape with integer or float elements, but got 'tensor<?xf32>'}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects only gemms, kernels, concats, views and constants before memory planning, but got 'arith.negf'}}
  %0 = arith.negf %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
