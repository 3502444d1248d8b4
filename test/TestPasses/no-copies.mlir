// RUN: amp-opt %s --test-amp-no-copies --split-input-file --verify-diagnostics

// What a step may do: read, compute, write in place.
func.func @in_place(%state: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %0 = memref.load %state[%c0] : memref<4xf32>
  %1 = arith.addf %0, %0 : f32
  memref.store %1, %state[%c0] : memref<4xf32>
  return
}

// Primitives are made at load time, where allocation is allowed.
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @"in_place.prepare"(%size: i64) {
  %0 = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  llvm.return
}

// -----

// A copy planted in a step.
// expected-note@+1 {{in function 'copied_state'}}
func.func @copied_state(%state: memref<4xf32>, %new: memref<4xf32>) {
  // expected-error@+1 {{'memref.copy' op copies a buffer}}
  memref.copy %new, %state : memref<4xf32> to memref<4xf32>
  return
}

// -----

// A buffer that no plan owns.
// expected-note@+1 {{in function 'allocated_gradient'}}
func.func @allocated_gradient() {
  // expected-error@+1 {{'memref.alloc' op allocates or frees a buffer}}
  %0 = memref.alloc() : memref<4xf32>
  return
}

// -----

// The same after the lowering to LLVM.
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @memcpy(!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
// expected-note@+1 {{in function 'lowered'}}
llvm.func @lowered(%from: !llvm.ptr, %size: i64) {
  // expected-error@+1 {{'llvm.call' op calls an allocating or copying function}}
  %0 = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  // expected-error@+1 {{'llvm.call' op calls an allocating or copying function}}
  %1 = llvm.call @memcpy(%0, %from, %size) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  // expected-error@+1 {{'llvm.intr.memcpy' op copies a buffer}}
  "llvm.intr.memcpy"(%0, %from, %size) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}

// -----

// Nothing to prove is no proof.
// expected-error@+1 {{expects functions with a body, but got none}}
module {
}
