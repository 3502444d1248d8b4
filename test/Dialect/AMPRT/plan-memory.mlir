// RUN: amp-opt %s -split-input-file -amprt-plan-memory | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// A state updated from itself stays in its argument; the commit stands before
// the write, and nothing is allocated.
// CHECK-LABEL: func.func @update(
// CHECK-SAME:    %[[S:[^:]+]]: memref<8xf32> {amprt.state = 0 : i64, bufferization.writable = true},
// CHECK-SAME:    %[[X:[^:]+]]: memref<8xf32>,
// CHECK-SAME:    %{{[^:]+}}: memref<0xi8> {amprt.arena})
// CHECK-SAME:    amprt.arena_bytes = 0 : i64, amprt.peak_bytes = 0 : i64
// CHECK-NEXT:    amprt.commit
// CHECK-NEXT:    amprt.kernel <elementwise> ins(%[[S]], %[[X]] : memref<8xf32>, memref<8xf32>) outs(%[[S]] : memref<8xf32>)
// CHECK:         return
func.func @update(%s: tensor<8xf32> {bufferization.writable = true},
                  %x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = amprt.kernel <elementwise> ins(%s, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>, %o: tensor<8xf32>):
    %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%o : tensor<8xf32>) {
    ^bb1(%p: f32, %q: f32, %r: f32):
      %2 = arith.addf %p, %q : f32
      linalg.yield %2 : f32
    } -> tensor<8xf32>
    amprt.yield %1 : tensor<8xf32>
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Pieces of a concat are written where they belong, gaps are zeroed, and the
// reader of the old parameters moves before their update.
// CHECK-LABEL: func.func @concat(
// CHECK-SAME:    %[[W:[^:]+]]: memref<24xf32> {{[^:]*}}state
// CHECK-SAME:    %[[X:[^:]+]]: memref<4x4xf32>,
// CHECK-SAME:    %[[OUT:[^:]+]]: memref<4x4xf32> {amprt.result = 1 : i64},
// CHECK-SAME:    %[[ARENA:[^:]+]]: memref<128xi8> {amprt.arena})
// CHECK:         %[[P0:.+]] = amprt.view %[[ARENA]] at 0 : memref<128xi8> to memref<4x4xf32>
// CHECK:         amprt.gemm {{.*}} outs(%[[P0]] : memref<4x4xf32>)
// CHECK:         %[[P1:.+]] = amprt.view %[[ARENA]] at 80 : memref<128xi8> to memref<4xf32>
// CHECK:         amprt.kernel <column> {{.*}} outs(%[[P1]] : memref<4xf32>)
// CHECK:         %[[GAP:.+]] = amprt.view %[[ARENA]] at 64 : memref<128xi8> to memref<4xf32>
// CHECK:         amprt.kernel <elementwise> outs(%[[GAP]] : memref<4xf32>)
// CHECK:           linalg.fill
// CHECK:         %[[OLD:.+]] = amprt.view %[[W]] at 0 : memref<24xf32> to memref<4x4xf32>
// CHECK:         amprt.gemm ins(%[[X]], %[[OLD]] : {{.*}}) outs(%[[OUT]] : memref<4x4xf32>)
// CHECK:         amprt.commit
// CHECK:         %[[G:.+]] = amprt.view %[[ARENA]] at 0 : memref<128xi8> to memref<24xf32>
// CHECK:         amprt.kernel <flat> ins(%[[G]] : memref<24xf32>) outs(%[[W]] : memref<24xf32>)
func.func @concat(%w: tensor<24xf32> {bufferization.writable = true},
                  %x: tensor<4x4xf32>) -> (tensor<24xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %dw = amprt.gemm ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
      {numerics = #amp.numerics<accumulate = f32>} -> tensor<4x4xf32>
  %f = tensor.empty() : tensor<4xf32>
  %db = amprt.kernel <column> ins(%x : tensor<4x4xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: tensor<4x4xf32>, %o: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %i = linalg.fill ins(%zero : f32) outs(%o : tensor<4xf32>) -> tensor<4xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>],
                         iterator_types = ["reduction", "parallel"]}
        ins(%a : tensor<4x4xf32>) outs(%i : tensor<4xf32>) {
    ^bb1(%p: f32, %r: f32):
      %2 = arith.addf %p, %r : f32
      linalg.yield %2 : f32
    } -> tensor<4xf32>
    amprt.yield %1 : tensor<4xf32>
  } -> tensor<4xf32>
  %g = amprt.concat %dw, %db at [0, 20] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<24xf32>
  %new = amprt.kernel <flat> ins(%g : tensor<24xf32>) outs(%w : tensor<24xf32>) {
  ^bb0(%a: tensor<24xf32>, %o: tensor<24xf32>):
    %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                         iterator_types = ["parallel"]}
        ins(%a : tensor<24xf32>) outs(%o : tensor<24xf32>) {
    ^bb1(%p: f32, %r: f32):
      %2 = arith.subf %r, %p : f32
      linalg.yield %2 : f32
    } -> tensor<24xf32>
    amprt.yield %1 : tensor<24xf32>
  } -> tensor<24xf32>
  // Reads the parameters as they were before the update.
  %s = tensor.extract_slice %w[0] [16] [1] : tensor<24xf32> to tensor<16xf32>
  %m = tensor.expand_shape %s [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
  %y = amprt.gemm ins(%x, %m : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
      {numerics = #amp.numerics<accumulate = f32>} -> tensor<4x4xf32>
  return %new, %y : tensor<24xf32>, tensor<4x4xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// Dead memory is reused: the third value lives where the first one was.
// CHECK-LABEL: func.func @reuse(
// CHECK-SAME:    %[[ARENA:[^:]+]]: memref<8192xi8> {amprt.arena})
// CHECK-SAME:    amprt.peak_bytes = 8192
// CHECK:         %[[A:.+]] = amprt.view %[[ARENA]] at 0 : memref<8192xi8> to memref<1024xf32>
// CHECK:         amprt.kernel {{.*}} outs(%[[A]] :
// CHECK:         %[[B:.+]] = amprt.view %[[ARENA]] at 4096 : memref<8192xi8> to memref<1024xf32>
// CHECK:         amprt.kernel {{.*}} ins(%[[A]] : {{.*}} outs(%[[B]] :
// CHECK:         amprt.kernel {{.*}} ins(%[[B]] : {{.*}} outs(%[[A]] :
// CHECK:         amprt.kernel {{.*}} ins(%[[A]] :
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
func.func @reuse(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %0 = amprt.kernel <elementwise> ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: tensor<1024xf32>, %o: tensor<1024xf32>):
    %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<1024xf32>) outs(%o : tensor<1024xf32>) {
    ^bb1(%p: f32, %r: f32):
      %n = arith.negf %p : f32
      linalg.yield %n : f32
    } -> tensor<1024xf32>
    amprt.yield %g : tensor<1024xf32>
  } -> tensor<1024xf32>
  %1 = amprt.kernel <elementwise> ins(%0 : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: tensor<1024xf32>, %o: tensor<1024xf32>):
    %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<1024xf32>) outs(%o : tensor<1024xf32>) {
    ^bb1(%p: f32, %r: f32):
      %n = arith.negf %p : f32
      linalg.yield %n : f32
    } -> tensor<1024xf32>
    amprt.yield %g : tensor<1024xf32>
  } -> tensor<1024xf32>
  %2 = amprt.kernel <elementwise> ins(%1 : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: tensor<1024xf32>, %o: tensor<1024xf32>):
    %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<1024xf32>) outs(%o : tensor<1024xf32>) {
    ^bb1(%p: f32, %r: f32):
      %n = arith.negf %p : f32
      linalg.yield %n : f32
    } -> tensor<1024xf32>
    amprt.yield %g : tensor<1024xf32>
  } -> tensor<1024xf32>
  %3 = amprt.kernel <elementwise> ins(%2 : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: tensor<1024xf32>, %o: tensor<1024xf32>):
    %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<1024xf32>) outs(%o : tensor<1024xf32>) {
    ^bb1(%p: f32, %r: f32):
      %n = arith.negf %p : f32
      linalg.yield %n : f32
    } -> tensor<1024xf32>
    amprt.yield %g : tensor<1024xf32>
  } -> tensor<1024xf32>
  return %3 : tensor<1024xf32>
}

// -----

#id = affine_map<() -> ()>

// One value returned as state and as a metric: the state is written in place,
// the metric by a copy kernel after it. An unchanged state costs nothing.
// CHECK-LABEL: func.func @metric(
// CHECK-SAME:    %[[S:[^:]+]]: memref<f32> {amprt.state = 0 : i64, bufferization.writable = true},
// CHECK-SAME:    %{{[^:]+}}: memref<f32> {amprt.state = 1 : i64, bufferization.writable = true},
// CHECK-SAME:    %[[M:[^:]+]]: memref<f32> {amprt.result = 2 : i64},
// CHECK:         amprt.commit
// CHECK-NEXT:    amprt.kernel <flat> ins(%[[S]] : memref<f32>) outs(%[[S]] : memref<f32>)
// CHECK:         amprt.kernel <elementwise> ins(%[[S]] : memref<f32>) outs(%[[M]] : memref<f32>)
func.func @metric(%s: tensor<f32> {bufferization.writable = true},
                  %lr: tensor<f32> {bufferization.writable = true})
    -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %e = tensor.empty() : tensor<f32>
  %0 = amprt.kernel <flat> ins(%s : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%a: tensor<f32>, %o: tensor<f32>):
    %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = []}
        ins(%a : tensor<f32>) outs(%o : tensor<f32>) {
    ^bb1(%p: f32, %r: f32):
      %2 = arith.addf %p, %p : f32
      linalg.yield %2 : f32
    } -> tensor<f32>
    amprt.yield %1 : tensor<f32>
  } -> tensor<f32>
  return %0, %lr, %0 : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// The functions of kind forward return no state, whatever the types of their
// results; constants are globals, one for equal values.
// CHECK: memref.global "private" constant @constant : memref<f32> = dense<2.000000e+00> {alignment = 64 : i64}
// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    %{{[^:]+}}: memref<f32> {bufferization.writable = true},
// CHECK-SAME:    %[[OUT:[^:]+]]: memref<f32> {amprt.result = 0 : i64},
// CHECK:         %[[C:.+]] = memref.get_global @constant : memref<f32>
// CHECK:         amprt.kernel <elementwise> ins(%[[C]] : memref<f32>) outs(%[[OUT]] : memref<f32>)
// CHECK-NOT:     amprt.commit
func.func @forward(%s: tensor<f32> {bufferization.writable = true}) -> tensor<f32>
    attributes {amp.step_kind = #amp.step_kind<forward>} {
  %c = arith.constant dense<2.0> : tensor<f32>
  return %c : tensor<f32>
}

// -----

// A second out of a gemm has a place like any other: the sum is written straight
// into the concat, the mask lives in the arena until it is read.
// CHECK-LABEL: func.func @epilogues(
// CHECK-SAME:    %[[X:[^:]+]]: memref<4x4xf32>,
// CHECK-SAME:    %[[OUT:[^:]+]]: memref<4x4xf32> {amprt.result = 0 : i64},
// CHECK-SAME:    %[[G:[^:]+]]: memref<20xf32> {amprt.result = 1 : i64},
// CHECK-SAME:    %[[ARENA:[^:]+]]: memref<128xi8> {amprt.arena})
// CHECK-DAG:     %[[H:.+]] = amprt.view %[[ARENA]] at {{.+}} : memref<128xi8> to memref<4x4xf32>
// CHECK-DAG:     %[[MASK:.+]] = amprt.view %[[ARENA]] at {{.+}} : memref<128xi8> to memref<4x16xi8>
// CHECK:         amprt.gemm {{.*}} outs(%[[H]], %[[MASK]] : memref<4x4xf32>, memref<4x16xi8>) {epilogue = #amprt.epilogue<relu_aux>
// CHECK:         amprt.gemm ins(%[[H]], %[[X]] : {{.*}}) aux(%[[MASK]] : memref<4x16xi8>) outs(%[[OUT]] : memref<4x4xf32>)
// CHECK-DAG:     %[[DW:.+]] = amprt.view %[[G]] at 0 : memref<20xf32> to memref<4x4xf32>
// CHECK-DAG:     %[[DB:.+]] = amprt.view %[[G]] at 64 : memref<20xf32> to memref<4xf32>
// CHECK:         amprt.gemm {{.*}} outs(%[[DW]], %[[DB]] : memref<4x4xf32>, memref<4xf32>)
func.func @epilogues(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<20xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %k = tensor.empty() : tensor<4x16xi8>
  %f = tensor.empty() : tensor<4xf32>
  %h:2 = amprt.gemm ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%e, %k : tensor<4x4xf32>, tensor<4x16xi8>)
      {epilogue = #amprt.epilogue<relu_aux>, numerics = #amp.numerics<accumulate = f32>}
      -> tensor<4x4xf32>, tensor<4x16xi8>
  %d = amprt.gemm ins(%h#0, %x : tensor<4x4xf32>, tensor<4x4xf32>) aux(%h#1 : tensor<4x16xi8>)
      outs(%e : tensor<4x4xf32>)
      {epilogue = #amprt.epilogue<drelu>, numerics = #amp.numerics<accumulate = f32>}
      -> tensor<4x4xf32>
  %w:2 = amprt.gemm ins(%d, %x : tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%e, %f : tensor<4x4xf32>, tensor<4xf32>)
      {epilogue = #amprt.epilogue<bias_grad_lhs>, transpose_lhs, numerics = #amp.numerics<accumulate = f32>}
      -> tensor<4x4xf32>, tensor<4xf32>
  %g = amprt.concat %w#0, %w#1 at [0, 16] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<20xf32>
  return %d, %g : tensor<4x4xf32>, tensor<20xf32>
}
