// RUN: amp-opt %s --test-amp-no-data-dependent-branches --split-input-file --verify-diagnostics

// What a step consists of: loops over ranges and constants, statuses of the
// runtime, and a guarded update whose skip is a select.
llvm.func @amp_rt_commit(!llvm.ptr) -> i32
llvm.func @amp_rt_parallel_for(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64)

llvm.func @kernel(%captures: !llvm.ptr, %begin: i64, %end: i64) {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %state = llvm.load %captures : !llvm.ptr -> !llvm.ptr
  %flag = llvm.load %state : !llvm.ptr -> i1
  llvm.br ^head(%begin : i64)
^head(%i: i64):
  %more = llvm.icmp "slt" %i, %end : i64
  llvm.cond_br %more, ^body, ^exit
^body:
  %address = llvm.getelementptr %state[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %old = llvm.load %address : !llvm.ptr -> f32
  %new = llvm.fadd %old, %old : f32
  %kept = llvm.select %flag, %old, %new : i1, f32
  llvm.store %kept, %address : f32, !llvm.ptr
  %next = llvm.add %i, %c1 : i64
  llvm.br ^head(%next : i64)
^exit:
  llvm.return
}

llvm.func @step(%ctx: !llvm.ptr, %args: !llvm.ptr) -> i32 {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %n = llvm.mlir.constant(64 : i64) : i64
  %status = llvm.call @amp_rt_commit(%ctx) : (!llvm.ptr) -> i32
  %ok = llvm.icmp "eq" %status, %c0 : i32
  llvm.cond_br %ok, ^run, ^exit(%status : i32)
^run:
  %fn = llvm.mlir.addressof @kernel : !llvm.ptr
  llvm.call @amp_rt_parallel_for(%ctx, %fn, %args, %n, %n) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) -> ()
  llvm.br ^exit(%c0 : i32)
^exit(%result: i32):
  llvm.return %result : i32
}

// -----

// found-inf read back to decide the skip.
llvm.func @skip_by_flag(%found_inf: !llvm.ptr) {
  // expected-note@+1 {{see load of data here}}
  %0 = llvm.load %found_inf : !llvm.ptr -> i1
  // expected-error@+1 {{'llvm.cond_br' op branches on a condition that depends on data}}
  llvm.cond_br %0, ^skip, ^update
^update:
  llvm.br ^skip
^skip:
  llvm.return
}

// -----

// The same by way of a norm, a conversion and a block argument.
llvm.func @skip_by_norm(%norm: f32) {
  %inf = llvm.mlir.constant(0x7F800000 : f32) : f32
  // expected-note@+1 {{see comparison of floats here}}
  %0 = llvm.fcmp "oeq" %norm, %inf : f32
  %1 = llvm.zext %0 : i1 to i32
  llvm.br ^decide(%1 : i32)
^decide(%flag: i32):
  // expected-error@+1 {{'llvm.switch' op branches on a condition that depends on data}}
  llvm.switch %flag : i32, ^update [
    1: ^skip
  ]
^update:
  llvm.br ^skip
^skip:
  llvm.return
}

// -----

// A flag that the caller loads and passes on.
llvm.func @update(%found_inf: i1) {
  // expected-error@+1 {{'llvm.cond_br' op branches on a condition that depends on data}}
  llvm.cond_br %found_inf, ^skip, ^update
^update:
  llvm.br ^skip
^skip:
  llvm.return
}
llvm.func @apply(%state: !llvm.ptr) {
  // expected-note@+1 {{see load of data here}}
  %0 = llvm.load %state : !llvm.ptr -> i1
  llvm.call @update(%0) : (i1) -> ()
  llvm.return
}

// -----

// A flag that a function of the module loads and returns.
llvm.func @found_inf(%state: !llvm.ptr) -> i1 {
  // expected-note@+1 {{see load of data here}}
  %0 = llvm.load %state : !llvm.ptr -> i1
  llvm.return %0 : i1
}
llvm.func @apply(%state: !llvm.ptr) {
  %0 = llvm.call @found_inf(%state) : (!llvm.ptr) -> i1
  // expected-error@+1 {{'llvm.cond_br' op branches on a condition that depends on data}}
  llvm.cond_br %0, ^skip, ^update
^update:
  llvm.br ^skip
^skip:
  llvm.return
}

// -----

// A result of which nothing is known; only the runtime's are statuses.
llvm.func @isinf(f32) -> i32
llvm.func @skip_by_call(%norm: f32) {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  // expected-note@+1 {{see result of an unknown call here}}
  %0 = llvm.call @isinf(%norm) : (f32) -> i32
  %1 = llvm.icmp "eq" %0, %c0 : i32
  // expected-error@+1 {{'llvm.cond_br' op branches on a condition that depends on data}}
  llvm.cond_br %1, ^update, ^skip
^update:
  llvm.br ^skip
^skip:
  llvm.return
}

// -----

// Control flow that is not lowered yet is refused, not passed over.
llvm.func @not_lowered(%flag: i1) {
  // expected-error@+1 {{'scf.if' op expects control flow of the 'llvm' dialect only}}
  scf.if %flag {
  }
  llvm.return
}

// -----

// Nothing to prove is no proof.
// expected-error@+1 {{expects functions of the 'llvm' dialect with a body, but got none}}
module {
}
